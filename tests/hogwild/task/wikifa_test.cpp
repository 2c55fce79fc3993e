// SPDX-License-Identifier: Apache-2.0
// Word vectors of 11 million words of an encyclopedia, by the analogies that they get right.
#include "support/wikifa.hpp"

#include <string>

#include <gtest/gtest.h>

#include <hogwild/hogwild.hpp>

using namespace hogwild;

namespace {

using wikifa = test::wikifa;

TEST_F(wikifa, analogies) {
  const train_result result = train(model, text->rows, thread_engine{}, {.epochs = 5});
  ASSERT_EQ(result.status, run_status::done);
  const double right = analogies_right(result.parameters);
  RecordProperty("accuracy", std::to_string(right));
  EXPECT_GE(right, least_right);
}

}  // namespace
