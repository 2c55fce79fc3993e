// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <hogwild/detail/kernels/lane_kernels.hpp>

#include "kernels/lane/classes.hpp"
#include "kernels/lane/fm.hpp"
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

  template <std::size_t Models, std::size_t Sums>
  static void dots_of(const float* w, const batch& rows, float* out) {
    for (std::size_t i = 0; i < rows.rows; ++i) {
      const entries z(rows, i);
      rules::announce(z.index, z.size);
      rules::announce(z.value, z.size);
      lane_row<Isa, Models, Index, Value>::template dot<Sums>(w, z, out + i * Models);
    }
  }
  template <std::size_t Sums>
  static void dots(const float* w, std::size_t models, const batch& rows, float* out) {
    (models == 8 ? dots_of<8, Sums> : models == 16 ? dots_of<16, Sums> : dots_of<most_lanes, Sums>)(w, rows, out);
  }

  template <std::size_t Models>
  static void updates_of(float* w, const batch& rows, const float* change) {
    for (std::size_t i = 0; i < rows.rows; ++i)
      lane_row<Isa, Models, Index, Value>::update(w, entries(rows, i), change + i * Models);
  }
  static void updates(float* w, std::size_t models, const batch& rows, const float* change) {
    (models == 8 ? updates_of<8> : models == 16 ? updates_of<16> : updates_of<most_lanes>)(w, rows, change);
  }

  template <std::size_t Models>
  static void proximal_of(float* w, const batch& rows, const lane_proximal& by) {
    for (std::size_t i = 0; i < rows.rows; ++i)
      lane_row<Isa, Models, Index, Value>::proximal(w, entries(rows, i), by, by.slope + i * Models);
  }
  static void proximal(float* w, std::size_t models, const batch& rows, const lane_proximal& by) {
    (models == 8 ? proximal_of<8> : models == 16 ? proximal_of<16> : proximal_of<most_lanes>)(w, rows, by);
  }

  using class_rows = lane_class_rows<Isa, Index, Value>;
  static void class_changes(float* w, std::size_t models, const batch& row, const lane_classes& by) {
    const entries z(row, 0);
    (models == 8    ? class_rows::template changes<8>
     : models == 16 ? class_rows::template changes<16>
                    : class_rows::template changes<most_lanes>)(w, z, by);
  }

  template <std::size_t Models>
  static void fm_scores_of(const fm_arrays& w, const batch& rows, float* room, float* out) {
    for (std::size_t i = 0; i < rows.rows; ++i)
      lane_fm_rows<Isa, Models, Index, Value>::scores(w, entries(rows, i), room, out + i * Models);
  }
  static void fm_scores(const fm_arrays& w, std::size_t models, const batch& rows, float* room, float* out) {
    (models == 8 ? fm_scores_of<8> : models == 16 ? fm_scores_of<16> : fm_scores_of<most_lanes>)(w, rows, room, out);
  }

  template <std::size_t Models>
  static void fm_changes_of(const entries& z, const lane_fm& by) {
    using fm_rows = lane_fm_rows<Isa, Models, Index, Value>;
    if (by.sums.weights != nullptr)
      fm_rows::template changes<typename fm_rows::adagrad_rule>(z, by);
    else
      fm_rows::template changes<typename fm_rows::sgd_rule>(z, by);
  }
  static void fm_changes(std::size_t models, const batch& row, const lane_fm& by) {
    const entries z(row, 0);
    (models == 8 ? fm_changes_of<8> : models == 16 ? fm_changes_of<16> : fm_changes_of<most_lanes>)(z, by);
  }

 public:
  static constexpr lane_kernels<Index, Value> table{dots<width>,
                                                    updates,
                                                    dots<row_sums>,
                                                    proximal,
                                                    lane_numbers<Isa>::margins,
                                                    lane_numbers<Isa>::changes,
                                                    class_rows::scores,
                                                    class_changes,
                                                    fm_scores,
                                                    fm_changes};
};

}  // namespace hogwild::detail
