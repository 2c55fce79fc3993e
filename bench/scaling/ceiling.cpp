// SPDX-License-Identifier: Apache-2.0
#include "ceiling.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <set>

#include <hogwild/team.hpp>

#include "defaults.hpp"

namespace hogwild::bench {
namespace {

using word = std::uint64_t;

/// Eight sums side by side, so that the additions never wait for each other.
word sum_of(const word* first, const word* last) {
  word sums[8] = {};
  for (; last - first >= 8; first += 8) {
    for (int i = 0; i < 8; ++i) sums[i] += first[i];
  }
  word total = 0;
  for (const word s : sums) total += s;
  return total;
}

double best_speed(const std::vector<word>& array, std::size_t threads) {
  const auto crew = team::make(team_kind::std, threads, true);
  std::vector<word> sums(threads * 16);
  double best = 0.0;
  for (std::size_t pass = 0; pass < defaults::ceiling_passes; ++pass) {
    const auto begin = std::chrono::steady_clock::now();
    crew->run([&](std::size_t t) {
      const word* const data = array.data();
      sums[t * 16] += sum_of(data + array.size() * t / threads, data + array.size() * (t + 1) / threads);
    });
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    best = std::max(best, static_cast<double>(array.size() * sizeof(word)) / took.count());
  }
  // Every word is 1, so a sum that differs was not read as a whole; a sum that is used cannot be left out.
  word total = 0;
  for (const word s : sums) total += s;
  return total == array.size() * defaults::ceiling_passes ? best : 0.0;
}

}  // namespace

std::vector<stream_speed> measure_stream(std::size_t most) {
  const std::vector<word> array(defaults::ceiling_bytes / sizeof(word), 1);
  std::vector<stream_speed> speeds;
  for (const std::size_t threads : std::set<std::size_t>{1, most})
    speeds.push_back({threads, best_speed(array, threads)});
  return speeds;
}

double streamed_bytes(const sparse_view& rows) {
  const std::size_t an_entry = (rows.has_narrow_index() ? 2 : 4) + (rows.has_narrow_value() ? 2 : 4);
  const std::size_t a_row = (rows.row_start.narrow().empty() ? 8 : 4) + (rows.label.coded() ? 1 : 8);
  return static_cast<double>(rows.nonzeros() * an_entry + rows.rows() * a_row);
}

}  // namespace hogwild::bench
