// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/math/random.hpp>
#include <hogwild/detail/model/quiet_reader.hpp>
#include <hogwild/detail/model/row_scorer.hpp>
#include <hogwild/detail/models/descriptor.hpp>
#include <hogwild/detail/platform/isa.hpp>
#include <hogwild/model.hpp>

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

/// A model with a workspace and its parameters, and workspaces for as many threads as use it at the same time. Each
/// call borrows one.
template <workspace_model M>
class loaded_workspace_model : public loaded_model {
 public:
  /// `columns` are the input numbers of the model's columns.
  loaded_workspace_model(const M& m, std::vector<float> parameters, std::vector<std::uint32_t> columns)
      : loaded_model(std::move(parameters), std::move(columns)), model_(m) {
    give_back(make(1));  // refuses at once a model that does not suit the columns
  }

  named_model model() const override { return model_; }

  row_score loss_and_score(const sparse_row<float>& z) const override {
    row_score scored_row;
    with_workspace([&](auto& space) {
      model_.take(space, 0, z, counter_random(0, 0));
      model_.score(quiet_reader<>{parameters_}, space, 1, {&scored_row, 1});
    });
    return scored_row;
  }

  batch_scorer scorer(std::size_t most) const override {
    const std::shared_ptr<workspace> space = make(most);
    return [this, space](std::size_t k, const sparse_row<float>* z, std::size_t number, std::span<row_score> scores) {
      if (z != nullptr)
        model_.take(*space, k, *z, counter_random(0, number));
      else
        model_.score(quiet_reader<>{parameters_}, *space, scores.size(), scores);
    };
  }

  void require_data(const sparse_view& rows, std::string_view source) const override {
    if constexpr (requires { model_.require_data(rows, source); }) model_.require_data(rows, source);
  }

 protected:
  /// Calls use(workspace) with a workspace for one example.
  template <class Use>
  void with_workspace(const Use& use) const {
    auto space = borrow();
    use(*space);
    give_back(std::move(space));
  }

  M model_;

 private:
  using workspace = typename M::workspace;

  std::unique_ptr<workspace> make(std::size_t most) const {
    sparse_view data;
    data.columns = columns_.size();
    data.original = columns_;
    return std::make_unique<workspace>(model_.make_workspace(data, isa::automatic, most));
  }
  std::unique_ptr<workspace> borrow() const {
    {
      const std::scoped_lock lock(mutex_);
      if (!idle_.empty()) {
        auto space = std::move(idle_.back());
        idle_.pop_back();
        return space;
      }
    }
    return make(1);
  }
  void give_back(std::unique_ptr<workspace> space) const {
    const std::scoped_lock lock(mutex_);
    idle_.push_back(std::move(space));
  }

  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<workspace>> idle_;
};

/// The probabilities of all classes from a model's scores: their softmax, or with one_vs_rest each one by itself.
inline std::vector<double> probabilities_of(std::span<const float> scores, bool one_vs_rest) {
  std::vector<double> fractions;
  if (one_vs_rest) {
    for (const float x : scores) fractions.push_back(1.0 / (1.0 + std::exp(-static_cast<double>(x))));
    return fractions;
  }
  const double top = static_cast<double>(*std::ranges::max_element(scores));
  double sum = 0.0;
  for (const float x : scores) sum += fractions.emplace_back(std::exp(static_cast<double>(x) - top));
  for (double& fraction : fractions) fraction /= sum;
  return fractions;
}

/// A model with a workspace that scores classes, each by itself if it is trained against the rest.
template <workspace_model M>
class loaded_classes final : public loaded_workspace_model<M> {
 public:
  using loaded_workspace_model<M>::loaded_workspace_model;

  bool scores_classes() const override { return true; }
  class_scores scores_of(const sparse_row<float>& z, std::size_t) const override {
    const M& m = this->model_;
    thread_local std::vector<float> scores;
    scores.resize(m.classes);
    row_score said;
    this->with_workspace([&](auto& space) {
      m.take(space, 0, z, counter_random(0, 0));
      m.score(quiet_reader<>{this->parameters_}, space, 1, {&said, 1}, scores);
    });
    return {said.loss, m.decision(scores), scores};
  }

  bool takes_empty_lists() const override { return this->model_.one_vs_rest; }
  bool has_probabilities() const override { return true; }
  std::vector<double> probabilities(const sparse_row<float>& z) const override {
    const M& m = this->model_;
    return probabilities_of(scores_of({z.index, z.value, 0.0f}, m.classes).scores, m.one_vs_rest);
  }
};

}  // namespace hogwild::detail
