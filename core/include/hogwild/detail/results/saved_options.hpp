// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>
#include <hogwild/option_values.hpp>
#include <hogwild/saved_model.hpp>

// Options of saved models: those that a model must have, and two that any may have. A file that is intact may still
// hold values that no run has written.

namespace hogwild::detail {

/// The option `name`, if the model has it.
inline std::optional<double> told_option(const saved_model& saved, std::string_view name) {
  for (const auto& [option, value] : saved.model_options)
    if (option == name) return value;
  return std::nullopt;
}

/// The option `name`; throws input_error if the model does not have it, or `suits` refuses it.
template <class Suits>
double saved_option(const saved_model& saved, std::string_view name, const Suits& suits, const std::string& should_be) {
  const std::string called = "the option " + quote(name) + " of the saved " + saved.model + " model";
  const std::optional<double> value = told_option(saved, name);
  if (!value) throw input_error(called + " is missing");
  if (suits(*value)) return *value;
  char text[32];
  const std::string said(text, std::to_chars(text, text + sizeof text, *value).ptr);
  throw input_error(called + " is " + said + "; it should be " + should_be);
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

/// The number of one of `count` choices, from 0.
inline std::size_t saved_choice(const saved_model& saved, std::string_view name, std::size_t count) {
  const auto suits = [count](double x) { return x >= 0.0 && x < static_cast<double>(count) && x == std::floor(x); };
  return static_cast<std::size_t>(saved_option(saved, name, suits, "a whole number below " + std::to_string(count)));
}

/// 0 or 1.
inline bool saved_flag(const saved_model& saved, std::string_view name) {
  const auto suits = [](double x) { return x == 0.0 || x == 1.0; };
  return saved_option(saved, name, suits, "0 or 1") != 0.0;
}

// The number of the first column in the input of a saved model: 1 for LIBSVM text and images, else 0. Files store 1 as
// an option, which every model may have, and nothing if it is 0 or unknown.

inline constexpr const char* first_column_option = "first_column";

inline void say_first_column(saved_model& saved, std::uint32_t first_column) {
  if (first_column != 0) saved.model_options.emplace_back(first_column_option, first_column);
}

/// Throws input_error if the option is neither 0 nor 1.
inline std::uint32_t said_first_column(const saved_model& saved) {
  return told_option(saved, first_column_option) && saved_flag(saved, first_column_option) ? 1 : 0;
}

// The division of columns while a saved model was trained. The saved weights are those of the original columns, so
// predictions ignore it; but l1 and l2 applied to the weights of the divided columns. A file records it as a model
// option, which every model may have; without the option nothing was divided.

inline constexpr const char* scaling_option = "columns.scale";

inline void say_scaling(saved_model& saved, column_scaling scaling) {
  if (scaling != column_scaling::none)
    saved.model_options.emplace_back(scaling_option, static_cast<double>(static_cast<std::uint32_t>(scaling)));
}

/// Throws input_error if the option is not the number of a scaling that a run can do.
inline column_scaling said_scaling(const saved_model& saved) {
  constexpr auto least = static_cast<double>(column_scaling::max_abs),
                 most = static_cast<double>(column_scaling::standard);
  if (!told_option(saved, scaling_option)) return column_scaling::none;
  return static_cast<column_scaling>(static_cast<std::uint32_t>(saved_option(
      saved, scaling_option, [](double x) { return x == least || x == most; }, "2 (max_abs) or 3 (standard)")));
}

}  // namespace hogwild::detail
