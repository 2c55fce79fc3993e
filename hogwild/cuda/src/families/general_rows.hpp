// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include <hogwild/detail/cuda/general_work.hpp>

#include "device_rows.hpp"
#include "kernel_family.hpp"
#include "kernels/loss_rows.hpp"

namespace hogwild::device {

/// The kernels that train rows of one model without a margin, and those that measure them, in both forms; the device
/// form may be empty, and there may be none to measure.
struct general_forms {
  std::function<void(const general_work& work, std::size_t part, std::size_t parts)> on_host{};
  std::function<int(const general_work& work, void* stream)> on_device{};
  std::function<void(const loss_work<general_work>& work, std::size_t part, std::size_t parts)> losses_on_host{};
  std::function<int(const loss_work<general_work>& work, void* stream)> losses_on_device{};
};

/// The work of a launch that measures rows which stay on the device: that of training, with these rows.
template <class Work>
loss_work<Work> work_to_measure(const Work& training, device_rows& rows, const rows_to_measure& measured) {
  loss_work<Work> work{training};
  rows.name_in(work, measured.first, measured.count);
  work.first = measured.first;
  work.count = measured.count;
  work.loss_sums = measured.sums;
  work.rows_in_flight = static_cast<std::uint32_t>(loss_sums_of(measured.count));
  work.updates = nullptr;
  return work;
}

/// Throws config_error for optimisers that no kernel supports, and for more groups of parameters than a launch can
/// take.
void require_sgd_or_adagrad(const loop_options& options);
void require_few_groups(const training_task& task);

/// The number of rows that may see the same weights. Together they are one step, which is stable while the product of
/// rows, step and curvature is below 2. Adagrad's steps soon are smaller than the first one; four times as many rows
/// end with the same loss as one by one. For models without a margin the curvature assumes scores that are linear in
/// the parameters (coordinator_side::smoothness): `fraction` of the bound is used if scores may not be, or the loss may
/// be steeper.
double stable_rows_in_flight(run_planner& run, double fraction);
/// The same with this curvature, if that of the run leaves something out.
double stable_rows_in_flight(run_planner& run, double fraction, double curvature);

/// Brings the rows to the device, like kernel_family::bring().
std::unique_ptr<device_model> bring_general_rows(runtime& device, const training_task& task,
                                                 const device_arrays& arrays, const loop_options& options,
                                                 general_forms forms, std::uint64_t block_bytes);

}  // namespace hogwild::device
