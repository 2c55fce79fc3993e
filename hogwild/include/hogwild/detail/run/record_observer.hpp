// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include <hogwild/detail/run/resolved_run.hpp>
#include <hogwild/detail/task/training_task.hpp>
#include <hogwild/observer.hpp>

namespace hogwild {

/// An observer that writes the run record of `run` on `work` to `path` (see results/run_record.hpp). Throws input_error
/// or resource_error if the file cannot be written. Task and run must outlive it.
std::unique_ptr<observer> make_record_observer(const std::string& path, const training_task& work,
                                               const resolved_run& run);

}  // namespace hogwild
