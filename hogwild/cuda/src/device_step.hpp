// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include <hogwild/detail/control/round_plan.hpp>
#include <hogwild/detail/control/telemetry.hpp>
#include <hogwild/detail/loop/batch_step.hpp>
#include <hogwild/detail/sharing/private.hpp>
#include <hogwild/detail/sharing/sharing_traits.hpp>
#include <hogwild/detail/worker/loop_options.hpp>

#include "kernel_family.hpp"
#include "launch_size.hpp"
#include "runtime.hpp"

namespace hogwild::device {

/// The step of a worker whose device trains its rows: a run of rows is one kernel launch, and of two queued launches
/// one runs. launch_size decides their length. The device's gains are exchanged with the others through arrays of the
/// host, as for any worker (private.hpp): what an exchange reads and writes is fetched from the device before it and
/// sent back after it; other gains stay on the device until they are due. A device that trains on the shared arrays
/// themselves has no arrays on the host: nothing is copied.
///
/// A row counts as trained when its kernel is queued. If the worker is lost, the lost rows are those that were not
/// exchanged yet, or whose kernel is not known to have finished.
class device_step {
 public:
  static constexpr sharing_traits traits{.replicated = true};
  static constexpr std::size_t most_rows = std::size_t{1} << 16;  ///< of one launch

  /// All arguments outlive the step. The model trains on the device's own arrays.
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

  std::unique_ptr<ticket_source> tickets(const worker_round& at) { return host_.tickets(at); }
  static constexpr bool moves_singletons() { return false; }
  void begin_chunk(column_range) const {}
  void end_chunk() const {}

 private:
  using clock = std::chrono::steady_clock;
  struct launch {
    std::uint64_t mark;  ///< placed behind it
    std::size_t rows;
    clock::time_point queued;
  };

  using parts = std::vector<parameter_run>;
  parts all() const;
  void send(const parts& runs);
  void fetch(const parts& runs);
  void wait_for_all_but(std::size_t queued);
  /// Rows that changed something since the last call.
  std::uint64_t new_updates();

  runtime& device_;
  device_model& model_;
  device_arrays& own_;
  private_arrays<float>& host_;
  worker_slot& me_;
  bool alone_;   ///< the host's arrays are the shared ones, for which unsent rows are not counted
  bool shared_;  ///< the device's arrays are the shared ones
  launch_size size_{most_rows};
  std::deque<launch> queued_;
  clock::time_point passed_{};  ///< when the last launch that was waited for had finished
  std::uint64_t updates_ = 0, updates_told_ = 0;
};

}  // namespace hogwild::device
