// SPDX-License-Identifier: Apache-2.0
#include "window_rows.hpp"

#include <cstdint>

#include <hogwild/detail/cuda/warp.hpp>

#include "window_body.hpp"

namespace hogwild::device {

void train_window_rows(const window_work& work, std::size_t part, std::size_t parts) {
  train_on_host(work, [&](const window_work& rows, std::uint64_t& trained) {
    with_window_kind(
        rows, [&](auto kind) { trained = window_part<decltype(kind)>::train(host_warp{}, rows, {}, part, parts); });
  });
}

}  // namespace hogwild::device
