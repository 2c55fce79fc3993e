// SPDX-License-Identifier: Apache-2.0
// The table of options: a number outside its range is refused by its name, and the table's texts are complete.
#include <hogwild/detail/options/option_facts.hpp>

#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/options/option_list.hpp>
#include <hogwild/error.hpp>
#include <hogwild/observer.hpp>

#include "support/changed_options.hpp"
#include "support/refusal.hpp"

namespace hogwild::detail {
namespace {

using ::testing::StartsWith;
using ::testing::StrEq;
using ::testing::ThrowsMessage;

TEST(number_range, says_what_belongs_to_it) {
  EXPECT_EQ(number_range{}.text(false), "number");
  EXPECT_EQ(above(0).text(false), "number above 0");
  EXPECT_EQ(at_least(1).text(true), "whole number of at least 1");
  EXPECT_EQ(from(1, 16).text(true), "whole number from 1 to 16");
  EXPECT_EQ(from(0.5, 1e6).text(false), "number from 0.5 to 1000000");
  EXPECT_EQ(part_below_1.text(false), "number of at least 0 and below 1");
  EXPECT_EQ(part_above_0.text(false), "number above 0 and at most 1");
  EXPECT_EQ((number_range{.most = 3.0}).text(false), "number of at most 3");
}

TEST(number_range, has_its_ends_where_it_says_so_and_nothing_that_is_not_finite) {
  EXPECT_FALSE(above(0).has(0.0));
  EXPECT_TRUE(at_least(0).has(0.0));
  EXPECT_TRUE(part_above_0.has(1.0));
  EXPECT_FALSE(part_below_1.has(1.0));
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double x : {std::numeric_limits<double>::quiet_NaN(), infinity, -infinity}) {
    EXPECT_FALSE(number_range{}.has(x));
    EXPECT_FALSE(from(0, 1).has(x));
  }
}

std::string refusal(const train_options& options) {
  return test::refusal_of([&] { require_ranges(options); }, "");
}

template <class T>
constexpr bool is_number = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;
template <class T>
constexpr bool is_number<std::optional<T>> = is_number<T>;
template <class T>
constexpr bool is_whole = std::is_integral_v<T>;
template <class T>
constexpr bool is_whole<std::optional<T>> = std::is_integral_v<T>;

TEST(run_options, outside_their_ranges_are_refused_by_their_names) {
  EXPECT_EQ(refusal({}), "");
  EXPECT_EQ(refusal({.l1 = std::numeric_limits<double>::infinity()}),
            "l1 is inf: it takes a finite number of at least 0");
  std::size_t ends = 0;
  for_each_run_option([&](const auto& option) {
    using type = std::remove_cvref_t<decltype(option.of(std::declval<train_options&>()))>;
    if constexpr (is_number<type>) {
      const auto expect_refused = [&](double value) {
        train_options options;
        option.of(options) = static_cast<std::conditional_t<is_whole<type>, std::uint64_t, double>>(value);
        EXPECT_THAT(refusal(options), StartsWith(std::string(option.name) + " is "));
        ++ends;
      };
      const number_range& range = option.range;
      if (std::isfinite(range.least)) expect_refused(range.has_least ? range.least - 1.0 : range.least);
      if (std::isfinite(range.most)) expect_refused(range.has_most ? range.most + 1.0 : range.most);
      if (!is_whole<type>) expect_refused(NAN);
    }
  });
  EXPECT_GT(ends, 40u);
}

// Of both kinds of runs that do not take all options.
TEST(run_options, that_a_run_does_not_take_are_refused_where_they_are_given) {
  std::size_t refused = 0;
  for (const auto kind : {&option_details::in_streams, &option_details::in_several_models}) {
    EXPECT_NO_THROW(require_taken({}, kind, "nobody takes"));
    for (const test::changed_option& changed : test::changed_options({})) {
      std::string words;
      for_each_run_option([&](const auto& option) {
        if (option.name == changed.name) words = option.*kind;
      });
      if (!changed.changed) continue;
      SCOPED_TRACE(changed.name);
      if (words.empty()) {
        EXPECT_NO_THROW(require_taken(changed.options, kind, "nobody takes"));
        continue;
      }
      EXPECT_THAT([&] { require_taken(changed.options, kind, "nobody takes"); },
                  ThrowsMessage<config_error>(StrEq("nobody takes " + words + ": leave that out")));
      ++refused;
    }
  }
  EXPECT_GT(refused, 15u);
  train_options heard, stopped;
  heard.observers.push_back([](const epoch_report&) {});
  const std::stop_source source;
  stopped.stop = source.get_token();
  EXPECT_THROW(require_taken(heard, &option_details::in_streams, ""), config_error);
  EXPECT_THROW(require_taken(stopped, &option_details::in_streams, ""), config_error);
}

TEST(run_options, with_a_key_are_recorded_under_it) {
  std::set<std::string> keys, recorded;
  for_each_run_option([&](const auto& option) {
    if (option.recorded.empty()) return;
    EXPECT_TRUE(keys.emplace(option.recorded).second) << option.recorded;
  });
  for (const auto& [key, value] : recorded_options(train_options())) recorded.insert(key);
  EXPECT_EQ(recorded, keys);
  EXPECT_GE(keys.size(), 20u);
}

TEST(run_options, have_a_heading_and_a_sentence_where_they_have_a_word) {
  std::set<std::string_view> words;
  for_each_run_option([&](const auto& option) {
    if (option.word.empty()) return;
    EXPECT_THAT(std::string(option.word), StartsWith("--"));
    EXPECT_TRUE(words.insert(option.word).second) << option.word;
    EXPECT_FALSE(option.group.empty() || option.help.empty()) << option.word;
    EXPECT_NE(option.help.back(), '.') << option.word;
  });
}

}  // namespace
}  // namespace hogwild::detail
