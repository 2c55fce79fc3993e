// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include <hogwild/detail/cuda/general_work.hpp>

#include "kernel_family.hpp"

namespace hogwild::device {

/// What trains rows of one model without a margin, in both forms; the device form may be empty.
struct general_forms {
  std::function<void(const general_work& work, std::size_t part, std::size_t parts)> on_host{};
  std::function<int(const general_work& work, void* stream)> on_device{};
};

/// Throws config_error for optimisers that no kernel has, and for more groups of parameters than a launch is told of.
void require_sgd_or_adagrad(const loop_options& options);
void require_few_groups(const training_task& task);

/// How many rows may see the same weights. They are one step of as many rows, which is stable while step * curvature *
/// rows is below 2. Adagrad's steps soon are smaller than the first one; four times as many end where one by one does.
/// Of models without a margin the curvature takes scores for linear in the parameters (coordinator_side::smoothness):
/// `fraction` is what of the bound is taken where they may be something else, or the loss steeper.
double stable_rows_in_flight(run_planner& run, double fraction);
/// The same by this curvature, where that of the run leaves something out.
double stable_rows_in_flight(run_planner& run, double fraction, double curvature);

/// Brings the rows to the device; as kernel_family::bring().
std::unique_ptr<device_model> bring_general_rows(runtime& device, const training_task& task,
                                                 const device_arrays& arrays, const loop_options& options,
                                                 general_forms forms, std::uint64_t block_bytes);

}  // namespace hogwild::device
