// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <hogwild/detail/data/labels.hpp>
#include <hogwild/model.hpp>
#include <hogwild/saved_model.hpp>

// Saving and loading of the library's free models by their descriptors, without the headers of all models. The library
// contains these functions, compiled for its own models only.

namespace hogwild::detail {

/// A model that was loaded.
template <class M>
struct restored_model {
  M model{};
  std::vector<float> parameters{};
  std::vector<std::uint32_t> columns{};
};

/// Saves as to_saved() does.
template <free_model M>
saved_model library_form_of(const M& m, std::span<const float> parameters, const label_map& labels,
                            std::span<const std::uint32_t> original);
/// Restores as predictor does. Throws input_error if the file holds another model.
template <free_model M>
restored_model<M> restored_of_library(const saved_model& saved);

}  // namespace hogwild::detail
