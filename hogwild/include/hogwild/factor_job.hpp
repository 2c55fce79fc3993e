// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include <hogwild/core/thread_sanitizer.hpp>
#include <hogwild/factor_step.hpp>
#include <hogwild/general_job.hpp>

namespace hogwild {

/// A factor model on its ratings: a general job, but for who trains how. Where workers have arrays of their own, own
/// the rows that they change, or share them without any promise, kernels do it; else it goes as with any general model.
template <factor_model M>
class factor_job final : public general_job<M> {
 public:
  factor_job(const M& m, const sparse_view& data, label_map labels, const loop_options& options)
      : general_job<M>(m, data, std::move(labels), options), model_(m) {
    if (in_blocks()) cut();
    this->plan_ = chunks();
  }

  bool can_own() const override {
    const loop_options& o = this->options_;
    return kernels_suit() && o.update == update_kind::lossy && o.shards == sharding::claimed;
  }
  void own(ownership_kind kind) override {
    this->options_.ownership = kind;
    if (in_blocks()) cut();  // anew: for as many workers as there are, as every process of the run does
    this->plan_ = chunks();
  }

  void work(const param_store& store, std::size_t slot, worker_memory& memory, neighbours* others) const override {
    const loop_options& o = this->options_;
    if (!kernels_suit()) return general_job<M>::work(store, slot, memory, others);
    if (o.sharing == sharing_kind::alone) {
      const std::uint32_t only = store.control().round.only_slot;
      // By blocks, though nobody is there to own others: tickets are those of blocks, whoever comes in later.
      if (only == slot && in_blocks()) return train(store, slot, owned_array(store, slot));
      if (only == slot)
        return train(store, slot, whole_array<alone_sharing<float>>(store, alone_sharing<float>(store)));
      if (only != round_plan::no_slot) return;
    }
    if (in_blocks()) return train(store, slot, owned_array(store, slot));
    const bool sums_gradients = o.optimizer == optimizer_kind::sgd;
    if (o.sharing == sharing_kind::frozen && sums_gradients)
      return train(store, slot, frozen_sharing<float>(store, slot, this->groups()));
    if (o.sharing == sharing_kind::averaged && sums_gradients)
      return train(store, slot, lockstep_sharing<float, false>(store, *others));
    if (o.sharing == sharing_kind::buffered && o.update == update_kind::lossy && sums_gradients)
      return train(store, slot,
                   buffered_sharing<float, update::lossy>(store, slot, memory, this->groups(), no_own_columns, others));
#if !defined(HOGWILD_THREAD_SANITIZER)
    using shared = direct_sharing<float, update::lossy>;
    // Kernels read and write whole vectors at a time, as all dense exchanges do (param_view.hpp).
    if ((o.sharing == sharing_kind::direct || o.sharing == sharing_kind::alone) && o.update == update_kind::lossy)
      return train(store, slot, whole_array<shared>(store, shared(store, slot)));
#endif
    general_job<M>::work(store, slot, memory, others);
  }

  measurement evaluate(const param_store& store, double, const sparse_view& rows, team& crew, bool all_measures,
                       const std::stop_token& stop) const override {
    const factor_arrays to = arrays_of(model_, store.parameters<float>().data());
    const auto w = param_view<float>(store.parameters<float>()).reader();
    const factor_kernels& kernels = factor_kernels_of(this->options_.dense_isa);
    return evaluate_rows(
        rows, this->labels_, this->options_.weight_positive, crew,
        [&](const sparse_row<float>& z) -> row_verdict {
          float score = 0.0f;
          if (z.size() == 2 && z.index[0] < model_.users && z.index[1] - model_.users < model_.items) {
            const rating one{z.index[0], static_cast<std::uint32_t>(z.index[1] - model_.users), 0.0f};
            kernels.scores(to, &one, 1, &score);
          } else {
            score = model_.predict(w, z);
          }
          return {M::loss_of(score, z.label), score};
        },
        all_measures, measure_scores, stop);
  }

