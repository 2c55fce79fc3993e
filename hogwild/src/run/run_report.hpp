// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <hogwild/detail/run/engine_run.hpp>
#include <hogwild/detail/run/resolved_run.hpp>
#include <hogwild/detail/task/training_task.hpp>
#include <hogwild/observer.hpp>

namespace hogwild {

/// An observer that writes the run record of `run` on `work` to `path` (see results/run_record.hpp). Throws input_error
/// or resource_error if the file cannot be written. Task and run must outlive it.
std::unique_ptr<observer> make_record_observer(const std::string& path, const training_task& work,
                                               const resolved_run& run);

namespace detail {

/// The report to observers before the first epoch. The run from which this one resumes trained `rows_before`. Refers to
/// the engine's run.
run_start start_of(const training_task& task, const engine_run& who, const resolved_run& run,
                   std::uint64_t rows_before);

/// Fills in a finished run's facts besides parameters, losses and seconds; `counted`: the counts of its workers.
void tell_of_run(train_result& result, const epoch_report& counted, const training_task& task, const engine_run& who,
                 const resolved_run& run);
/// The same for a run without an engine run: fields that an engine run knows are left as they are.
void tell_of_run(train_result& result, const epoch_report& counted, const training_task& task, const resolved_run& run);

/// Fills in the end: the losses and measures of `last`, notes, memory, and the CPU time since the run began. The caller
/// fills in seconds.
void tell_of_end(train_result& result, const epoch_report& last, const training_task& task, const resolved_run& run);

/// The report of a part of an epoch, from the counts so far.
round_report round_of(const epoch_report& counted, std::size_t round, std::size_t rounds);

/// The note that a run has ended because its time was over.
std::string note_of_time(std::uint64_t epochs, std::size_t of);
/// The note that a resumed checkpoint was written between measurements.
std::string note_of_unmeasured(std::uint64_t epoch, std::uint64_t measured);

/// A note if meetings of the ranks took more than 0.1 seconds and more than half of the training time; else empty.
std::string note_of_meetings(const train_result& result);

}  // namespace detail
}  // namespace hogwild
