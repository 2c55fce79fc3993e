// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/kernels/row_kernels.hpp>
#include <hogwild/detail/model/kernel_models.hpp>
#include <hogwild/detail/model/quiet_reader.hpp>
#include <hogwild/detail/platform/isa.hpp>

// Scores rows with a trained model. One thread uses a scorer. The model and its parameters must outlive it, and nobody
// may write them.

namespace hogwild::detail {

template <class M>
struct parameter_of {
  using type = float;
};
template <free_model M>
struct parameter_of<M> {
  using type = typename M::scalar_type;
};
template <class M>
using parameter_of_t = typename parameter_of<M>::type;

/// Whether a model computes more for a row than its loss.
template <class M>
inline constexpr bool scores_rows = [] {
  if constexpr (general_model<M>)
    return requires(const M& m, quiet_reader<parameter_of_t<M>> w, const typename M::example_type& z) {
      m.predict(w, z);
    };
  return has_scores<M>();
}();

/// The margin of a row, including its offset, for a linear model with weights for `columns` columns and at most one
/// constant term after them.
inline float margin_of(std::span<const float> parameters, std::size_t columns, const sparse_row<float>& z) {
  return dot(quiet_reader<float>{parameters}, z) + (parameters.size() > columns ? parameters.back() : 0.0f) + z.offset;
}

/// Loss and score of one row; `random` is used if the model draws.
template <margin_model M>
row_score score_of(const M& m, std::span<const float> parameters, std::size_t columns, const sparse_row<float>& z,
                   const counter_random&) {
  const float margin = margin_of(parameters, columns, z);
  return {m.loss(margin, z.label), prediction_of(m, margin)};
}
template <general_model M>
row_score score_of(const M& m, std::span<const parameter_of_t<M>> parameters, std::size_t,
                   const typename M::example_type& z, const counter_random& random) {
  const quiet_reader<parameter_of_t<M>> w{parameters};
  row_score said{loss_of(m, w, z, random), 0.0f};
  if constexpr (scores_rows<M>) said.score = static_cast<float>(m.predict(w, z));
  return said;
}

/// Scores up to `most` rows at a time: call it with (k, &row, number, {}) for rows k < most, then with (0, null, 0,
/// scores) for rows 0 to scores.size() - 1. Models with a workspace are much faster with many rows; for others each row
/// is scored as it comes.
template <class M>
class row_scorer {
 public:
  row_scorer(const M& m, std::span<const parameter_of_t<M>> parameters, const sparse_view& rows, std::size_t most)
      : model_(m), parameters_(parameters), columns_(rows.columns), said_(most) {}

  void operator()(std::size_t k, const sparse_row<float>* z, std::size_t number, std::span<row_score> scores) {
    if (z != nullptr)
      said_[k] = score_of(model_, parameters_, columns_, *z, counter_random(0, number));
    else
      std::copy_n(said_.begin(), scores.size(), scores.begin());
  }

 private:
  const M& model_;
  std::span<const parameter_of_t<M>> parameters_;
  std::size_t columns_;
  std::vector<row_score> said_;
};

/// The kernels that score a model's rows, and the parameters that they read.
template <row_kernel_model M>
struct row_scores {
  using arrays = decltype(std::declval<const M&>().arrays_in(nullptr));

  row_scores(const M& m, std::span<const float> parameters)
      : from(m.arrays_in(const_cast<float*>(parameters.data()))),  // kernels that score do not write
        kernels(row_kernels_of<arrays, std::uint32_t, float>(choose_isa(isa::automatic))) {}

  void score(const sparse_row<float>& z, std::vector<float>& scores) const {
    scores.resize(from.scores());
    kernels.scores(from, {z.index.data(), z.value.data(), {0}, {z.size()}, 1}, scores.data());
  }

  arrays from;
  const row_kernels<arrays, std::uint32_t, float>& kernels;
};

template <row_kernel_model M>
class row_scorer<M> {
 public:
  row_scorer(const M& m, std::span<const float> parameters, const sparse_view&, std::size_t most)
      : model_(m), kernels_(m, parameters), said_(most) {}

  void operator()(std::size_t k, const sparse_row<float>* z, std::size_t, std::span<row_score> scores) {
    if (z == nullptr) {
      std::copy_n(said_.begin(), scores.size(), scores.begin());
      return;
    }
    kernels_.score(*z, scores_);
    said_[k] = model_.measured(scores_.data(), z->label);
  }

 private:
  const M& model_;
  row_scores<M> kernels_;
  std::vector<float> scores_;
  std::vector<row_score> said_;
};

template <workspace_model M>
class row_scorer<M> {
 public:
  row_scorer(const M& m, std::span<const parameter_of_t<M>> parameters, const sparse_view& rows, std::size_t most)
      : model_(m), parameters_(parameters), space_(m.make_workspace(rows, isa::automatic, most)) {}

  /// Row `number` has random numbers of its own, the same each time. `of_classes`: empty, or room for each row's scores
  /// of all classes.
  template <class... Room>
  void operator()(std::size_t k, const sparse_row<float>* z, std::size_t number, std::span<row_score> scores,
                  const Room&... of_classes) {
    if (z != nullptr)
      model_.take(space_, k, *z, counter_random(0, number));
    else
      model_.score(quiet_reader<parameter_of_t<M>>{parameters_}, space_, scores.size(), scores, of_classes...);
  }

 private:
  const M& model_;
  std::span<const parameter_of_t<M>> parameters_;
  typename M::workspace space_;
};

}  // namespace hogwild::detail
