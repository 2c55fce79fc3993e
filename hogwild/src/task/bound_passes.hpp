// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include <hogwild/detail/control/ticket_counter.hpp>
#include <hogwild/detail/data/chunk.hpp>
#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/task/evaluate.hpp>
#include <hogwild/detail/task/vector_passes.hpp>
#include <hogwild/detail/teams/thread_team.hpp>

// Passes over rows for linear bounds of a mean loss. Their sums do not depend on the number of threads.

namespace hogwild::detail {

inline constexpr std::size_t bound_chunk = 1024;

/// Calls visit(cursor, chunk, its number) for all rows, in parallel, until a stop is requested.
template <class Visit>
void over_rows(const sparse_view& rows, thread_team& threads, const std::stop_token& stop, const Visit& visit) {
  const chunk_plan plan(rows.rows(), bound_chunk);
  ticket_counter next{};
  next.open(1, 0);
  threads.run([&](std::size_t) {
    std::optional<row_cursor> cursor;
    while (const auto i = stop.stop_requested() ? std::nullopt : next.draw(1, plan.count())) {
      const chunk now = plan[*i];
      const bool streams = rows.streams();
      if (const std::size_t ahead = *i + chunks_ahead; streams && ahead < plan.count())
        rows.announce(plan[ahead].first, plan[ahead].last);
      rows.ensure(now.first, now.last);
      if (!cursor) cursor.emplace(rows);
      visit(*cursor, now, *i);
      if (streams) rows.release(now.first, now.last);
    }
  });
}

/// For each column the sum of its entries, each times the row's `width` numbers, which slopes(r, numbers) fills in:
/// number k of column j is at j * width + k. Rows for which slopes() returns false add nothing.
template <class Slopes>
std::vector<double> sum_of_rows(const sparse_view& rows, std::size_t width, thread_team& threads,
                                const std::stop_token& stop, const Slopes& slopes) {
  // As many parts as fit into 64 MiB, each with its own sum; independent of the number of threads.
  constexpr std::size_t most_numbers = std::size_t{1} << 23, most_parts = 16;
  const std::size_t length = rows.columns * width;
  const std::size_t parts = std::clamp<std::size_t>(
      std::min(most_numbers / std::max<std::size_t>(length, 1), rows.rows() / bound_chunk), 1, most_parts);
  std::vector<std::vector<double>> sums(parts);
  ticket_counter next{};
  next.open(1, 0);
  threads.run([&](std::size_t) {
    row_cursor cursor(rows);
    std::vector<double> of_row(width);
    while (const auto part = next.draw(1, parts)) {
      std::vector<double>& sum = sums[*part];
      sum.resize(length);
      const std::size_t begin = rows.rows() * *part / parts, end = rows.rows() * (*part + 1) / parts;
      for (std::size_t first = begin; first < end && !stop.stop_requested(); first += bound_chunk) {
        const std::size_t last = std::min(first + bound_chunk, end);
        rows.ensure(first, last);
        for (std::size_t r = first; r < last; ++r) {
          if (!slopes(r, std::span(of_row))) continue;
          for (const auto [j, x] : cursor.row(r)) {
            const double value = static_cast<double>(x);
            for (std::size_t k = 0; k < width; ++k) sum[j * width + k] += value * of_row[k];
          }
        }
        if (rows.streams()) rows.release(first, last);
      }
    }
  });
  for_each_block(length, threads, [&](std::size_t first, std::size_t last, std::size_t) {
    for (std::size_t part = 1; part < parts; ++part)
      for (std::size_t j = first; j < last; ++j) sums[0][j] += sums[part][j];
  });
  return std::move(sums[0]);
}

}  // namespace hogwild::detail
