// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/core/row_cursor.hpp>
#include <hogwild/models/mlp.hpp>
#include <hogwild/models/registry.hpp>
#include <hogwild/names.hpp>
#include <hogwild/train.hpp>

namespace {

using namespace hogwild;

/// Points of a square around 0, labelled by whether one of their coordinates is above 0, but not both: no linear model
/// is right on more than three quarters of them.
struct exclusive_or {
  exclusive_or(std::size_t rows, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<float> any(-0.5f, 0.5f);
    for (std::size_t r = 0; r < rows; ++r) {
      const float x = any(random), y = any(random);
      index.insert(index.end(), {0, 1});
      value.insert(value.end(), {x, y});
      start.push_back(index.size());
      label.push_back((x > 0) != (y > 0) ? 5.0 : 3.0);
    }
  }
  sparse_view view() const {
    return {.row_start = start, .index = index, .value = value, .label = label, .columns = 2};
  }

  std::vector<std::uint64_t> start{0};
  std::vector<std::uint32_t> index;
  std::vector<float> value;
  std::vector<double> label;
};

const mlp net{.features = 2, .classes = 2, .hidden = {16}};

train_options options_for(const exclusive_or& test, optimizer_kind optimizer, double step) {
  train_options options;
  options.epochs = 60;
  options.batch = 16;
  options.optimizer = optimizer;
  options.step.initial = step;
  options.test = test.view();
  return options;
}

TEST(nets, an_mlp_learns_what_no_linear_model_can) {
  const exclusive_or train_rows(800, 1), test_rows(400, 2);
  for (const auto& [optimizer, step] :
       {std::pair{optimizer_kind::sgd, 0.5}, std::pair{optimizer_kind::momentum, 0.1},
        std::pair{optimizer_kind::adagrad, 0.1}, std::pair{optimizer_kind::adam, 0.01}}) {
    const train_options options = options_for(test_rows, optimizer, step);
    const train_result serial = train(net, train_rows, serial_engine{}, options);
    EXPECT_GT(serial.test->accuracy.value(), 0.93) << name_of(optimizer);
  }
  const train_result threads =
      train(net, train_rows, thread_engine{.workers = 2}, options_for(test_rows, optimizer_kind::adam, 0.01));
  EXPECT_GT(threads.test->accuracy.value(), 0.93);
}

TEST(nets, one_worker_is_the_serial_run_bit_for_bit) {
  const exclusive_or rows(300, 3);
  train_options options = options_for(rows, optimizer_kind::adam, 0.01);
  options.epochs = 3;
  options.sharing = sharing_kind::direct;
  EXPECT_EQ(train(net, rows, serial_engine{}, options).parameters,
            train(net, rows, thread_engine{.workers = 1}, options).parameters);
}

TEST(nets, frozen_layers_stay_as_they_begin) {
  const exclusive_or rows(300, 3);
  train_options options = options_for(rows, optimizer_kind::momentum, 0.1);
  options.epochs = 2;
  options.freeze = {"fc1.weights"};
  const std::vector<float> trained = train(net, rows, serial_engine{}, options).parameters;
  options.step.initial = 0.05;
  const std::vector<float> otherwise = train(net, rows, serial_engine{}, options).parameters;
  std::size_t changed = 0;
  for (std::size_t j = 0; j < net.dim(); ++j) {
    changed += trained[j] != otherwise[j];
    if (j < 32) {
      EXPECT_EQ(trained[j], otherwise[j]) << "neither step reached it";
    }
  }
  EXPECT_GT(changed, net.dim() / 4) << "but for units that relu has silenced, all others change";
}

TEST(nets, a_saved_mlp_predicts_what_was_trained) {
  const exclusive_or rows(500, 4);
  train_options options = options_for(rows, optimizer_kind::momentum, 0.1);
  options.epochs = 5;
  const train_result result = train(net, rows, serial_engine{}, options);
  const std::vector<std::uint32_t> original = {7, 3};
  for (const model_format format : {model_format::binary, model_format::text}) {
    const saved_model saved = to_saved(named_model(net), result.parameters, result.labels, original);
    const predictor read(parse_model(model_bytes(saved, format), "bytes"));
    row_cursor cursor(rows.view());
    double loss = 0;
    for (std::size_t r = 0; r < rows.view().rows(); ++r) {
      const sparse_row<float> z = cursor.row(r);
      // Saved columns ascend: 3 is the second column of the data, and rank 0 of the model.
      const std::vector<std::uint32_t> index = {1, 0};
      const sparse_row<float> seen{index, z.value, result.labels.encode(cursor.label(r))};
      loss += read.loss(seen) / static_cast<double>(rows.view().rows());
      EXPECT_TRUE(read.label(seen) == 3.0 || read.label(seen) == 5.0);
    }
    EXPECT_NEAR(loss, result.final_loss, 1e-5);
  }
}

}  // namespace
