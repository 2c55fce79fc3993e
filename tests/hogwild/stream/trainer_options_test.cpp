// SPDX-License-Identifier: Apache-2.0
// Each option of a run is honoured by a stream, or refused.
#include <hogwild/trainer.hpp>

#include <set>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/error.hpp>
#include <hogwild/models/logistic.hpp>

#include "support/changed_options.hpp"
#include "support/sanitizers.hpp"
#include "support/streamed_rows.hpp"

namespace hogwild {
namespace {

// Each option changes what is learned, or is refused, or cannot change it by its nature.
TEST(trainer_options, are_not_lost_in_silence) {
  if (test::thread_sanitized) GTEST_SKIP() << "one thread trains";
  const sparse_view rows = test::many_rows().view().slice(0, 4'000);
  const auto learned = [&](const train_options& options) {
    trainer<logistic> stream(logistic{}, serial_engine{}, options);
    stream.partial_fit(rows);
    stream.flush();
    return stream.parameters();
  };
  const std::set<std::string_view> by_nature{"form",     // of linear models: all rows have an l2, however it is called
                                             "update",   // exact: one worker loses no add
                                             "sharing",  // one worker shares nothing
                                             "shards",   // and helps nobody
                                             "seed",     // rows are trained in their order
                                             "order",    // which is the only one
                                             "isa",      // all give the same bits
                                             "epochs",   // a stream has each row once
                                             "patience",
                                             "tolerance_epochs",
                                             "checkpoint_every",
                                             "checkpoint_seconds",  // of rules and files that are not asked for
                                             "telemetry",
                                             "constants.momentum",
                                             "constants.beta1",
                                             "constants.beta2",
                                             "constants.epsilon",  // of other optimizers
                                             "constants.ftrl_beta",
                                             "data_name"};  // stands in records and errors
  train_options usual = test::by_sgd(1e-3);
  usual.bias = true;
  const std::vector<float> before = learned(usual);
  for (auto& [name, ranks, resume, other, changed] : test::changed_options(usual)) {
    if (!changed || name == "checkpoint" || name == "resume" || name == "record") continue;  // files
    if (name == "batch") other.batch = 2;
    if (name == "step.decay") other.step.decay = 0.5;
    try {
      EXPECT_TRUE(learned(other) != before || by_nature.contains(name)) << name << " is taken and changes nothing";
    } catch (const config_error& refused) {
      EXPECT_GT(std::string_view(refused.what()).size(), 20u) << name;
    } catch (const input_error& refused) {
      EXPECT_EQ(name, "labels") << refused.what();
    }
  }
}

}  // namespace
}  // namespace hogwild
