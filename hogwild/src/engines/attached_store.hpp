// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <hogwild/detail/memory/param_store.hpp>

namespace hogwild::detail {

/// The way in for those who train on somebody else's store, or look after who does. Nobody else is let in: what is
/// stored are not the weights.
class attached_store {
 public:
  /// As param_store::attach().
  static param_store open(const std::string& name, std::string_view model) { return param_store::attach(name, model); }
};

}  // namespace hogwild::detail
