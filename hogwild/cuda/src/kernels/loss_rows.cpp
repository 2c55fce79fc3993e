// SPDX-License-Identifier: Apache-2.0
#include "loss_rows.hpp"

#include <hogwild/detail/cuda/warp.hpp>
#include <hogwild/detail/loop/margin_loss.hpp>

#include "loss_body.hpp"

namespace hogwild::device {

void add_margin_losses(const loss_work<margin_work>& work, const margin_loss& loss, std::size_t part,
                       std::size_t parts) {
  loss_part<margin_measure>::train(host_warp{}, work, loss, part, parts);
}

void add_softmax_losses(const loss_work<general_work>& work, const softmax_shape& model, std::size_t part,
                        std::size_t parts) {
  require_classes(model);
  loss_part<softmax_measure>::train(host_warp{}, work, model, part, parts);
}

void add_fm_losses(const loss_work<general_work>& work, const fm_shape& model, std::size_t part, std::size_t parts) {
  require_width(model);
  loss_part<fm_measure>::train(host_warp{}, work, model, part, parts);
}

void add_factor_losses(const loss_work<factor_work>& work, std::size_t part, std::size_t parts) {
  loss_part<factor_measure>::train(host_warp{}, work, factor_measure::no_model{}, part, parts);
}

void add_window_losses(const loss_work<window_work>& work, std::size_t part, std::size_t parts) {
  loss_part<window_measure>::train(host_warp{}, work, window_measure::no_model{}, part, parts);
}

}  // namespace hogwild::device
