// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <hogwild/detail/models/descriptor.hpp>

#include "quiet_reader.hpp"

namespace hogwild::detail {

/// A general model that predicts, with its parameters.
template <general_model M>
class loaded_general_model : public loaded_model {
 public:
  loaded_general_model(const M& m, std::vector<float> parameters, std::vector<std::uint32_t> columns)
      : loaded_model(std::move(parameters), std::move(columns)), model_(m) {}

  named_model model() const override { return model_; }
  row_score loss_and_score(const sparse_row<float>& z) const override {
    const quiet_reader w{parameters_};
    return {model_.loss(w, z), static_cast<float>(model_.predict(w, z))};
  }

 protected:
  M model_;
};

}  // namespace hogwild::detail
