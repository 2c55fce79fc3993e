// SPDX-License-Identifier: Apache-2.0
// The source of the GPU's kernels of skip_gram, run thread by thread.
#include "support/simt.hpp"
//
#include "kernels/window_rows.cu"

#include <array>
#include <random>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "loss_problem.hpp"
#include "support/on_fibers.hpp"
#include "window_problem.hpp"

using namespace hogwild;

namespace {

template <class Index>
struct window_fibers : test::on_fibers<> {};
constexpr std::size_t few_words[] = {0, 1, 2, 7, 31, 33, 20};
using window_fiber_indices = testing::Types<std::uint32_t, std::uint16_t>;
TYPED_TEST_SUITE(window_fibers, window_fiber_indices);

TYPED_TEST(window_fibers, one_warp_gives_the_bits_of_the_host_form) {
  for (const update_kind update : {update_kind::lossy, update_kind::exact}) {
    for (const test::window_training& training :
         {test::window_training{}, test::window_training{.width = 48, .window = 1, .negative = 7}}) {
      const std::uint64_t updates = test::expect_bits_of_host_form(
          test::window_problem<TypeParam>(this->random, few_words, training),
          [&](device::window_work& work) {
            work.update = update;
            work.system_scope = training.width == 48;
          },
          [](const auto&, const auto& work) { device::train_window_rows(work, 0, 1); },
          [](const auto&, const auto& work) { return device::launch_window_rows(work, nullptr); });
      EXPECT_EQ(updates, 7u);
    }
  }
}

// Each of several warps trains the rows of the host form's part.
TYPED_TEST(window_fibers, three_warps_one_after_the_other_give_the_bits_of_three_parts) {
  test::window_problem<TypeParam> host(this->random, few_words, {});
  auto fibers = host;
  device::window_work work = host.work(), device_work = fibers.work();
  work.rows_in_flight = device_work.rows_in_flight = test::window_problem<TypeParam>::warps;
  for (std::size_t part = 0; part < work.rows_in_flight; ++part)
    device::train_window_rows(work, part, work.rows_in_flight);
  EXPECT_EQ(device::launch_window_rows(device_work, nullptr), 0);
  EXPECT_TRUE(test::same_bits(fibers.weights, host.weights));
}

// Forty sentences make two sums; a warp has one or both.
TYPED_TEST(window_fibers, measure_what_the_host_form_does) {
  std::vector<std::size_t> lengths(40);
  for (std::size_t r = 0; r < lengths.size(); ++r) lengths[r] = r % 5;
  for (const test::window_training& training :
       {test::window_training{}, test::window_training{.width = 48, .window = 1, .negative = 7}}) {
    test::window_problem<TypeParam> sentences(this->random, lengths, training);
    std::vector<double> host, fibers;
    device::add_window_losses(test::measuring(sentences.work(), host), 0, 1);
    for (const std::uint32_t warps : {1u, 2u}) {
      auto work = test::measuring(sentences.work(), fibers);
      work.rows_in_flight = warps;
      EXPECT_EQ(device::launch_window_losses(work, nullptr), 0);
      EXPECT_EQ(fibers, host) << warps << " warps";
    }
  }
}

TEST(window_fiber_launches, that_no_kernel_does_are_refused) {
  std::mt19937_64 random(1);
  test::window_problem<std::uint32_t> one(random, std::array<std::size_t, 1>{5}, {});
  device::window_work work = one.work();
  work.update = update_kind::locked;
  EXPECT_THROW(device::launch_window_rows(work, nullptr), std::invalid_argument);
}

}  // namespace
