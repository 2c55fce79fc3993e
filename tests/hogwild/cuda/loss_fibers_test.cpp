// SPDX-License-Identifier: Apache-2.0
// The source of the GPU's kernels that measure, run thread by thread.
#include "support/simt.hpp"
//
#include "kernels/loss_rows.cu"

#include <cstdint>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/loop/margin_loss.hpp>

#include "loss_problem.hpp"
#include "support/on_fibers.hpp"

using namespace hogwild;

namespace {

constexpr std::size_t fiber_rows = 70;

/// Any number of warps leaves the bits of the host form.
template <class Work, class Host, class Launch>
void expect_sums_of_host_form(const Work& training, const Host& add, const Launch& launch) {
  std::vector<double> host, fibers;
  add(test::measuring(training, host));
  for (const std::uint32_t warps : {1u, 3u, 300u}) {
    auto work = test::measuring(training, fibers);
    work.rows_in_flight = warps;
    EXPECT_EQ(launch(work), 0);
    EXPECT_EQ(fibers, host) << warps << " warps";
  }
}

template <class Row>
struct loss_fibers : test::on_fibers<> {
  std::vector<std::size_t> lengths = test::row_lengths(random, fiber_rows);
};
TYPED_TEST_SUITE(loss_fibers, test::wide_and_narrow_rows);

TYPED_TEST(loss_fibers, of_margin_models_add_up_what_the_host_form_does) {
  test::margin_problem<typename TypeParam::index, typename TypeParam::value> rows(
      this->random, this->lengths, {.scale = 0.25, .bias = true, .weighed = true});
  const poisson model{};
  expect_sums_of_host_form(
      rows.work(), [&](const auto& work) { device::add_margin_losses(work, margin_loss(model), 0, 1); },
      [&](const auto& work) {
        return device::launch_margin_losses(work, poisson::name, std::as_bytes(std::span(&model, 1)), nullptr);
      });
}

TYPED_TEST(loss_fibers, of_softmax_add_up_what_the_host_form_does) {
  for (const std::uint32_t classes : {3u, 40u}) {
    test::softmax_problem<typename TypeParam::index, typename TypeParam::value> rows(this->random, this->lengths,
                                                                                     classes, false);
    expect_sums_of_host_form(
        rows.work(), [&](const auto& work) { device::add_softmax_losses(work, rows.model, 0, 1); },
        [&](const auto& work) { return device::launch_softmax_losses(work, rows.model, nullptr); });
  }
}

TYPED_TEST(loss_fibers, of_factorization_machines_add_up_what_the_host_form_does) {
  for (const std::uint32_t width : {8u, 40u}) {
    test::fm_problem<typename TypeParam::index, typename TypeParam::value> rows(
        this->random, this->lengths, {.width = width, .labels = width == 8 ? label_kind::binary : label_kind::real});
    expect_sums_of_host_form(
        rows.work(), [&](const auto& work) { device::add_fm_losses(work, rows.model, 0, 1); },
        [&](const auto& work) { return device::launch_fm_losses(work, rows.model, nullptr); });
  }
}

struct loss_fibers_of_ratings : test::on_fibers<> {};

TEST_F(loss_fibers_of_ratings, add_up_what_the_host_form_does) {
  for (const std::uint32_t width : {16u, 48u, 128u}) {
    test::factor_problem ratings(random, fiber_rows, {.width = width, .bias = width != 48});
    expect_sums_of_host_form(
        ratings.work(), [](const auto& work) { device::add_factor_losses(work, 0, 1); },
        [](const auto& work) { return device::launch_factor_losses(work, nullptr); });
  }
}

TEST_F(loss_fibers_of_ratings, and_of_models_that_no_kernel_has_are_refused) {
  const std::byte object[1]{};
  EXPECT_THROW(device::launch_margin_losses({}, "huber", object, nullptr), std::invalid_argument);
  EXPECT_THROW(device::launch_softmax_losses({}, {.classes = 129}, nullptr), std::invalid_argument);
  EXPECT_THROW(device::launch_fm_losses({}, {.width = 136}, nullptr), std::invalid_argument);
}

}  // namespace
