// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <hogwild/detail/engines/any_engine.hpp>
#include <hogwild/detail/run/run_training.hpp>
#include <hogwild/options.hpp>
#include <hogwild/rank_failure.hpp>
#include <hogwild/result.hpp>
#include <hogwild/train.hpp>

// How well a model does on rows that it is not trained on, by folds; and a model for each of several strengths of l2.
// An l2 alone is chosen by train_options::l2_by_folds.

namespace hogwild {

/// Models by falling l2, each trained from where the one before it has ended (Friedman, Hastie and Tibshirani,
/// Regularization paths for generalized linear models via coordinate descent, 2010).
struct path_options {
  std::vector<double> l2{};            ///< >= 0, finite, distinct, in any order; at least one
  std::optional<std::size_t> folds{};  ///< measure each by so many folds, which have paths of their own
};

/// A model of a path.
struct path_point {
  train_result run{};                       ///< on all rows; its l2 says which
  std::optional<fold_measures> measured{};  ///< by folds, where path_options::folds asks for them
};

/// All models of a path.
struct path_result {
  /// The points by falling l2. Where the path was asked to stop these are those that had ended, or if none had, the
  /// first as far as it had come.
  std::vector<path_point> points{};
  /// The best point: that of the lowest mean loss of its folds, or without folds with the lowest validation loss, or
  /// without validation rows the last; of those alone that have not diverged. Nothing where there is none.
  std::optional<std::size_t> best{};
};

namespace detail {

/// `ranks` divide the folds of `data`, which all of them have; null: this process is alone. `make` makes one process's
/// tasks.
fold_measures cross_validate(const task_maker& make, const sparse_view& data, std::size_t folds,
                             const train_options& options, std::size_t workers, collective* ranks);

/// The same for options that ask for an l2 by folds. Throws as train().
chosen_l2 choose_l2(const task_maker& make, const sparse_view& data, const train_options& options, std::size_t workers,
                    collective* ranks);
/// The options of the run that comes.
train_options with_chosen_l2(train_options options, const chosen_l2& chosen);
/// The same of a run that goes on: it has chosen before its first epoch, and its checkpoint (`resume`) tells the l2,
/// each rank's that of this rank; all of them call it. Throws as resume_of_rank(), and config_error where an l2 is
/// given, too.
train_options with_resumed_l2(train_options options, collective* ranks);

/// Processes that train each model of a path together, on parts of the rows, and divide the folds of all rows.
struct path_ranks {
  collective* all = nullptr;  ///< null: this process trains alone
  /// The rows that folds are drawn from, and prepare() of one process; nothing: each rank has rows of its own alone.
  std::optional<sparse_view> rows{};
  task_maker make_alone{};
};

path_result train_path(const task_maker& make, const sparse_view& data,
                       const std::function<std::unique_ptr<any_engine>()>& engine, const path_options& path,
                       const train_options& options, std::size_t workers, const path_ranks& ranks);

/// prepare() of a model.
template <class M>
task_maker maker_of(const M& m, collective* ranks) {
  return
      [&m, ranks](const sparse_view& rows, const train_options& options) { return prepare(m, rows, options, ranks); };
}

template <class Engine>
collective* ranks_of(const Engine& engine) {
  if constexpr (requires { engine.ranks; }) return engine.ranks;
  return nullptr;
}

}  // namespace detail

/// Trains a model for each fold on all other folds, and measures it on that one. Folds are drawn by the seed, and have
/// as many rows of each of two labels or classes as each other, or one more. Each model is trained by one worker, to
/// the bits of train() by the serial engine with the same options on these rows, as many of them at a time as the
/// engine has workers; l2 is that of a run on all rows. Nobody is told of it, and nothing written; a tolerance and a
/// target are left aside. There is one copy of the rows, in which most stand twice.
///
/// With an engine of several processes (its member `ranks`) all of them call this with the same rows, unlike train(),
/// and divide the models of the folds: all return the same. What one throws all throw, as rank_failure with the exit
/// code of what it was; so where rows, options or folds are not the same on all. A process that does not come in time
/// is a worker_error.
///
/// Asked to stop, it returns a result without folds. A process that is alone throws as train(); config_error for fewer
/// than two folds and for more than rows, input_error where a label has fewer rows than there are folds.
template <model M, class Engine>
fold_measures cross_validate(const M& m, const sparse_view& data, const Engine& engine, std::size_t folds,
                             const train_options& options = {}) {
  return detail::cross_validate(detail::maker_of(m, nullptr), data, folds, options, detail::workers_asked(engine),
                                detail::ranks_of(engine));
}

/// Trains a model for each l2 of a path, from the largest to the smallest. Each is a run of train(), which may end
/// early by a tolerance or a target, and begins with the parameters that the one before it has ended with; a fold's
/// begins with those of that fold. Observers hear of each run of all rows; options that name one file for a run's
/// output (record, checkpoint, resume) are refused. A point that diverges is passed over: the next begins as that one
/// did. With an engine of several processes each of them gives its own rows, as to train(), and there are no folds.
///
/// Throws as cross_validate(), and config_error for a path that is empty, or has an l2 twice or below 0: of several
/// processes rank_failure, as for paths that are not the same. Runs of all rows throw as train().
template <model M, class Engine>
path_result train_path(const M& m, const sparse_view& data, const Engine& engine, const path_options& path,
                       const train_options& options = {}) {
  const auto make = [&engine] { return std::make_unique<engine_of<Engine>>(engine); };
  collective* const ranks = detail::ranks_of(engine);
  return detail::train_path(detail::maker_of(m, ranks), data, make, path, options, detail::workers_asked(engine),
                            {.all = ranks});
}

}  // namespace hogwild
