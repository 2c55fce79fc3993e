// SPDX-License-Identifier: Apache-2.0
// Each option of a run is honoured by a device, or refused.
#include <set>
#include <string_view>

#include <gtest/gtest.h>

#include <hogwild/models/logistic.hpp>
#include <hogwild/models/softmax.hpp>
#include <hogwild/train.hpp>

#include "given_devices.hpp"
#include "support/lost_options.hpp"
#include "support/sanitizers.hpp"
#include "support/toy_data.hpp"

namespace hogwild {
namespace {

template <class M>
void expect_none_is_lost(const M& model, const train_options& options, std::set<std::string_view> by_nature) {
  const test::kept_rows all = test::planted_classification({.rows = 900, .columns = 200, .per_row = 13});
  const test::given_devices one = test::small_device{.threads = 1, .memory_bytes = 1u << 24};
  by_nature.merge(std::set<std::string_view>{"sharing", "shards",  // one worker shares nothing, and helps nobody
                                             "update",             // exact: and loses no add
                                             "isa",                // of workers on the CPU
                                             "data_name",          // stands in records and errors
                                             "max_seconds",        // which are not over
                                             "checkpoint_every", "checkpoint_seconds", "patience",
                                             "tolerance_epochs",  // of rules that are not used here
                                             "constants.momentum", "constants.beta1", "constants.beta2",
                                             "constants.epsilon",  // of other optimizers
                                             "constants.ftrl_beta", "telemetry"});
  test::expect_no_option_is_lost([&](const train_options& o) { return train(model, all.view(), one, o); }, options,
                                 all.view(), by_nature);
}

TEST(device_options, are_not_lost_in_silence) {
  if (test::thread_sanitized) GTEST_SKIP() << "one thread trains";
  expect_none_is_lost(logistic{}, {.epochs = 3, .step = {.initial = 0.02}, .bias = true}, {});
  expect_none_is_lost(softmax{.features = 200, .classes = 2, .bias = true}, {.epochs = 3, .step = {.initial = 0.02}},
                      {});
}

}  // namespace
}  // namespace hogwild
