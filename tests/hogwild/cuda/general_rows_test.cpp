// SPDX-License-Identifier: Apache-2.0
// The host forms of the kernels of softmax, factorization machines and a program's models: against double precision,
// and against the steps of CPU workers.
#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/models/factorization_machine.hpp>
#include <hogwild/models/softmax.hpp>

#include "family_and_step.hpp"
#include "fm_problem.hpp"
#include "named_models.hpp"
#include "softmax_problem.hpp"
#include "support/fresh_seed.hpp"

using namespace hogwild;

namespace {

template <class Row>
struct host_general_rows : test::fresh_seed<> {
  using index = typename Row::index;
  using value = typename Row::value;
  using lengths_of_rows = std::span<const std::size_t>;

  double softmax_error(lengths_of_rows lengths, std::uint32_t classes, bool adagrad) {
    return test::error_of_host_form(
        test::softmax_problem<index, value>(random, lengths, classes, adagrad), lengths.size(),
        [](const auto& rows, const auto& work) { device::train_softmax_rows(work, rows.model, 0, 1); });
  }
  double fm_error(lengths_of_rows lengths, const test::fm_training& training) {
    return test::error_of_host_form(
        test::fm_problem<index, value>(random, lengths, training), lengths.size(),
        [](const auto& rows, const auto& work) { device::train_fm_rows(work, rows.model, 0, 1); });
  }
  /// Bernstein's bounds of margin_rows_test hold here as well: the same operations in the same order.
  double named_error(lengths_of_rows lengths, bool adagrad) {
    test::margin_problem<index, value> rows(random, lengths, {.step = 0.1, .adagrad = adagrad, .bias = true});
    const std::vector<double> expected = rows.trained([](double m, double y) { return -y / (1 + std::exp(m * y)); });
    const test::device_logistic model{.features = rows.columns};
    std::uint64_t updates = 0;
    device::general_work work = test::with_bias_group(rows.work());
    work.updates = &updates;
    test::kernels_by_name<test::device_logistic>().train(work, test::bytes_of(model), 0, 1);
    EXPECT_EQ(updates, lengths.size());
    return test::relative_error(rows.weights, expected);
  }
  std::vector<std::size_t> drawn(std::size_t rows) { return test::row_lengths(random, rows); }
};
TYPED_TEST_SUITE(host_general_rows, test::wide_and_narrow_rows);

template <class Row>
struct host_named_rows : host_general_rows<Row> {};
TYPED_TEST_SUITE(host_named_rows, test::all_row_types);

// Softmax: a step of 0.1 moves weights whose norm is 25 or more by at most 0.1 sqrt(2) sqrt(1 + |x|^2), and by a
// relative error of their scores, which are sums of up to 301 products of normal numbers: 1e-6 takes an error of 1e-4.
// Machines: parameters of a norm of 15 or more are rounded once, which is 6e-8 of it; a step moves those of a row by at
// most 0.3 each, and by a relative error of some 1e-6 where the score is a sum of 300 products.
TYPED_TEST(host_general_rows, make_a_step_as_in_double_precision) {
  for (const bool adagrad : {false, true}) {
    for (const std::size_t length : std::initializer_list<std::size_t>{0, 1, 31, 33, 300}) {
      for (const std::uint32_t classes : {2u, 3u, 31u, 32u, 33u, 64u, 127u, 128u})
        EXPECT_LE(this->softmax_error(std::array{length}, classes, adagrad), 1e-6) << length << " entries, " << classes;
      for (const std::uint32_t width : {8u, 16u, 24u, 32u, 40u, 64u, 104u, 128u})
        EXPECT_LE(this->fm_error(std::array{length}, {.width = width, .adagrad = adagrad}), 1e-6)
            << length << " entries, " << width;
    }
  }
}

TYPED_TEST(host_named_rows, make_a_step_as_in_double_precision) {
  for (const bool adagrad : {false, true})
    for (const std::size_t length : std::initializer_list<std::size_t>{0, 1, 2, 17, 31, 32, 33, 63, 64, 65, 96, 300})
      EXPECT_LE(this->named_error(std::array{length}, adagrad), 1e-6) << length;
}

TYPED_TEST(host_general_rows, make_an_epoch_as_in_double_precision) {
  for (const bool adagrad : {false, true}) {
    for (const std::uint32_t classes : {2u, 40u})
      EXPECT_LE(this->softmax_error(this->drawn(100), classes, adagrad), 1e-5) << classes;
    for (const label_kind labels : {label_kind::binary, label_kind::real})
      for (const std::uint32_t width : {8u, 16u, 40u})
        for (const double l2_rows : {0.0, 0.5})
          EXPECT_LE(this->fm_error(this->drawn(100), {width, adagrad, labels, l2_rows}), 1e-5)
              << width << " factors, " << l2_rows;
  }
}

TYPED_TEST(host_named_rows, make_an_epoch_as_in_double_precision) {
  for (const bool adagrad : {false, true}) EXPECT_LE(this->named_error(this->drawn(200), adagrad), 1e-5);
}

struct host_form_and_cpu_steps : test::fresh_seed<testing::TestWithParam<test::family_case>> {};

TEST_P(host_form_and_cpu_steps, agree) {
  const test::family_case& c = GetParam();
  const auto sign = [](auto& draw) { return draw() % 2 != 0 ? 1.0f : -1.0f; };
  for (const bool bias : {false, true})
    test::expect_family_agrees(random, softmax{.features = 300, .classes = 37, .bias = bias}, device::softmax_kernels(),
                               c, [](auto& draw) { return static_cast<float>(draw() % 37); });
  test::expect_family_agrees(random, factorization_machine{.features = 300, .factors = 13}, device::fm_kernels(), c,
                             sign);
  std::normal_distribution<float> normal;
  test::expect_family_agrees(
      random, factorization_machine{.features = 300, .labels = label_kind::real, .mean = 1.5f, .scale = 3.0f},
      device::fm_kernels(), c, [&](auto& draw) { return normal(draw); });
  // Under adagrad l2 is a partial of its own there (general_body.hpp): the sums lack twice the product of both.
  const bool apart = c.optimizer == optimizer_kind::adagrad && c.l2 > 0.0;
  test::expect_family_agrees(random, test::device_logistic{.features = 300, .bias_factor = 0.25},
                             device::named_kernel_family(), c, sign, apart ? 0.01 : 1e-5);
}

INSTANTIATE_TEST_SUITE_P(cases, host_form_and_cpu_steps, testing::ValuesIn(test::family_cases));

// A row without a change does not count as one that changed something.
TEST(host_machine, counts_rows_that_changed_something) {
  std::mt19937_64 random(1);
  test::fm_problem<std::uint32_t, float> rows(random, std::array<std::size_t, 3>{0, 5, 0}, {});
  std::uint64_t updates = 0;
  device::general_work work = rows.work();
  work.updates = &updates;
  work.groups[2].frozen = true;
  device::train_fm_rows(work, rows.model, 0, 1);
  EXPECT_EQ(updates, 1u);
}

TEST(host_general, has_no_room_in_lanes_for_any_number_of_classes_or_factors) {
  EXPECT_THROW(device::train_softmax_rows({}, {.classes = 129}, 0, 1), std::invalid_argument);
  EXPECT_THROW(device::train_fm_rows({}, {.width = 136}, 0, 1), std::invalid_argument);
}

}  // namespace
