// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>
#include <hogwild/saved_model.hpp>

// Options that a saved model must have. A file that is intact may still hold values that no run has written.

namespace hogwild::detail {

/// The option `name`; throws input_error if the model does not have it, or `suits` refuses it.
template <class Suits>
double saved_option(const saved_model& saved, std::string_view name, const Suits& suits, const std::string& should_be) {
  const std::string called = "the option " + quote(name) + " of the saved " + saved.model + " model";
  for (const auto& [option, value] : saved.model_options) {
    if (option != name) continue;
    if (suits(value)) return value;
    char text[32];
    const std::string said(text, std::to_chars(text, text + sizeof text, value).ptr);
    throw input_error(called + " is " + said + "; it should be " + should_be);
  }
  throw input_error(called + " is missing");
}

/// A whole number from 1 to `most`.
inline std::size_t saved_count(const saved_model& saved, std::string_view name, std::size_t most) {
  const auto suits = [most](double x) { return x >= 1.0 && x <= static_cast<double>(most) && x == std::floor(x); };
  return static_cast<std::size_t>(saved_option(saved, name, suits, "a whole number from 1 to " + std::to_string(most)));
}

/// A number that is finite, in single precision as well.
inline double saved_number(const saved_model& saved, std::string_view name) {
  const auto suits = [](double x) { return std::abs(x) <= static_cast<double>(std::numeric_limits<float>::max()); };
  return saved_option(saved, name, suits, "a number that fits single precision");
}

/// The same, above 0.
inline double saved_positive(const saved_model& saved, std::string_view name) {
  const auto suits = [](double x) {
    return x >= static_cast<double>(std::numeric_limits<float>::denorm_min()) &&
           x <= static_cast<double>(std::numeric_limits<float>::max());
  };
  return saved_option(saved, name, suits, "a number above 0 that fits single precision");
}

/// 0 or 1.
inline bool saved_flag(const saved_model& saved, std::string_view name) {
  const auto suits = [](double x) { return x == 0.0 || x == 1.0; };
  return saved_option(saved, name, suits, "0 or 1") != 0.0;
}

}  // namespace hogwild::detail
