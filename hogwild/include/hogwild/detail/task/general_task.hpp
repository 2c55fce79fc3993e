// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <hogwild/detail/loop/general_step.hpp>
#include <hogwild/detail/loop/worker_loop.hpp>
#include <hogwild/detail/loop/workspace_step.hpp>
#include <hogwild/detail/sharing/dispatch.hpp>
#include <hogwild/detail/sharing/singleton_parameters.hpp>
#include <hogwild/detail/sharing/untrained.hpp>
#include <hogwild/detail/task/evaluate.hpp>
#include <hogwild/detail/task/grouped_task.hpp>
#include <hogwild/detail/task/kernel_loops.hpp>
#include <hogwild/detail/task/linear_classes.hpp>
#include <hogwild/detail/task/row_kernel_loops.hpp>
#include <hogwild/detail/task/training_task.hpp>
#include <hogwild/detail/task/tried_access.hpp>

namespace hogwild {

/// A free model on its data.
template <free_model M>
class general_task final : public grouped_task<typename M::scalar_type> {
  static_assert(!workspace_model<M> || defaults_of<M>().form != l2_form::per_occurrence || occurrence_model<M>,
                "a model with a workspace whose l2 is by occurrence says what an example touches: squares_touched()");
  static_assert(!trained_by_kernels<M> || row_kernel_model<M> || factor_model<M> || pairwise_model<M> ||
                    field_model<M> || cut_model<M>,
                "a model with a member type kernel_model has what kernels of one kind ask for (kernel_models.hpp)");

 public:
  using scalar = typename M::scalar_type;

  general_task(const M& m, const sparse_view& data, label_map labels, const loop_options& options)
      : grouped_task<scalar>(facts_of(m, data, options), data, std::move(labels), options, workspace_model<M>),
        model_(m),
        kernels_(*this) {
    if constexpr (linear_class_model<M>) facts_.convex = classes()->bounded(data.rows());
  }

  const M& model() const { return model_; }
  const linear_classes* classes() const override {
    if constexpr (requires { kernels_.classes(); }) return kernels_.classes();
    return nullptr;
  }
  const lane_loops* lanes() const override {
    if constexpr (requires { kernels_.lanes(); }) return kernels_.lanes();
    return nullptr;
  }

  void initialise(const param_store& store) const override { initialise_in(store.parameters<scalar>()); }
  void fill(std::span<float> parameters) const override {
    if constexpr (std::same_as<scalar, float>) initialise_in(parameters);
  }

  void try_rows(const param_store& store) const override {
    tried_bounds bounds{.model = facts_.model, .parameters = facts_.parameters};
    // A batch emits every parameter of a group with l2 once, or none.
    if (workspace_model<M> && !occurrence_model<M> && options_.l2 > 0.0) bounds.whole = this->groups_to_try();
    const tried_reader<scalar> w(param_view<scalar>(store.parameters<scalar>()).reader(), bounds);
    auto differentiate = gradient_of(w, tried_emit<scalar>(bounds));
    row_cursor cursor(data_);
    for (const std::size_t r : rows_to_try(data_)) {
      bounds.begin(r);
      data_.ensure(r, r + 1);
      differentiate(labelled_row(cursor, r, labels_), r);
      bounds.require_whole();
    }
  }

  void work(const worker_context& at) const override {
    with_sharing<scalar, sharing_choices::whole>(at, facts_.groups, data_.columns, no_singletons,
                                                 [&](const auto& sharing) {
                                                   if (!kernels_.train(at, sharing)) train_with(at, sharing);
                                                 });
  }

