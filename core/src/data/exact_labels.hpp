// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>

#include <hogwild/detail/data/number_arrays.hpp>
#include <hogwild/error.hpp>

namespace hogwild::detail {

/// Whether a double represents this number exactly.
template <std::integral T>
bool is_exact_double(T number) {
  const auto x = static_cast<double>(number);
  // The largest numbers are rounded to 2^63 or 2^64, which is out of range for T.
  return x < static_cast<double>(std::numeric_limits<T>::max()) && static_cast<T>(x) == number;
}

/// Throws input_error for a whole number that double precision does not distinguish from its neighbours, so that
/// several classes would become one. `array` names the labels.
inline void require_exact_labels(const any_numbers& labels, const std::string& array) {
  labels.visit([&]<class T>(std::span<const T> numbers) {
    if constexpr (std::integral<T> && sizeof(T) == sizeof(std::uint64_t)) {
      for (std::size_t k = 0; k < numbers.size(); ++k)
        if (!is_exact_double(numbers[k]))
          throw input_error(array + "[" + std::to_string(k) + "] is " + std::to_string(numbers[k]) +
                            ", which double precision cannot tell from its neighbours; number the classes anew, below "
                            "2^53, or give numbers that are to be predicted as doubles");
    }
  });
}

}  // namespace hogwild::detail
