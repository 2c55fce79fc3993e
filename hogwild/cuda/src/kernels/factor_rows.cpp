// SPDX-License-Identifier: Apache-2.0
#include "factor_rows.hpp"

#include <atomic>

#include <hogwild/detail/cuda/warp.hpp>

#include "factor_body.hpp"

namespace hogwild::device {

void train_factor_rows(const factor_work& work, std::size_t part, std::size_t parts) {
  // To one CPU there is one scope.
  factor_work in_scope = work;
  in_scope.system_scope = false;
  std::uint64_t trained = 0;
  const auto train = [&](auto kind) {
    trained = factor_part<decltype(kind)>::train(host_warp{}, work, {}, part, parts);
  };
  in_scope.halves != nullptr ? with_half_factor_kind(in_scope, train) : with_factor_kind(in_scope, train);
  if (work.updates != nullptr) std::atomic_ref<std::uint64_t>(*work.updates) += trained;
}

}  // namespace hogwild::device
