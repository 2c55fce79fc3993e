// SPDX-License-Identifier: Apache-2.0
// The host form of the kernels of softmax: against double precision, and against the steps of CPU workers.
#include "kernels/softmax_rows.hpp"

#include <array>
#include <initializer_list>
#include <random>
#include <span>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include <hogwild/models/softmax.hpp>

#include "family_and_step.hpp"
#include "host_form.hpp"
#include "softmax_problem.hpp"
#include "support/fresh_seed.hpp"

using namespace hogwild;

namespace {

template <class Row>
struct host_softmax_rows : test::fresh_seed<> {
  double error(std::span<const std::size_t> lengths, std::uint32_t classes, bool adagrad) {
    using problem = test::softmax_problem<typename Row::index, typename Row::value>;
    return test::error_of_host_form(
        problem(random, lengths, classes, adagrad), lengths.size(),
        [](const auto& rows, const auto& work) { device::train_softmax_rows(work, rows.model, 0, 1); });
  }
};
TYPED_TEST_SUITE(host_softmax_rows, test::wide_and_narrow_rows);

// A step of 0.1 moves weights whose norm is 25 or more by at most 0.1 sqrt(2) sqrt(1 + |x|^2), and by a relative error
// of their scores, which are sums of up to 301 products of normal numbers: 1e-6 takes an error of 1e-4.
TYPED_TEST(host_softmax_rows, one_step_is_that_of_double_precision) {
  for (const bool adagrad : {false, true}) {
    for (const std::uint32_t classes : {2u, 3u, 31u, 32u, 33u, 64u, 127u, 128u}) {
      for (const std::size_t length : std::initializer_list<std::size_t>{0, 1, 33, 300})
        EXPECT_LE(this->error(std::array{length}, classes, adagrad), 1e-6) << length << " entries, " << classes;
    }
  }
}

TYPED_TEST(host_softmax_rows, an_epoch_is_that_of_double_precision) {
  for (const bool adagrad : {false, true}) {
    for (const std::uint32_t classes : {2u, 40u})
      EXPECT_LE(this->error(test::row_lengths(this->random, 100), classes, adagrad), 1e-5) << classes;
  }
}

using host_softmax_and_cpu_steps = test::fresh_seed<>;

TEST_F(host_softmax_and_cpu_steps, agree) {
  for (const bool bias : {false, true}) {
    const softmax model{.features = 300, .classes = 37, .bias = bias};
    for (const test::family_case& c : test::family_cases)
      test::expect_family_agrees(random, model, device::softmax_kernels(), c,
                                 [](auto& draw) { return static_cast<float>(draw() % 37); });
  }
}

TEST(host_softmax, more_classes_than_lanes_have_room_for_are_refused) {
  EXPECT_THROW(device::train_softmax_rows({}, {.classes = 129}, 0, 1), std::invalid_argument);
}

}  // namespace
