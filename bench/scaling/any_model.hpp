// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <hogwild/models/registry.hpp>

namespace hogwild::bench {

/// The named model, with the sizes that the data ask for.
inline named_model any_model(const std::string& name, const sparse_view& rows) {
  model_choice choice{.features = rows.columns};
  if (name == "softmax") choice.classes = label_map::learn(label_kind::classes, rows.label, "the data").classes();
  return make_model(name, choice);
}

}  // namespace hogwild::bench
