// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <hogwild/detail/cuda/margin_rows.hpp>

namespace hogwild::test {

/// A row of a launch's work, in double precision.
struct double_row {
  double_row(const device::margin_work& work, std::size_t r) : label(static_cast<double>(work.label[r])) {
    const std::uint64_t first = work.start32 != nullptr ? work.start32[r] : work.start64[r];
    const std::uint64_t last = work.start32 != nullptr ? work.start32[r + 1] : work.start64[r + 1];
    for (std::uint64_t k = first; k < last; ++k) {
      column.push_back(work.index16 != nullptr ? work.index16[k] : work.index32[k]);
      x.push_back(static_cast<double>(work.value16 != nullptr ? to_float(work.value16[k]) : work.value[k]));
    }
    if (work.weight != nullptr) weight = static_cast<double>(work.weight[r]);
    if (work.offset != nullptr) offset = static_cast<double>(work.offset[r]);
  }
  std::vector<std::size_t> column;
  std::vector<double> x;
  double label, weight = 1.0, offset = 0.0;
};

}  // namespace hogwild::test
