// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/results/saved_state.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/optimization/optimizer.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/tables.hpp>
#include <hogwild/saved_model.hpp>

#include "support/refusals.hpp"

using namespace hogwild;
using test::message_of;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

saved_model with_state() {
  return {.model = "logistic",
          .labels = label_map(label_kind::binary, {-1, 1}),
          .columns = {1, 7, 12},
          .weights = {0.5f, 0.0f, -2.0f},
          .bias = {0.25f},
          .state = {.optimizer = "ftrl",
                    .numbers = {{"ftrl_beta", 0.5}, {"step", 0.1}, {"bias_rate", 1.0}, {"rows", 300}},
                    .arrays = {{{1, 2, 3}, {4}}, {{-0.5f, 0, 1e-30f}, {-7}}}}};
}

std::string as_text(const saved_model& model) {
  const auto bytes = model_bytes(model, model_format::text);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(saved_state, is_read_back_from_both_formats_beside_whatever_else_a_model_has) {
  std::vector<saved_model> models(5, with_state());
  models[1].names = {"a", "b c", "d"};
  models[2].calibrated = {.kind = calibration_kind::platt, .slope = 2.0, .intercept = -1.0};
  models[3].state.arrays.clear();
  models[4] = {.model = "softmax",
               .labels = label_map(label_kind::classes, {0, 3}),
               .width = 2,
               .columns = {2, 9},
               .weights = {1, 2, 3, 4},
               .state = {.optimizer = "adagrad", .numbers = {}, .arrays = {{{5, 6, 7, 8}, {}}}}};
  for (const saved_model& model : models)
    for (const model_format format : {model_format::binary, model_format::text})
      EXPECT_EQ(parse_model(model_bytes(model, format), "m"), model);
}

TEST(saved_state, is_text_behind_the_columns) {
  const std::string text = as_text(with_state());
  EXPECT_THAT(text, testing::StartsWith("hogwild model 5\n"));
  EXPECT_THAT(text, testing::EndsWith("12 -2\nstate ftrl 2\nnumber ftrl_beta 0.5\nnumber step 0.1\nnumber bias_rate 1\n"
                                      "number rows 300\nbias 4\n1\n2\n3\nbias -7\n-0.5\n0\n1e-30\nend\n"));
}

TEST(saved_state, changes_no_byte_of_a_model_without_it) {
  saved_model model = with_state();
  model.state = {};
  EXPECT_THAT(as_text(model), testing::StartsWith("hogwild model 1\n"));
  EXPECT_EQ(model_bytes(model, model_format::binary)[8], std::byte{1});
}

TEST(saved_state, of_another_size_is_not_saved) {
  const auto refusal = [](const auto& change) {
    saved_model model = with_state();
    change(model);
    return message_of([&] { model_bytes(model, model_format::binary); });
  };
  EXPECT_THAT(refusal([](saved_model& m) { m.state.arrays[1].weights.pop_back(); }), HasSubstr("another size"));
  EXPECT_THAT(refusal([](saved_model& m) { m.state.arrays[0].bias.clear(); }), HasSubstr("another size"));
  EXPECT_THAT(refusal([](saved_model& m) { m.state.optimizer = "two words"; }), HasSubstr("not one word"));
  EXPECT_THAT(refusal([](saved_model& m) { m.state.optimizer = ""; }), HasSubstr("not one word"));
  EXPECT_THAT(refusal([](saved_model& m) { m.state.arrays[0].weights[1] = HUGE_VALF; }), HasSubstr("not finite"));
}

TEST(saved_state, that_is_damaged_is_refused_at_its_place) {
  const std::string text = as_text(with_state());
  const auto refusal = [&](const std::string& line, const std::string& instead) {
    std::string changed = text;
    changed.replace(changed.find(line), line.size(), instead);
    return message_of<input_error>([&] { parse_model(std::as_bytes(std::span(changed)), "m"); });
  };
  EXPECT_THAT(refusal("state ftrl 2", "state ftrl 9"), HasSubstr("m:11:12: the optimiser's state has too many arrays"));
  EXPECT_THAT(refusal("state ftrl 2", "state ftrl 1"), HasSubstr("m:20:1: \"end\" should stand here"));
  EXPECT_THAT(refusal("state ftrl 2\n", ""), HasSubstr("m:11:1: \"state\" should stand here"));
  EXPECT_THAT(refusal("bias -7\n", ""), HasSubstr("m:20:1: \"bias\" should stand here"));
  EXPECT_THAT(refusal("-0.5\n0\n", "-0.5\n"), HasSubstr("m:23:1: a number of the optimiser's state should stand here"));
  EXPECT_THAT(refusal("-0.5\n0\n", "-0.5 0\n"), HasSubstr("m:21:6: the line should end here"));
  EXPECT_THAT(refusal("-0.5\n0\n", "-0.5\ninf\n"), HasSubstr("is not finite"));
  EXPECT_THAT(refusal("number step", "number ftrl_beta"), HasSubstr("the number 'ftrl_beta' is there twice"));
  for (const model_format format : {model_format::binary, model_format::text}) {
    const std::vector<std::byte> bytes = model_bytes(with_state(), format);
    for (std::size_t size = 0; size < bytes.size(); ++size)
      EXPECT_THROW(parse_model(std::span(bytes).first(size), "m"), input_error) << size;
  }
  std::vector<std::byte> bytes = model_bytes(with_state(), model_format::binary);
  for (std::byte& each : bytes) {
    each ^= std::byte{4};
    EXPECT_THROW(parse_model(bytes, "m"), input_error);
    each ^= std::byte{4};
  }
}

TEST(saved_state, has_the_numbers_of_its_optimiser) {
  for (const optimizer_facts& o : optimizers) {
    state_numbers numbers{.optimizer = o.kind, .bias_rate = 0.25, .rows = 77};
    if (o.has == constants_of_optimizer::momentum) numbers.constants.momentum = 0.75;
    if (o.has == constants_of_optimizer::moments) numbers.constants.beta1 = 0.5, numbers.constants.beta2 = 0.25;
    if (o.has == constants_of_optimizer::ftrl) numbers.constants.ftrl_beta = 2.0, numbers.step = 0.125;
    saved_state state = detail::named_state(numbers);
    EXPECT_EQ(state.optimizer, o.name);
    state.arrays.resize(o.state_arrays);
    const state_numbers read = detail::numbers_of(state);
    EXPECT_EQ(detail::named_state(read).numbers, state.numbers) << o.name;
    EXPECT_EQ(read.rows, 77.0);
  }
}

TEST(saved_state, that_no_run_has_written_is_refused) {
  const auto refusal = [](const auto& change) {
    saved_state state = with_state().state;
    change(state);
    return message_of<input_error>([&] { detail::numbers_of(state); });
  };
  EXPECT_EQ(refusal([](saved_state&) {}), "accepted");
  EXPECT_THAT(refusal([](saved_state& s) { s.optimizer = "newton"; }), HasSubstr("no such optimizer"));
  EXPECT_THAT(refusal([](saved_state& s) { s.arrays.pop_back(); }), HasSubstr("has 1 arrays; it should have 2"));
  EXPECT_THAT(refusal([](saved_state& s) { s.numbers.pop_back(); }), HasSubstr("no number 'rows'"));
  EXPECT_THAT(refusal([](saved_state& s) { s.numbers[0].second = 0; }),
              HasSubstr("the ftrl_beta 0; it should be above 0"));
  EXPECT_THAT(refusal([](saved_state& s) { s.numbers[3].second = -1; }),
              HasSubstr("the rows -1; it should be at least 0"));
  EXPECT_THAT(refusal([](saved_state& s) { s.numbers.emplace_back("more", 1); }), HasSubstr("does not know"));
}

TEST(saved_state, suits_a_run_of_the_same_optimiser_and_constants) {
  const state_numbers ftrl = detail::numbers_of(with_state().state);
  const auto why = [&](optimizer_kind by, const optimizer_constants& given, std::optional<double> step) {
    return detail::why_unsuited(ftrl, by, given, step);
  };
  EXPECT_EQ(why(optimizer_kind::ftrl, {}, std::nullopt), "");
  EXPECT_EQ(why(optimizer_kind::ftrl, {.ftrl_beta = 0.5}, 0.1), "");
  EXPECT_EQ(why(optimizer_kind::ftrl, {}, 0.2), "its step is 0.1, and this run's is 0.2");
  EXPECT_EQ(why(optimizer_kind::ftrl, {.ftrl_beta = 1.0}, {}), "its ftrl_beta is 0.5, and this run's is 1");
  EXPECT_EQ(why(optimizer_kind::adam, {}, {}), "it is that of ftrl, and this run's optimizer is adam");
  state_numbers of{.optimizer = optimizer_kind::adam};
  EXPECT_EQ(detail::why_unsuited(of, optimizer_kind::adam, {.beta2 = 0.999}, 0.3), "");
  EXPECT_EQ(detail::why_unsuited(of, optimizer_kind::adam, {.beta2 = 0.9}, 0.3),
            "its beta2 is 0.999, and this run's is 0.9");
  EXPECT_EQ(detail::why_unsuited(of, optimizer_kind::adam, {.momentum = 0.1}, 0.3), "");
}

TEST(saved_state, of_columns_that_are_kept_is_kept_with_them) {
  saved_model now = with_state();
  now.columns = {7, 8}, now.weights = {10, 20}, now.state.numbers.back().second = 900;
  now.state.arrays = {{{70, 80}, {40}}, {{71, 81}, {41}}};
  saved_model other = now;
  EXPECT_EQ(keep_columns(with_state(), now), 2u);
  EXPECT_THAT(now.columns, ElementsAre(1, 7, 8, 12));
  EXPECT_THAT(now.weights, ElementsAre(0.5f, 10, 20, -2));
  EXPECT_THAT(now.state.arrays[0].weights, ElementsAre(1, 70, 80, 3));
  EXPECT_THAT(now.state.arrays[1].weights, ElementsAre(-0.5f, 71, 81, 1e-30f));
  EXPECT_THAT(now.state.arrays[0].bias, ElementsAre(40));
  // The state of a run that did not go on with the one before begins at zeros there.
  other.state.numbers[1].second = 0.2;
  EXPECT_EQ(keep_columns(with_state(), other), 2u);
  EXPECT_THAT(other.weights, ElementsAre(0.5f, 10, 20, -2));
  EXPECT_THAT(other.state.arrays[0].weights, ElementsAre(0, 70, 80, 0));
}

}  // namespace
