// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/kernels/field_kernels.hpp>
#include <hogwild/detail/model/example.hpp>

namespace hogwild {

/// A row as an ffm takes it.
struct ffm_example {
  std::vector<field_entry> entries;  ///< none: a row without values other than 0; x is scaled where rows are
  std::vector<field_run> runs;
  std::size_t slots = 0;  ///< different fields of the row
  float label = 0.0f;     ///< as trained on
  float weight = 1.0f;

  /// As kernels take it; valid until the example changes.
  field_row row() const { return {entries.data(), entries.size(), runs.data(), runs.size(), slots}; }
};

/// One worker's memory for an ffm; nobody else may use it meanwhile. Where kernels cannot read the parameters
/// themselves, they read a copy of what belongs to the example at hand: for each entry j the row of v_j,g for all
/// fields g of the example, its weight, and the bias.
class ffm_workspace {
 public:
  /// Room for `batch` examples of `data`, which say what their columns are (ffm::require_data) and outlive this.
  /// `width` floats are a column's factors for a field (field_width); `unit_rows`: rows are scaled to length one.
  ffm_workspace(const sparse_view& data, std::size_t width, bool unit_rows, isa set, std::size_t batch);

  /// Makes the row example k < batch; its spans may die then. Columns are those of the data, in any order.
  void take(std::size_t k, const sparse_row<float>& z);
  /// What was taken last as example k, until take() is called with k again.
  const ffm_example& example(std::size_t k) const { return examples_[k]; }
  /// What kernels need for an example.
  float* room(const ffm_example& z);

  /// Makes the copy that of example z; what is in it is then to be filled in.
  void begin(const ffm_example& z);
  /// Of entry j the factors for a run of the example's fields.
  std::span<float> factors(std::size_t j, const field_run& run) {
    return std::span(factors_).subspan(j * stride_ + run.slot * width_, run.fields * width_);
  }
  float& weight(std::size_t j) { return weights_[j]; }
  float& bias() { return bias_; }

  /// The score by the copy, without what a model makes of it.
  float score();
  /// `by` times the score's derivative by the factors of entry j for each of the example's fields, over x_j, as
  /// those of its own field left out. Memory that the next call reuses.
  std::span<const float> partials(std::size_t j, float by);

 private:
  std::span<const std::uint32_t> numbers_;
  std::size_t width_;
  bool unit_rows_;
  const field_kernels& kernels_;
  std::vector<ffm_example> examples_;
  ffm_example copied_;      ///< columns are its entries, and fields its slots
  std::size_t stride_ = 0;  ///< floats of an entry in the copy
  std::vector<float> factors_, weights_, room_, partials_;
  float bias_ = 0.0f;
};

}  // namespace hogwild
