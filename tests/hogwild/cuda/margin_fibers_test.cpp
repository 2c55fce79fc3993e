// SPDX-License-Identifier: Apache-2.0
// The source of the GPU's kernels of margin models, run thread by thread.
#include "support/simt.hpp"
//
#include "kernels/margin_rows.cu"

#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/loop/margin_loss.hpp>

#include "margin_problem.hpp"
#include "support/on_fibers.hpp"

using namespace hogwild;

namespace {

template <class M>
int launch(const device::margin_work& work, const M& model) {
  return device::launch_margin_rows(work, M::name, std::as_bytes(std::span(&model, 1)), nullptr);
}

/// The fraction of two arrays' numbers that have the same bits.
double same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  std::size_t same = 0;
  for (std::size_t j = 0; j < a.size(); ++j) same += std::memcmp(&a[j], &b[j], sizeof a[j]) == 0;
  return static_cast<double>(same) / static_cast<double>(a.size());
}

template <class Row>
struct margin_fibers : test::on_fibers<> {
  using problem = test::margin_problem<typename Row::index, typename Row::value>;

  problem random_problem(std::size_t rows, const test::margin_training& training) {
    return problem(random, test::row_lengths(random, rows), training);
  }
};
TYPED_TEST_SUITE(margin_fibers, test::all_row_types);

TYPED_TEST(margin_fibers, one_warp_gives_the_bits_of_the_host_form) {
  const test::margin_training sgd{.scale = 0.25, .shrink = 0.999, .bias = true, .weighed = true};
  const test::margin_training adagrad{.l2_rows = 2, .adagrad = true, .bias = true, .weighed = true};
  for (const test::margin_training& training : {sgd, adagrad}) {
    for (const update_kind update : {update_kind::lossy, update_kind::exact}) {
      for (const bool system_scope : {false, true}) {
        const huber model{0.7f};
        const std::uint64_t updates = test::expect_bits_of_host_form(
            this->random_problem(20, training),
            [&](device::margin_work& work) {
              work.update = update;
              work.system_scope = system_scope;
            },
            [&](const auto&, const auto& work) { device::train_margin_rows(work, margin_loss(model), 0, 1); },
            [&](const auto&, const auto& work) { return launch(work, model); });
        EXPECT_GT(updates, 0u);
      }
    }
  }
}

using wide_margin_fibers = margin_fibers<test::row_types<std::uint32_t, float>>;

TEST_F(wide_margin_fibers, without_a_meeting_between_rows_lanes_read_too_early) {
  auto host = random_problem(40, {.bias = true});
  auto fibers = host;
  device::train_margin_rows(host.work(), margin_loss(logistic{}), 0, 1);
  simt::settings.leave_out_syncwarp = true;
  launch(fibers.work(), logistic{});
  EXPECT_LT(same_bits(fibers.weights, host.weights), 0.5);
}

// The median's slope is -1/2 while margins are below the label: each row adds x / 2, here 1/2 without rounding.
TEST_F(wide_margin_fibers, any_number_of_warps_trains_each_row_once) {
  constexpr std::size_t rows = 100, columns = 33;
  for (const std::uint32_t in_flight : {1u, 7u, 100u, 600u, 2051u}) {
    std::vector<std::uint32_t> start{0}, index;
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::uint32_t j = 0; j < columns; ++j) index.push_back(j);
      start.push_back(static_cast<std::uint32_t>(index.size()));
    }
    const std::vector<float> value(index.size(), 1.0f), label(rows, 1e9f);
    std::vector<float> weights(columns);
    std::uint64_t updates = 0;
    const device::margin_work work{.start32 = start.data(),
                                   .index32 = index.data(),
                                   .value = value.data(),
                                   .label = label.data(),
                                   .first = 10,
                                   .count = rows - 10,
                                   .weights = weights.data(),
                                   .columns = columns,
                                   .step = 1.0f,
                                   .update = update_kind::exact,
                                   .rows_in_flight = in_flight,
                                   .updates = &updates};
    launch(work, quantile{});
    EXPECT_EQ(weights, std::vector<float>(columns, (rows - 10) / 2.0f)) << in_flight;
    EXPECT_EQ(updates, rows - 10) << in_flight;
  }
}

TEST_F(wide_margin_fibers, what_no_kernel_does_is_refused) {
  auto rows = random_problem(1, {});
  device::margin_work work = rows.work();
  const std::byte object[1]{};
  EXPECT_THROW(device::launch_margin_rows(work, "softmax", object, nullptr), std::invalid_argument);
  EXPECT_THROW(device::launch_margin_rows(work, "huber", object, nullptr), std::invalid_argument);
  work.update = update_kind::locked;
  EXPECT_THROW(launch(work, logistic{}), std::invalid_argument);
  work = rows.work();
  work.rows_in_flight = 0;
  EXPECT_THROW(launch(work, logistic{}), std::invalid_argument);
}

}  // namespace
