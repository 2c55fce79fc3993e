// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/run/prepare.hpp>
#include <hogwild/detail/run/run_training.hpp>
#include <hogwild/options.hpp>
#include <hogwild/result.hpp>

namespace hogwild {

class ranks_at_work;
class row_folds;

/// Cross-validation: models that are trained on all folds of the rows but one, and measured on that. Each is what
/// train() makes of these rows by the serial engine, to the same bits (of few columns, where models go side by side, to
/// rounding): so the answer does not depend on the number of workers, nor on that of ranks, each of which has all rows
/// and trains some of the models. What stops a run early is left aside.
///
/// Labels and what classes weigh are decided by all rows, of which `options` may hold some back for a validation.
class fold_trainer {
 public:
  /// Deals the rows; most are copied (row_folds). `data` and `ranks`, whose stop it listens to, outlive it; all ranks
  /// make the same calls. Throws as draw_folds() and train().
  fold_trainer(task_maker make, const sparse_view& data, const train_options& options, std::size_t folds,
               std::size_t workers, ranks_at_work& ranks);
  ~fold_trainer();

  /// l2 of a run on all rows with these options.
  double l2_of_all() const;
  /// That of a linear model where none is asked for (curvature.hpp); of others 1 over the rows.
  double usual_l2() const;
  std::size_t all_rows() const;
  /// The step, where it is not looked for.
  std::optional<double> given_step() const;

  /// Trains a model for each of these l2 and each fold; of several ranks all have to have the same, here and below.
  /// Linear models under sgd go side by side, those of all l2 by each pass over the rows of a fold. Asked to stop
  /// meanwhile, it returns nothing.
  std::vector<fold_measures> train(std::span<const double> l2) const;
  /// Trains a model with this l2 for each fold, from what the last call made of that fold. Asked to stop, it returns
  /// a result without folds.
  fold_measures go_on_with(double l2);

 private:
  train_options options_for(std::size_t fold, double l2) const;
  measurement train_alone(std::size_t fold, double l2, std::vector<float>& parameters) const;
  std::vector<measurement> train_lanes(const prepared_task& one, std::size_t fold, std::span<const double> l2) const;
  /// Calls train(k) for each of so many parts that is this rank's, by threads.
  template <class Train>
  void by_threads_of_rank(std::size_t parts, const Train& train) const;
  /// Throws rank_failure unless all ranks have such rows and options, and train these.
  void require_same_on_ranks(std::span<const double> l2) const;
  bool stopped() const { return options_.stop.stop_requested(); }

  task_maker make_;
  prepared_task all_;
  train_options options_;  ///< of a fold, but for its l2 and what it is measured on
  std::unique_ptr<const row_folds> rows_;
  std::size_t workers_;
  ranks_at_work& ranks_;
  std::vector<std::vector<float>> parameters_;  ///< of each fold of this rank, by go_on_with()
  std::string text_of_rows_;                    ///< which ranks compare
};

}  // namespace hogwild
