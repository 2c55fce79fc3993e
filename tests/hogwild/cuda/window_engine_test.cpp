// SPDX-License-Identifier: Apache-2.0
// Word vectors on the emulated device.
#include <hogwild/cuda/engine.hpp>

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/error.hpp>
#include <hogwild/formats/corpus.hpp>
#include <hogwild/models/skip_gram.hpp>
#include <hogwild/observer.hpp>
#include <hogwild/train.hpp>

#include "near_serial.hpp"
#include "support/heard_run.hpp"
#include "topics.hpp"

using namespace hogwild;

namespace {

struct words_on_a_device : testing::Test {
  test::topics topics{};
  train_options options{.epochs = 12, .step = {.initial = 0.1}, .batch = 1};

  train_result run(const auto& engine) { return train(topics.model, topics.text.rows, engine, options); }
  std::string refused() {
    return test::refusal_to_train(topics.model, topics.text.rows, cuda_engine{.device = emulated_device}, options);
  }
};

// In fifty runs of each policy, half of them on one CPU, none ended more than 0.05 % from the serial loss, with a
// standard deviation of 0.015 %.
TEST_F(words_on_a_device, end_where_a_serial_run_does) {
  const double serial = run(serial_engine{}).train_loss;
  for (const update_kind update : {update_kind::lossy, update_kind::exact}) {
    options.update = update;
    const train_result r = run(cuda_engine{.device = emulated_device});
    EXPECT_EQ(r.status, run_status::done);
    EXPECT_GE(r.train_loss, 0.98 * serial);
    EXPECT_LE(r.train_loss, test::serial_band(1) * serial);
    EXPECT_EQ(r.updates, 12'000u);
    RecordProperty("above_serial_" + std::to_string(int(update)), std::to_string(r.train_loss / serial - 1.0));
  }
  options.epochs = 1;
  options.step.initial = 1e-9;
  EXPECT_LT(2.0 * test::serial_band(2) * serial, run(serial_engine{}).train_loss) << "little was learned";
}

// In fifty runs, half of them on one CPU, the loss ended 2.2 % above the serial one on average and 7.7 % at most.
TEST_F(words_on_a_device, learn_beside_a_worker_on_the_cpu) {
  const train_result r = run(cuda_engine{.workers = 1, .device = emulated_device});
  EXPECT_EQ(r.workers, 2u);
  const double serial = run(serial_engine{}).train_loss;
  EXPECT_LE(r.train_loss, test::serial_band(2) * serial);
  RecordProperty("above_serial", std::to_string(r.train_loss / serial - 1.0));
}

// All words are equally frequent: 1 / 200 of the windows score a word as theirs, five times as many as a drawn one.
TEST_F(words_on_a_device, are_trained_fewer_at_once_the_larger_the_step) {
  options.epochs = 1;
  for (const double step : {0.1, 0.4}) {
    options.step.initial = step;
    const auto at_once = static_cast<double>(run(cuda_engine{.device = emulated_device}).devices[0].rows_in_flight);
    EXPECT_NEAR(at_once, 0.5 / (step * 0.03), 0.4 * 0.5 / (step * 0.03));
  }
}

/// The notes of a run on device 0, which most machines lack.
std::vector<std::string> notes_of_words(const corpus& words, skip_gram m, train_options options) {
  test::heard_run said;
  m.words = words.words.size();
  options.epochs = 1;
  options.step.initial = 1e-7;
  options.observers.push_back(&said);
  test::refusal_of<resource_error>([&] { train(m, words.rows, cuda_engine{.device = 0}, options); });
  return said.notes;
}

// A warp keeps a sentence's words, of four bytes each, and all warps together have 1 GB.
TEST_F(words_on_a_device, are_noted_where_a_long_sentence_leaves_room_for_few) {
  const auto few = testing::Contains(
      testing::HasSubstr("words and with windows of 3, where 4096 would suit the step: take shorter"));
  std::string text;
  for (int k = 0; k < 100'000; ++k) text += "w" + std::to_string(k % 200) + " ";
  const corpus long_line = read_corpus(text, "line", {.min_count = 1, .sentence = 200'000, .threads = 1});
  EXPECT_THAT(notes_of_words(long_line, topics.model, options), few);
  EXPECT_THAT(notes_of_words(topics.text, topics.model, options), testing::Not(few));
}

TEST_F(words_on_a_device, refuse_what_a_device_does_not_train) {
  options.optimizer = optimizer_kind::adagrad;
  EXPECT_THAT(refused(), testing::HasSubstr("skip_gram by sgd"));
  options.optimizer = optimizer_kind::sgd;
  options.l2 = 1e-4;
  EXPECT_THAT(refused(), testing::HasSubstr("word vectors have no l2"));
  options.l2 = 0.0;
  options.batch = 4;
  EXPECT_THAT(refused(), testing::HasSubstr("sentence by sentence"));
  options.batch = 1;
  topics.model.hierarchical = true;
  EXPECT_THAT(refused(), testing::HasSubstr("not hierarchically"));
}

}  // namespace
