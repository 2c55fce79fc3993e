// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <hogwild/detail/kernels/lane_kernels.hpp>

#include "kernels/lane/numbers.hpp"
#include "kernels/lane/rows.hpp"
#include "kernels/row_rules.hpp"

namespace hogwild::detail {

/// The kernels of models side by side: the loops over the rows of a batch.
template <class Isa, class Index, class Value>
class lane_loops {
  using batch = row_batch<Index, Value>;
  using rules = row_rules<Isa>;
  using entries = typename rules::template entries<Index, Value>;

  template <std::size_t Models>
  static void dots_of(const float* w, const batch& rows, float* out) {
    for (std::size_t i = 0; i < rows.rows; ++i) {
      const entries z(rows, i);
      rules::announce(z.index, z.size);
      rules::announce(z.value, z.size);
      lane_row<Isa, Models, Index, Value>::dot(w, z, out + i * Models);
    }
  }
  static void dots(const float* w, std::size_t models, const batch& rows, float* out) {
    (models == 8 ? dots_of<8> : models == 16 ? dots_of<16> : dots_of<most_lanes>)(w, rows, out);
  }

  template <std::size_t Models>
  static void updates_of(float* w, const batch& rows, const float* change) {
    for (std::size_t i = 0; i < rows.rows; ++i)
      lane_row<Isa, Models, Index, Value>::update(w, entries(rows, i), change + i * Models);
  }
  static void updates(float* w, std::size_t models, const batch& rows, const float* change) {
    (models == 8 ? updates_of<8> : models == 16 ? updates_of<16> : updates_of<most_lanes>)(w, rows, change);
  }

 public:
  static constexpr lane_kernels<Index, Value> table{dots, updates, lane_numbers<Isa>::margins,
                                                    lane_numbers<Isa>::changes};
};

}  // namespace hogwild::detail
