// SPDX-License-Identifier: Apache-2.0
// Streams that go on from their checkpoints.
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/models/factorization_machine.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/trainer.hpp>

#include "support/scratch_folder.hpp"
#include "support/streamed_rows.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;
using namespace hogwild::test;
using ::testing::HasSubstr;
using ::testing::Property;
using ::testing::Throws;

namespace {

struct trainer_checkpoint : testing::Test {
  const sparse_view all = rows().view();
  const scratch_folder folder;
  const std::string path = folder / "stream";
};

TEST_F(trainer_checkpoint, goes_on_from_a_checkpoint_with_the_same_bits) {
  struct regularised {
    optimizer_kind by;
    double l2, l1;
  };
  for (const auto& [by, l2, l1] :
       {regularised{optimizer_kind::sgd, 0.0, 0.0}, regularised{optimizer_kind::sgd, 0.02, 0.0},
        regularised{optimizer_kind::adagrad, 0.0, 0.0}, regularised{optimizer_kind::sgd, 0.02, 1e-4}}) {
    train_options options = by_sgd(l2);
    options.l1 = l1;
    options.optimizer = by;
    options.step = {.initial = 0.2, .decay = 0.9};
    const stream_options how{.epoch_rows = 1000};
    trainer<logistic> whole(logistic{}, serial_engine{}, options, how);
    feed(whole, all, 400, 5);
    // Cut at once, where no plan was made yet, in the middle of a chunk, and again.
    std::size_t done = 0;
    train_options resumed = options;
    for (const std::size_t cut : {100u, 4133u, 4600u}) {
      trainer<logistic> part(logistic{}, serial_engine{}, resumed, how);
      EXPECT_EQ(part.rows(), done);
      part.partial_fit(all.slice(done, cut));
      part.checkpoint(path);
      done = cut;
      resumed.resume = path;
    }
    trainer<logistic> last(logistic{}, serial_engine{}, resumed, how);
    EXPECT_EQ(last.rows(), 4600u);
    const std::vector<float> at_once = last.parameters();
    EXPECT_EQ(at_once.size(), 300u);
    last.partial_fit(all.slice(4600, 5000));
    EXPECT_EQ(last.parameters(), whole.parameters());
    resumed.l1 = 0.5;
    EXPECT_THROW(trainer<logistic>(logistic{}, serial_engine{}, resumed, how), config_error);
  }
}

TEST_F(trainer_checkpoint, writes_no_checkpoint_of_weights_that_are_no_number) {
  trainer<logistic> stream(logistic{}, serial_engine{}, by_sgd());
  stream.partial_fit(rows().view().slice(0, 4096));
  stream.checkpoint(path);
  // Before the first of these rows is trained their loss is that of weight 0.
  test::toy_rows wild;
  wild.columns = 301;
  for (int i = 0; i < 64; ++i) wild.push({300}, {3e38f}, 1.0f);
  EXPECT_TRUE(std::isfinite(stream.partial_fit(wild.csr()).loss));
  EXPECT_THAT([&] { stream.checkpoint(path); }, Throws<error>(Property(&error::code, exit_code::diverged)));
  train_options resumed = by_sgd();
  resumed.resume = path;
  EXPECT_EQ(trainer<logistic>(logistic{}, serial_engine{}, resumed).rows(), 4096u);
}

TEST_F(trainer_checkpoint, reads_true_weights_from_a_checkpoint_before_it_goes_on) {
  train_options options = by_sgd(0.02);
  options.bias = true;
  trainer<logistic> stream(logistic{}, serial_engine{}, options);
  stream.partial_fit(rows());
  stream.checkpoint(path);
  options.resume = path;
  const trainer<logistic> resumed(logistic{}, serial_engine{}, options);
  const std::vector<float> read = resumed.parameters(), expected = stream.parameters();
  ASSERT_EQ(read.size(), expected.size());
  EXPECT_EQ(read.back(), expected.back()) << "l2 is not about the bias";
  for (std::size_t j = 0; j < read.size(); ++j) EXPECT_FLOAT_EQ(read[j], expected[j]);
}

TEST_F(trainer_checkpoint, of_threads_grows_and_goes_on_from_a_checkpoint) {
  train_options options = by_sgd();
  const thread_engine two{.workers = 2, .team = thread_team_kind::std};
  {
    trainer<logistic> stream(logistic{}, two, options);
    stream.partial_fit(all.slice(0, 2500));
    stream.partial_fit(sparse_view{.columns = 1000});
    stream.partial_fit(all.slice(2500, 4200));
    stream.checkpoint(path);
  }
  options.resume = path;
  trainer<logistic> stream(logistic{}, two, options);
  EXPECT_EQ(stream.columns(), 1000u);
  stream.partial_fit(all.slice(4200, 5000));
  stream.flush();
  EXPECT_LT(loss_of(stream, all), 0.9 * std::log(2.0));
}

TEST_F(trainer_checkpoint, refuses_the_checkpoint_of_another_stream) {
  trainer<logistic> stream(logistic{}, serial_engine{}, by_sgd());
  stream.partial_fit(rows());
  stream.checkpoint(path);
  train_options other = by_sgd();
  other.resume = path;
  EXPECT_EQ(refusal<trainer<logistic>>(logistic{}, serial_engine{}, other), "");
  train_options least = other;
  least.labels.clear();
  EXPECT_THAT(refusal<trainer<least_squares>>(least_squares{}, serial_engine{}, least),
              HasSubstr("is a checkpoint of logistic"));
  const auto of_factors = [](std::size_t factors) {
    return [factors](std::size_t columns) { return factorization_machine{.features = columns, .factors = factors}; };
  };
  train_options machine = by_sgd();
  machine.batch.reset();
  const std::string small = folder / "small";
  trainer<factorization_machine> of_two(of_factors(2), serial_engine{}, machine);
  of_two.partial_fit(rows());
  of_two.checkpoint(small);
  machine.resume = small;
  EXPECT_THAT(refusal<trainer<factorization_machine>>(of_factors(16), serial_engine{}, machine),
              HasSubstr("number 1 of the model: 2 when it was written, 16 now"));
  other.seed = 2;
  EXPECT_THAT(refusal<trainer<logistic>>(logistic{}, serial_engine{}, other),
              HasSubstr("seed: 1 when it was written, 2 now"));
  const std::string epochs = folder / "epochs";
  train_options run = by_sgd();
  run.checkpoint = epochs;
  train(logistic{}, rows(), serial_engine{}, run);
  other.resume = epochs;
  EXPECT_THAT(refusal<trainer<logistic>>(logistic{}, serial_engine{}, other), HasSubstr("by a run over epochs"));
}

}  // namespace
