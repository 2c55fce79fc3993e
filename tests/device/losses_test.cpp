// SPDX-License-Identifier: Apache-2.0
// Losses that kernels add up on a device are those of the host form, and their mean is what the CPU measures.
#include "device_losses.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwild/models/factorization_machine.hpp>
#include <hogwild/models/hinge_svm.hpp>
#include <hogwild/models/huber.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/matrix_factorization.hpp>
#include <hogwild/models/skip_gram.hpp>
#include <hogwild/models/softmax.hpp>
#include <hogwild/train.hpp>

#include "devices.hpp"
#include "kernels/loss_rows.hpp"
#include "support/fresh_seed.hpp"
#include "support/random_text.hpp"
#include "support/toy_data.hpp"
#include "support/toy_ratings.hpp"

using namespace hogwild;

namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

/// Parameters on a device, with NaNs behind them, and a model that is measured under them.
struct measured_model {
  measured_model(device::runtime& on, const training_task& task, const loop_options& options,
                 std::vector<float> parameters)
      : device(on), arrays(on, parameters.size() + 64, 0) {
    parameters.resize(arrays.values[0].size(), std::numeric_limits<float>::quiet_NaN());
    on.upload(arrays.values[0].data(), parameters.data(), parameters.size() * sizeof(float));
    on.wait(on.mark());
    model = device::kernels_of(task).bring(on, task, arrays, options);
  }

  /// The sums of these rows, and one number behind them.
  std::vector<double> sums(std::size_t first, std::size_t count, double scale) {
    std::vector<double> all(device::loss_sums_of(count) + 1, no_number);
    const device::buffer<double> there(device, all.size());
    device.upload(there.data(), all.data(), all.size() * sizeof(double));
    device.run(model->measure({.first = first, .count = count, .scale = scale, .sums = there.data()}));
    device.download(all.data(), there.data(), all.size() * sizeof(double));
    device.wait(device.mark());
    return all;
  }

  device::runtime& device;
  device::device_arrays arrays;
  std::unique_ptr<device::device_model> model;
};

struct losses_on : test::fresh_seed<test::each_device> {
  /// Scores are sums of up to some hundred products and a few units long, rounded by 1e-7 of that at each step: losses
  /// are off by 1e-6 or so, of either sign, and their sums by less.
  template <class M>
  void expect_losses(const M& m, label_kind labels, const sparse_view& rows, const loop_options& options = {},
                     double scale = 1.0) {
    const auto task = make_task(m, rows, label_map::learn(labels, rows.label, "rows"), options);
    std::normal_distribution<float> normal(0.0f, 0.3f);
    std::vector<float> parameters(task->facts().parameters);
    for (float& w : parameters) w = normal(random);

    const auto emulated = device::open_emulated(1);
    measured_model here(*emulated, *task, options, parameters), there(*device, *task, options, parameters);
    ASSERT_TRUE(there.model->measures());
    const std::vector<double> expected = here.sums(7, rows.rows() - 10, scale);
    const std::vector<double> found = there.sums(7, rows.rows() - 10, scale);
    ASSERT_EQ(found.size(), expected.size());
    EXPECT_TRUE(std::isnan(found.back())) << "written behind the last sum";
    double apart = 0.0, all = 0.0;
    for (std::size_t i = 0; i + 1 < found.size(); ++i) apart += std::abs(found[i] - expected[i]), all += expected[i];
    EXPECT_LE(apart, 1e-5 * all);

    const param_store store = param_store::in_memory({.parameters = parameters.size()});
    std::ranges::copy(parameters, store.parameters<float>().begin());
    const auto team = thread_team::make(thread_team_kind::std, 1, false);
    const double by_cpu = task->evaluate(store, scale, rows, *team, false).loss;
    EXPECT_NEAR(device::mean_loss(*device, *there.model, rows.rows(), scale, {}).value_or(no_number), by_cpu,
                1e-5 * by_cpu);
  }
};

TEST_P(losses_on, of_margin_models_are_those_of_the_host) {
  const auto toy = test::planted_classification({.rows = 3000, .columns = 300, .per_row = 40, .seed = seed});
  csr_rows rows = toy.csr();
  const std::vector<float> weights = test::numbers_in_turn(toy.rows(), {3.0f, 1.0f, 0.0f}),
                           offsets = test::numbers_in_turn(toy.rows(), {0.5f, -1.0f});
  rows.set_weights(weights);
  rows.set_offsets(offsets);
  expect_losses(logistic{}, label_kind::binary, rows.view(), {.bias = 1}, 0.5);
  expect_losses(hinge_svm{}, label_kind::binary, rows.view());
  expect_losses(huber{0.7f}, label_kind::real, rows.view());
}

TEST_P(losses_on, of_softmax_are_those_of_the_host) {
  for (const std::size_t classes : {3u, 40u, 128u}) {
    const auto toy = test::planted_classes({.rows = 1000, .columns = 200, .per_row = 20, .seed = seed}, classes);
    const csr_rows rows = toy.csr();
    expect_losses(softmax{.features = 200, .classes = classes, .bias = true}, label_kind::classes, rows.view());
  }
}

TEST_P(losses_on, of_factorization_machines_are_those_of_the_host) {
  const auto toy = test::planted_classification({.rows = 1000, .columns = 200, .per_row = 20, .seed = seed});
  const csr_rows rows = toy.csr();
  for (const std::size_t factors : {8u, 40u, 128u})
    for (const label_kind labels : {label_kind::binary, label_kind::real})
      expect_losses(factorization_machine{.features = 200, .factors = factors, .labels = labels}, labels, rows.view());
}

TEST_P(losses_on, of_ratings_are_those_of_the_host) {
  const test::toy_ratings_shape shape{.seed = seed};
  const auto toy = test::planted_ratings(shape);
  const csr_rows rows = toy.csr();
  for (const std::size_t factors : {16u, 100u, 128u})
    expect_losses(test::factors_of(shape, factors, factors != 100), label_kind::real, rows.view());
}

TEST_P(losses_on, of_word_vectors_are_those_of_the_host) {
  const corpus words = test::random_sentences(random, 500, 100);
  skip_gram model;
  model.words = words.words.size(), model.sample = 0.01;
  for (const std::size_t dimension : {16u, 40u}) {
    model.dimension = dimension;
    expect_losses(model, label_kind::real, words.rows.view(), {.rows_in_flight = 8});
  }
}

INSTANTIATE_TEST_SUITE_P(every, losses_on, test::all_devices(), test::device_of);

}  // namespace
