// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <stop_token>

#include <hogwild/detail/task/training_task.hpp>

namespace hogwild {

/// Finds an initial step size: one serial pass over a sample of the rows for each of a few sizes, doubled or halved
/// from 1 / mean ||x||^2 for as long as the objective of the sample gets lower (the procedure that Bottou describes in
/// Stochastic gradient tricks, 2012, section 4). Bounded by counts and seeded by the run: a function of data, model, l2
/// and seed alone, the same on every machine.
///
/// `initial` as in train_options: each pass begins with the parameters that the run begins with. Where a stop is asked
/// for, the step is the best so far: the run ends before it takes one.
double find_step(const training_task& work, const std::function<void(std::span<float>)>& initial = {},
                 const std::stop_token& stop = {});

}  // namespace hogwild
