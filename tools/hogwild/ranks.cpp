// SPDX-License-Identifier: Apache-2.0
#include "ranks.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>

#include <hogwild/detail/collectives/lost_peer.hpp>
#include <hogwild/detail/data/dataset_digest.hpp>
#include <hogwild/detail/options/same_on_ranks.hpp>
#include <hogwild/detail/platform/checksum.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/detail/run/rank_paths.hpp>
#include <hogwild/detail/teams/thread_team.hpp>

#include "data_files.hpp"
#include "standard_streams.hpp"

namespace hogwild::cli {
namespace {

std::size_t cpus_online() {
  return static_cast<std::size_t>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
}

/// Ranks with different files of the same name would train parts of different data. The compared name has no path,
/// which may differ between machines.
void require_same_rows(sparse_dataset data, const agreement& agreed) {
  data.number_rows();
  const sparse_view all = data.view();
  detail::require_same_labels(all, "the data", agreed);
  const auto sum = [](std::uint64_t digest) { return "checksum " + std::to_string(digest); };
  const std::vector<named_value> rows{{"the columns of the data", sum(data.numbering().digest()), exit_code::input},
                                      {"the entries of the data", sum(detail::digest_of_rows(data)), exit_code::input},
                                      {"the weights of the rows", sum(detail::checksum(all.weight))},
                                      {"the offsets of the rows", sum(detail::checksum(all.offset))}};
  detail::require_same_on_ranks(rows, agreed);
}

[[noreturn]] void end_all(launched_ranks& ranks, exit_code code, const char* sentence) {
  say("rank " + std::to_string(ranks.rank()) + " of " + std::to_string(ranks.size()) + ": " + sentence);
  std::fflush(nullptr);
  ranks.abort(code);
  std::abort();  // g++ 12 does not trust a virtual function's [[noreturn]]
}

}  // namespace

bool launched() {
  for (const char* const name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "PMI_RANK"}) {
    if (std::getenv(name) != nullptr) return true;
  }
  return false;
}

std::optional<launcher_word> launched_several() {
  const auto number_in = [](const char* name) -> std::size_t {
    const char* const text = std::getenv(name);
    const auto number = text == nullptr ? std::nullopt : to_number(text);
    return number && *number >= 1.0 && *number < 1e9 ? static_cast<std::size_t>(*number) : 0;
  };
  launcher_word most;
  const auto hear = [&](const char* name) {
    if (const std::size_t n = number_in(name); n > most.processes) most = {name, n};
  };
  for (const char* const name :
       {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "FLUX_JOB_SIZE", "JSM_NAMESPACE_SIZE"})
    hear(name);
  // srun sets the number of tasks of its step. In a script of sbatch, and in the shell of salloc, only the allocation
  // has a number of tasks, and there is no step.
  const bool in_step = std::getenv("SLURM_STEP_NUM_TASKS") != nullptr || std::getenv("SLURM_STEP_ID") != nullptr;
  const bool in_allocation = std::getenv("SLURM_JOB_ID") != nullptr && !in_step;
  if (std::getenv("SLURM_STEP_NUM_TASKS") != nullptr)
    hear("SLURM_STEP_NUM_TASKS");
  else if (!in_allocation)
    hear("SLURM_NTASKS");
  return most.processes > 1 ? std::optional(most) : std::nullopt;
}

void require_known_to_mpi(std::size_t ranks) {
  const auto word = launched_several();
  if (!word || ranks > 1) return;
  throw config_error(
      "a launcher has started " + std::to_string(word->processes) + " processes (" + word->variable +
      "), but MPI knows only of this one: each would train alone and write the same files; start them by the mpiexec "
      "of the MPI that hogwild was built with, or by 'srun --mpi=pmix'; to train alone, unset " +
      word->variable);
}

void let_first_rank_tell() {
  for (const char* const name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"}) {
    const char* const rank = std::getenv(name);
    if (rank == nullptr) continue;
    if (std::string_view(rank) != "0") std::this_thread::sleep_for(std::chrono::seconds(5));
    return;
  }
}

void require_same_command(const std::string& command, const train_request& request, launched_ranks& ranks) {
  std::vector<named_value> mine{detail::compared_build(), {"the command", command}};
  mine.insert(mine.end(), request.compared.begin(), request.compared.end());
  detail::require_same_on_ranks(mine, ranks.with_long_timeout());
}

rank_neighbours::rank_neighbours(launched_ranks& ranks) : rank_(ranks.rank()), all_(of_all(ranks)) {}

