// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/checkpoint_origin.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/detail/options/option_list.hpp>
#include <hogwild/error.hpp>

#include "support/changed_options.hpp"
#include "support/refusals.hpp"

namespace hogwild::detail {
namespace {

using ::testing::HasSubstr;

checkpoint written(const checkpoint_origin& origin) {
  checkpoint file;
  put_origin(file, origin);
  return file;
}

std::string refusal(const checkpoint_origin& wrote, const checkpoint_origin& goes_on) {
  return test::message_of<config_error>([&] { require_origin("a.ckpt", written(wrote), goes_on); });
}

TEST(checkpoint_origin, of_the_same_run_is_accepted) {
  const checkpoint_origin origin{"logistic", {{"l2", "0.1"}, {"freeze", ""}}};
  EXPECT_NO_THROW(require_origin("a.ckpt", written(origin), origin));
}

TEST(checkpoint_origin, of_another_run_is_refused_with_the_first_difference) {
  const checkpoint_origin origin{"logistic", {{"l2", "0.1"}, {"seed", "1"}, {"freeze", ""}}};
  EXPECT_THAT(refusal(origin, {"hinge_svm", origin.same}),
              HasSubstr("a.ckpt is a checkpoint of logistic, not of hinge"));
  EXPECT_THAT(refusal(origin, {"logistic", {{"l2", "0.1"}, {"seed", "2"}, {"freeze", "bias"}}}),
              HasSubstr("a.ckpt cannot be resumed: seed: 1 when it was written, 2 now; resume with"));
  EXPECT_THAT(refusal(origin, {"logistic", {{"l2", "0.1"}, {"seed", "1"}, {"freeze", "bias"}}}),
              HasSubstr("freeze: not given when it was written, bias now"));
  EXPECT_THAT(refusal(origin, {"logistic", {{"l2", "0.1"}, {"freeze", ""}}}),
              HasSubstr("seed: 1 when it was written, not given now"));
}

TEST(checkpoint_origin, may_leave_a_value_open) {
  const checkpoint_origin known{"logistic", {{"rows", "5"}, {"sum", "17"}}};
  const checkpoint_origin open{"logistic", {{"rows", "5"}, {"sum", std::string(any_value)}}};
  for (const auto& [wrote, goes_on] : {std::pair(known, open), std::pair(open, known), std::pair(open, open)})
    EXPECT_NO_THROW(require_origin("a.ckpt", written(wrote), goes_on));
}

// A file from elsewhere may hold anything.
TEST(checkpoint_origin, of_any_text_is_refused) {
  using namespace std::string_literals;
  const checkpoint_origin mine{"logistic", {{"l2", "0.1"}}};
  for (const std::string& text : {"l2"s, "l2\0"s,
                                  "l2\0"
                                  "0.1"s,
                                  "\0"s,
                                  "l2\0"
                                  "0.1\0rest"s,
                                  ""s, "\x1b[31m"s}) {
    checkpoint file = written(mine);
    file.put_span("same", std::span(text.data(), text.size()));
    const std::string said = test::message_of<config_error>([&] { require_origin("a.ckpt", file, mine); });
    EXPECT_THAT(said, HasSubstr("a.ckpt cannot be resumed: "));
    EXPECT_EQ(said.find('\x1b'), said.npos);
  }
}

TEST(checkpoint_origin, that_is_missing_is_told) {
  EXPECT_THROW(require_origin("a.ckpt", checkpoint{}, {"logistic", {}}), input_error);
}

// What the weights, the optimiser's state or the order of rows depend on must be the same; what ends a run, measures it
// or writes files may change.
TEST(resumed_options, are_those_of_the_list_that_must_be_the_same) {
  const train_options usual;
  const std::vector<named_value> same = resumed_options(usual);
  std::size_t must = 0;
  for (const test::changed_option& one : test::changed_options(usual)) {
    if (!one.changed) continue;
    const auto found = first_difference(same, resumed_options(one.options));
    must += one.resume == when_resumed::same;
    EXPECT_EQ(found.has_value(), one.resume == when_resumed::same) << one.name;
    EXPECT_EQ(found ? found->name : one.name, one.name);
  }
  EXPECT_EQ(must, same.size());
  train_options frozen = usual, other_order = usual;
  frozen.freeze = {"bias", "weights"}, other_order.freeze = {"weights", "bias", "weights"};
  EXPECT_FALSE(first_difference(resumed_options(frozen), resumed_options(other_order)));
  EXPECT_TRUE(first_difference(resumed_options(frozen), same));
  for (const char* name : {"l1", "l2", "seed", "optimizer", "order", "batch", "bias", "constants.beta2", "initial"})
    EXPECT_TRUE(std::ranges::find(same, name, &named_value::name) != same.end()) << name;
  for (const char* name : {"epochs", "max_seconds", "target", "record", "validation_fraction", "step.initial"})
    EXPECT_TRUE(std::ranges::find(same, name, &named_value::name) == same.end()) << name;
}

}  // namespace
}  // namespace hogwild::detail
