// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include <hogwild/detail/data/number_arrays.hpp>
#include <hogwild/error.hpp>

namespace hogwild::detail {

/// The places in other arrays at which rows begin; the last place is the end of all rows. Borrows the numbers.
class array_places {
 public:
  /// Throws input_error for numbers that are negative, do not ascend, or exceed `within`. `array` names them in the
  /// message, and `of` names the array in which they are places.
  array_places(const whole_numbers& numbers, std::size_t within, const std::string& array, const std::string& of) {
    numbers.visit([&](auto from) {
      for (std::size_t r = 0; r < from.size(); ++r) {
        const auto refuse = [&](const std::string& fault) {
          throw input_error(array + "[" + std::to_string(r) + "] is " + std::to_string(from[r]) + fault);
        };
        if (std::cmp_less(from[r], 0)) refuse("; places count from 0");
        if (r > 0 && from[r] < from[r - 1]) refuse(", less than the one before it; it must ascend");
        if (std::cmp_greater(from[r], within))
          refuse(", but there are only " + std::to_string(within) + " numbers in " + of);
      }
    });
    numbers_ = numbers;
  }
  std::size_t rows() const { return numbers_.empty() ? 0 : numbers_.size() - 1; }
  std::size_t begin(std::size_t r) const {
    return numbers_.visit([&](auto from) { return static_cast<std::size_t>(from[r]); });
  }
  std::size_t size(std::size_t r) const { return begin(r + 1) - begin(r); }

 private:
  whole_numbers numbers_;
};

}  // namespace hogwild::detail
