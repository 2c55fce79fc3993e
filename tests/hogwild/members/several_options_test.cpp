// SPDX-License-Identifier: Apache-2.0
// Each option of a run is honoured by models that make one, or refused.
#include <hogwild/several_models.hpp>

#include <cstddef>
#include <set>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/hogwild.hpp>
#include <hogwild/models/logistic.hpp>

#include "support/changed_options.hpp"
#include "support/toy_data.hpp"

namespace hogwild {
namespace {

/// The visible effects of a run's options.
struct seen_of_run {
  std::vector<float> parameters;
  std::size_t epochs = 0;
  run_status status = run_status::done;
  std::vector<double> told;
  bool operator==(const seen_of_run&) const = default;
};

// Each option changes the result of the run, or is refused, or cannot change it by its nature.
TEST(several_options, are_not_lost_in_silence) {
  const test::kept_rows all = test::planted_classification({.rows = 900, .columns = 200, .per_row = 13});
  const auto see = [&](train_options options) {
    seen_of_run seen;
    options.observers.push_back([&](const epoch_report& e) {
      for (const double x :
           {e.train_loss, e.objective, e.step, e.test ? e.test->loss : -1.0, e.validation ? e.validation->loss : -1.0})
        seen.told.push_back(x);
    });
    const train_result run = train_ensemble(logistic{}, all.view(), serial_engine{}, {.models = 3}, options);
    seen.parameters = run.parameters;
    seen.epochs = run.epochs;
    seen.status = run.status;
    return seen;
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
    train_options options{.epochs = 3, .step = {.initial = 0.02}, .bias = true};
    if (one_by_one) options.optimizer = optimizer_kind::momentum;
    const seen_of_run usual = see(options);
    for (auto& [name, ranks, resume, other, changed] : test::changed_options(options)) {
      if (!changed || name == "record" || name == "checkpoint" || name == "resume") continue;  // files
      if (name == "test") other.test = all.view().slice(0, 90);
      if (name == "validation") other.validation = all.view().slice(0, 90);
      if (name == "weights.of_labels") other.weights.of_labels = {{1.0, 9.0}};
      if (name == "labels") other.labels = {-1.0, 2.0};
      if (name == "validation_fraction") other.validation_fraction = 0.25;
      if (name == "tolerance") other.tolerance = 0.999;
      if (name == "average") other.average = 0.75;
      if (name == "measure_every") other.measure_every = 2;
      if (name == "optimizer") other.optimizer = optimizer_kind::ftrl;
      if (name == "target") other.target = {"train_loss", 0.69};
      if (name == "step.decay") other.step.decay = 0.5;
      if (name == "step.kind") other.step.kind = schedule_kind::cosine;
      try {
        const seen_of_run seen = see(other);
        EXPECT_TRUE(seen != usual || by_nature.contains(name))
            << name << " is taken and changes nothing" << (one_by_one ? ", one by one" : "");
      } catch (const config_error& refused) {
        EXPECT_GT(std::string_view(refused.what()).size(), 20u) << name;
      } catch (const input_error& refused) {
        EXPECT_EQ(name, "labels") << refused.what();
      }
    }
    for (const update_kind update : {update_kind::locked, update_kind::edge_locked, update_kind::ordered}) {
      train_options locked = options;
      locked.update = update;
      EXPECT_THROW(see(locked), config_error);
    }
  }
}

}  // namespace
}  // namespace hogwild
