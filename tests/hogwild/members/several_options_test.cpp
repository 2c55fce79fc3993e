// SPDX-License-Identifier: Apache-2.0
// Each option of a run is honoured by models that make one, or refused.
#include <hogwild/several_models.hpp>

#include <set>
#include <string_view>

#include <gtest/gtest.h>

#include <hogwild/hogwild.hpp>
#include <hogwild/models/logistic.hpp>

#include "support/lost_options.hpp"
#include "support/toy_data.hpp"

namespace hogwild {
namespace {

// Each option changes the result of the run, or is refused, or cannot change it by its nature.
TEST(several_options, are_not_lost_in_silence) {
  const test::kept_rows all = test::planted_classification({.rows = 900, .columns = 200, .per_row = 13});
  const auto run = [&](const train_options& options) {
    return train_ensemble(logistic{}, all.view(), serial_engine{}, {.models = 3}, options);
  };
  const std::set<std::string_view> by_nature{"form",     // of linear models: all rows have an l2, however it is called
                                             "update",   // exact: one worker loses no add
                                             "sharing",  // one worker shares nothing
                                             "shards",   // and helps nobody
                                             "reproducible",  // and repeats
                                             "isa",           // all give the same bits
                                             "batch",         // one row at a time: momentum and others take it so
                                             "telemetry",     // there is no other worker
                                             "data_name",     // stands in records and errors
                                             "max_seconds",   // which are not over
                                             "checkpoint_every",
                                             "checkpoint_seconds",
                                             "patience",
                                             "tolerance_epochs",  // of rules that are not used here
                                             "constants.momentum",
                                             "constants.beta1",
                                             "constants.beta2",
                                             "constants.epsilon",  // of other optimizers
                                             "constants.ftrl_beta",
                                             "bias_rate"};
  for (const bool one_by_one : {false, true}) {
    SCOPED_TRACE(one_by_one ? "one by one" : "side by side");
    train_options options{.epochs = 3, .step = {.initial = 0.02}, .bias = true};
    if (one_by_one) options.optimizer = optimizer_kind::momentum;
    test::expect_no_option_is_lost(run, options, all.view(), by_nature);
    for (const update_kind update : {update_kind::locked, update_kind::edge_locked, update_kind::ordered}) {
      train_options locked = options;
      locked.update = update;
      EXPECT_THROW(run(locked), config_error);
    }
  }
}

}  // namespace
}  // namespace hogwild
