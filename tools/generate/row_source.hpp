// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <generate/column_popularity.hpp>
#include <generate/generate.hpp>

namespace hogwild::generate {

/// Values are whole multiples of this, so that text and memory hold the same numbers.
inline constexpr double value_unit = 1e-6;

/// One generated row. The buffers are reused for the next one.
struct generated_row {
  struct entry {
    std::uint32_t column;  ///< from 0
    std::uint32_t units;   ///< the value in value_unit, 1 to 1,000,000
  };
  std::vector<entry> entries;  ///< by ascending column
  bool positive = false;
  bool test = false;

  std::vector<std::uint32_t> positions{};  ///< scratch memory
  std::vector<double> values{};
};

/// Makes rows: row r is a function of the options and r alone, so threads may make them in any order with the same
/// result. Logarithms and powers are used only in comparisons with random numbers and in values rounded to coarse
/// grids, so that differences in the last bit between machines do not change the data.
class row_source {
 public:
  /// Throws config_error for options out of range.
  explicit row_source(const options& o);

  void make(std::size_t r, generated_row& row) const;

 private:
  std::size_t length(double normal) const;

  options options_;
  column_popularity popularity_;
  std::vector<std::uint32_t> number_;  ///< column of each popularity position: shuffled, as in real data
  std::vector<double> rarity_;         ///< log of inverse document frequency, by position
  std::vector<double> hidden_;         ///< the weights of the separating plane, by position
};

}  // namespace hogwild::generate
