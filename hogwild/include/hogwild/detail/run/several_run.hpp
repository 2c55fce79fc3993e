// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include <hogwild/detail/collectives/collective.hpp>
#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/engines/any_engine.hpp>
#include <hogwild/detail/engines/thread_team.hpp>
#include <hogwild/detail/models/several_margins.hpp>
#include <hogwild/detail/run/prepare.hpp>
#include <hogwild/options.hpp>
#include <hogwild/result.hpp>

// Several margin models of one kind that are trained on the same rows, each to its own end, and make one.

namespace hogwild {

/// What tells one of them from the others.
enum class member_rows_kind {
  classes,    ///< a class, against the rest
  bootstrap,  ///< how often each row counts (bootstrap_count())
  shards      ///< runs of rows, of which each has one
};

struct several_plan {
  member_rows_kind rows = member_rows_kind::classes;
  std::size_t models = 0;  ///< of classes as many as there are, whatever this says
  answer_kind by = answer_kind::one_vs_rest;
  bool mean_weights = false;  ///< the model is the mean of their weights, with the constant term of all rows
  std::size_t workers = 1;    ///< that train one model each where they are not trained side by side
  thread_team_kind team = thread_team_kind::std;  ///< of these workers
  bool pin = false;                               ///< as of thread_engine
  /// Whether a worker may have models of its own: where workers are threads that meet by shared parameters only.
  bool own_models = true;
  /// Processes that divide the models among them, all of which make the same call with the same rows; null: this one is
  /// alone. Outlives the run.
  collective* ranks = nullptr;
  /// Of classes: changes the zeros that all begin with, which lie as the result's parameters; empty: none.
  std::function<void(std::span<float> parameters)> initial{};
  std::vector<float> begin{};  ///< what has come of that
  /// One of them on rows of its own, as prepare() makes it.
  std::function<prepared_task(const sparse_view& rows, const train_options&)> prepare{};
  /// What so many models, whose parameters stand as several_margins has them, say together of labelled rows; by the
  /// threads of this team.
  std::function<measurement(std::span<const float> parameters, std::size_t models, const sparse_view& rows,
                            const label_map& labels, thread_team& threads, bool all_measures)>
      measure{};
};

/// The word for records: "one_vs_rest", "mean", "vote" or "mean_weights".
std::string_view name_of(const several_plan& plan);

/// Throws config_error for options that several models have no use for, or that do not suit the plan.
void require_several(const several_plan& plan, const train_options& options, const model_traits& traits);

/// Trains them as each would be trained by train() alone on its rows, by the serial engine to the same bits (of a
/// bootstrap to rounding; its tolerance goes by the loss on all rows). Models under sgd go side by side, several by
/// each pass over the rows (lane_run), by the workers of `engine`. Where these are threads (plan.own_models), there are
/// eight models a worker and more and no sharing was asked for, or the run is reproducible, each has models of its own,
/// with the bits of a serial run. What lanes do not do, and shards, are trained by runs of their own, of one worker
/// each, as many at a time as there are workers: observers hear of their epochs at the end, with the losses of each on
/// what it is trained on, and of the last one with parameters and measures; a note says so, and a target or a sharing
/// is refused. Each model ends by its own tolerance and validation loss; where one diverges the run does, and the
/// others end, too.
///
/// Of several ranks each trains a share of the models, by an `engine` of its own that knows nothing of the others, to
/// the bits that it comes to with all models. After each epoch they tell each other their losses, and where something
/// is measured, the first one their parameters; it alone has a record and observers of epochs. All return the same, but
/// for seconds and workers, which are of each. Fewer models than ranks are refused. What is thrown on one is thrown on
/// all (rank_failure), but what an observer throws, which leaves its own rank as it is.
///
/// `prepare_all` makes one model on all rows, whose labels are classes where plan.rows are, as prepare_several();
/// `stop` is that of its options. The result has the parameters of all, as several_margins has them, and the losses and
/// measures that they have together; counts are of rows that workers went through, once for all that go side by side.
/// Asked to stop, it has what the last whole pass has left, and of models that are trained one by one what each has
/// come to, after `epochs` at least: 0 where one was not begun.
train_result train_several(const std::function<prepared_task(const several_plan&)>& prepare_all, several_plan plan,
                           std::shared_ptr<any_engine> engine, const std::stop_token& stop);

}  // namespace hogwild
