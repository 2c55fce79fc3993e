// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cmath>
#include <cstdint>

#include <hogwild/detail/control/std_atomics.hpp>

namespace hogwild {

/// Lets readers in other processes turn stored values v into weights: w = a * v. The coordinator writes a few words at
/// each gate. Readers may come and go, and be stopped or killed at any instant; they write nothing.
///
/// Two words count the coordinator's changes, and are odd during a change. `meaning` is odd while stored values change
/// other than by training: a is multiplied into them, or they are put aside. Parameters that were read with the same
/// even `meaning` before and after belong to the a that was published then. `turn` guards the words of the round.
struct live_board {
  /// The state of the run.
  enum class stage : std::uint32_t { preparing, training, ended };
  /// The open round, or the results of the last one.
  struct round {
    std::uint64_t epoch = 0, number = 0;
    std::uint64_t rows = 0;     ///< rows of the run before those that the slots count
    std::uint64_t counted = 0;  ///< the slots' rows when `scale` was published
    double scale = 1.0;         ///< a at that time
    double log_shrink = 0.0;    ///< log of the factor by which each further row multiplies a

    double scale_at(std::uint64_t rows_of_slots) const {
      const auto since = static_cast<double>(rows_of_slots > counted ? rows_of_slots - counted : 0);
      return scale * std::exp(log_shrink * since);
    }
  };

  std::atomic<stage> state;
  std::atomic<std::uint32_t> meaning, turn;
  std::atomic<std::uint64_t> epoch, number, rows, counted;
  std::atomic<double> scale, log_shrink;

  void write(const round& r) noexcept {
    turn.fetch_add(1);
    epoch = r.epoch, number = r.number, rows = r.rows, counted = r.counted;
    scale = r.scale, log_shrink = r.log_shrink;
    turn.fetch_add(1);
  }
  /// Called by a reader; false if the coordinator wrote meanwhile.
  bool read(round& r) const noexcept {
    const std::uint32_t before = turn.load();
    r = {epoch.load(), number.load(), rows.load(), counted.load(), scale.load(), log_shrink.load()};
    return before % 2 == 0 && turn.load() == before;
  }
};
static_assert(std::atomic<double>::is_always_lock_free && sizeof(live_board) == 64);

}  // namespace hogwild
