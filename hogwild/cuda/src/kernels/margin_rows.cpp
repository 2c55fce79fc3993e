// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/cuda/margin_rows.hpp>

#include <atomic>

#include <hogwild/detail/task/margin_loss.hpp>

#include <hogwild/detail/cuda/margin_body.hpp>
#include <hogwild/detail/cuda/warp.hpp>

namespace hogwild::device {

void train_margin_rows(const margin_work& work, const margin_loss& loss, std::size_t part, std::size_t parts) {
  // To one CPU there is one scope.
  margin_work in_scope = work;
  in_scope.system_scope = false;
  std::uint64_t changed = 0;
  with_margin_kind(
      in_scope, [&](auto kind) { changed = train_margin_part<decltype(kind)>(host_warp{}, work, loss, part, parts); });
  if (work.updates != nullptr) std::atomic_ref<std::uint64_t>(*work.updates) += changed;
}

}  // namespace hogwild::device
