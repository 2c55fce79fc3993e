// SPDX-License-Identifier: Apache-2.0
#include <hogwild/first_pass.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/core/error.hpp>
#include <hogwild/models/logistic.hpp>

using namespace hogwild;
using ::testing::HasSubstr;

namespace {

TEST(first_pass, options_that_need_the_rows_first_are_refused) {
  const auto refused = [](train_options options, const char* reason) {
    try {
      const logistic model;
      first_pass(model, options);
      FAIL() << reason;
    } catch (const config_error& fault) {
      EXPECT_THAT(fault.what(), HasSubstr(reason));
    }
  };
  const step_options given{.initial = 0.5};
  refused({}, "step size");
  refused({.step = given, .optimizer = optimizer_kind::adagrad}, "sgd");
  refused({.step = given, .sharing = sharing_kind::direct}, "direct");
  refused({.step = given, .order = row_order::permuted}, "order");
  refused({.step = given, .update = update_kind::locked}, "without locks");
  refused({.step = given, .shards = sharding::fixed}, "fixed shards");
  refused({.step = given, .batch = 17}, "1 to 16 rows");
  refused({.step = given, .reproducible = true}, "reproducible");
  refused({.step = given, .validation_fraction = 0.1}, "validation");
  refused({.step = given, .resume = "run.ckpt"}, "resumed");
}

}  // namespace
