// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <hogwild/detail/memory/param_store.hpp>

namespace hogwild::detail {

/// Attaches a process that trains on another process's store, or that supervises such processes. Nothing else may
/// attach: the stored values are not the weights.
class attached_store {
 public:
  /// Like param_store::attach().
  static param_store open(const std::string& name, std::string_view model) { return param_store::attach(name, model); }
};

}  // namespace hogwild::detail
