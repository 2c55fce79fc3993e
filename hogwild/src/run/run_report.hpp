// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <hogwild/detail/engines/engine_run.hpp>
#include <hogwild/detail/run/epoch_loop.hpp>
#include <hogwild/observer.hpp>

namespace hogwild::detail {

/// What observers hear before the first epoch. `rows_before` were trained by the run that this one goes on from. Refers
/// to the engine's run.
run_start start_of(const training_task& task, const engine_run& who, const resolved_run& run,
                   std::uint64_t rows_before);

/// Fills in what a finished run tells of itself beside parameters, losses and seconds; `counted` by its workers.
void tell_of_run(train_result& result, const epoch_report& counted, const training_task& task, const engine_run& who,
                 const resolved_run& run);
/// The same of a run without an engine's run of its own: what that knows is left as it is.
void tell_of_run(train_result& result, const epoch_report& counted, const training_task& task, const resolved_run& run);

}  // namespace hogwild::detail
