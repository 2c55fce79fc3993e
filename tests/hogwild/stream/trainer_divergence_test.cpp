// SPDX-License-Identifier: Apache-2.0
// When a stream tells that it has diverged, and when it does not.
#include <hogwild/trainer.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/models/least_squares.hpp>
#include <hogwild/models/logistic.hpp>

#include "support/scratch_folder.hpp"
#include "support/streamed_rows.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;
using namespace hogwild::test;
using ::testing::HasSubstr;

namespace {

TEST(trainer, tells_by_flush_that_it_is_worse_than_an_untrained_model) {
  test::toy_rows far = rows();
  for (float& y : far.label) y += 100.0f;
  const csr_rows kept = far.csr();
  const sparse_view few = kept.view().slice(0, 600);
  const auto streamed = [&](double step, std::vector<std::string>& notes) {
    train_options options{.step = {.initial = step}, .bias = true};
    options.batch = 1;
    trainer<least_squares> stream(least_squares{}, serial_engine{}, options,
                                  {.note = [&](std::string_view note) { notes.emplace_back(note); }});
    EXPECT_FALSE(stream.partial_fit(few).diverged);
    const bool diverged = stream.flush().diverged;
    const std::vector<float> w = stream.parameters();
    EXPECT_TRUE(std::ranges::all_of(w, [](float v) { return std::isfinite(v); })) << step;
    EXPECT_EQ(stream.flush().diverged, diverged);
    EXPECT_EQ(stream.parameters(), w) << "assessing has changed them";
    return diverged;
  };
  std::vector<std::string> none, one;
  EXPECT_FALSE(streamed(0.05, none));
  EXPECT_THAT(none, ::testing::IsEmpty());
  EXPECT_TRUE(streamed(2.0, one));
  ASSERT_EQ(one.size(), 1u) << "told once";
  EXPECT_THAT(one.front(), HasSubstr("the last 600 rows that it trained have the loss "));
  EXPECT_THAT(one.front(), HasSubstr("where an untrained model has "));
}

/// Labels turned round after a long time in which nobody asked, also in a stream that is resumed from before.
TEST(trainer, has_not_diverged_where_the_rows_have_changed) {
  const scratch_folder folder;
  test::toy_rows other = rows();
  for (float& y : other.label) y = -y;
  const csr_rows after = other.csr();
  trainer<logistic> stream(logistic{}, serial_engine{}, by_sgd());
  stream.partial_fit(many_rows());
  stream.checkpoint(folder / "state");
  stream.partial_fit(after.view().slice(0, 750));
  EXPECT_FALSE(stream.flush().diverged);
  stream.partial_fit(after.view().slice(750, 5000));
  EXPECT_FALSE(stream.flush().diverged);
  train_options options = by_sgd();
  options.resume = folder / "state";
  trainer<logistic> resumed(logistic{}, serial_engine{}, options);
  resumed.partial_fit(after.view().slice(0, 750));
  EXPECT_FALSE(resumed.flush().diverged);
}

/// Its numbers become small at last, and it is worse than an untrained model would be on them, as it was on the others.
TEST(trainer, has_diverged_where_it_never_was_good_whatever_other_rows_were_like) {
  test::toy_rows wide, narrow;
  wide.columns = narrow.columns = 5;
  auto drawn = [seed = std::uint32_t{7}]() mutable {
    seed = seed * 1664525u + 1013904223u;
    return static_cast<float>(seed >> 8) / static_cast<float>(1u << 23) - 1.0f;  // in [-1, 1)
  };
  for (int r = 0; r < 6000; ++r) {
    std::vector<float> x(5);
    for (float& v : x) v = drawn() < 0.0f ? -1.0f : 1.0f;
    wide.push({0, 1, 2, 3, 4}, x, 17.0f * drawn());
    narrow.push({0, 1, 2, 3, 4}, x, 1.7f * drawn());
  }
  train_options options{.step = {.initial = 0.3}};
  options.batch = 1;
  trainer<least_squares> stream(least_squares{}, serial_engine{}, options);
  stream.partial_fit(wide.csr());
  stream.partial_fit(narrow.csr());
  EXPECT_TRUE(stream.flush().diverged);
}

/// Assessing in between does not put off the next time that a caller asks.
TEST(trainer, that_blows_up_is_told_by_the_next_flush) {
  const sparse_view all = many_rows().view();
  for (const std::size_t rows : {4100u, 4400u, 4600u}) {
    train_options options{.step = {.initial = 1e6}};
    options.batch = 1;
    stream_run stream(described_stream<least_squares>([](std::size_t) { return least_squares{}; }, false,
                                                      [](const least_squares& m, const sparse_view& given,
                                                         const train_options& of) { return prepare(m, given, of); }),
                      [] { return std::make_unique<engine_of<serial_engine>>(serial_engine{}); }, options, {});
    stream.take(all.slice(0, rows));
    EXPECT_TRUE(stream.flush(true).diverged) << rows;
  }
}

/// Then an untrained model makes no mistake at all.
TEST(trainer, has_not_diverged_where_all_labels_are_the_same_at_last) {
  const scratch_folder folder;
  test::toy_rows all = rows();
  for (std::size_t r = 0; r < all.label.size(); ++r) all.label[r] *= static_cast<float>(1 + r % 3);
  const csr_rows before = all.csr();
  std::ranges::fill(all.label, 0.0f);
  const csr_rows still = all.csr();
  train_options options{.step = {.initial = 0.001}};
  trainer<least_squares> stream(least_squares{}, serial_engine{}, options);
  stream.partial_fit(before);
  stream.checkpoint(folder / "state");
  stream.partial_fit(still.view().slice(0, 1100));
  EXPECT_FALSE(stream.flush().diverged);
  options.resume = folder / "state";
  trainer<least_squares> resumed(least_squares{}, serial_engine{}, options);
  resumed.partial_fit(still.view().slice(0, 1100));
  EXPECT_FALSE(resumed.flush().diverged);
}

}  // namespace
