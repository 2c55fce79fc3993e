// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include <hogwild/core/saved_model.hpp>
#include <hogwild/models/graph_cut.hpp>
#include <hogwild/models/registry.hpp>

#include "saved_nets.hpp"

// Cuts in saved models: the point of each node, and the corner of each terminal, by column.

namespace hogwild::detail {

/// Model and labels are the caller's to fill in; `original` are the numbers of the columns, `ranks` the order in which
/// they are saved. Throws config_error where the sizes do not fit.
saved_model cut_to_saved(const graph_cut& m, std::span<const float> parameters, std::span<const std::uint32_t> original,
                         std::span<const std::uint32_t> ranks);

/// What make_model needs to know of a saved cut. Throws input_error where that is missing or out of range.
void choose_cut(const saved_model& saved, model_choice& choice);

/// All columns are nodes to it. Throws input_error where the sizes do not fit, or a terminal is not in its corner.
std::shared_ptr<saved_net> read_cut(const graph_cut& m, const saved_model& saved);

}  // namespace hogwild::detail
