// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

#include <hogwild/result.hpp>

namespace hogwild {

class param_store;
class thread_team;
class training_task;
struct loop_plan;

/// The workers of an engine, as the coordinator sees them: who runs the loop, and nothing else. The store that they
/// train is theirs to provide, because where it lies depends on who they are.
class engine_run {
 public:
  virtual ~engine_run() = default;

  virtual std::string_view engine() const = 0;  ///< "serial", "threads", "processes"
  virtual std::size_t workers() const = 0;      ///< that train: those asked for, but what a library did not grant
  virtual const param_store& store() const = 0;

  /// Called once, when parameters and state are in place and before the training clock starts: workers get ready.
  virtual void get_ready() {}
  /// Has the round in the control block trained, and returns when no worker trains any more. Tickets that nobody
  /// finished (a worker died) stay unmarked; the coordinator asks for them again.
  virtual void run_round() = 0;
  /// Between rounds: those after it train another task of the same model, on other rows, by this plan, which has no
  /// more chunks than the store was made for. Throws config_error for workers that cannot; threads can.
  virtual void take(const training_task&, const loop_plan&);
  /// After a round: a, with w = a * v for the stored v, where several processes had to come to the same; else it is as
  /// far as the tickets of this one were drawn.
  virtual std::optional<double> scale_after_round() const { return std::nullopt; }
  /// Between rounds, before stored weights change their meaning (a new scale): when it returns, nobody is in the middle
  /// of a row any more.
  virtual void settle() {}
  /// Threads of this process for measuring and whole-array passes; free between rounds.
  virtual thread_team& helpers() = 0;
  /// The mean loss of the first `rows` training rows, with w = scale * v for the stored v, where those who train have
  /// what it takes; nothing where helpers() are to measure. No number where a stop was asked for meanwhile. Between
  /// rounds. Throws what a device throws that fails.
  virtual std::optional<double> train_loss(std::size_t, double /*scale*/, const std::stop_token&) {
    return std::nullopt;
  }
  /// Worker processes that died and were replaced so far.
  virtual std::size_t replaced() const { return 0; }
  /// Rows done whose changes dead or stopped workers had not all sent: an upper bound.
  virtual std::uint64_t rows_lost() const { return 0; }
  /// What replicas told each other so far, where there are several in this process.
  virtual std::optional<ring_report> ring() const { return std::nullopt; }
  /// What this process and others told each other, where several train together.
  virtual std::optional<link_report> link() const { return std::nullopt; }
  /// What its workers did so far when they met, where they do.
  virtual std::optional<meeting_report> meetings() const { return std::nullopt; }
  /// The devices that train, by the slots of their workers.
  virtual std::vector<device_report> devices() const { return {}; }
};

}  // namespace hogwild
