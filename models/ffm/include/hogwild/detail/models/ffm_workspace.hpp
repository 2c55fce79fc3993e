// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hogwild/detail/data/example.hpp>
#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/kernels/field_kernels.hpp>

namespace hogwild {

/// A row in the form that an ffm uses.
struct ffm_example {
  std::vector<field_entry> entries;  ///< empty for a row of zeros only; x is scaled if rows are scaled
  std::vector<field_run> runs;
  std::size_t slots = 0;  ///< number of different fields in the row
  float label = 0.0f;     ///< encoded for training
  float weight = 1.0f;

  /// In the form that kernels take; valid until the example changes.
  field_row row() const { return {entries.data(), entries.size(), runs.data(), runs.size(), slots}; }
};

/// One worker's memory for an ffm; no other thread may use it at the same time. If kernels cannot read the parameters
/// themselves, they read a copy of those of the current example: for each entry j the row of v_j,g for all fields g of
/// the example, its weight, and the bias.
class ffm_workspace {
 public:
  /// For `batch` examples of `data`, which outlives this and whose columns have fields (ffm::require_data). A column
  /// has `width` floats of factors for each field (field_width); `unit_rows`: rows are scaled to length one.
  ffm_workspace(const sparse_view& data, std::size_t width, bool unit_rows, isa set, std::size_t batch);

  /// Takes the row as example k < batch; its spans need not stay valid. Columns are those of the data, in any order.
  void take(std::size_t k, const sparse_row<float>& z);
  /// Example k, until the next take() for k.
  const ffm_example& example(std::size_t k) const { return examples_[k]; }
  /// Scratch memory for kernels, large enough for this example.
  float* room(const ffm_example& z);

  /// Starts the copy for example z; its contents must then be filled in.
  void begin(const ffm_example& z);
  /// The factors of entry j for a run of the example's fields.
  std::span<float> factors(std::size_t j, const field_run& run) {
    return std::span(factors_).subspan(j * stride_ + run.slot * width_, run.fields * width_);
  }
  float& weight(std::size_t j) { return weights_[j]; }
  float& bias() { return bias_; }

  /// The score computed from the copy, before the model transforms it.
  float score();
  /// `by` times the score's derivative with respect to the factors of entry j for each of the example's fields, divided
  /// by x_j; 0 for its own field if no other entry has that. In memory that the next call reuses.
  std::span<const float> partials(std::size_t j, float by);

 private:
  std::span<const std::uint32_t> numbers_;
  std::size_t width_;
  bool unit_rows_;
  const field_kernels& kernels_;
  std::vector<ffm_example> examples_;
  ffm_example copied_;      ///< its columns are numbers of entries, its fields are slots
  std::size_t stride_ = 0;  ///< floats for each entry in the copy
  std::vector<float> factors_, weights_, room_, partials_;
  float bias_ = 0.0f;
};

}  // namespace hogwild
