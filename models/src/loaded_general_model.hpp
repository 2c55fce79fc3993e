// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <hogwild/detail/model/row_scorer.hpp>
#include <hogwild/detail/models/descriptor.hpp>

namespace hogwild::detail {

/// A general model whose rows kernels score, with its parameters.
template <row_kernel_model M>
class loaded_general_model : public loaded_model {
 public:
  loaded_general_model(const M& m, std::vector<float> parameters, std::vector<std::uint32_t> columns)
      : loaded_model(std::move(parameters), std::move(columns)), model_(m), kernels_(m, parameters_) {}
  loaded_general_model(const loaded_general_model&) = delete;  // kernels read these parameters
  loaded_general_model& operator=(const loaded_general_model&) = delete;

  named_model model() const override { return model_; }
  row_score loss_and_score(const sparse_row<float>& z) const override {
    return model_.measured(scores(z).data(), z.label);
  }

 protected:
  /// The kernels' scores of the row, in memory that this thread's next call reuses.
  std::vector<float>& scores(const sparse_row<float>& z) const {
    thread_local std::vector<float> made;
    kernels_.score(z, made);
    return made;
  }

  M model_;

 private:
  row_scores<M> kernels_;
};

}  // namespace hogwild::detail
