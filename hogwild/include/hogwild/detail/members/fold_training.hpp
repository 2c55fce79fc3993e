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

namespace detail {
/// Throws config_error if one of these l2 is negative or not a number, or is repeated.
void require_candidates(std::vector<double> l2);
}  // namespace detail

/// Cross-validation: models that are trained on all folds of the rows but one, and measured on that one. Each equals,
/// to the bit, the model that train() makes of these rows with the serial engine (up to rounding if columns are few and
/// models are trained side by side). So the result does not depend on the number of workers, nor on the number of
/// ranks, each of which has all rows and trains some of the models. Options that stop a run early are ignored.
///
/// Labels and class weights are determined from all rows, including rows that `options` hold back for validation.
class fold_trainer {
 public:
  /// Deals the rows to folds; most rows are copied (row_folds). `data` and `ranks`, whose stop it obeys, outlive it;
  /// all ranks make the same calls. Throws as draw_folds() and train().
  fold_trainer(task_maker make, const sparse_view& data, const train_options& options, std::size_t folds,
               std::size_t workers, ranks_at_work& ranks);
  ~fold_trainer();

  /// The l2 of a run on all rows with these options.
  double l2_of_all() const;
  /// The default l2 of a linear model (curvature.hpp); for others 1 / rows.
  double usual_l2() const;
  std::size_t all_rows() const;
  /// The step, unless it is searched for.
  std::optional<double> given_step() const;

  /// Trains a model for each of these l2 and each fold; all ranks must pass the same values, here and below. Linear
  /// models under sgd are trained side by side: each pass over the rows of a fold trains the models of all l2. If asked
  /// to stop meanwhile, it returns nothing.
  std::vector<fold_measures> train(std::span<const double> l2) const;
  /// Trains a model with this l2 for each fold, from the last call's parameters for that fold. If asked to stop, it
  /// returns a result without folds.
  fold_measures go_on_with(double l2);

 private:
  train_options options_for(std::size_t fold, double l2) const;
  measurement train_alone(std::size_t fold, double l2, std::vector<float>& parameters) const;
  std::vector<measurement> train_lanes(const prepared_task& one, std::size_t fold, std::span<const double> l2) const;
  /// Calls train(k), in threads, for each k below `parts` that belongs to this rank.
  template <class Train>
  void by_threads_of_rank(std::size_t parts, const Train& train) const;
  /// Throws rank_failure unless all ranks have equal rows and options, and train the same models.
  void require_same_on_ranks(std::span<const double> l2) const;
  bool stopped() const { return options_.stop.stop_requested(); }

  task_maker make_;
  prepared_task all_;
  train_options options_;  ///< for a fold, except its l2 and its test rows
  std::unique_ptr<const row_folds> rows_;
  std::size_t workers_;
  ranks_at_work& ranks_;
  std::vector<std::vector<float>> parameters_;  ///< for each fold of this rank, by go_on_with()
  std::string text_of_rows_;                    ///< compared between ranks
};

}  // namespace hogwild
