// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <hogwild/detail/run/engine_run.hpp>
#include <hogwild/detail/run/run_training.hpp>
#include <hogwild/options.hpp>
#include <hogwild/rank_failure.hpp>
#include <hogwild/result.hpp>
#include <hogwild/train.hpp>

// Cross-validation, which measures models on rows that they are not trained on; and paths, which train a model for each
// of several strengths of l2. To choose only an l2, use train_options::l2_by_folds.

namespace hogwild {

/// A path: models with falling l2, each trained from the final parameters of the one before it (Friedman, Hastie and
/// Tibshirani, Regularization paths for generalized linear models via coordinate descent, 2010).
struct path_options {
  std::vector<double> l2{};            ///< >= 0, finite, distinct, in any order; at least one
  std::optional<std::size_t> folds{};  ///< measure each l2 by this many folds; each fold has its own path
};

/// The model for one l2 of a path.
struct path_point {
  train_result run{};                       ///< the run on all rows, with its l2
  std::optional<fold_measures> measured{};  ///< by folds, if path_options::folds is given
};

/// All models of a path.
struct path_result {
  /// The points by falling l2. If the path was asked to stop: the points that had ended or, if none had, the unfinished
  /// first one.
  std::vector<path_point> points{};
  /// The best point of all that have not diverged: the one with the lowest mean loss of its folds; without folds, the
  /// one with the lowest validation loss; without validation rows, the last one. Empty if all have diverged.
  std::optional<std::size_t> best{};
};

namespace detail {

/// `ranks`, each of which has all of `data`, divide the folds; null: this process is alone. `make` makes tasks for one
/// process.
fold_measures cross_validate(const task_maker& make, const sparse_view& data, std::size_t folds,
                             const train_options& options, std::size_t workers, collective* ranks);

/// Chooses an l2 by folds in the same way, as options.l2_by_folds asks. Throws as train().
chosen_l2 choose_l2(const task_maker& make, const sparse_view& data, const train_options& options, std::size_t workers,
                    collective* ranks);
/// The options of the run with the chosen l2.
train_options with_chosen_l2(train_options options, const chosen_l2& chosen);
/// The same for a resumed run, which chose its l2 before its first epoch: each rank reads the l2 from its own
/// checkpoint (`resume`). All ranks call it. Throws as resume_of_rank(), and config_error if an l2 is given as well.
train_options with_resumed_l2(train_options options, collective* ranks);

/// The processes of a path. They train each model together, each process on its part of the rows, and divide the folds.
struct path_ranks {
  collective* all = nullptr;  ///< null: this process trains alone
  /// All rows, from which folds are drawn, and prepare() for one process; empty: each rank has only its part of the
  /// rows.
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

/// Trains a model for each fold on all other folds, and measures it on that fold. Folds are drawn by the seed; for each
/// label (of two) or class, their numbers of rows differ by at most one. Each model is trained by one worker, with the
/// same bits as by train() with serial_engine and the same options on these rows. The engine's workers train that many
/// models at a time. The default l2 is that of a run on all rows. Observers are not called and no files are written; a
/// tolerance and a target are ignored. The rows are copied once, and most of them occur twice in the copy.
///
/// With an engine of several processes (its member `ranks`), all processes call this with the same rows, unlike
/// train(), divide the models of the folds, and return the same result. If one of them throws, all throw rank_failure
/// with the exit code of its error. They also throw it if rows, options or folds differ between processes. If a process
/// does not arrive in time, the others throw worker_error.
///
/// If asked to stop, it returns a result without folds. A process that is alone throws as train(); also config_error
/// for fewer than two folds or more folds than rows, and input_error if a label has fewer rows than there are folds.
template <model M, class Engine>
fold_measures cross_validate(const M& m, const sparse_view& data, const Engine& engine, std::size_t folds,
                             const train_options& options = {}) {
  return detail::cross_validate(detail::maker_of(m, nullptr), data, folds, options, detail::workers_asked(engine),
                                detail::ranks_of(engine));
}

/// Trains a model for each l2 of a path, from the largest to the smallest. Each is a run of train(), which a tolerance
/// or a target may end early, and begins with the final parameters of the one before it. Each model of a fold begins
/// with the parameters of the fold's previous model. Observers are told of each run on all rows. Options that name a
/// file of one run (record, checkpoint, resume) are refused. After a point that diverges, the next one begins with the
/// same parameters as it did. With an engine of several processes each process passes its own rows, as to train(), and
/// there are no folds.
///
/// Throws as cross_validate(), and config_error for a path that is empty, repeats an l2, or has an l2 below 0. Several
/// processes throw rank_failure instead, also if their paths differ. Runs on all rows throw as train().
template <model M, class Engine>
path_result train_path(const M& m, const sparse_view& data, const Engine& engine, const path_options& path,
                       const train_options& options = {}) {
  const auto make = [&engine] { return std::make_unique<engine_of<Engine>>(engine); };
  collective* const ranks = detail::ranks_of(engine);
  return detail::train_path(detail::maker_of(m, ranks), data, make, path, options, detail::workers_asked(engine),
                            {.all = ranks});
}

}  // namespace hogwild
