// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <hogwild/core/saved_model.hpp>
#include <hogwild/models/convnet.hpp>
#include <hogwild/models/mlp.hpp>
#include <hogwild/models/registry.hpp>

// Nets in saved models. What belongs to the columns, the weights of an mlp's first layer, is saved by column; all else
// is the bias, group by group.

namespace hogwild::detail {

/// A net that is read back. Any thread may ask.
class saved_net {
 public:
  virtual ~saved_net() = default;
  /// Of a row whose columns are ranks of the saved ones.
  virtual row_verdict verdict(const sparse_row<float>& z) = 0;
  virtual predictor::batch_judge judge(std::size_t most) = 0;
  virtual void require_data(const sparse_view& rows, std::string_view source) const = 0;
};

/// Model, labels and order of the columns are the caller's to fill in; `ranks` is the order of the saved columns.
/// Throws config_error where the sizes do not fit.
saved_model net_to_saved(const mlp& m, std::span<const float> parameters, std::span<const std::uint32_t> ranks);
saved_model net_to_saved(const convnet& m, std::span<const float> parameters, std::span<const std::uint32_t> ranks);

/// What make_model needs to know of a saved net.
void choose_net(const saved_model& saved, model_choice& choice);

/// Throws input_error where the sizes do not fit, config_error where the net has no such pixels.
std::shared_ptr<saved_net> read_net(const mlp& m, const saved_model& saved);
std::shared_ptr<saved_net> read_net(const convnet& m, const saved_model& saved);

}  // namespace hogwild::detail
