// SPDX-License-Identifier: Apache-2.0
#include "softmax_rows.hpp"

#include <cstdint>

#include <hogwild/detail/cuda/warp.hpp>

#include "softmax_body.hpp"

namespace hogwild::device {

void train_softmax_rows(const general_work& work, const softmax_shape& model, std::size_t part, std::size_t parts) {
  require_classes(model);
  train_on_host(work, [&](const general_work& rows, std::uint64_t& changed) {
    with_margin_kind(
        rows, [&](auto kind) { changed = softmax_part<decltype(kind)>::train(host_warp{}, rows, model, part, parts); });
  });
}

}  // namespace hogwild::device