  measurement evaluate(const param_store& store, double, const sparse_view& rows, thread_team& threads,
                       bool all_measures, const std::stop_token& stop,
                       [[maybe_unused]] std::size_t lists) const override {
    if constexpr (requires { kernels_.evaluate(store, rows, threads, all_measures, stop); })
      if (const auto measured = kernels_.evaluate(store, rows, threads, all_measures, stop)) return *measured;
    const auto w = param_view<scalar>(store.parameters<scalar>()).reader();
    if constexpr (workspace_model<M>) {
      if constexpr (takes_lists<M>())
        if (all_measures && rows.label.lists())
          return evaluate_lists(
              rows, labels_, this->inverse_propensities_of_rows(), threads, examples_at_once(),
              [&](std::size_t most) { return scorer_of(w, rows, most, stop); },
              [this](std::span<const float> scores) { return model_.decision(scores); }, stop);
      measurement found = evaluate_examples(
          rows, labels_, threads, examples_at_once(), [&](std::size_t most) { return scorer_of(w, rows, most, stop); },
          all_measures && has_scores<M>(), cuts_graphs<M>() ? measure_cut : measure_scores, stop);
      if constexpr (orders_candidates<M>) {
        const thread_runner in_threads = [&](const std::function<void()>& body) {
          threads.run([&](std::size_t) { body(); });
        };
        if (all_measures)
          model_.measure(store.parameters<scalar>(), side(), rows, lists, in_threads, options_.dense_isa, stop, found);
      }
      return found;
    } else {
      return evaluate_each(w, rows, threads, all_measures, stop);
    }
  }

  std::optional<loss_bound> bound(std::span<const float> parameters, thread_team& threads, const agreement& ranks,
                                  const std::stop_token& stop) const override {
    if (classes() == nullptr) return std::nullopt;
    return classes()->bound(data_, labels_, parameters, options_.freezes(1), threads, ranks, stop);
  }

  double smoothness() const override { return workspace_model<M> && has_scores<M>() ? 0.0 : 1.0; }

  double squared_norm(const param_store& store, double scale, thread_team& threads) const override {
    if constexpr (occurrence_model<M>)
      return mean_of_squares_touched(store, threads);
    else
      return grouped_task<scalar>::squared_norm(store, scale, threads);
  }

  std::unique_ptr<training_task> on(const sparse_view& rows) const override {
    return std::make_unique<general_task>(model_, rows, labels_, this->options_alone());
  }

  /// The context of a step; in lockstep it counts the rows of all ranks.
  step_context context_of(const worker_context& at) const {
    const loop_options& o = at.plan.options;
    return {labels_,
            data_.degree,
            this->all_rows(),
            o,
            in_lockstep(o.sharing) ? this->all_rows() : data_.rows(),
            &at.store.control()};
  }

  /// What workspaces read besides the rows, made of the training rows when the first of them is.
  const side_data_t<M>& side() const {
    std::call_once(side_made_, [this] { side_.emplace(side_data_of(model_, data_)); });
    return *side_;
  }

 private:
  using grouped_task<scalar>::facts_, grouped_task<scalar>::data_, grouped_task<scalar>::labels_,
      grouped_task<scalar>::options_;

  /// The loop of a worker whose reads and writes go through `sharing`.
  template <class Sharing>
  void train_with(const worker_context& at, const Sharing& sharing) const {
    const loop_options& o = at.plan.options;
    const step_context context = context_of(at);
    using view = typename Sharing::view_type;
    const auto run = [&]<class Optimizer>() {
      if constexpr (workspace_model<M> && Sharing::traits.exclusive) {
        throw_untrained(this->facts().model, o);  // refused before: a batch is not one example (combinations.hpp)
      } else if constexpr (workspace_model<M>) {
        workspace_step<M, Sharing, Optimizer> step(sharing, model_, context, this->data(), side());
        worker_loop(at.store, at.slot, this->data(), at.plan.chunks, o, step);
      } else {
        general_step<M, Sharing, Optimizer> step(sharing, model_, context);
        worker_loop(at.store, at.slot, this->data(), at.plan.chunks, o, step);
      }
    };
    // Gathered changes are summed before any optimiser sees them (gathered_gradients.hpp).
    if (Sharing::traits.gathers || o.optimizer == optimizer_kind::sgd)
      run.template operator()<sgd<view>>();
    else if constexpr (Sharing::traits.has_state)
      run.template operator()<block_optimizer<view>>();
    else
      throw_untrained(facts_.model, o);
  }

  void initialise_in(std::span<scalar> parameters) const {
    const param_view<scalar> w(parameters);
    const counter_random random(options_.seed, 0x696e6974u);
    if constexpr (init_by_labels<M>)
      model_.init(w, random, data_, labels_);
    else if constexpr (init_by_rows<M>)
      model_.init(w, random, data_);
    else if constexpr (requires { model_.init(w, random); })
      model_.init(w, random);
  }

