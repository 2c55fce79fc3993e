// SPDX-License-Identifier: Apache-2.0
// The code for GPUs, and how it is started. The test of fibers compiles this file as plain C++.
#include "loss_rows.hpp"

#include <optional>
#include <stdexcept>
#include <string>

#include <hogwild/detail/cuda/rows_kernel.hpp>

#include "loss_body.hpp"
#include "margin_models.hpp"

namespace hogwild::device {

int launch_margin_losses(const loss_work<margin_work>& work, std::string_view model, std::span<const std::byte> object,
                         void* stream) {
  const std::optional<known_margin_model> found = known_margin_model::find(model, object);
  if (!found) throw std::invalid_argument("no kernel for the model " + std::string(model));
  return launch_rows<loss_part<margin_measure>>(work, *found, stream);
}

int launch_softmax_losses(const loss_work<general_work>& work, const softmax_shape& model, void* stream) {
  require_classes(model);
  return launch_rows<loss_part<softmax_measure>>(work, model, stream);
}

int launch_fm_losses(const loss_work<general_work>& work, const fm_shape& model, void* stream) {
  require_width(model);
  return launch_rows<loss_part<fm_measure>>(work, model, stream);
}

int launch_factor_losses(const loss_work<factor_work>& work, void* stream) {
  return launch_rows<loss_part<factor_measure>>(work, factor_measure::no_model{}, stream);
}

}  // namespace hogwild::device
