// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstddef>
#include <string>

#include <hogwild/detail/models/model_options.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>

namespace hogwild::detail {

inline constexpr std::size_t most_factors = 65'536;

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

}  // namespace hogwild::detail
