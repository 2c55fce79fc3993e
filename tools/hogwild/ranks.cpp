// SPDX-License-Identifier: Apache-2.0
#include "ranks.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <thread>
#include <utility>

#include <hogwild/detail/engines/thread_team.hpp>

#include "data_files.hpp"

namespace hogwild::cli {
namespace {

constexpr std::string_view rank_mark = "%rank";

std::string path_of_rank(std::string path, std::size_t rank) {
  for (std::size_t at; (at = path.find(rank_mark)) != std::string::npos;)
    path.replace(at, rank_mark.size(), std::to_string(rank));
  return path;
}

std::size_t cpus_online() {
  return static_cast<std::size_t>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
}

[[noreturn]] void end_all(launched_ranks& ranks, exit_code code, const char* sentence) {
  say("rank " + std::to_string(ranks.rank()) + " of " + std::to_string(ranks.size()) + ": " + sentence);
  std::fflush(nullptr);
  ranks.abort(code);
  std::abort();  // g++ 12 does not take a virtual function's word for it
}

}  // namespace

bool launched() {
  for (const char* const name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "PMI_RANK"}) {
    if (std::getenv(name) != nullptr) return true;
  }
  return false;
}

void let_first_rank_tell() {
  for (const char* const name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"}) {
    const char* const rank = std::getenv(name);
    if (rank == nullptr) continue;
    if (std::string_view(rank) != "0") std::this_thread::sleep_for(std::chrono::seconds(5));
    return;
  }
}

int with_all_ranks(launched_ranks& ranks, const std::function<int()>& work) {
  try {
    return work();
  } catch (const error& e) {
    end_all(ranks, e.code(), e.what());
  } catch (const std::exception& e) {
    end_all(ranks, exit_code::internal, e.what());
  }
}

std::size_t workers_of_rank(const launched_ranks& ranks) {
  return std::max<std::size_t>(1, std::min(worker_count(), cpus_online() / ranks.size_on_machine()));
}

train_request request_of_rank(const train_request& request, launched_ranks& ranks) {
  train_request mine = request;
  // A launcher may have bound every rank to CPUs of its own; where ranks share CPUs they are divided here, and nobody
  // binds workers.
  const std::size_t here = ranks.size_on_machine();
  if (here > 1) {
    if (mine.workers == 0) mine.workers = workers_of_rank(ranks);
    if (allowed_cpus().size() * here > cpus_online()) mine.pin = false;
  }
  for (std::string* const path : {&mine.rows.weights, &mine.rows.offsets}) *path = path_of_rank(*path, ranks.rank());
  mine.several.ranks = ranks.size();
  if (ranks.rank() > 0) {
    mine.save.clear();
    mine.json = false;
    mine.files.quiet = true;
  }
  return mine;
}

rank_rows open_rank_rows(const std::string& path, launched_ranks& ranks,
                         const std::function<sparse_dataset(const std::string&)>& open) {
  if (path == "-") throw config_error("ranks cannot all read standard input; name a file");
  const agreement agreed = ranks.with_long_timeout();
  const std::size_t rank = agreed.rank(), size = agreed.size();
  if (path.find(rank_mark) != std::string::npos) {
    rank_rows rows{.data = open(path_of_rank(path, rank))};
    const image_shape image = rows.data.view().image;
    agreed.require_equal(std::as_bytes(std::span(&image, 1)), "size of the images of " + path);
    rows.common.emplace(rows.data, agreed);
    rows.part = rows.common->view();
    return rows;
  }
  std::optional<sparse_dataset> data;
  if (ranks.rank_on_machine() == 0) data = open(path);
  agreed.any(false);
  if (!data) data = open(path);
  const sparse_view all = data->view();
  rank_rows rows{.data = *data};
  rows.part = all.slice(all.rows() * rank / size, all.rows() * (rank + 1) / size);
  const double here = static_cast<double>(all.rows());
  std::array<double, 1> first{here};
  agreed.take_first(first);
  if (agreed.any(first[0] != here)) {
    throw input_error(path + " has " + std::to_string(all.rows()) + " rows here and " +
                      std::to_string(static_cast<std::size_t>(first[0])) +
                      " on rank 0: give every rank the same file, or name one for each with %rank in the path");
  }
  agreed.require_equal(std::as_bytes(data->numbering().original()), "columns of " + path);
  if (rows.part.rows() == 0) throw input_error(path + " has fewer rows than there are ranks");
  return rows;
}

}  // namespace hogwild::cli
