// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stop_token>

#include <hogwild/detail/task/constant_term.hpp>
#include <hogwild/detail/task/training_task.hpp>

namespace hogwild {

/// What a search of a model's constant term goes by.
struct constant_search {
  rank_sums sum{};
  double rows_before = 0.0;  ///< as known_constant has them; of classes they mean nothing
  std::stop_token stop{};
};

/// Whether the model is linear: entries that are multiplied by c are what weights that are divided by c make of them.
bool is_of_linear_model(const training_task& task);
/// Whether minimise_constant() does anything.
bool has_constant(const training_task& task);

/// Where the model is linear, with a constant term that may change (the bias; of several classes one of each): moves
/// that to where the mean loss of the training rows of all ranks is least while all other parameters stay, and returns
/// that loss of this process's rows as evaluate() does. Of several classes it moves by three steps of Newton's at most.
/// Else nothing is done, and nothing comes back. Where a stop is asked for, at any rank, nothing moves, and the loss is
/// no number. What the optimiser remembers of the constant is made to suit. While nobody trains; all ranks call it, and
/// set the same bits where their parameters are the same.
std::optional<double> minimise_constant(const training_task& task, const param_store& store, double scale,
                                        thread_team& threads, const constant_search& by = {});

}  // namespace hogwild
