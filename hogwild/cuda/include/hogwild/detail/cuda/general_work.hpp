// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <hogwild/detail/cuda/margin_rows.hpp>

namespace hogwild::device {

/// Parameters from `begin` to `end`, which change in the same way (parameter_group).
struct work_group {
  std::uint64_t begin = 0, end = 0;
  float step = 0;
  float unit = 1.0f;  ///< adagrad: adagrad_unit(), by which its partials are multiplied
  bool frozen = false;
  bool l2 = false;  ///< rows of columns to which l2 applies
  std::uint32_t first_column = 0, width = 1;
};

inline constexpr std::size_t most_work_groups = 8;

/// Rows of models without a margin, and how they are trained: the arguments of one kernel launch. The members
/// `columns`, `bias`, `step`, `unit`, `scale` and `shrink` of margin_work are unused.
struct general_work : margin_work {
  work_group groups[most_work_groups];  ///< ordered by their offsets; together they cover all parameters
  std::uint32_t group_count = 0;
  float l2_each = 0;  ///< l2 of an occurrence of a column if it is not by degree (l2_form::per_occurrence)
};

}  // namespace hogwild::device
