// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

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

/// What it ends with: the losses and measures of `last`, notes, memory, and the CPU time since the run was begun.
/// Seconds are told by the caller.
void tell_of_end(train_result& result, const epoch_report& last, const training_task& task, const resolved_run& run);

/// A part of an epoch, by what is counted so far.
round_report round_of(const epoch_report& counted, std::size_t round, std::size_t rounds);

/// What to note of ranks that meet for longer than they train; empty of others.
std::string note_of_meetings(const train_result& result);

}  // namespace hogwild::detail
