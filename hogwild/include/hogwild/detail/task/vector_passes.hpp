// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <hogwild/detail/control/ticket_counter.hpp>
#include <hogwild/detail/data/chunk.hpp>
#include <hogwild/detail/memory/param_view.hpp>
#include <hogwild/detail/teams/thread_team.hpp>

// Passes over whole parameter arrays between rounds, while no worker trains.

namespace hogwild {

/// Calls pass(first, last, block number) for blocks of at most 64 Ki elements that cover 0 .. n-1, in parallel.
template <class Pass>
void for_each_block(std::size_t n, thread_team& threads, const Pass& pass) {
  const chunk_plan plan(n, std::size_t{1} << 16);
  ticket_counter next{};
  next.open(1, 0);
  const auto body = [&](std::size_t) {
    while (const auto i = next.draw(1, plan.count())) pass(plan[*i].first, plan[*i].last, *i);
  };
  // Waking a team costs more than a small array.
  if (plan.count() < 4)
    body(0);
  else
    threads.run(body);
}

/// The sum of f(value), for f from double to double; the same for any number of threads.
template <parameter T, class F>
double sum_over(std::span<T> values, const F& f, thread_team& threads) {
  const param_view<T> view(values);
  std::vector<double> sums(values.size() / (std::size_t{1} << 16) + 1);
  for_each_block(values.size(), threads, [&](std::size_t first, std::size_t last, std::size_t block) {
    double sum = 0.0;
    for (std::size_t j = first; j < last; ++j) sum += f(static_cast<double>(view.load(j)));
    sums[block] = sum;
  });
  double total = 0.0;
  for (const double s : sums) total += s;
  return total;
}

template <parameter T>
double sum_of_squares(std::span<T> values, thread_team& threads) {
  return sum_over(
      values, [](double w) { return w * w; }, threads);
}

template <parameter T>
void multiply_all(std::span<T> values, T factor, thread_team& threads) {
  const param_view<T> view(values);
  for_each_block(values.size(), threads, [&](std::size_t first, std::size_t last, std::size_t) {
    for (std::size_t j = first; j < last; ++j) view.store(j, view.load(j) * factor);
  });
}

}  // namespace hogwild
