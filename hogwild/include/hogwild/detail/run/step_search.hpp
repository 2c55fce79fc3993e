// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <stop_token>

#include <hogwild/detail/task/training_task.hpp>
#include <hogwild/options.hpp>

namespace hogwild {

/// What a run begins with in the place of its model's own beginning, as train_options has it.
struct run_beginning {
  std::function<void(std::span<float>)> parameters{};  ///< train_options::initial
  optimizer_start state{};
};

/// Finds an initial step size: one serial pass over a sample of the rows for each of a few sizes, doubled or halved
/// from 1 / mean ||x||^2 for as long as the objective of the sample gets lower (the procedure that Bottou describes in
/// Stochastic gradient tricks, 2012, section 4). Bounded by counts and seeded by the run: a function of data, model, l2
/// and seed alone, the same on every machine.
///
/// Each pass begins with what the run begins with. After a request to stop it returns the best step so far: the run
/// ends before it takes a step.
double find_step(const training_task& work, const run_beginning& begin = {}, const std::stop_token& stop = {});

/// The factor for `found`, a step that suits single rows, if each step uses the mean over `rows` rows: `rows` itself
/// (Goyal et al., Accurate, large minibatch SGD, 2017: the linear rule), halved for as long as an epoch of such steps
/// on a sample of the rows, and one of steps a tenth as large, end lower; at least 1. The sample has the rows of
/// find_step(), and at least 64 steps if there are enough rows. The same on every machine. `loop`: the options that the
/// run is asked for.
double step_factor(const training_task& work, const loop_options& loop, double found, std::size_t rows,
                   const run_beginning& begin = {}, const std::stop_token& stop = {});

}  // namespace hogwild
