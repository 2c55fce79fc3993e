// SPDX-License-Identifier: Apache-2.0
// The host form of the kernels of factorization machines: against double precision, and against the steps of CPU
// workers.
#include "kernels/machine_rows.hpp"

#include <array>
#include <initializer_list>
#include <random>
#include <span>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include <hogwild/models/factorization_machine.hpp>

#include "family_and_step.hpp"
#include "host_form.hpp"
#include "machine_problem.hpp"
#include "support/fresh_seed.hpp"

using namespace hogwild;

namespace {

template <class Row>
struct host_machine_rows : test::fresh_seed<> {
  double error(std::span<const std::size_t> lengths, const test::machine_training& training) {
    using problem = test::machine_problem<typename Row::index, typename Row::value>;
    return test::error_of_host_form(
        problem(random, lengths, training), lengths.size(),
        [](const auto& rows, const auto& work) { device::train_machine_rows(work, rows.model, 0, 1); });
  }
};
TYPED_TEST_SUITE(host_machine_rows, test::wide_and_narrow_rows);

// Parameters of a norm of 15 or more are rounded once, which is 6e-8 of it; a step moves those of a row by at most 0.3
// each, and by a relative error of some 1e-6 where the score is a sum of 300 products.
TYPED_TEST(host_machine_rows, one_step_is_that_of_double_precision) {
  for (const bool adagrad : {false, true}) {
    for (const std::uint32_t width : {8u, 16u, 24u, 32u, 40u, 64u, 104u, 128u}) {
      for (const std::size_t length : std::initializer_list<std::size_t>{0, 1, 31, 33, 300})
        EXPECT_LE(this->error(std::array{length}, {.width = width, .adagrad = adagrad}), 1e-6)
            << length << " entries, " << width;
    }
  }
}

TYPED_TEST(host_machine_rows, an_epoch_is_that_of_double_precision) {
  for (const bool adagrad : {false, true}) {
    for (const label_kind labels : {label_kind::binary, label_kind::real}) {
      for (const std::uint32_t width : {8u, 16u, 40u}) {
        for (const double l2_rows : {0.0, 0.5}) {
          EXPECT_LE(this->error(test::row_lengths(this->random, 100), {width, adagrad, labels, l2_rows}), 1e-5)
              << width << " factors, " << l2_rows;
        }
      }
    }
  }
}

using host_machine_and_cpu_steps = test::fresh_seed<>;

TEST_F(host_machine_and_cpu_steps, agree) {
  std::normal_distribution<float> normal;
  for (const test::family_case& c : test::family_cases) {
    test::expect_family_agrees(random, factorization_machine{.features = 300, .factors = 13}, device::machine_kernels(),
                               c, [](auto& draw) { return draw() % 2 == 0 ? 1.0f : -1.0f; });
    test::expect_family_agrees(
        random, factorization_machine{.features = 300, .labels = label_kind::real, .mean = 1.5f, .scale = 3.0f},
        device::machine_kernels(), c, [&](auto& draw) { return normal(draw); });
  }
}

// A row without a change does not count as one that changed something.
TEST(host_machine, counts_rows_that_changed_something) {
  std::mt19937_64 random(1);
  test::machine_problem<std::uint32_t, float> rows(random, std::array<std::size_t, 3>{0, 5, 0}, {});
  std::uint64_t updates = 0;
  device::general_work work = rows.work();
  work.updates = &updates;
  work.groups[2].frozen = true;
  device::train_machine_rows(work, rows.model, 0, 1);
  EXPECT_EQ(updates, 1u);
}

TEST(host_machine, more_factors_than_lanes_have_room_for_are_refused) {
  EXPECT_THROW(device::train_machine_rows({}, {.width = 136}, 0, 1), std::invalid_argument);
}

}  // namespace
