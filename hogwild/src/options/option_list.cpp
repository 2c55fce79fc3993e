// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/options/option_list.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include <hogwild/detail/platform/checksum.hpp>
#include <hogwild/detail/platform/isa.hpp>
#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/error.hpp>
#include <hogwild/names.hpp>

namespace hogwild::detail {

namespace {

std::string text_of(bool x) {
  return x ? "true" : "false";
}

template <class T>
requires(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) std::string text_of(T x) {
  return to_text(x);
}

template <class T>
requires std::is_enum_v<T> std::string text_of(T x) {
  return std::string(name_of(x));
}

std::string text_of(const std::string& text) {
  return text;
}

std::string text_of(const std::pair<double, double>& label_weight) {
  return to_text(label_weight.first) + "=" + to_text(label_weight.second);
}

std::string text_of(const target_option& target) {
  return target.what + "=" + to_text(target.value);
}

std::string text_of(const sparse_view& rows) {
  return text_of_rows(rows);
}

template <class T>
requires requires(const T& one) {
  text_of(one);
}
std::string text_of(const std::vector<T>& list) {
  std::string text;
  for (const T& one : list) text += (text.empty() ? "" : ",") + text_of(one);
  return shortened(text);
}

std::string text_of(const l2_search& search) {
  const std::string among = text_of(search.of);
  return std::to_string(search.folds) + " folds" + (among.empty() ? "" : ", among " + among);
}

template <class T>
requires requires(const T& one) {
  text_of(one);
}
std::string text_of(const std::optional<T>& x) {
  return x ? text_of(*x) : std::string();
}

/// The value of an option that is a number and is given; nothing for others.
template <class T>
std::optional<double> number_in(const T& value) {
  if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>)
    return static_cast<double>(value);
  else if constexpr (requires { value.has_value(); })
    return value ? number_in(*value) : std::nullopt;
  else
    return std::nullopt;
}

template <class T>
constexpr bool is_whole_number = std::is_integral_v<T>;
template <class T>
constexpr bool is_whole_number<std::optional<T>> = std::is_integral_v<T>;

bool is_given(const std::string& text) {
  return !text.empty();
}
bool is_given(const std::function<void(std::span<float>)>& f) {
  return static_cast<bool>(f);
}
bool is_given(const optimizer_start& state) {
  return static_cast<bool>(state.change);
}
bool is_given(const std::vector<observer_handle>& observers) {
  return !observers.empty();
}
bool is_given(const std::stop_token& stop) {
  return stop.stop_possible();
}
template <class T>
bool is_given(const std::optional<T>& value) {
  return value.has_value();
}

/// Whether an option is given, or has another value than it has by itself.
template <class T>
bool differs(const T& value, const T& by_itself) {
  if constexpr (requires { is_given(value); })
    return is_given(value);
  else
    return text_of(value) != text_of(by_itself);
}

/// Adds an option's value as text, if its type has one.
template <class T>
void add_value(std::vector<named_value>& all, std::string_view name, const T& value) {
  if constexpr (requires { text_of(value); }) all.push_back({std::string(name), text_of(value)});
}
/// Adds whether an option is given, if its type says so.
template <class T>
void add_given(std::vector<named_value>& all, std::string_view name, const T& value) {
  if constexpr (requires { is_given(value); }) all.push_back({std::string(name), is_given(value) ? "given" : ""});
}

template <class T>
requires requires(const T& x) {
  text_of(x);
}
record_value recorded(const T& value) {
  if constexpr (std::is_same_v<T, bool>)
    return value;
  else if constexpr (std::is_integral_v<T>)
    return static_cast<std::int64_t>(value);
  else if constexpr (std::is_floating_point_v<T>)
    return static_cast<double>(value);
  else
    return text_of(value);
}
template <class T>
requires requires(const T& x) {
  text_of(x);
}
record_value recorded(const std::optional<T>& value) {
  return recorded(value.value_or(T{}));
}

}  // namespace

std::string number_range::text(bool whole) const {
  // A million as 1000000, not as 1e+06.
  const auto digits = [](double x) {
    return x == std::floor(x) && std::abs(x) < 1e15 ? std::to_string(static_cast<long long>(x)) : to_text(x);
  };
  std::string all = whole ? "whole number" : "number";
  const bool bounded = std::isfinite(least), limited = std::isfinite(most);
  if (bounded && limited && has_least && has_most) return all + " from " + digits(least) + " to " + digits(most);
  if (bounded) all += (has_least ? " of at least " : " above ") + digits(least);
  if (bounded && limited) all += " and";
  if (limited) all += (has_most ? bounded ? " at most " : " of at most " : " below ") + digits(most);
  return all;
}

void require_ranges(const train_options& options) {
  for_each_run_option([&](const auto& option) {
    const auto& value = option.of(options);
    const std::optional<double> number = number_in(value);
    if (number && !option.range.has(*number))
      throw config_error(std::string(option.name) + " is " + to_text(*number) + ": it takes a " +
                         (std::isfinite(*number) ? "" : "finite ") +
                         option.range.text(is_whole_number<std::remove_cvref_t<decltype(value)>>));
  });
}

void require_taken(const train_options& options, std::string_view option_details::*kind, std::string_view refusal) {
  const train_options by_themselves;
  for_each_run_option([&](const auto& option) {
    const std::string_view words = option.*kind;
    if (!words.empty() && differs(option.of(options), option.of(by_themselves)))
      throw config_error(std::string(refusal) + " " + std::string(words) + ": leave that out");
  });
}

bool are_taken_in_lanes(const train_options& options) {
  const train_options by_themselves;
  bool taken = true;
  for_each_run_option([&](const auto& option) {
    taken = taken && (option.in_lanes || !differs(option.of(options), option.of(by_themselves)));
  });
  return taken;
}

std::vector<named_value> compared_options(const train_options& options) {
  std::vector<named_value> all;
  for_each_run_option([&](const auto& option) {
    if (option.ranks == between_ranks::same) add_value(all, option.name, option.of(options));
    if (option.ranks == between_ranks::as_given) add_given(all, option.name, option.of(options));
  });
  return all;
}

std::vector<named_value> resumed_options(const train_options& given) {
  std::vector<named_value> all;
  train_options options = given;
  // Groups are frozen in any order, and as often as they are named.
  std::ranges::sort(options.freeze);
  options.freeze.erase(std::unique(options.freeze.begin(), options.freeze.end()), options.freeze.end());
  for_each_run_option([&](const auto& option) {
    if (option.resume != when_resumed::same) return;
    if (option.ranks == between_ranks::as_given)
      add_given(all, option.name, option.of(options));
    else
      add_value(all, option.name, option.of(options));
  });
  return all;
}

std::vector<std::pair<std::string, record_value>> recorded_options(const train_options& options) {
  std::vector<std::pair<std::string, record_value>> all;
  for_each_run_option([&](const auto& option) {
    if constexpr (requires { recorded(option.of(options)); })
      if (!option.recorded.empty()) all.emplace_back(option.recorded, recorded(option.of(options)));
  });
  return all;
}

}  // namespace hogwild::detail
