// SPDX-License-Identifier: Apache-2.0
#include "fm_rows.hpp"

#include <cstdint>

#include <hogwild/detail/cuda/warp.hpp>

#include "fm_body.hpp"

namespace hogwild::device {

void train_fm_rows(const general_work& work, const fm_shape& model, std::size_t part, std::size_t parts) {
  require_width(model);
  train_on_host(work, [&](const general_work& rows, std::uint64_t& changed) {
    with_margin_kind(
        rows, [&](auto kind) { changed = fm_part<decltype(kind)>::train(host_warp{}, rows, model, part, parts); });
  });
}

}  // namespace hogwild::device
