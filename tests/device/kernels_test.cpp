// SPDX-License-Identifier: Apache-2.0
// Kernels on a device compute the same as their host form, up to the precision of floats.
#include "kernel_family.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/formats/corpus.hpp>
#include <hogwild/models/factorization_machine.hpp>
#include <hogwild/models/hinge_svm.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/matrix_factorization.hpp>
#include <hogwild/models/quantile.hpp>
#include <hogwild/models/skip_gram.hpp>
#include <hogwild/models/softmax.hpp>
#include <hogwild/train.hpp>

#include "devices.hpp"
#include "far_rows.hpp"
#include "support/fresh_seed.hpp"
#include "support/random_text.hpp"
#include "support/toy_data.hpp"
#include "support/toy_ratings.hpp"

using namespace hogwild;

namespace {

struct trained_arrays {
  std::vector<float> weights, sums;
  std::uint64_t updates = 0;
};

/// Trains these numbers by two launches over all rows, with this step.
trained_arrays train_on(device::runtime& device, const training_task& task, const loop_options& options,
                        const trained_arrays& before, double step = 0.05) {
  // NaNs lie behind the numbers that kernels may write.
  constexpr std::size_t behind = 64;
  const std::size_t n = before.weights.size(), rows = task.data().rows();
  const bool halves = options.storage == storage_kind::half;
  device::device_arrays arrays(device, n + behind, 1, halves ? device::kernels_of(task).halves(task) : 0);
  std::vector<float> host(n + behind, std::numeric_limits<float>::quiet_NaN());
  const auto upload = [&](const std::vector<float>& from, std::size_t k) {
    std::ranges::copy(from, host.begin());
    device.upload(arrays.values[k].data(), host.data(), host.size() * sizeof(float));
    device.wait(device.mark());
  };
  upload(before.weights, 0);
  upload(before.sums, 1);
  if (halves) arrays.halves->begin(0, n);
  device.zero(arrays.updates.data(), sizeof(std::uint64_t));

  const auto model = device::kernels_of(task).bring(device, task, arrays, options);
  const round_plan round{.step = step};
  model->begin(round, 0.0);
  device.run(model->train(0, rows / 3));
  device.run(model->train(rows / 3, rows - rows / 3));
  if (halves) arrays.halves->take_gains(0, n);

  trained_arrays after;
  const auto download = [&](std::size_t k) {
    std::ranges::fill(host, 0.0f);
    device.download(host.data(), arrays.values[k].data(), host.size() * sizeof(float));
    device.wait(device.mark());
    EXPECT_TRUE(
        std::all_of(host.begin() + static_cast<std::ptrdiff_t>(n), host.end(), [](float x) { return std::isnan(x); }))
        << "array " << k << " was written behind its end";
    return std::vector<float>(host.begin(), host.begin() + static_cast<std::ptrdiff_t>(n));
  };
  after.weights = download(0);
  after.sums = download(1);
  device.download(&after.updates, arrays.updates.data(), sizeof after.updates);
  device.wait(device.mark());
  return after;
}

double difference(const std::vector<float>& found, const std::vector<float>& expected) {
  double apart = 0.0, norm = 0.0;
  for (std::size_t j = 0; j < expected.size(); ++j) {
    apart += std::pow(static_cast<double>(found[j]) - static_cast<double>(expected[j]), 2.0);
    norm += std::pow(static_cast<double>(expected[j]), 2.0);
  }
  return std::sqrt(apart / norm);
}

struct kernels_on : test::fresh_seed<test::each_device> {
  /// One warp, which takes the rows in their order. On the emulated device this checks only the test itself:
  /// tests/hogwild/cuda compares the host form with double precision and with CPU workers.
  template <class M>
  void expect_host_form(const M& m, const sparse_view& rows, label_map labels, loop_options options) {
    options.rows_in_flight = 1;
    const auto task = make_task(m, rows, std::move(labels), options);
    trained_arrays before;
    std::normal_distribution<float> normal(0.0f, 0.1f);
    for (std::size_t j = 0; j < task->facts().parameters; ++j) {
      before.weights.push_back(normal(random));
      before.sums.push_back(0.1f + std::abs(normal(random)));
    }
    const auto emulated = device::open_emulated(1);
    const trained_arrays expected = train_on(*emulated, *task, options, before);
    const trained_arrays found = train_on(*device, *task, options, before);
    // An error of 1e-7 a row, of either sign, in some thousand rows. Where it decides how a half is rounded, in one
    // step of a thousand, it becomes 1e-3.
    const double bound = options.storage == storage_kind::half ? 1e-3 : 1e-5;
    EXPECT_LE(difference(found.weights, expected.weights), bound);
    EXPECT_LE(difference(found.sums, expected.sums), 1e-5);
    EXPECT_EQ(found.updates, expected.updates);
    EXPECT_GE(difference(expected.weights, before.weights), 1e-3) << "nothing was learned";
  }
};

TEST_P(kernels_on, margin_models_do_what_the_host_form_does) {
  const auto toy = test::planted_classification({.rows = 2000, .columns = 300, .per_row = 40, .seed = seed});
  const csr_rows rows = toy.csr();
  std::vector<std::uint32_t> degree(toy.columns);
  for (const std::uint32_t j : toy.index) ++degree[j];
  sparse_view view = rows.view();
  view.degree = degree;
  const label_map labels;
  for (const update_kind update : {update_kind::lossy, update_kind::exact}) {
    expect_host_form(logistic{}, view, labels, {.update = update, .bias = 1});
    expect_host_form(hinge_svm{}, view, labels, {.update = update});
    expect_host_form(logistic{}, view, labels,
                     {.update = update, .optimizer = optimizer_kind::adagrad, .bias = 1, .l2 = 1e-3});
  }
}

TEST_P(kernels_on, softmax_does_what_the_host_form_does) {
  const auto toy = test::planted_classes({.rows = 500, .columns = 200, .per_row = 20, .seed = seed}, 40);
  const csr_rows rows = toy.csr();
  for (const optimizer_kind optimizer : {optimizer_kind::sgd, optimizer_kind::adagrad})
    expect_host_form(softmax{.features = 200, .classes = 40, .bias = true}, rows.view(), label_map(),
                     {.optimizer = optimizer});
}

TEST_P(kernels_on, factorization_machines_do_what_the_host_form_does) {
  const auto toy = test::planted_classification({.rows = 500, .columns = 200, .per_row = 20, .seed = seed});
  const csr_rows rows = toy.csr();
  std::vector<std::uint32_t> degree(toy.columns);
  for (const std::uint32_t j : toy.index) ++degree[j];
  sparse_view view = rows.view();
  view.degree = degree;
  for (const std::size_t factors : {8u, 16u, 40u, 128u}) {
    for (const optimizer_kind optimizer : {optimizer_kind::sgd, optimizer_kind::adagrad})
      expect_host_form(factorization_machine{.features = 200, .factors = factors}, view, label_map(),
                       {.optimizer = optimizer, .l2 = factors == 16 ? 0.0 : 1e-3});
  }
}

TEST_P(kernels_on, matrix_factorization_does_what_the_host_form_does) {
  const test::toy_ratings_shape shape{.seed = seed};
  const auto toy = test::planted_ratings(shape);
  const csr_rows rows = toy.csr();
  for (const std::size_t factors : {16u, 32u, 64u, 100u, 128u}) {
    for (const optimizer_kind optimizer : {optimizer_kind::sgd, optimizer_kind::row_adagrad})
      expect_host_form(test::factors_of(shape, factors, factors != 64), rows.view(), label_map(),
                       {.optimizer = optimizer, .l2 = 0.01, .form = l2_form::per_occurrence});
    expect_host_form(test::factors_of(shape, factors, factors != 64), rows.view(), label_map(),
                     {.l2 = 0.01, .form = l2_form::per_occurrence, .storage = storage_kind::half});
  }
}

TEST_P(kernels_on, skip_gram_does_what_the_host_form_does) {
  const corpus words = test::random_sentences(random, 50, 60);
  skip_gram m;
  m.words = words.words.size(), m.sample = 0.01;
  for (const std::size_t dimension : {20u, 128u}) {
    m.dimension = dimension;
    for (const update_kind update : {update_kind::lossy, update_kind::exact})
      expect_host_form(m, words.rows.view(), label_map(),
                       {.update = update, .optimizer = optimizer_kind::sgd, .batch = 1});
  }
}

// As many rows in flight as a large device has warps.
TEST_P(kernels_on, exact_adds_are_not_lost) {
  constexpr std::size_t columns = 31, rows = 20'000;
  const test::toy_rows toy = test::rows_far_from_their_labels(rows, columns);
  const csr_rows data = toy.csr();
  const loop_options options{.update = update_kind::exact, .bias = 1, .rows_in_flight = 8448};
  const auto task = make_task(quantile{}, data.view(), label_map(), options);
  device::device_arrays arrays(*device, columns + 1, 0);
  device->zero(arrays.values[0].data(), (columns + 1) * sizeof(float));
  device->zero(arrays.updates.data(), sizeof(std::uint64_t));
  const auto model = device::kernels_of(*task).bring(*device, *task, arrays, options);
  model->begin({.step = 1.0}, 0.0);
  for (int pass = 0; pass < 5; ++pass) device->run(model->train(0, rows));
  std::vector<float> weights(columns + 1);
  std::uint64_t updates = 0;
  device->download(weights.data(), arrays.values[0].data(), weights.size() * sizeof(float));
  device->download(&updates, arrays.updates.data(), sizeof updates);
  device->wait(device->mark());
  EXPECT_EQ(weights, std::vector<float>(columns + 1, 5 * rows / 2.0f));
  EXPECT_EQ(updates, 5 * rows);
}

// Scores are far on the wrong side, where the slope is 1. Each row has a column with factors of 2^40, beside which
// those of the row's other column are rounded away: these change by 2^40 times the step, and the former by nothing.
TEST_P(kernels_on, exact_adds_to_factors_are_not_lost) {
  constexpr std::size_t columns = 4, rows = 90'000, factors = 8, large = 0;
  constexpr float step = 0x1p-40f;
  test::toy_rows toy;
  toy.columns = columns;
  for (std::size_t r = 0; r < rows; ++r)
    toy.push({large, static_cast<std::uint32_t>(1 + r % (columns - 1))}, {1.0f, 1.0f}, -1.0f);
  const csr_rows data = toy.csr();
  const factorization_machine m{.features = columns, .factors = factors, .mean = 1e12f};
  const loop_options options{.update = update_kind::exact, .rows_in_flight = 8448};
  const auto task = make_task(m, data.view(), label_map(), options);
  trained_arrays before{.weights = std::vector<float>(m.dim()), .sums = std::vector<float>(m.dim())};
  std::fill_n(before.weights.begin(), factors, 0x1p40f);
  const trained_arrays after = train_on(*device, *task, options, before, step);
  EXPECT_EQ(after.updates, rows);
  for (std::size_t column = 1; column < columns; ++column) {
    const auto its_rows = static_cast<float>((rows - column) / (columns - 1) + 1);
    for (std::size_t f = 0; f < factors; ++f) EXPECT_EQ(after.weights[column * factors + f], -its_rows) << column;
    EXPECT_EQ(after.weights[columns * factors + column], -step * its_rows);
  }
  EXPECT_EQ(after.weights[large], 0x1p40f);
  EXPECT_EQ(after.weights[columns * factors + large], -step * rows);
  EXPECT_EQ(after.weights.back(), -step * rows);
}

// Two words, each the other's neighbour in turn. Scores are far on the wrong side by the vectors' first numbers, which
// are too large to change; their slope is -1, and 0 of drawn words. To the second number of an output each sentence
// adds 1: the step times that of an input, which is too large to change as well.
TEST_P(kernels_on, exact_adds_to_words_are_not_lost) {
  constexpr std::size_t rows = 60'000;
  std::string text;
  for (std::size_t r = 0; r < rows; ++r) text += "a b\n";
  const corpus words = read_corpus(text, "text", {.min_count = 1, .threads = 1});
  skip_gram m;
  m.words = 2, m.dimension = 2, m.window = 1, m.negative = 20, m.sample = 0;
  const loop_options options{
      .update = update_kind::exact, .optimizer = optimizer_kind::sgd, .batch = 1, .rows_in_flight = 4224};
  const auto task = make_task(m, words.rows.view(), label_map(), options);
  trained_arrays before{.weights = std::vector<float>(m.dim()), .sums = std::vector<float>(m.dim())};
  for (const std::size_t word : {0u, 1u}) {
    before.weights[m.input_of(word)] = 0x1p30f;
    before.weights[m.output_of(word)] = -0x1p30f;
    before.weights[m.input_of(word) + 1] = 0x1p26f;
  }
  const trained_arrays after = train_on(*device, *task, options, before, 0x1p-26);
  trained_arrays expected = before;
  for (const std::size_t word : {0u, 1u}) expected.weights[m.output_of(word) + 1] = static_cast<float>(rows);
  EXPECT_EQ(after.weights, expected.weights);
  EXPECT_EQ(after.updates, rows);
}

INSTANTIATE_TEST_SUITE_P(every, kernels_on, test::all_devices(), test::device_of);

}  // namespace
