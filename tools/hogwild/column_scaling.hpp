// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace hogwild::cli {

/// By what the values of columns are divided before a linear model is trained on them.
enum class column_scaling : std::uint32_t {
  none,
  automatic,  ///< by max_abs if columns are wild (find_wild_columns), else not divided
  max_abs,    ///< the size of a column's largest value
  standard    ///< a column's standard deviation; the mean is not subtracted, so that zeros stay zeros
};

}  // namespace hogwild::cli
