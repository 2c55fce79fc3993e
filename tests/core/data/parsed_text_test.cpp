// SPDX-License-Identifier: Apache-2.0
#include "data/parsed_text.hpp"

#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>

#include "formats/libsvm_parser.hpp"
#include "text/decimal.hpp"

namespace hogwild::detail {
namespace {

/// A text of equal blocks that counts how many of them somebody holds.
class counted_stream : public input_stream {
 public:
  explicit counted_stream(std::size_t blocks) : input_stream("counted", std::nullopt), left_(blocks) {}

  std::optional<text_block> next() override {
    if (left_-- == 0) return std::nullopt;
    most_ = std::max(most_, ++held_);
    std::shared_ptr<char[]> memory(new char[text.size() + text_padding](), [this](const char* block) {
      --held_;
      delete[] block;
    });
    std::memcpy(memory.get(), text.data(), text.size());
    return text_block{{memory.get(), text.size()}, memory};
  }

  std::size_t most_held() const { return most_; }

 private:
  static constexpr std::string_view text = "1 1:0.5 2:0.25 3:0.125\n-1 2:1 4:2 9:3\n";
  std::size_t left_, most_ = 0;  // next() is called by one thread at a time
  std::atomic<std::size_t> held_{0};
};

TEST(parsed_text, holds_no_more_of_the_text_than_a_few_blocks_a_thread) {
  for (const std::size_t threads : {1u, 2u, 4u}) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    tbb::task_arena arena(static_cast<int>(threads));
    counted_stream stream(5000);
    const auto parsed = arena.execute([&] { return parse_all(stream, libsvm_row_format()); });
    EXPECT_EQ(parsed->rows, 10000u);
    EXPECT_EQ(parsed->nonzeros, 30000u);
    EXPECT_LE(stream.most_held(), threads * blocks_in_flight);
  }
}

}  // namespace
}  // namespace hogwild::detail
