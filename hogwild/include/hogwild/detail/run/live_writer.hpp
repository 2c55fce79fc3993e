// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <hogwild/detail/control/live_board.hpp>
#include <hogwild/detail/control/round_plan.hpp>
#include <hogwild/detail/memory/param_store.hpp>

namespace hogwild {

/// Tells readers in other processes how to interpret a store's parameters (live_board). Belongs to the coordinator.
/// Does nothing for a store that nobody may read.
class live_writer {
 public:
  explicit live_writer(const param_store& store) : store_(store), board_(store.live()) {}

  /// `rows_before`: rows that the run trained before the rows that slots count.
  void begin(std::uint64_t rows_before) {
    rows_before_ = rows_before;
    if (board_ != nullptr) board_->state = live_board::stage::training;
  }
  /// Called before a round is opened: publishes the scale, and how the rows of this process shrink it.
  void open(const round_plan& round) {
    if (board_ != nullptr) write(round, round.l2.scale, log_shrink_of(round.l2));
  }
  /// Called between rounds: stored weights have this scale.
  void stand(double scale) {
    if (board_ != nullptr) write(store_.control().round, scale, 0.0);
  }
  void end() {
    if (board_ != nullptr) board_->state = live_board::stage::ended;
  }

  /// Tells readers that stored values change their meaning, or are replaced, while it lives.
  class change {
   public:
    explicit change(const live_writer& live) : board_(live.board_) { turn(); }
    ~change() { turn(); }
    change(const change&) = delete;
    change& operator=(const change&) = delete;

   private:
    void turn() {
      if (board_ != nullptr) board_->meaning.fetch_add(1);
    }
    live_board* board_;
  };

 private:
  static double log_shrink_of(const scaled_l2& l2);
  void write(const round_plan& round, double scale, double log_shrink);

  const param_store& store_;
  live_board* board_;
  std::uint64_t rows_before_ = 0;
};

}  // namespace hogwild
