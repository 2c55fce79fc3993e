// SPDX-License-Identifier: Apache-2.0
// The kernels that measure a device's ceilings, run on the host, and the use of their results.
#include "ceilings.hpp"

#include <cstdint>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "ceiling_kernels.hpp"
#include "support/fresh_seed.hpp"
#include "workloads.hpp"

using namespace hogwild;
using namespace hogwild::bench;

namespace {

struct device_ceilings : test::fresh_seed<> {
  std::uint64_t below(std::uint64_t n) { return std::uniform_int_distribution<std::uint64_t>(1, n)(random); }

  /// Runs all parts of a launch at the same time.
  static void run(ceiling_kernel kernel, const ceiling_work& work, std::size_t parts) {
    std::vector<std::jthread> threads;
    for (std::size_t part = 0; part < parts; ++part)
      threads.emplace_back([=] { run_ceiling(kernel, work, part, parts); });
  }
};

TEST_F(device_ceilings, every_quad_is_copied_and_nothing_else) {
  for (int again = 0; again < 20; ++again) {
    const std::uint64_t count = below(1000);
    std::vector<quad> from(count + 1), to(count + 1, {{-1, -1, -1, -1}});
    for (std::size_t i = 0; i <= count; ++i) from[i].value[i % 4] = static_cast<float>(i + 1);
    run(ceiling_kernel::copy, {.from = from.data(), .to = to.data(), .count = count}, below(4));
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(std::to_array(to[i].value), std::to_array(from[i].value)) << i;
    EXPECT_EQ(to[count].value[0], -1.0f);
  }
}

TEST_F(device_ceilings, exact_adds_are_as_many_as_were_asked_for_and_scattered_ones_fall_everywhere) {
  constexpr std::size_t floats = 64;
  for (const ceiling_kernel kernel : {ceiling_kernel::scattered_adds, ceiling_kernel::adds_to_one}) {
    std::vector<float> weights(floats + 1, 0.0f);
    const std::uint64_t count = 6400 + below(1000);
    run(kernel, {.weights = weights.data(), .floats = floats, .count = count, .update = update_kind::exact}, below(4));
    EXPECT_EQ(std::accumulate(weights.begin(), weights.end(), 0.0), static_cast<double>(count));
    EXPECT_EQ(weights[floats], 0.0f) << "behind the last";
    // Multiples of the golden ratio are spread evenly: each float gets a hundred adds or more, within a few.
    for (std::size_t j = 0; j < floats; ++j) {
      if (kernel == ceiling_kernel::scattered_adds)
        ASSERT_GT(weights[j], 80.0f) << j;
      else
        ASSERT_EQ(weights[j], j == 0 ? static_cast<float>(count) : 0.0f);
    }
  }
}

TEST_F(device_ceilings, are_measured_whole_on_the_emulated_device) {
  const auto device = device::open_emulated(2);
  const ceilings found = measure_ceilings(*device, 1 << 16, 1e-4);
  for (const double figure : {found.copied_bytes, found.scattered_adds_lossy, found.scattered_adds_exact,
                              found.adds_to_one_lossy, found.adds_to_one_exact, found.row_seconds})
    EXPECT_GT(figure, 0.0);
}

TEST_F(device_ceilings, locked_adds_are_refused) {
  EXPECT_THROW(run_ceiling(ceiling_kernel::copy, {.update = update_kind::locked}, 0, 1), std::invalid_argument);
}

workload work_of(auto model) {
  workload work;
  work.model = model;
  work.rows.label.resize(10);
  work.rows.index.resize(750);
  return work;
}

TEST_F(device_ceilings, a_rating_is_bound_by_what_it_moves) {
  // 128 factors of a user and of an item, read and written, and the rating's 12 bytes.
  const workload work = work_of(matrix_factorization{.factors = 128, .bias = false});
  const auto expect = [&](storage_kind storage, double bytes) {
    const row_bound bound = *bound_of(work, {.copied_bytes = bytes * 1e6, .row_seconds = 1.0}, {.storage = storage}, 1);
    EXPECT_EQ(bound.by, "copy");
    EXPECT_DOUBLE_EQ(bound.rows_per_second, 1e6);
  };
  expect(storage_kind::single, 2060);
  expect(storage_kind::half, 1036);
}

TEST_F(device_ceilings, a_row_of_text_is_bound_by_the_smallest_of_three) {
  // A row has 75 entries of 8 bytes, and 12 bytes for its begin and its label.
  const workload work = work_of(logistic{});
  const ceilings all{
      .copied_bytes = 612e6, .scattered_adds_lossy = 150e6, .scattered_adds_exact = 37.5e6, .row_seconds = 1e-6};
  const auto expect = [&](ceilings device, update_kind update, std::uint64_t rows, std::string_view by, double rate) {
    const row_bound bound = *bound_of(work, device, {.update = update}, rows);
    EXPECT_EQ(bound.by, by);
    EXPECT_DOUBLE_EQ(bound.rows_per_second, rate);
  };
  expect(all, update_kind::lossy, 100, "copy", 1e6);
  expect(all, update_kind::exact, 100, "adds", 0.5e6);
  ceilings slow_rows = all;
  slow_rows.row_seconds = 1e-3;
  expect(slow_rows, update_kind::lossy, 100, "latency", 1e5);
  expect(slow_rows, update_kind::exact, 1, "latency", 1e3);
}

TEST_F(device_ceilings, classes_side_by_side_are_added_to_together) {
  const workload work = work_of(softmax{.features = 10, .classes = 16});  // 64 bytes, which are two adds
  const ceilings device{.copied_bytes = 1e12, .scattered_adds_lossy = 150e6, .row_seconds = 1e-9};
  EXPECT_DOUBLE_EQ(bound_of(work, device, {}, 100)->rows_per_second, 1e6);
}

TEST_F(device_ceilings, an_entry_of_a_factorization_machine_adds_to_its_factors_and_a_weight) {
  const workload work = work_of(factorization_machine{.features = 10, .factors = 16});  // 64 bytes, and 4
  const ceilings device{.copied_bytes = 1e12, .scattered_adds_lossy = 225e6, .row_seconds = 1e-9};
  EXPECT_DOUBLE_EQ(bound_of(work, device, {}, 100)->rows_per_second, 1e6);
}

TEST_F(device_ceilings, none_is_known_of_sentences) {
  EXPECT_FALSE(bound_of(work_of(skip_gram{}), {.copied_bytes = 1e12}, {}, 100).has_value());
}

}  // namespace
