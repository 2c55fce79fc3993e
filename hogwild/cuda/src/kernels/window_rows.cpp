// SPDX-License-Identifier: Apache-2.0
#include "window_rows.hpp"

#include <atomic>

#include <hogwild/detail/cuda/warp.hpp>

#include "window_body.hpp"

namespace hogwild::device {

void train_window_rows(const window_work& work, std::size_t part, std::size_t parts) {
  // To one CPU there is one scope.
  window_work in_scope = work;
  in_scope.system_scope = false;
  std::uint64_t trained = 0;
  with_window_kind(
      in_scope, [&](auto kind) { trained = window_part<decltype(kind)>::train(host_warp{}, work, {}, part, parts); });
  if (work.updates != nullptr) std::atomic_ref<std::uint64_t>(*work.updates) += trained;
}

}  // namespace hogwild::device
