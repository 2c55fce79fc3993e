// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/loop/chunk_reading.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace hogwild {
namespace {

/// Rows that stream from nowhere, and record the requests.
struct watched_rows : row_source {
  void ensure(std::size_t, std::size_t) const override {}
  bool streams() const override { return true; }
  void announce(std::size_t first, std::size_t last) const override { announced.push_back({first, last}); }
  void release(std::size_t first, std::size_t last) const override { released.push_back({first, last}); }
  using range = std::pair<std::size_t, std::size_t>;
  mutable std::vector<range> announced, released;
};

/// Tickets of a hundred chunks in two shards.
struct two_shards final : ticket_source {
  static constexpr std::size_t chunks = 100;
  std::optional<ticket> draw() override { return std::nullopt; }
  bool stopped() const override { return false; }
  std::optional<std::size_t> following(const ticket& drawn, std::size_t ahead) const override {
    const std::size_t end = drawn.number < 50 ? 50 : 100, next = drawn.number + ahead;
    return next < end ? std::optional(chunk_of(next)) : std::nullopt;
  }
  static std::size_t chunk_of(std::size_t number) { return chunks - 1 - number; }
};

TEST(chunk_reading, announces_each_chunk_once_before_its_turn_and_releases_it_behind) {
  const watched_rows source;
  const std::vector<double> label(1000);
  const std::vector<std::uint64_t> start(1001);
  const sparse_view rows{.row_start = start, .label = std::span(label), .source = &source, .first_row = 7};
  const chunk_plan plan(1000, 10);
  chunk_reading reading(rows, plan, row_order::chunked);
  const two_shards tickets;
  std::vector<watched_rows::range> trained;
  // The second shard first, whose tickets 60 to 69 another worker draws; then the first one.
  std::vector<std::size_t> numbers;
  for (std::size_t k = 50; k < 100; ++k)
    if (k < 60 || k >= 70) numbers.push_back(k);
  for (std::size_t k = 0; k < 50; ++k) numbers.push_back(k);
  for (const std::size_t number : numbers) {
    const chunk work = plan[tickets.chunk_of(number)];
    reading.begin(tickets, {number, work.index, 0.0});
    const watched_rows::range here{work.first + 7, work.last + 7};
    if (number != 50 && number != 0) {
      EXPECT_EQ(std::ranges::count(source.announced, here), 1) << number;
    }
    EXPECT_LE(source.announced.size(), trained.size() + 10 + 2 * chunk_reading::chunks_ahead);
    reading.end(work);
    trained.push_back(here);
  }
  EXPECT_EQ(source.released, trained);
}

TEST(chunk_reading, asks_for_nothing_where_rows_are_drawn_one_by_one) {
  const watched_rows source;
  const std::vector<double> label(100);
  const std::vector<std::uint64_t> start(101);
  const sparse_view rows{.row_start = start, .label = std::span(label), .source = &source};
  const chunk_plan plan(100, 1);
  chunk_reading reading(rows, plan, row_order::permuted);
  reading.begin(two_shards{}, {3, 4, 0.0});
  reading.end(plan[3]);
  EXPECT_TRUE(source.announced.empty() && source.released.empty());
}

}  // namespace
}  // namespace hogwild
