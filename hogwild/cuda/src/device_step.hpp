// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include <hogwild/detail/control/round_plan.hpp>
#include <hogwild/detail/control/telemetry.hpp>
#include <hogwild/detail/loop/batch_step.hpp>
#include <hogwild/detail/loop/loop_options.hpp>
#include <hogwild/detail/sharing/private.hpp>

#include "kernel_family.hpp"
#include "launch_size.hpp"
#include "runtime.hpp"

namespace hogwild::device {

/// The step of a worker that has a device train its rows: a run of rows is a kernel, and of two that are queued one
/// runs. Launches are as long as launch_size wants them. What the device gained meets the others through arrays of the
/// host, those of any worker (private.hpp): what an exchange reads and writes is fetched from the device before it and
/// sent back after it; what the device gained elsewhere stays there until it is due. A device that trains on the shared
/// arrays themselves has no arrays of the host to meet: there is nothing to copy.
///
/// A row counts as trained when its kernel is queued; what is lost with the worker is counted by the rows that were not
/// exchanged yet, or whose kernel is not known to be through.
class device_step {
 public:
  static constexpr bool replicated = true;
  static constexpr std::size_t most_rows = std::size_t{1} << 16;  ///< of one kernel

  /// All outlive the step. The model trains on the device's own arrays.
  device_step(runtime& device, device_model& model, device_arrays& own, private_arrays<float>& host,
              const loop_options& options, worker_slot& me);
  ~device_step();
  device_step(const device_step&) = delete;
  device_step& operator=(const device_step&) = delete;

  void begin_round(const round_plan& round);
  void begin(const round_plan& round, double position);
  std::size_t rows_to_exchange() const;
  batch_outcome train_run(std::size_t first, std::size_t count);
  void exchange(std::size_t rows, race_probe& probe);
  void end_round();

 private:
  using clock = std::chrono::steady_clock;
  struct launch {
    std::uint64_t mark;  ///< behind it
    std::size_t rows;
    clock::time_point queued;
  };

  using parts = std::vector<parameter_run>;
  parts all() const;
  void send(const parts& runs);
  void fetch(const parts& runs);
  void wait_for_all_but(std::size_t queued);
  /// Rows that changed something since it was asked last.
  std::uint64_t new_updates();

  runtime& device_;
  device_model& model_;
  device_arrays& own_;
  private_arrays<float>& host_;
  worker_slot& me_;
  bool alone_;   ///< the host's arrays are the shared ones, which know nothing of rows not sent
  bool shared_;  ///< the device's arrays are the shared ones
  launch_size size_{most_rows};
  std::deque<launch> queued_;
  clock::time_point passed_{};  ///< when the last launch that was waited for was over
  std::uint64_t updates_ = 0, updates_told_ = 0;
};

}  // namespace hogwild::device
