// SPDX-License-Identifier: Apache-2.0
#include "factor_rows.hpp"

#include <cstdint>

#include <hogwild/detail/cuda/warp.hpp>

#include "factor_body.hpp"

namespace hogwild::device {

void train_factor_rows(const factor_work& work, std::size_t part, std::size_t parts) {
  train_on_host(work, [&](const factor_work& rows, std::uint64_t& trained) {
    const auto train = [&](auto kind) {
      trained = factor_part<decltype(kind)>::train(host_warp{}, rows, {}, part, parts);
    };
    rows.halves != nullptr ? with_half_factor_kind(rows, train) : with_factor_kind(rows, train);
  });
}

}  // namespace hogwild::device
