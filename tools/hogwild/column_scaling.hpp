// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace hogwild::cli {

/// What the values of columns are divided by before a linear model is trained on them.
enum class column_scaling : std::uint32_t {
  none,
  automatic,  ///< by max_abs where columns are wild (find_wild_columns), else nothing
  max_abs,    ///< the size of a column's largest value
  standard    ///< a column's standard deviation; its mean stays where it is, so that zeros stay zeros
};

}  // namespace hogwild::cli