  // Templates, because clang 14 instantiates other members with the class, even if their requirements forbid it.
  template <workspace_model G = M>
  auto scorer_of(const param_reader<scalar>& w, const sparse_view& rows, std::size_t most,
                 const std::stop_token& stop) const {
    auto made = workspace_for(rows, most);
    if constexpr (stoppable_workspace<typename G::workspace>) made.stop_when([stop] { return stop.stop_requested(); });
    return [this, w, space = std::move(made)](std::size_t k, const sparse_row<float>* z, std::size_t row,
                                              std::span<row_score> scores, const auto&... of_classes) mutable {
      // Random numbers depend on the row alone: a measure must not depend on when, or with which rows, it is taken.
      if (z != nullptr) return model_.take(space, k, *z, counter_random(0, row));
      model_.score(w, space, scores.size(), scores, of_classes...);
    };
  }

  /// Of the rows on which losses are measured.
  template <occurrence_model G = M>
  double mean_of_squares_touched(const param_store& store, thread_team& threads) const {
    const std::span<const scalar> w = store.parameters<scalar>();
    const sparse_view measured = data_.slice(0, std::min(data_.rows(), this->facts().measured_rows));
    const auto make = [&] {
      return [&, w, cursor = row_cursor(measured), space = workspace_for(data_, 1)](const chunk& rows, std::span<float>,
                                                                                    std::span<float>) mutable {
        double sum = 0.0;
        for (std::size_t r = rows.first; r < rows.last; ++r) {
          model_.take(space, 0, labelled_row(cursor, r, labels_), counter_random(0, r));
          sum += model_.squares_touched(w, space, 0);
        }
        return sum;
      };
    };
    return evaluate_chunks(measured, labels_, threads, chunk_plan(measured.rows(), 1024), false, make).loss;
  }

  /// For rows that are measured, or tried.
  auto workspace_for(const sparse_view& rows, std::size_t most) const {
    if constexpr (has_side_data<M>)
      return model_.make_workspace(rows, side(), options_.dense_isa, most);
    else
      return model_.make_workspace(rows, options_.dense_isa, most);
  }

  std::size_t examples_at_once() const { return std::clamp<std::size_t>(options_.batch, 1, most_examples); }

  /// A function that calls the gradient of one example at a time.
  template <class Reader, class Emit>
  auto gradient_of(const Reader& w, const Emit& emit) const {
    if constexpr (workspace_model<M>) {
      return [this, w, emit, space = workspace_for(data_, 1)](const sparse_row<float>& z, std::size_t row) mutable {
        model_.take(space, 0, z, counter_random(options_.seed, row));
        model_.gradient(w, space, 1, emit);
      };
    } else {
      return [this, w, emit](const sparse_row<float>& z, std::size_t row) {
        hogwild::gradient_of(model_, w, z, counter_random(options_.seed, row), emit);
      };
    }
  }

  template <general_model G = M>
  measurement evaluate_each(const param_reader<scalar>& w, const sparse_view& rows, thread_team& threads,
                            bool all_measures, const std::stop_token& stop) const {
    constexpr bool predicts = requires(typename G::example_type z) {
      {model_.predict(w, z)};
    };
    const auto score = [&](const typename G::example_type& z, const counter_random& random) {
      row_score v{loss_of(model_, w, z, random), 0.0f};
      if constexpr (predicts) v.score = static_cast<float>(model_.predict(w, z));
      return v;
    };
    const bool scored = all_measures && predicts && !rows.label.lists();
    if constexpr (draws_numbers<G>) {
      // Random numbers depend on the row alone, as above.
      const auto make = [&](std::size_t) {
        return [&, said = row_score()](std::size_t, const sparse_row<float>* z, std::size_t row,
                                       std::span<row_score> scores) mutable {
          if (z != nullptr)
            said = score(*z, counter_random(0, row));
          else
            scores.front() = said;
        };
      };
      return evaluate_examples(rows, labels_, threads, 1, make, scored, measure_scores, stop);
    } else {
      return evaluate_rows(
          rows, labels_, threads, [&](const typename G::example_type& z) { return score(z, counter_random(0, 0)); },
          scored, measure_scores, stop);
    }
  }

  M model_;
  kernel_loops<M> kernels_;
  mutable std::once_flag side_made_;
  mutable std::optional<side_data_t<M>> side_;
};

}  // namespace hogwild
