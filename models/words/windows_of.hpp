// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <variant>

#include <hogwild/detail/words/window_model.hpp>
#include <hogwild/models.hpp>

namespace hogwild::detail {

/// The options of a model of words; null for other models.
inline const window_model* windows_of(const named_model& m) {
  return std::visit(
      []<class M>(const M& concrete) -> const window_model* {
        if constexpr (std::derived_from<M, window_model>) return &concrete;
        return nullptr;
      },
      m);
}

}  // namespace hogwild::detail
