// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/model/example.hpp>

namespace hogwild {

/// A row as an ffm takes it: entries by ascending field, without zeros.
struct ffm_example {
  struct entry {
    std::uint32_t column = 0;  ///< position in the data
    std::uint32_t field = 0;   ///< counted from 0
    float x = 0.0f;            ///< not 0; scaled where rows are
    std::size_t slot = 0;      ///< place of the field among those of the row
  };
  /// Fields of the row that follow each other without a gap, and the slot of the first.
  struct field_run {
    std::uint32_t field = 0;
    std::size_t slot = 0, fields = 0;  ///< `fields` >= 1: how many follow each other
  };

  std::vector<entry> entries;      ///< none: a row without values other than 0
  std::vector<std::size_t> first;  ///< entry of each slot's field, and their number
  std::vector<field_run> runs;     ///< by ascending field; together all slots
  float label = 0.0f;              ///< as trained on

  /// Different fields of the row.
  std::size_t slots() const { return first.size() - 1; }
};

/// One worker's memory for an ffm; nobody else may use it meanwhile. For each entry j of the example at hand there is a
/// row of x_j v_j,g for all fields g of the example, `factors` floats a slot and one slot a field, and for each field f
/// a row with their sum S_f,g over the entries of f. An example goes through begin(), pairs(), then partials().
class ffm_workspace {
 public:
  /// Room for `batch` examples of `data`, which say what their columns are (ffm::require_data) and outlive this.
  /// `factors` > 0; `unit_rows`: rows are scaled to length one.
  ffm_workspace(const sparse_view& data, std::size_t factors, bool unit_rows, std::size_t batch);

  /// Makes the row example k < batch; its spans may die then. Columns are those of the data, in any order.
  void take(std::size_t k, const sparse_row<float>& z);
  /// What was taken last as example k, until take() is called with k again.
  const ffm_example& example(std::size_t k) const { return examples_[k]; }

  /// Makes room for the rows of an example; those of the one before are gone.
  void begin(const ffm_example& z);
  /// The row of entry j; what is read into it is v_j,g until pairs() is called.
  std::span<float> row(std::size_t j) { return std::span(rows_).subspan(j * width_, width_); }
  /// The part of such a row that belongs to a run of fields: run.fields * factors floats.
  std::span<float> slots(std::span<float> row, const ffm_example::field_run& run) const {
    return row.subspan(run.slot * factors_, run.fields * factors_);
  }

  /// Multiplies the rows by their x and sums them up; the sum over pairs of entries j < k of
  /// (x_j v_j,f(k)) . (x_k v_k,f(j)).
  float pairs(const ffm_example& z);

  /// After pairs(): `by` times its derivative by the factors of entry j, over x_j. Memory that the next call reuses.
  std::span<float> partials(const ffm_example& z, std::size_t j, float by);

 private:
  void sum_up(const ffm_example& z);
  const float* sum(std::size_t slot, std::size_t of) const { return sums_[slot] + of * factors_; }

  std::span<const std::uint32_t> numbers_;
  std::size_t factors_;
  bool unit_rows_;
  std::vector<ffm_example> examples_;
  std::size_t width_ = 0;
  std::vector<float> rows_, own_sums_, partials_, lanes_;
  std::vector<const float*> sums_;  ///< of each slot
};

}  // namespace hogwild
