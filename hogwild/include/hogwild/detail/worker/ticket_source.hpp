// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include <hogwild/detail/control/round_plan.hpp>
#include <hogwild/detail/control/telemetry.hpp>
#include <hogwild/detail/data/chunk.hpp>
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/worker/loop_options.hpp>

namespace hogwild {

/// A drawn ticket: which chunk to train on, and how many rows the run drew before it in this epoch; with several
/// processes that is an estimate by this process.
struct ticket {
  std::size_t number;
  std::size_t chunk;
  double position;
};

/// The round of which one worker draws tickets. All that it refers to outlives the round.
struct worker_round {
  const param_store& store;
  const round_plan& round;
  std::size_t slot;
  const chunk_plan& plan;
  const loop_options& options;
};

/// Decides who trains on which chunk when, for one worker in one round. The worker loop calls draw() for the next
/// ticket, finish() when it has been trained, and leaves when there is none or stopped() is true.
class ticket_source {
 public:
  ticket_source() = default;
  virtual ~ticket_source() = default;
  ticket_source(const ticket_source&) = delete;
  ticket_source& operator=(const ticket_source&) = delete;

  /// The next ticket; nothing when all are dealt out, or if the worker has to leave. May wait for other workers.
  virtual std::optional<ticket> draw() = 0;

  /// Called when the ticket that was drawn last has been trained.
  virtual void finish(race_probe&) {}

  /// The chunk of the ticket that comes `ahead` tickets after this one, unless another worker draws it; nothing if none
  /// is known.
  virtual std::optional<std::size_t> following(const ticket&, std::size_t /*ahead*/) const { return std::nullopt; }

  /// Whether to leave now, between two tickets.
  virtual bool stopped() const = 0;
};

}  // namespace hogwild