std::vector<rank_neighbours::one> rank_neighbours::of_all(launched_ranks& ranks) {
  struct ::stat numbers {};
  ::stat("/proc/self/ns/pid", &numbers);
  const one mine{process_identity::current(), numbers.st_ino};
  static_assert(sizeof mine % sizeof(double) == 0 && std::is_trivially_copyable_v<one>);
  std::vector<double> words(sizeof mine / sizeof(double));
  std::memcpy(words.data(), &mine, sizeof mine);
  const std::vector<double> gathered = ranks.with_long_timeout().gathered(words);
  std::vector<one> all(ranks.size());
  std::memcpy(static_cast<void*>(all.data()), gathered.data(), all.size() * sizeof(one));
  return all;
}

std::vector<std::size_t> rank_neighbours::gone() const {
  std::vector<std::size_t> ended;
  for (std::size_t r = 0; r < all_.size(); ++r)
    if (is_seen(r) && all_[r].process.boot == all_[rank_].process.boot && !all_[r].process.alive()) ended.push_back(r);
  return ended;
}

bool rank_neighbours::is_first_left() const {
  const std::vector<std::size_t> ended = gone();
  for (std::size_t r = 0; r < rank_; ++r)
    if (is_seen(r) && std::ranges::find(ended, r) == ended.end()) return false;
  return true;
}

namespace {

/// A line that names the ranks that have ended, by the first of the others on this machine; `usual` if none has.
std::string answer_of_rank(const rank_neighbours& neighbours, std::string_view usual, const std::string& again = {}) {
  const std::vector<std::size_t> gone = neighbours.gone();
  if (gone.empty()) return std::string(usual);
  if (!neighbours.is_first_left()) return {};
  return "hogwild: " + detail::ranks_text(gone, neighbours.size()) + (gone.size() == 1 ? " has" : " have") +
         " ended, so the run ends and nothing is saved" + again + "\n";
}

}  // namespace

void answer_as_rank(interrupt& asked, launched_ranks& ranks, std::string_view stopping, const std::string& again) {
  const auto neighbours = std::make_shared<const rank_neighbours>(ranks);
  asked.answer_with([=] { return answer_of_rank(*neighbours, stopping, again); },
                    [=] {
                      // The rank may have told why: then its sentence says what to do.
                      const std::string answer = answer_of_rank(*neighbours, ended_at_once);
                      // The others look at the same time, and shall not count this rank, which ends now.
                      std::this_thread::sleep_for(std::chrono::milliseconds(200));
                      return answer;
                    });
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

void require_written(const train_request& request, launched_ranks& ranks) {
  const agreement agreed = ranks.with_long_timeout();
  for (const auto& [word, path] : {std::pair("--save", request.save), std::pair("--record", request.options.record)}) {
    double by_first = path.empty() ? 0.0 : 1.0;
    agreed.take_first(std::span(&by_first, 1));
    if (agreed.any(by_first == 0.0 && !path.empty() && !names_rank(path)))
      throw rank_failure(exit_code::usage,
                         std::string(word) +
                             " is given on other ranks than the first, which writes what all ranks have in common: "
                             "give it on the first rank");
  }
}

train_request request_of_rank(const train_request& request, launched_ranks& ranks) {
  train_request mine = request;
  // A launcher may have bound every rank to CPUs of its own; if ranks share CPUs they are divided here, and workers are
  // not bound.
  const std::size_t here = ranks.size_on_machine();
  if (here > 1) {
    if (mine.workers == 0) mine.workers = workers_of_rank(ranks);
    if (allowed_cpus().size() * here > cpus_online()) mine.pin = false;
  }
  for (std::string* const path : {&mine.rows.weights, &mine.rows.offsets}) *path = path_of_rank(*path, ranks.rank());
  mine.save = written_by_rank(mine.save, ranks.rank());
  mine.ranks = ranks.size();
  if (ranks.rank() > 0) {
    mine.json = false;
    mine.files.quiet = true;
  }
  return mine;
}

train_request request_alone(train_request request) {
  for (std::string* const path :
       {&request.data, &request.rows.weights, &request.rows.offsets, &request.save, &request.options.record})
    *path = path_of_rank(*path, 0);
  return request;
}

rank_rows open_rank_rows(const std::string& path, launched_ranks& ranks,
                         const std::function<sparse_dataset(const std::string&)>& open) {
  if (path == "-") throw config_error("ranks cannot all read standard input; name a file");
  const agreement agreed = ranks.with_long_timeout();
  const std::size_t rank = agreed.rank(), size = agreed.size();
  if (names_rank(path)) {
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
  require_same_rows(*data, agreed);
  if (rows.part.rows() == 0) throw input_error(path + " has fewer rows than there are ranks");
  return rows;
}

}  // namespace hogwild::cli
