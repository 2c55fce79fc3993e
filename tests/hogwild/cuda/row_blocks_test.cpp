// SPDX-License-Identifier: Apache-2.0
// Rows that come to a device for each launch give the bits of rows that stay there, whatever fits into a block.
#include "row_blocks.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/run/column_counts.hpp>
#include <hogwild/error.hpp>
#include <hogwild/general_model.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/softmax.hpp>

#include "kernel_family.hpp"
#include "margin_problem.hpp"
#include "named_models.hpp"
#include "support/comes_to.hpp"
#include "support/fresh_seed.hpp"
#include "support/toy_ratings.hpp"

using namespace hogwild;
using namespace hogwild::device;

namespace {

constexpr std::uint64_t enough_memory = std::uint64_t{1} << 30;

struct trained_by_launches {
  std::vector<float> weights, sums;
  std::uint64_t updates = 0;
  std::size_t launches = 0;
};

/// All rows by one warp, `at_once` of them requested for each launch, always from the same numbers.
trained_by_launches train_all(runtime& device, const training_task& task, const loop_options& options,
                              std::uint64_t block_bytes, std::size_t at_once) {
  const std::size_t n = task.facts().parameters, rows = task.data().rows();
  trained_by_launches all{.weights = test::noise_vector(n, 1, -0.1, 0.1), .sums = test::noise_vector(n, 2, 0.1, 1.0)};
  device_arrays arrays(device, n, 1);
  device.upload(arrays.values[0].data(), all.weights.data(), n * sizeof(float));
  device.upload(arrays.values[1].data(), all.sums.data(), n * sizeof(float));
  device.zero(arrays.updates.data(), sizeof(std::uint64_t));
  const auto model = kernels_of(task).bring(device, task, arrays, options, block_bytes);
  model->begin({.step = 0.1}, 0.0);
  for (std::size_t first = 0; first < rows; ++all.launches) {
    const std::size_t count = model->room_for(first, std::min(at_once, rows - first));
    EXPECT_GE(count, 1u);
    EXPECT_LE(count, std::min(at_once, rows - first));
    if (count == 0) break;
    device.run(model->train(first, count));
    first += count;
  }
  device.download(all.weights.data(), arrays.values[0].data(), n * sizeof(float));
  device.download(all.sums.data(), arrays.values[1].data(), n * sizeof(float));
  device.download(&all.updates, arrays.updates.data(), sizeof all.updates);
  device.wait(device.mark());
  return all;
}

template <class M>
void expect_same_bits(const M& m, const sparse_view& view, const loop_options& options, const label_map& labels = {}) {
  const auto task = make_task(m, view, labels, options);
  constexpr std::size_t at_once = 17;
  const auto host = open_emulated(1), small = open_emulated(1, enough_memory);
  const std::uint64_t least = kernels_of(*task).needs_of_stream(*task).least_block;
  const trained_by_launches in_place = train_all(*host, *task, options, 0, at_once);
  EXPECT_EQ(in_place.updates > 0, true);
  for (const std::uint64_t block : {std::uint64_t{0}, least, 3 * least, 1000 * least}) {
    const trained_by_launches found = train_all(*small, *task, options, block, at_once);
    EXPECT_EQ(found.weights, in_place.weights) << "blocks of " << block;
    EXPECT_EQ(found.sums, in_place.sums) << "blocks of " << block;
    EXPECT_EQ(found.updates, in_place.updates) << "blocks of " << block;
    if (block == least) {
      EXPECT_GT(found.launches, in_place.launches);
    }
    if (block == 0 || block == 1000 * least) {
      EXPECT_EQ(found.launches, in_place.launches);
    }
  }
  EXPECT_EQ(small->free_bytes(), enough_memory);
}

struct streamed_rows : test::fresh_seed<> {
  /// Empty rows, lengths around those of a warp, and a few much longer than all others. All values are halves.
  test::toy_rows rows_with_labels(std::size_t classes) {
    test::toy_rows rows;
    rows.columns = 400;
    std::vector<std::size_t> lengths = test::row_lengths(random, 200);
    lengths[random() % 200] = 400;
    for (const std::size_t length : lengths) {
      std::vector<std::uint32_t> all(rows.columns);
      std::iota(all.begin(), all.end(), 0u);
      std::shuffle(all.begin(), all.end(), random);
      all.resize(std::min(length, all.size()));
      std::vector<float> values(all.size());
      for (float& x : values) x = static_cast<float>(static_cast<int>(random() % 9) - 4) / 64.0f;
      const std::size_t label = random() % classes;
      rows.push(all, values, classes == 2 ? 2.0f * static_cast<float>(label) - 1.0f : static_cast<float>(label));
    }
    return rows;
  }
};

TEST_F(streamed_rows, give_margin_models_the_same_bits) {
  const test::kept_rows rows = rows_with_labels(2);
  const std::vector<std::uint32_t> degree = count_columns(rows.view());
  sparse_view view = rows.view();
  view.degree = degree;
  for (const optimizer_kind optimizer : {optimizer_kind::sgd, optimizer_kind::adagrad}) {
    const loop_options options{.optimizer = optimizer, .bias = 1, .l2 = 1e-3, .rows_in_flight = 1};
    expect_same_bits(logistic{}, view, options);
    expect_same_bits(logistic{}, view.slice(50, 150), options);
    expect_same_bits(test::device_cubic_hinge{}, view, options);
  }
}

TEST_F(streamed_rows, may_be_narrow) {
  const test::kept_rows rows = rows_with_labels(2);
  const sparse_dataset narrow = sparse_dataset::copy_of(rows.view());
  ASSERT_TRUE(narrow.view().has_narrow_index());
  ASSERT_TRUE(narrow.view().has_narrow_value());
  expect_same_bits(logistic{}, narrow.view().slice(10, 190), {.rows_in_flight = 1});
}

TEST_F(streamed_rows, give_general_models_the_same_bits) {
  const test::toy_rows classes = rows_with_labels(5), signs = rows_with_labels(2);
  const csr_rows rows = classes.csr(), signed_rows = signs.csr();
  for (const optimizer_kind optimizer : {optimizer_kind::sgd, optimizer_kind::adagrad}) {
    const loop_options options{.optimizer = optimizer, .rows_in_flight = 1};
    expect_same_bits(softmax{.features = 400, .classes = 5, .bias = true}, rows.view(), options);
    expect_same_bits(test::device_huber{.features = 400}, rows.view().slice(3, 170), options);
    expect_same_bits(test::device_logistic{.features = 400}, signed_rows.view(), options);
  }
}

TEST_F(streamed_rows, give_factors_the_same_bits) {
  const test::toy_ratings_shape shape{.ratings = 1000, .seed = seed};
  const test::kept_rows rows = test::planted_ratings(shape);
  const std::vector<std::uint32_t> degree = count_columns(rows.view());
  sparse_view view = rows.view();
  view.degree = degree;
  for (const optimizer_kind optimizer : {optimizer_kind::sgd, optimizer_kind::row_adagrad})
    for (const l2_form form : {l2_form::by_degree, l2_form::per_occurrence})
      expect_same_bits(test::factors_of(shape, 20), view,
                       {.optimizer = optimizer, .l2 = 0.01, .form = form, .rows_in_flight = 1});
}

/// Records the rows that are requested, and reports one of them as damaged.
struct damaged_row final : row_source {
  explicit damaged_row(std::size_t which) : damaged(which) {}
  void ensure(std::size_t first, std::size_t last) const override {
    if (first <= damaged && damaged < last) throw cache_error("", "a row is damaged");
    looked_at = std::max(looked_at, last);
  }
  std::size_t damaged;
  mutable std::size_t looked_at = 0;
};

TEST_F(streamed_rows, are_looked_at_before_they_are_brought_and_refused_where_they_are_damaged) {
  const test::kept_rows rows = rows_with_labels(2);
  sparse_view view = rows.view();
  const damaged_row source(random() % 200);
  view.source = &source;
  const loop_options options{.rows_in_flight = 1};
  const auto task = make_task(logistic{}, view, label_map(), options);
  const auto device = open_emulated(1, enough_memory);
  const std::uint64_t block = 2 * kernels_of(*task).needs_of_stream(*task).least_block;
  EXPECT_THROW(train_all(*device, *task, options, block, 16), cache_error);
  EXPECT_LE(source.looked_at, source.damaged);
  EXPECT_GE(source.looked_at + 16, source.damaged);
}

TEST(row_blocks, one_is_filled_while_the_kernel_of_the_launch_before_runs_and_waits_for_the_one_before_that) {
  const auto device = open_emulated(1, 4096);
  row_blocks blocks(*device, 1024);
  std::atomic<bool> may_end = false, over = false;
  std::byte* const first = blocks.next();
  device->run({.on_host = [&](std::size_t, std::size_t) {
    may_end.wait(false);
    over = true;
  }});
  std::byte* const second = blocks.next();
  EXPECT_NE(second, first);
  EXPECT_FALSE(over);
  std::jthread later([&, waits = ::gettid()] {
    EXPECT_TRUE(test::comes_to('S', ::getpid(), waits));
    may_end = true;
    may_end.notify_all();
  });
  device->run({.on_host = [](std::size_t, std::size_t) {}});
  EXPECT_EQ(blocks.next(), first);
  EXPECT_TRUE(over);
}

TEST(row_blocks, are_as_large_as_the_memory_allows) {
  const auto device = open_emulated(1, 1000);
  EXPECT_THROW(row_blocks(*device, 501), resource_error);
  EXPECT_EQ(device->free_bytes(), 1000u);
  {
    const row_blocks blocks(*device, 500);
    EXPECT_EQ(device->free_bytes(), 0u);
    EXPECT_THROW(buffer<float>(*device, 1), resource_error);
  }
  EXPECT_EQ(device->free_bytes(), 1000u);
}

}  // namespace
