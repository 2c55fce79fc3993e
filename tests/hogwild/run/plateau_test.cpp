// SPDX-License-Identifier: Apache-2.0
// A step that falls by the validation loss, through train().
#include <cstddef>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/models/logistic.hpp>
#include <hogwild/observer.hpp>
#include <hogwild/train.hpp>

#include "support/heard_run.hpp"
#include "support/scratch_folder.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;
using testing::ElementsAre;

namespace {

/// Validation rows with the other labels: the better the model, the higher their loss.
struct plateau : testing::Test {
  const test::kept_rows data = test::planted_classification({.rows = 200, .columns = 20, .per_row = 8});
  const test::kept_rows held = [this] {
    test::toy_rows rows = data;
    for (float& y : rows.label) y = -y;
    return rows;
  }();
  test::heard_run heard;
  train_options options{.epochs = 5,
                        .step = {.initial = 0.4, .kind = schedule_kind::plateau},
                        .validation = held.view(),
                        .patience = 100,
                        .observers = {&heard}};
};

TEST_F(plateau, halves_the_step_after_each_epoch_without_a_better_loss) {
  const train_result run = train(logistic{}, data, serial_engine{}, options);
  EXPECT_THAT(heard.each(&epoch_report::step), ElementsAre(0.4, 0.4, 0.2, 0.1, 0.05));
  EXPECT_EQ(run.schedule, schedule_kind::plateau);
  EXPECT_EQ(run.decay, 0.5);
}

TEST_F(plateau, keeps_the_step_while_the_loss_falls) {
  options.validation = data.view();
  train(logistic{}, data, serial_engine{}, options);
  EXPECT_THAT(heard.each(&epoch_report::step), ElementsAre(0.4, 0.4, 0.4, 0.4, 0.4));
}

TEST_F(plateau, does_not_count_the_epochs_of_a_warm_up) {
  options.step.warm_up = 3;
  options.step.decay = 0.1;
  train(logistic{}, data, serial_engine{}, options);
  for (std::size_t e = 0; e < 3; ++e) EXPECT_DOUBLE_EQ(heard.epochs[e].step, 0.1 * static_cast<double>(e + 1));
  EXPECT_DOUBLE_EQ(heard.epochs[3].step, 0.4);
  EXPECT_DOUBLE_EQ(heard.epochs[4].step, 0.04);
}

TEST_F(plateau, goes_on_where_a_checkpoint_left_it) {
  const train_result whole = train(logistic{}, data, serial_engine{}, options);
  const std::vector<double> steps = heard.each(&epoch_report::step);
  heard.epochs.clear();
  const test::scratch_folder folder;
  options.epochs = 3, options.checkpoint = folder / "state";
  train(logistic{}, data, serial_engine{}, options);
  options.epochs = 5, options.resume = std::exchange(options.checkpoint, {});
  const train_result resumed = train(logistic{}, data, serial_engine{}, options);
  EXPECT_EQ(heard.each(&epoch_report::step), steps);
  EXPECT_EQ(resumed.parameters, whole.parameters);
}

TEST_F(plateau, is_the_same_for_any_number_of_workers_of_a_reproducible_run) {
  options.reproducible = true;
  options.virtual_workers = 4;
  const auto trained = [&](std::size_t workers) {
    return train(logistic{}, data, thread_engine{.workers = workers, .team = thread_team_kind::std}, options);
  };
  EXPECT_EQ(trained(1).parameters, trained(3).parameters);
}

}  // namespace