  /// As the objective counts it: where each rating regularises what it touches, rows by their share of the ratings.
  double squared_norm(const param_store& store, double scale, team& crew) const override {
    const std::span<const std::uint32_t> degree = this->data_.degree;
    if (this->options_.form == l2_form::by_degree || degree.empty())
      return general_job<M>::squared_norm(store, scale, crew);
    const auto w = store.parameters<float>();
    double sum = 0.0;
    for (const parameter_group& g : this->groups()) {
      for (std::size_t r = 0; r < g.rows; ++r) {
        double row = 0.0;
        for (const float x : w.subspan(g.offset + r * g.width, g.width)) row += static_cast<double>(x) * x;
        sum += row * degree[g.first_column + r];
      }
    }
    return sum / static_cast<double>(std::max<std::uint64_t>(this->all_rows(), 1));
  }

  std::unique_ptr<job> on(const sparse_view& rows) const override {
    loop_options options = this->options_;
    options.ownership = ownership_kind::shared;
    return std::make_unique<factor_job>(model_, rows, this->labels_, options);
  }

 protected:
  chunk_plan chunks() const override {
    if (this->options_.sharing == sharing_kind::frozen || !kernels_suit()) return general_job<M>::chunks();
    if (in_blocks() && !list_.starts.empty()) return chunk_plan(std::span<const std::uint32_t>(list_.starts));
    // A rating takes some nanoseconds: more of them in a chunk than rows of other data.
    const std::size_t rows = this->data_.rows();
    return {rows, std::clamp<std::size_t>(rows / 256, 16, 2048)};
  }

 private:
  /// A sharing policy whose worker is handed the shared arrays whole.
  template <class Sharing>
  class whole_array : public Sharing {
   public:
    whole_array(const param_store& store, const Sharing& sharing)
        : Sharing(sharing), values_(store.parameters<float>()) {
      if (store.shape().state_arrays > 0) state_ = store.state<float>(0);
    }
    std::span<float> values() const { return values_; }
    std::span<float> state_values() const { return state_; }

   private:
    std::span<float> values_, state_;
  };

  /// The shared array for those who own what they change.
  class owned_array : public whole_array<direct_sharing<float, update::lossy>> {
   public:
    using tickets = block_source;
    owned_array(const param_store& store, std::size_t slot)
        : whole_array<direct_sharing<float, update::lossy>>(store, direct_sharing<float, update::lossy>(store, slot)) {}
  };

  bool in_blocks() const {
    return this->options_.ownership == ownership_kind::blocks;
  }
  void cut() {
    list_ = blocks_of(this->data_, model_.users, model_.items,
                      bands_for(this->data_.rows(), this->options_.exchange.workers));
  }

  /// Whether kernels do what the options ask for, on an array that is suitable.
  bool kernels_suit() const {
    const loop_options& o = this->options_;
    return o.order == row_order::chunked && o.frozen == 0 &&
           (o.optimizer == optimizer_kind::sgd || o.optimizer == optimizer_kind::row_adagrad);
  }

  const rating_list& ratings() const {
    if (in_blocks()) return list_;
    std::call_once(listed_, [this] { in_order_ = ratings_of(this->data_, model_.users, model_.items); });
    return in_order_;
  }

  template <class Sharing>
  void train(const param_store& store, std::size_t slot, const Sharing& sharing) const {
    const step_context context{this->labels_, this->data_.degree, this->all_rows(), this->options_,
                               in_lockstep(this->options_.sharing) ? this->all_rows() : this->data_.rows()};
    factor_step<M, Sharing> step(sharing, model_, context, ratings());
    worker_loop(store, slot, this->data_, this->plan_, this->options_, step);
  }

  M model_;
  rating_list list_;  ///< in blocks
  mutable rating_list in_order_;
  mutable std::once_flag listed_;
};

}  // namespace hogwild
