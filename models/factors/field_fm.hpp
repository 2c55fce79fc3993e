// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/results/saved_options.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/libffm.hpp>
#include <hogwild/models/logistic.hpp>

#include "loaded_models.hpp"

// The common part of making, saving and loading machines whose columns belong to fields.

namespace hogwild {

/// Throws config_error if a column has no field (formats/libffm.hpp), or if there are more fields than the model's
/// `fields`. The message calls the rows `source`.
void require_fields(const sparse_view& rows, std::string_view source, std::string_view model, std::size_t fields);

namespace detail {

template <class Machine>
class loaded_field_fm final : public loaded_workspace_model<Machine> {
 public:
  using loaded_workspace_model<Machine>::loaded_workspace_model;

  bool has_probabilities() const override { return this->model_.labels == label_kind::binary; }
  std::vector<double> probabilities(const sparse_row<float>& z) const override {
    return {logistic{}.probability(this->loss_and_score({z.index, z.value, 0.0f}).score)};
  }
};

/// The number of fields of a saved machine; throws input_error if one of its columns belongs to none of them.
inline std::size_t saved_fields(const saved_model& saved) {
  const std::size_t fields = saved_count(saved, "fields", std::size_t{largest_field} + 1);
  for (const std::uint32_t column : saved.columns)
    if (column == 0 || field_of(column) >= fields)
      throw input_error("column " + std::to_string(column) + " of the saved " + saved.model +
                        " model belongs to none of its " + std::to_string(fields) + " fields");
  return fields;
}

}  // namespace detail
}  // namespace hogwild
