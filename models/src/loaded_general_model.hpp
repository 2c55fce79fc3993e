// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <hogwild/detail/kernels/row_kernels.hpp>
#include <hogwild/detail/models/descriptor.hpp>
#include <hogwild/detail/platform/isa.hpp>

#include "quiet_reader.hpp"

namespace hogwild::detail {

/// The kernels that score a model's rows, and the parameters that they read; of other models there is nothing.
template <class M>
struct row_scores {
  row_scores(const M&, float*) {}
};
template <row_kernel_model M>
struct row_scores<M> {
  using arrays = decltype(std::declval<const M&>().arrays_in(nullptr));

  row_scores(const M& m, float* parameters)
      : from(m.arrays_in(parameters)),
        kernels(row_kernels_of<arrays, std::uint32_t, float>(choose_isa(isa::automatic))) {}

  void score(const sparse_row<float>& z, std::vector<float>& scores) const {
    scores.resize(from.scores());
    kernels.scores(from, {z.index.data(), z.value.data(), {0}, {z.size()}, 1}, scores.data());
  }

  arrays from;
  const row_kernels<arrays, std::uint32_t, float>& kernels;
};

/// A general model that predicts, with its parameters.
template <general_model M>
class loaded_general_model : public loaded_model {
 public:
  loaded_general_model(const M& m, std::vector<float> parameters, std::vector<std::uint32_t> columns)
      : loaded_model(std::move(parameters), std::move(columns)), model_(m), kernels_(m, parameters_.data()) {}
  loaded_general_model(const loaded_general_model&) = delete;  // kernels read these parameters
  loaded_general_model& operator=(const loaded_general_model&) = delete;

  named_model model() const override { return model_; }
  row_score loss_and_score(const sparse_row<float>& z) const override {
    if constexpr (row_kernel_model<M>) {
      return model_.measured(scores(z).data(), z.label);
    } else {
      const quiet_reader w{parameters_};
      return {model_.loss(w, z), static_cast<float>(model_.predict(w, z))};
    }
  }

 protected:
  /// What kernels make of the row, in memory that this thread's next call reuses.
  std::vector<float>& scores(const sparse_row<float>& z) const requires row_kernel_model<M> {
    thread_local std::vector<float> made;
    kernels_.score(z, made);
    return made;
  }

  M model_;

 private:
  row_scores<M> kernels_;
};

}  // namespace hogwild::detail
