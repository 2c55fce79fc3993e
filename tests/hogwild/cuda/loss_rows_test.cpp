// SPDX-License-Identifier: Apache-2.0
// The losses that kernels measure, in their host form, against double precision.
#include "kernels/loss_rows.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include <hogwild/detail/loop/margin_loss.hpp>
#include <hogwild/models/huber.hpp>
#include <hogwild/models/logistic.hpp>

#include "loss_problem.hpp"
#include "support/fresh_seed.hpp"
#include "window_problem.hpp"

using namespace hogwild;

namespace {

constexpr std::size_t measured_first = 32, measured_count = 70;  // of 102 rows: the last sum has six

/// |found - expected| divided by the sum of what was expected: floats round scores, not losses.
double error_of_sums(const std::vector<double>& found, const std::vector<double>& expected) {
  double error = 0.0, all = 0.0;
  for (std::size_t i = 0; i < expected.size(); ++i) error += std::abs(found[i] - expected[i]), all += expected[i];
  return found.size() == expected.size() ? error / all : HUGE_VAL;
}

/// Measures by so many parts, which all leave the same bits in `sums`, where work.loss_sums points. Errors are the mean
/// of dozens of roundings: in two hundred runs of all tests here none was above 2.5e-7; four times that does not happen
/// by chance.
template <class Work, class Add>
void expect_sums(const device::loss_work<Work>& work, const std::vector<double>& sums,
                 const std::vector<double>& expected, const Add& add) {
  add(work, 0, 1);
  const std::vector<double> alone = sums;
  EXPECT_LE(error_of_sums(alone, expected), 1e-6);
  for (const std::size_t parts : {2u, 3u, 64u}) {
    std::fill_n(work.loss_sums, sums.size(), std::nan(""));
    for (std::size_t part = parts; part-- > 0;) add(work, part, parts);
    EXPECT_EQ(sums, alone) << parts << " parts";
  }
}

template <class Row>
struct measured_rows : test::fresh_seed<> {
  std::vector<std::size_t> lengths = test::row_lengths(random, measured_first + measured_count);
  std::vector<double> sums;

  template <class Work>
  device::loss_work<Work> part_of(Work training) {
    training.first = measured_first;
    training.count = measured_count;
    return test::measuring(training, sums);
  }
  template <class Work, class F>
  std::vector<double> in_double(const Work& work, const F& loss) {
    return test::sums_of_rows(measured_first, measured_count,
                              [&](std::size_t r) { return loss(test::double_row(work, r)); });
  }
};
TYPED_TEST_SUITE(measured_rows, test::all_row_types);

TYPED_TEST(measured_rows, of_margin_models_have_the_losses_of_double_precision) {
  for (const bool bias : {false, true}) {
    test::margin_problem<typename TypeParam::index, typename TypeParam::value> rows(
        this->random, this->lengths, {.scale = 0.25, .bias = bias, .weighed = true});
    const auto work = this->part_of(rows.work());
    const auto add = [&](const auto& model) {
      return [&](const auto& w, std::size_t part, std::size_t parts) {
        device::add_margin_losses(w, margin_loss(model), part, parts);
      };
    };
    expect_sums(work, this->sums,
                this->in_double(work,
                                [&](const test::double_row& z) {
                                  return z.weight * std::log1p(std::exp(-z.label * test::margin_in_double(work, z)));
                                }),
                add(logistic{}));
    const huber model{0.7f};
    expect_sums(work, this->sums,
                this->in_double(work,
                                [&](const test::double_row& z) {
                                  const double r = std::abs(test::margin_in_double(work, z) - z.label),
                                               delta = static_cast<double>(model.delta);
                                  return z.weight * (r <= delta ? 0.5 * r * r : delta * (r - 0.5 * delta));
                                }),
                add(model));
  }
}

TYPED_TEST(measured_rows, of_softmax_have_the_losses_of_double_precision) {
  for (const std::uint32_t classes : {2u, 40u, 128u}) {
    test::softmax_problem<typename TypeParam::index, typename TypeParam::value> rows(this->random, this->lengths,
                                                                                     classes, false);
    rows.model.bias = classes != 40;
    const auto work = this->part_of(rows.work());
    expect_sums(work, this->sums,
                this->in_double(
                    work, [&](const test::double_row& z) { return test::softmax_loss_in_double(work, rows.model, z); }),
                [&](const auto& w, std::size_t part, std::size_t parts) {
                  device::add_softmax_losses(w, rows.model, part, parts);
                });
  }
}

TYPED_TEST(measured_rows, of_factorization_machines_have_the_losses_of_double_precision) {
  for (const label_kind labels : {label_kind::binary, label_kind::real}) {
    for (const std::uint32_t width : {8u, 16u, 40u}) {
      test::fm_problem<typename TypeParam::index, typename TypeParam::value> rows(this->random, this->lengths,
                                                                                  {.width = width, .labels = labels});
      const auto work = this->part_of(rows.work());
      expect_sums(work, this->sums,
                  this->in_double(
                      work, [&](const test::double_row& z) { return test::fm_loss_in_double(work, rows.model, z); }),
                  [&](const auto& w, std::size_t part, std::size_t parts) {
                    device::add_fm_losses(w, rows.model, part, parts);
                  });
    }
  }
}

struct measured_ratings : measured_rows<void> {};

TEST_F(measured_ratings, have_the_losses_of_double_precision) {
  for (const test::factor_training& training : test::factor_trainings) {
    test::factor_problem ratings(random, measured_first + measured_count, training);
    const auto work = part_of(ratings.work());
    expect_sums(work, sums,
                test::sums_of_rows(measured_first, measured_count,
                                   [&](std::size_t r) { return test::factor_loss_in_double(work, r); }),
                [](const auto& w, std::size_t part, std::size_t parts) { device::add_factor_losses(w, part, parts); });
  }
}

template <class Index>
struct measured_sentences : measured_rows<void> {};
using measured_indices = testing::Types<std::uint32_t, std::uint16_t>;
TYPED_TEST_SUITE(measured_sentences, measured_indices);

TYPED_TEST(measured_sentences, have_the_losses_of_double_precision) {
  for (const test::window_training& training :
       {test::window_training{}, test::window_training{.width = 48, .window = 1, .negative = 7},
        test::window_training{.width = 32, .window = 1, .negative = 1, .sample = 0}}) {
    test::window_problem<TypeParam> rows(this->random, this->lengths, training);
    const auto work = this->part_of(rows.work());
    expect_sums(work, this->sums,
                test::sums_of_rows(measured_first, measured_count, [&](std::size_t r) { return rows.loss(r); }),
                [](const auto& w, std::size_t part, std::size_t parts) { device::add_window_losses(w, part, parts); });
  }
}

}  // namespace
