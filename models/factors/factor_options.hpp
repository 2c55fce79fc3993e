// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <variant>

#include <hogwild/detail/models/model_options.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>
#include <hogwild/registry.hpp>

namespace hogwild::detail {

inline constexpr std::size_t most_factors = 65'536;
inline constexpr std::size_t most_negatives = 65'536;  ///< targets that are drawn for a block

/// `of`: whose factors they are, for the help text.
inline model_option factors_option(std::size_t otherwise, const std::string& of) {
  model_option option = count_option("factors", otherwise, "how many factors there are " + of);
  option.fault = [](const std::string& text) -> std::string {
    std::size_t factors = 0;
    const auto [stop, fault] = std::from_chars(text.data(), text.data() + text.size(), factors);
    if (fault == std::errc() && stop == text.data() + text.size() && factors > 0) return {};
    return quote(text) + " is not a whole number above 0";
  };
  return option;
}

/// The requested number; throws config_error if it is out of range.
inline std::size_t factors_of(const model_options& options, std::size_t otherwise) {
  const std::size_t factors = options.count("factors", otherwise);
  if (factors < 1 || factors > most_factors) throw config_error("the number of factors is 1 to 65536");
  return factors;
}

/// The model that a run begins with, if it is one of type M.
template <class M>
std::optional<M> initial_model(const model_data& data) {
  if (data.initial == nullptr) return std::nullopt;
  const predictor known = predictor_of(*data.initial, data.initial_source);
  const M* const same = std::get_if<M>(&known.model());
  return same == nullptr ? std::nullopt : std::optional<M>(*same);
}

}  // namespace hogwild::detail
