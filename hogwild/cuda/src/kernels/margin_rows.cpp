// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/cuda/margin_rows.hpp>

#include <cstdint>

#include <hogwild/detail/loop/margin_loss.hpp>

#include <hogwild/detail/cuda/margin_body.hpp>
#include <hogwild/detail/cuda/warp.hpp>

namespace hogwild::device {

void train_margin_rows(const margin_work& work, const margin_loss& loss, std::size_t part, std::size_t parts) {
  train_on_host(work, [&](const margin_work& rows, std::uint64_t& changed) {
    with_margin_kind(
        rows, [&](auto kind) { changed = train_margin_part<decltype(kind)>(host_warp{}, rows, loss, part, parts); });
  });
}

}  // namespace hogwild::device
