// SPDX-License-Identifier: Apache-2.0
#include "machine_rows.hpp"

#include <atomic>

#include <hogwild/detail/cuda/warp.hpp>

#include "machine_body.hpp"

namespace hogwild::device {

void train_machine_rows(const general_work& work, const machine_shape& model, std::size_t part, std::size_t parts) {
  require_width(model);
  // To one CPU there is one scope.
  general_work in_scope = work;
  in_scope.system_scope = false;
  std::uint64_t changed = 0;
  with_margin_kind(in_scope, [&](auto kind) {
    changed = machine_part<decltype(kind)>::train(host_warp{}, work, model, part, parts);
  });
  if (work.updates != nullptr) std::atomic_ref<std::uint64_t>(*work.updates) += changed;
}

}  // namespace hogwild::device
