// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stop_token>

#include <hogwild/detail/task/constant_term.hpp>
#include <hogwild/detail/task/training_task.hpp>

namespace hogwild {

/// The inputs of a search for a model's constant term.
struct constant_search {
  rank_sums sum{};
  double rows_before = 0.0;  ///< as in known_constant; not used for classes
  std::stop_token stop{};
};

/// Whether the model is linear: multiplying entries by c is the same as dividing weights by c.
bool is_of_linear_model(const training_task& task);
/// Whether minimise_constant() does anything.
bool has_constant(const training_task& task);

/// If the model is linear and has a constant term that may change (the bias; with several classes one for each): moves
/// the term to where the mean loss of the training rows of all ranks is least with all other parameters fixed, and
/// returns the loss of this process's rows as evaluate() does. With several classes it moves by at most three Newton
/// steps. Otherwise does nothing and returns nothing. If a stop is asked for, at any rank, nothing moves, and the loss
/// is not a number. The optimiser's state of the constant is adapted. Called while nobody trains; all ranks call it,
/// and set the same bits if their parameters are the same.
std::optional<double> minimise_constant(const training_task& task, const param_store& store, double scale,
                                        thread_team& threads, const constant_search& by = {});

}  // namespace hogwild
