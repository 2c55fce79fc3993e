// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <hogwild/detail/optimization/regularizer.hpp>

namespace hogwild {

/// What all workers do between two gates: the whole of an epoch, a part of it, or once more the tickets that dead
/// workers left unfinished. The coordinator writes it while the gate is closed; workers only read it.
struct round_plan {
  static constexpr std::uint32_t no_slot = 0xffffffffu;

  std::uint64_t pass = 0;    ///< seeds the order of this epoch
  std::uint32_t epoch = 0;   ///< from 1
  std::uint32_t number = 0;  ///< which round of the run, from 1: marks tickets as done
  double step = 0.0;         ///< step size where the epoch begins
  double step_end = 0.0;     ///< and where it ends: a schedule may fall inside an epoch
  scaled_l2 l2{};            ///< a and how it shrinks
  std::uint32_t part = 0;    ///< this round is part `part` of `parts` of every shard's tickets
  std::uint32_t parts = 1;
  std::uint32_t redo = 0;             ///< 0, or how many entries of the redo list this round draws instead
  std::uint32_t shards = 1;           ///< counters to draw from
  std::uint32_t exchange_rows = 0;    ///< a replica's rows between two exchanges; 0: at the end of the round only
  float gain_weight = 1.0f;           ///< what of a replica's gains is sent: 1, or 1 / workers for their mean
  std::uint32_t first_phase = 0;      ///< reproducible rounds: where the turn board stood when this one was opened
  std::uint32_t only_slot = no_slot;  ///< whose round this is, where one worker alone takes part
  std::uint32_t workers = 1;          ///< workers that are expected: a hint for who takes what
  float state_gain_weight = 1.0f;     ///< the same of what an optimiser remembers
  std::uint32_t reserved = 0;

  /// The step after such a fraction of the epoch's rows.
  double step_at(double rows) const { return step + (step_end - step) * (rows < 1.0 ? rows : 1.0); }
};

}  // namespace hogwild
