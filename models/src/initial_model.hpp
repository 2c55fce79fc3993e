// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <variant>

#include <hogwild/registry.hpp>

namespace hogwild::detail {

/// The model that a run begins with, if it is one of type M.
template <class M>
std::optional<M> initial_model(const model_data& data) {
  if (data.initial == nullptr) return std::nullopt;
  const predictor known = predictor_of(*data.initial, data.initial_source);
  const M* const same = std::get_if<M>(&known.model());
  return same == nullptr ? std::nullopt : std::optional<M>(*same);
}

}  // namespace hogwild::detail
