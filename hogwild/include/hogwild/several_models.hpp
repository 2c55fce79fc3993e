// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <utility>

#include <hogwild/detail/members/several_run.hpp>
#include <hogwild/detail/models/several_margins.hpp>
#include <hogwild/detail/results/saved_form.hpp>
#include <hogwild/detail/task/evaluate.hpp>
#include <hogwild/detail/task/scoring.hpp>
#include <hogwild/engines.hpp>
#include <hogwild/error.hpp>
#include <hogwild/options.hpp>
#include <hogwild/rank_failure.hpp>
#include <hogwild/result.hpp>
#include <hogwild/saved_model.hpp>
#include <hogwild/train.hpp>

// Several margin models that are trained together and combined into one: a model for each class, or an ensemble.
// predictor (<hogwild/registry.hpp>) and the command read the file of such a model.

namespace hogwild {

/// The rows that each model of an ensemble is trained on.
enum class ensemble_rows : std::uint32_t {
  bootstrap,  ///< all rows, each counted a number of times that is drawn, by the seed, from a Poisson distribution of
              ///< mean 1 (Oza, Online bagging and boosting, 2005)
  shards      ///< consecutive rows, about equally many for each model
};

/// How the models of an ensemble are combined into one.
enum class ensemble_answer : std::uint32_t {
  mean,         ///< the mean of the models' probabilities, if they have any; else of their margins (two labels) or of
                ///< the numbers that they predict
  vote,         ///< the label that most models predict (binary models)
  mean_weights  ///< one linear model: the mean of the weights, with the best constant term for all rows (Zinkevich,
                ///< Weimer, Li and Smola, Parallelized stochastic gradient descent, NeurIPS 2010, on shards)
};

/// Several models of the same kind that vote, or whose predictions are averaged.
struct ensemble_options {
  std::size_t models = 10;                         ///< >= 2
  ensemble_rows rows = ensemble_rows::bootstrap;   ///< which rows each model trains on
  ensemble_answer answer = ensemble_answer::mean;  ///< how their predictions are combined
};

namespace detail {

template <class Engine>
concept trains_several = requires(const Engine& engine, run_planner& run) {
  plan_sharing(engine, run);
};

inline several_plan plan_of(const ensemble_options& o) {
  return {.rows = o.rows == ensemble_rows::shards ? member_rows_kind::shards : member_rows_kind::bootstrap,
          .models = o.models,
          .by = o.answer == ensemble_answer::vote ? answer_kind::vote : answer_kind::mean,
          .mean_weights = o.answer == ensemble_answer::mean_weights};
}

template <margin_model M>
prepared_task prepare_several(const M& m, const sparse_view& data, const train_options& options,
                              const several_plan& plan) {
  static_assert(conforms<M>());
  static_assert(std::same_as<trained_as_t<M>, M>, "models with project() are trained one by one, by train()");
  model_traits traits = traits_of(m);
  require_several(plan, options, traits);
  if (plan.rows == member_rows_kind::classes) traits.labels = label_kind::classes;
  train_options of_all = options;
  of_all.initial = {}, of_all.resume = {};  // the plan has them
  prepared_data ready(data, of_all, traits);
  if (plan.rows != member_rows_kind::classes) require_data(m, ready);
  auto task = make_task(m, ready.train(), ready.labels(), ready.loop());
  return {std::move(ready), std::move(task)};
}

template <margin_model M>
train_result train_several_of(const M& m, const sparse_view& data, std::shared_ptr<any_engine> engine,
                              const train_options& options, several_plan plan) {
  plan.prepare = [&m](const sparse_view& rows, const train_options& own) { return prepare(m, rows, own); };
  plan.measure = [&m, by = plan.by](std::span<const float> parameters, std::size_t models, const sparse_view& rows,
                                    const label_map& labels, thread_team& threads, bool all_measures) {
    const several_margins<M> together(m, by, models, rows.columns, parameters);
    return evaluate_rows(
        rows, labels, threads, [&](const sparse_row<float>& z) { return together.said(z); }, all_measures);
  };
  plan.initial = options.initial;
  plan.resume = options.resume;
  const auto prepare_all = [&](const several_plan& asked) { return prepare_several(m, data, options, asked); };
  return train_several(prepare_all, std::move(plan), std::move(engine), options.stop);
}

/// Takes from the engine the workers that train models one by one, and the number of threads that measure.
template <trains_several Engine>
void set_workers(several_plan& plan, const Engine& engine) {
  if constexpr (std::same_as<Engine, serial_engine>) return;
  if constexpr (requires { engine.segment; })
    if (!engine.segment.empty() || engine.storage != storage_kind::single)
      throw config_error("one class against the rest and ensembles take no segment and no storage: leave them out");
  plan.workers = workers_asked(engine);
  plan.own_models = false;
  if constexpr (std::same_as<Engine, thread_engine>)
    plan.own_models = true, plan.team = engine.team, plan.pin = engine.pin;
}

template <margin_model M, trains_several Engine>
train_result train_several_by(const M& m, const sparse_view& data, const Engine& engine, const train_options& options,
                              several_plan plan) {
  set_workers(plan, engine);
  Engine own = engine;
  if constexpr (requires { own.ranks; }) plan.ranks = std::exchange(own.ranks, nullptr);
  if constexpr (requires { own.link; }) own.link = nullptr;
  return train_several_of(m, data, std::make_shared<engine_of<Engine>>(own), options, std::move(plan));
}

}  // namespace detail

/// Trains a binary model for each class, against all other classes; rows must have at least three classes. The
/// prediction is the class with the largest margin. Models under sgd are trained side by side, up to 32 in one pass
/// over the rows, each as train() would train it alone. The result's parameters have, for each column, the weights of
/// all classes, and then the constant terms; train_loss is the sum over the classes of their mean losses. Any engine
/// can be used whose workers belong to this process or are started by it, except devices. Models that are trained one
/// by one need serial_engine or thread_engine.
///
/// With an engine of several processes (its member `ranks`), all processes call this with the same rows, unlike
/// train(), and divide the models. Each process trains its models by its own workers; all return all models. If one of
/// them throws, all throw rank_failure with the exit code of its error. They also throw it if rows or options differ
/// between processes and, with the code of config_error, if there are fewer classes than ranks. If an observer throws,
/// its own process throws the same exception, the others rank_failure. If a process does not arrive in time, the others
/// throw worker_error.
///
/// A process that is alone throws as train(); also config_error for a model that predicts numbers, rows of two labels,
/// and options without a meaning here: rounds, virtual workers, weight_positive. `options.initial` gets the parameters
/// of all models, laid out as in the result.
template <margin_model M, detail::trains_several Engine>
train_result train_one_vs_rest(const M& m, const sparse_view& data, const Engine& engine,
                               const train_options& options = {}) {
  return detail::train_several_by(m, data, engine, options, {});
}

/// Trains an ensemble. The result's parameters are as above, with models instead of classes, or under mean_weights
/// those of one model. train_loss is the mean of the models' losses on all rows, or under mean_weights the loss of the
/// one model. The default l2 is 1 / rows, counting all rows even for shards. A bootstrap depends on `options.seed` and
/// the positions of rows. Throws as above, and for fewer than two models, more shards than rows, and a vote of models
/// that predict numbers.
template <margin_model M, detail::trains_several Engine>
train_result train_ensemble(const M& m, const sparse_view& data, const Engine& engine, const ensemble_options& ensemble,
                            const train_options& options = {}) {
  return detail::train_several_by(m, data, engine, options, detail::plan_of(ensemble));
}

/// Writes the model that train_one_vs_rest() trained on these rows. Throws what save_model() throws.
template <margin_model M>
void save_one_vs_rest(const std::filesystem::path& path, const train_result& run, const sparse_view& data, const M& m) {
  save_model(path,
             detail::saved_form_of(m, answer_kind::one_vs_rest, run.labels.classes(), run.parameters, run.labels,
                                   detail::input_numbers_of(data)),
             model_format_for(path));
}

/// The same for train_ensemble(); under mean_weights it writes the file of a linear model.
template <margin_model M>
void save_ensemble(const std::filesystem::path& path, const train_result& run, const sparse_view& data, const M& m,
                   const ensemble_options& ensemble) {
  const std::vector<std::uint32_t> columns = detail::input_numbers_of(data);
  const saved_model saved = ensemble.answer == ensemble_answer::mean_weights
                                ? detail::saved_form_of(m, run.parameters, run.labels, columns)
                                : detail::saved_form_of(m, detail::plan_of(ensemble).by, ensemble.models,
                                                        run.parameters, run.labels, columns);
  save_model(path, saved, model_format_for(path));
}

}  // namespace hogwild
