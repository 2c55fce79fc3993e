// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <hogwild/detail/math/regularizer.hpp>

namespace hogwild {

/// The plan of a round, what all workers do between two gates: a whole epoch, a part of it, or once more the tickets
/// that dead workers left unfinished. The coordinator writes it while the gate is closed; workers only read it.
struct round_plan {
  static constexpr std::uint32_t no_slot = 0xffffffffu;

  std::uint64_t pass = 0;    ///< seeds the order of this epoch
  std::uint32_t epoch = 0;   ///< from 1
  std::uint32_t number = 0;  ///< number of the round in the run, from 1: marks tickets as done
  double step = 0.0;         ///< step size at the beginning of the epoch
  double step_end = 0.0;     ///< and at its end: a schedule may fall inside an epoch
  scaled_l2 l2{};            ///< a and how it shrinks
  std::uint32_t part = 0;    ///< this round is part `part` of `parts` of every shard's tickets
  std::uint32_t parts = 1;
  std::uint32_t redo = 0;             ///< 0, or the number of entries of the redo list, which this round draws instead
  std::uint32_t shards = 1;           ///< counters to draw from
  std::uint32_t exchange_rows = 0;    ///< a replica's rows between two exchanges; 0: only at the end of the round
  float gain_weight = 1.0f;           ///< factor of a replica's gains when sent: 1, or 1 / workers for their mean
  std::uint32_t first_phase = 0;      ///< reproducible rounds: the turn board's phase when this round was opened
  std::uint32_t only_slot = no_slot;  ///< the one worker that takes part, if only one does
  std::uint32_t workers = 1;          ///< expected number of workers: a hint for dividing the work
  float state_gain_weight = 1.0f;     ///< the same for the optimiser's state
  std::uint32_t end_slot = no_slot;   ///< workers in slots from this one on take no part

  /// The step after this fraction of the epoch's rows.
  double step_at(double rows) const { return step + (step_end - step) * (rows < 1.0 ? rows : 1.0); }
};

}  // namespace hogwild
