// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <hogwild/core/saved_model.hpp>
#include <hogwild/models/convnet.hpp>
#include <hogwild/models/mlp.hpp>
#include <hogwild/models/registry.hpp>

// Nets in saved models. What belongs to the columns, the weights of an mlp's first layer, is saved by column; all else
// is the bias, group by group.

namespace hogwild::detail {

using net_judge = std::function<row_verdict(const sparse_row<float>&)>;

/// Model, labels and order of the columns are the caller's to fill in; `ranks` is the order of the saved columns.
/// Throws config_error where the sizes do not fit.
saved_model net_to_saved(const mlp& m, std::span<const float> parameters, std::span<const std::uint32_t> ranks);
saved_model net_to_saved(const convnet& m, std::span<const float> parameters, std::span<const std::uint32_t> ranks);

/// What make_model needs to know of a saved net.
void choose_net(const saved_model& saved, model_choice& choice);

/// What the net says of a row whose columns are ranks of the saved ones; any thread may ask. Throws input_error where
/// the sizes do not fit, config_error where the net has no such pixels.
net_judge judge_of(const mlp& m, const saved_model& saved);
net_judge judge_of(const convnet& m, const saved_model& saved);

}  // namespace hogwild::detail
