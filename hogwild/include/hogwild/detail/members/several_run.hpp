// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/detail/collectives/collective.hpp>
#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/models/several_margins.hpp>
#include <hogwild/detail/run/engine_run.hpp>
#include <hogwild/detail/run/prepare.hpp>
#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwild/options.hpp>
#include <hogwild/result.hpp>

// Several margin models of one kind that are trained on the same rows, each to its own end, and combined into one.

namespace hogwild {

/// How the models differ in their rows.
enum class member_rows_kind {
  classes,    ///< one class against the rest for each model
  bootstrap,  ///< a drawn count for each row (bootstrap_count())
  shards      ///< consecutive rows, one part for each model
};

struct several_plan {
  member_rows_kind rows = member_rows_kind::classes;
  std::size_t models = 0;  ///< for classes this is ignored: one model for each class
  answer_kind by = answer_kind::one_vs_rest;
  bool mean_weights = false;  ///< the result is the mean of their weights, with the best constant term
  std::size_t workers = 1;    ///< each trains one model, if models are not trained side by side
  thread_team_kind team = thread_team_kind::std;  ///< of these workers
  bool pin = false;                               ///< as in thread_engine
  /// Whether a worker may have models of its own: true if workers are threads that share only parameters.
  bool own_models = true;
  /// Processes that divide the models among them, all of which make the same call with the same rows; null: this one is
  /// alone. Outlives the run.
  collective* ranks = nullptr;
  /// For classes: changes the zeros that all models begin with, laid out as the result's parameters; empty: no change.
  std::function<void(std::span<float> parameters)> initial{};
  std::vector<float> begin{};  ///< the result of `initial`
  std::string resume{};        ///< the checkpoint to go on from; empty: the models begin anew
  /// Prepares one of the models on rows of its own, as prepare().
  std::function<prepared_task(const sparse_view& rows, const train_options&)> prepare{};
  /// The combined measures of `models` models on labelled rows, computed by `threads`; parameters are laid out as in
  /// several_margins.
  std::function<measurement(std::span<const float> parameters, std::size_t models, const sparse_view& rows,
                            const label_map& labels, thread_team& threads, bool all_measures)>
      measure{};
};

/// The name in records: "one_vs_rest", "mean", "vote" or "mean_weights".
std::string_view name_of(const several_plan& plan);

/// Throws config_error for options that several models cannot use, or that do not suit the plan.
void require_several(const several_plan& plan, const train_options& options, const model_traits& traits);

/// Trains each model as train() would train it alone on its rows; with the serial engine to the same bits (for a
/// bootstrap up to rounding; its tolerance uses the loss on all rows). Models under sgd are trained side by side,
/// several by each pass over the rows (lane_run), by the workers of `engine`. If these are threads (plan.own_models),
/// and either there are at least eight models a worker and no sharing was asked for, or the run is reproducible, each
/// worker has models of its own, with the bits of a serial run. Models that lanes do not support, and shards, are
/// trained by separate runs of one worker each, as many at a time as there are workers; a note says so, and a sharing
/// is refused. An epoch is a pass of all models. Each model ends by its own tolerance and validation loss; if one
/// diverges, the run has diverged, and the others end, too.
///
/// With several ranks each trains a share of the models, with the same bits as if it trained all. Its `engine` knows
/// nothing of the other ranks. After each epoch the ranks exchange their losses, and if something is measured they send
/// the first one their parameters; only the first has a record and observers of epochs. All return the same, except for
/// seconds and workers, which are each rank's own. Fewer models than ranks are refused. An exception on one rank is
/// thrown on all (rank_failure), except one from an observer, which its own rank rethrows unchanged.
///
/// `prepare_all` makes one model on all rows, whose labels are classes if plan.rows are, as prepare_several(); `stop`
/// is that of its options. The result has the parameters of all models, laid out as in several_margins, and their
/// combined losses and measures; counts are of rows that workers passed, once for all models that are trained side by
/// side. If asked to stop, the result is that of the last whole pass.
train_result train_several(const std::function<prepared_task(const several_plan&)>& prepare_all, several_plan plan,
                           std::shared_ptr<any_engine> engine, const std::stop_token& stop);

}  // namespace hogwild
