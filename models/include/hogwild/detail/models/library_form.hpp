// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <hogwild/detail/data/labels.hpp>
#include <hogwild/model.hpp>
#include <hogwild/saved_model.hpp>

// Free models of the library in files, by their descriptors: without the headers of all models. The library has these
// compiled for its own models alone.

namespace hogwild::detail {

/// A model that was read back.
template <class M>
struct restored_model {
  M model{};
  std::vector<float> parameters{};
  std::vector<std::uint32_t> columns{};
};

/// As to_saved() has it.
template <free_model M>
saved_model library_form_of(const M& m, std::span<const float> parameters, const label_map& labels,
                            std::span<const std::uint32_t> original);
/// As predictor has it. Throws input_error where the file holds another model.
template <free_model M>
restored_model<M> restored_of_library(const saved_model& saved);

}  // namespace hogwild::detail
