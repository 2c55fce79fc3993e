// SPDX-License-Identifier: Apache-2.0
#include "word_passes.hpp"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include <gtest/gtest.h>

namespace {

using namespace hogwild;
using namespace std::chrono_literals;

/// Counts itself.
struct counted_result {
  counted_result() { ++living; }
  counted_result(const counted_result&) { ++living; }
  counted_result& operator=(const counted_result&) = default;
  ~counted_result() { --living; }
  inline static std::atomic<int> living = 0;
};

/// What scans a block; the block that begins the text is ready only after others.
struct late_at_first {
  std::atomic<int>& others_ready;
  counted_result result{};
  bool first = false;

  void word(std::string_view w) { first = first || w == "first"; }
  void end_line() {
    if (!first) {
      ++others_ready;
      return;
    }
    const auto deadline = std::chrono::steady_clock::now() + 20s;
    while (others_ready < 2 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  }
};

/// Five blocks, each with the end of a line at its end.
std::string five_blocks() {
  std::string text = "first";
  for (int block = 0; block < 5; ++block) {
    text.append(detail::word_blocks::default_block_bytes - (block == 0 ? 6 : 1), ' ');
    text += '\n';
  }
  return text;
}

struct word_passes : testing::Test {
  const std::string text = five_blocks(), name = "text";
  const tbb::global_control four_threads{tbb::global_control::max_allowed_parallelism, 4};
  std::atomic<int> others_ready = 0;

  template <class Collect>
  void run(const Collect& collect) {
    const detail::word_passes passes([&] { return std::make_unique<detail::memory_bytes>(text); }, name);
    tbb::task_arena(4).execute(
        [&] { passes.run<counted_result>([&] { return late_at_first{others_ready}; }, collect); });
  }
};

TEST_F(word_passes, collect_blocks_in_their_order) {
  std::size_t collected = 0;
  run([&](const counted_result&) { ++collected; });
  EXPECT_EQ(collected, 5u);
  EXPECT_EQ(counted_result::living, 0);
}

TEST_F(word_passes, leave_nothing_behind_when_the_first_block_fails_and_others_wait) {
  std::size_t collected = 0;
  const auto fail = [&](const counted_result&) {
    ++collected;
    throw std::runtime_error("no room");
  };
  EXPECT_THROW(run(fail), std::runtime_error);
  EXPECT_GE(others_ready, 2);
  EXPECT_EQ(collected, 1u);
  EXPECT_EQ(counted_result::living, 0);
}

TEST_F(word_passes, tell_what_the_reader_throws_after_the_blocks_before_it) {
  struct breaks_off : detail::memory_bytes {
    using memory_bytes::memory_bytes;
    std::size_t read(std::span<char> room) override {
      const std::size_t got = memory_bytes::read(room);
      if (got == 0) throw std::runtime_error("broken off");
      return got;
    }
  };
  std::size_t collected = 0;
  const detail::word_passes passes([&] { return std::make_unique<breaks_off>(text); }, name);
  others_ready = 2;
  const auto collect = [&](const counted_result&) { ++collected; };
  EXPECT_THROW(passes.run<counted_result>([&] { return late_at_first{others_ready}; }, collect), std::runtime_error);
  EXPECT_EQ(collected, 5u);
  EXPECT_EQ(counted_result::living, 0);
}

}  // namespace
