// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/engines.hpp>
#include <hogwild/models/convnet.hpp>
#include <hogwild/models/mlp.hpp>
#include <hogwild/names.hpp>
#include <hogwild/registry.hpp>
#include <hogwild/train.hpp>
#include <hogwildpp/ring_engine.hpp>

namespace {

using namespace hogwild;

/// Storage of rows.
struct row_arrays {
  std::vector<std::uint64_t> start{0};
  std::vector<std::uint32_t> index;
  std::vector<float> value;
  std::vector<double> label;

  sparse_view view_of(std::size_t columns, const image_shape& image = {}) const {
    return {.row_start = start, .index = index, .value = value, .label = label, .columns = columns, .image = image};
  }
};

/// Points of a square around 0, labelled by whether one of their coordinates is above 0, but not both: no linear model
/// is right on more than three quarters of them.
struct exclusive_or : row_arrays {
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
  sparse_view view() const { return view_of(2); }
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
  // If a thread waits long for a CPU, the last steps count for more: 0.92 was seen. A linear model is right in half of
  // the cases.
  EXPECT_GT(threads.test->accuracy.value(), 0.8);
}

TEST(nets, one_worker_is_the_serial_run_bit_for_bit) {
  const exclusive_or rows(300, 3);
  train_options options = options_for(rows, optimizer_kind::adam, 0.01);
  options.epochs = 3;
  options.sharing = sharing_kind::direct;
  EXPECT_EQ(train(net, rows, serial_engine{}, options).parameters,
            train(net, rows, thread_engine{.workers = 1}, options).parameters);
}

// One rank sums up its own gradients alone: the same steps, but for the rounding of sums that are divided later. All
// batches have 16 rows: fewer would make a shorter step in lockstep.
TEST(nets, one_rank_in_lockstep_makes_the_steps_of_the_serial_run) {
  const exclusive_or rows(304, 3);
  for (const optimizer_kind optimizer :
       {optimizer_kind::sgd, optimizer_kind::momentum, optimizer_kind::adagrad, optimizer_kind::adam}) {
    train_options options = options_for(rows, optimizer, 0.02);
    options.epochs = 3;
    options.l2 = 0.01;
    const auto serial = train(net, rows, serial_engine{}, options).parameters;
    const auto lockstep = train(net, rows, sync_engine{.workers = 1, .rows = 16}, options).parameters;
    for (std::size_t j = 0; j < net.dim(); ++j) ASSERT_NEAR(lockstep[j], serial[j], 1e-4) << name_of(optimizer);
  }
}

TEST(nets, reproducible_runs_are_the_same_for_any_number_of_threads) {
  const exclusive_or rows(300, 3);
  for (const optimizer_kind optimizer : {optimizer_kind::sgd, optimizer_kind::momentum, optimizer_kind::adam}) {
    train_options options = options_for(rows, optimizer, 0.02);
    options.epochs = 3;
    options.reproducible = true;
    EXPECT_EQ(train(net, rows, thread_engine{.workers = 3}, options).parameters,
              train(net, rows, thread_engine{.workers = 1}, options).parameters)
        << name_of(optimizer);
  }
}

/// Images of 28 x 28 with a bright bar under noise; its height and slant are the class, one of ten.
struct bars : row_arrays {
  bars(std::size_t rows, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (std::size_t r = 0; r < rows; ++r) {
      const std::size_t c = random() % 10, shift = random() % 3;
      for (std::uint32_t at = 0; at < 28 * 28; ++at) {
        const std::size_t y = at / 28, x = at % 28, middle = 4 + shift + 4 * (c / 2);
        const bool on_bar = c % 2 == 0 ? y == middle || y == middle + 1 : (y + x) / 2 == middle;
        const auto byte = static_cast<float>(random() % (on_bar ? 256 : 64));
        if (byte == 0.0f) continue;
        index.push_back(at);
        value.push_back(byte);
      }
      start.push_back(index.size());
      label.push_back(static_cast<double>(c));
    }
  }
  sparse_view view() const { return view_of(28 * 28, {1, 28, 28}); }
};

// Each engine ends within half a point of the serial run. Ranks in lockstep make one step of all rows between two
// meetings, so each has half of the rows for the same steps.
TEST(nets, a_convnet_learns_on_every_engine_what_it_learns_serially) {
  const bars rows(800, 1), test_rows(600, 2);
  train_options options;
  options.epochs = 4;
  options.batch = 16;
  options.optimizer = optimizer_kind::adam;
  options.step.initial = 0.003;
  options.test = test_rows.view();
  const auto accuracy = [&](const auto& engine) {
    return train(convnet{}, rows, engine, options).test->accuracy.value();
  };
  const double least = accuracy(serial_engine{}) - 0.005;
  EXPECT_GT(least, 0.985);
  EXPECT_GE(accuracy(thread_engine{.workers = 2}), least);
  EXPECT_GE(accuracy(ring_engine{.workers = 2, .replicas = 2}), least);
  options.sharing = sharing_kind::buffered;
  EXPECT_GE(accuracy(thread_engine{.workers = 2}), least);
  options.sharing = sharing_kind::automatic;
  options.reproducible = true;
  EXPECT_GE(accuracy(thread_engine{.workers = 2}), least);
  options.reproducible = false;
  options.batch = 8;
  for (const sync_rule rule : {sync_rule::gradients, sync_rule::average})
    EXPECT_GE(accuracy(sync_engine{.workers = 2, .rule = rule, .rows = 8}), least);
}

TEST(nets, images_of_another_size_are_refused_before_anybody_trains) {
  const bars rows(20, 1);
  sparse_view small = rows.view();
  small.image = {1, 14, 56};
  EXPECT_THROW(train(convnet{}, small, thread_engine{.workers = 2}), config_error);
  EXPECT_THROW(train(convnet{}, rows, serial_engine{}, {.test = small}), config_error);
  EXPECT_THROW(train(convnet{}, rows, serial_engine{}, {.validation = small}), config_error);
  EXPECT_THROW(train(convnet{.which = convolutional_net::cifar}, rows, serial_engine{}), config_error);
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
      // Saved columns ascend: 3 is the second column of the data, and at position 0 of the model.
      const std::vector<std::uint32_t> index = {1, 0};
      const sparse_row<float> seen{index, z.value, result.labels.encode(cursor.label(r))};
      loss += read.loss(seen) / static_cast<double>(rows.view().rows());
      EXPECT_TRUE(read.label(seen) == 3.0 || read.label(seen) == 5.0);
    }
    EXPECT_NEAR(loss, result.train_loss, 1e-5);
    const auto at_once = read.scorer(7);
    std::vector<row_score> scores(7);
    const std::vector<std::uint32_t> index = {1, 0};
    for (std::size_t r = 0; r < 7; ++r) {
      const sparse_row<float> z{index, cursor.row(r).value, result.labels.encode(cursor.label(r))};
      at_once(r, &z, r, {});
    }
    at_once(0, nullptr, 0, scores);
    for (std::size_t r = 0; r < 7; ++r) {
      const sparse_row<float> z{index, cursor.row(r).value, result.labels.encode(cursor.label(r))};
      EXPECT_NEAR(scores[r].loss, read.loss(z), 1e-5);
      EXPECT_EQ(scores[r].score, read.score(z));
    }
  }
}

}  // namespace
