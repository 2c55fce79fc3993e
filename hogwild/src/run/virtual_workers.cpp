// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/virtual_workers.hpp>

#include <algorithm>

#include <hogwild/detail/run/choose.hpp>

namespace hogwild {

namespace {

constexpr std::size_t usual_workers = 4, fewest_workers = 2;
constexpr std::size_t fewest_rows = 16;  // of a turn, if the data give no limit
constexpr double most_rows_a_turn = 512.0, turns_an_epoch = 8.0;
constexpr double least_work = 20'000.0;  // entries of a turn, over all virtual workers: some 20 microseconds

/// The rows that one of `workers` virtual workers may train in a turn. Two that add the sum of their gains are stable
/// for every z (choose.hpp) and only oscillate; at z = 2 an oscillation is down to a tenth after seven turns.
double stable_rows(const turn_facts& f, std::size_t workers) {
  return (workers == 2 ? 2.0 : 1.0) * longest_exchange(f.step, f.curvature, workers);
}

std::uint64_t rows_of_turn(const turn_facts& f, std::size_t workers) {
  if (f.batch > 0) return (fewest_rows + f.batch - 1) / f.batch * f.batch;
  const double each = static_cast<double>(f.rows) / static_cast<double>(workers) / turns_an_epoch;
  return static_cast<std::uint64_t>(std::max(1.0, std::min({most_rows_a_turn, each, stable_rows(f, workers)})));
}

}  // namespace

turn_choice choose_turns(const turn_facts& f) {
  const double entries = static_cast<double>(f.nonzeros) / static_cast<double>(std::max<std::size_t>(f.rows, 1));
  const bool time_enough = stable_rows(f, usual_workers) * static_cast<double>(usual_workers) * entries >= least_work;
  const std::size_t workers = f.asked.value_or(time_enough ? usual_workers : fewest_workers);
  turn_choice choice;
  choice.exchange = {.rows = rows_of_turn(f, workers), .curvature = f.curvature, .workers = workers};
  choice.reason = std::to_string(workers) + " virtual workers add the sum of what they gain in " +
                  std::to_string(choice.exchange.rows) + " rows each";
  return choice;
}

}  // namespace hogwild
