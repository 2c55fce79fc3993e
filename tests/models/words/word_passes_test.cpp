// SPDX-License-Identifier: Apache-2.0
#include "words/word_passes.hpp"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <unistd.h>

#include <hogwild/error.hpp>

#include "support/comes_to.hpp"

namespace {

using namespace hogwild;
using namespace std::chrono_literals;

/// The first letter of its block; counts itself.
struct counted_result {
  char letter = ' ';
  counted_result() { ++living; }
  counted_result(const counted_result& other) : letter(other.letter) { ++living; }
  counted_result& operator=(const counted_result&) = default;
  ~counted_result() { --living; }
  inline static std::atomic<int> living = 0;
};

/// Scans a block. The scan of the word "a" is ready only after two others; that of `spoilt` throws.
struct letter_pass {
  std::atomic<int>& others_ready;
  std::string_view spoilt;
  counted_result result{};

  void word(std::string_view w) {
    if (w == spoilt) throw std::runtime_error("no room");
    result.letter = w.front();
  }
  void end_line() {
    if (result.letter != 'a') {
      ++others_ready;
      return;
    }
    test::eventually(20s, [&] { return others_ready >= 2; });
  }
};

/// Blocks of one word, a to e, and the end of a line.
std::string five_blocks() {
  std::string text;
  for (const char letter : {'a', 'b', 'c', 'd', 'e'}) {
    text += letter;
    text.append(detail::word_blocks::default_block_bytes - 2, ' ');
    text += '\n';
  }
  return text;
}

struct word_passes : testing::Test {
  const std::string text = five_blocks(), name = "text";
  const tbb::global_control four_threads{tbb::global_control::max_allowed_parallelism, 4};
  std::atomic<int> others_ready = 0;

  template <class Reader = detail::memory_bytes, class Collect>
  void run(std::string_view bytes, const Collect& collect, std::string_view spoilt = "") {
    const detail::word_passes passes([&] { return std::make_unique<Reader>(bytes); }, name);
    tbb::task_arena(4).execute([&] {
      passes.run<counted_result>([&] { return letter_pass{others_ready, spoilt}; }, collect);
    });
  }
};

TEST_F(word_passes, collect_blocks_in_their_order) {
  std::string collected;
  run(text, [&](const counted_result& r) { collected += r.letter; });
  EXPECT_EQ(collected, "abcde");
  EXPECT_EQ(counted_result::living, 0);
}

TEST_F(word_passes, leave_nothing_behind_when_the_first_block_fails_and_others_wait) {
  std::string collected;
  const auto fail = [&](const counted_result& r) {
    collected += r.letter;
    throw std::runtime_error("no room");
  };
  EXPECT_THROW(run(text, fail), std::runtime_error);
  EXPECT_GE(others_ready, 2);
  EXPECT_EQ(collected, "a");
  EXPECT_EQ(counted_result::living, 0);
}

TEST_F(word_passes, throw_what_a_scan_throws) {
  others_ready = 2;
  std::string collected;
  EXPECT_THROW(run(
                   text, [&](const counted_result& r) { collected += r.letter; }, "c"),
               std::runtime_error);
  EXPECT_TRUE(std::string("ab").starts_with(collected)) << collected;
  EXPECT_EQ(counted_result::living, 0);
}

/// The first block is ready once the thread in which another one threw has nothing left to do; all others throw.
struct throwing_pass {
  static inline int run = 0;
  static inline thread_local int threw_in = 0;
  static inline std::atomic<pid_t> thrower;
  static inline std::atomic<bool> went_on;
  counted_result result{};

  static throwing_pass make() {
    if (threw_in == run) went_on = true;
    return {};
  }
  void word(std::string_view w) const {
    if (w != "a") {
      threw_in = run;
      thrower = ::gettid();
      throw std::runtime_error("no room");
    }
    EXPECT_TRUE(test::eventually(20s, [] { return thrower != 0; }));
    EXPECT_TRUE(test::comes_to('S', ::getpid(), thrower));
  }
  void end_line() const {}
};

TEST_F(word_passes, do_not_go_on_in_a_thread_whose_scan_threw) {
  ++throwing_pass::run;
  throwing_pass::thrower = 0;
  throwing_pass::went_on = false;
  const detail::word_passes passes([&] { return std::make_unique<detail::memory_bytes>(text); }, name);
  const auto run = [&] { passes.run<counted_result>(throwing_pass::make, [](const counted_result&) {}); };
  EXPECT_THROW(tbb::task_arena(2).execute(run), std::runtime_error);
  EXPECT_FALSE(throwing_pass::went_on);
}

/// A text that breaks off.
struct breaks_off : detail::memory_bytes {
  using memory_bytes::memory_bytes;
  std::size_t read(std::span<char> room) override {
    const std::size_t got = memory_bytes::read(room);
    if (got == 0) throw std::runtime_error("broken off");
    return got;
  }
};

TEST_F(word_passes, tell_what_the_reader_throws_after_the_blocks_before_it) {
  std::string collected;
  others_ready = 2;
  const auto collect = [&](const counted_result& r) { collected += r.letter; };
  EXPECT_THROW(run<breaks_off>(text, collect), std::runtime_error);
  EXPECT_EQ(collected, "abcde");
  EXPECT_EQ(counted_result::living, 0);
}

TEST_F(word_passes, tell_of_a_fault_before_what_the_reader_throws_behind_it) {
  std::string faulty = text;
  faulty[faulty.size() - 2] = '\0';
  others_ready = 2;
  EXPECT_THROW(run<breaks_off>(faulty, [](const counted_result&) {}), format_error);
}

}  // namespace
