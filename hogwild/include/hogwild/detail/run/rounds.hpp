// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/run/choose.hpp>
#include <hogwild/detail/run/engine_run.hpp>
#include <hogwild/detail/run/live_writer.hpp>
#include <hogwild/detail/run/worker_trial.hpp>
#include <hogwild/detail/task/training_task.hpp>
#include <hogwild/engines.hpp>

namespace hogwild {

/// No limit beyond the rule's number of rows between two exchanges.
inline constexpr std::uint64_t unlimited_rows = std::numeric_limits<std::uint64_t>::max();

/// Gives the round the next number, opens its tickets, and writes it where workers read it. Called while nobody trains.
void open_round(const param_store& store, const chunk_plan& plan, round_plan& round);
/// Marks every ticket of the open round as drawn and done, whoever has trained the rows. Called while nobody trains.
void close_round(const param_store& store, const chunk_plan& plan);

/// Throws worker_error if a worker has taken the coordinator for dead and ended the run for all.
void require_not_orphaned(const control_block& control);

/// While it lives, it forwards a stop request to the workers of a store, which leave within a few rows.
class stop_relay {
 public:
  stop_relay(const std::stop_token& stop, const param_store& store)
      : callback_(stop, [&store] {
          auto none = stop_request::none;  // an earlier reason to end the run is kept
          store.control().stop.compare_exchange_strong(none, stop_request::round);
        }) {}

 private:
  std::stop_callback<std::function<void()>> callback_;
};

/// Cuts epochs into rounds and has the workers train them: opens the tickets, repeats unfinished ones, and carries the
/// scale of the weights from gate to gate. Belongs to the coordinator.
class round_driver {
 public:
  /// All arguments outlive it; `plan` is that of the engine's run.
  round_driver(const training_task& task, const loop_plan& plan, engine_run& who)
      : task_(task), plan_(plan), engine_run_(who), live_(who.store()), exchange_(plan.options.exchange) {}

  live_writer& live() { return live_; }

  const loop_plan& plan() const { return plan_; }

  /// One pass over the data. Tickets of workers that died are drawn again until all are done. Throws worker_error if
  /// three workers die on one chunk, or workers finish nothing any more. Returns early when the run was asked to stop.
  /// The step begins at `step` and moves towards `step_end` with the rows of the epoch.
  void train_epoch(std::size_t epoch, double step, double step_end);
  void train_epoch(std::size_t epoch, double step) { train_epoch(epoch, step, step); }

  /// Called after each of the `rounds` into which epochs are cut; returns whether the epoch goes on. `round` counts
  /// from 1, `step` is the one at its end, and `rows` were drawn in the epoch so far. Called while nobody trains, by
  /// all ranks.
  using round_question = std::function<bool(std::uint32_t round, double step, double rows)>;
  /// Holds for all later epochs; `rounds` is at least 1.
  void cut_epochs(std::uint32_t rounds, round_question goes_on) { rounds_ = rounds, goes_on_ = std::move(goes_on); }

  /// From now on as many workers train as the trial says, which is told of each round that they finish.
  void try_workers(worker_trial trial) { trial_ = std::move(trial); }
  const std::optional<worker_trial>& trial() const { return trial_; }

  double scale() const { return scale_; }  ///< w = scale * v
  /// Rows between two exchanges of replicas at this step; 0 if there are no exchanges.
  std::uint32_t exchanged_after(double step) const;
  /// Called after an epoch in which summed gains overshot: from now on replicas exchange twice as often, and half as
  /// much of the gains of virtual workers is added, down to their mean. Returns what was done, as the end of a
  /// sentence; nothing if it cannot be reduced further.
  std::optional<std::string> damp_updates(double step);
  void resume_at(double scale) {
    scale_ = scale;
    live_.stand(scale);
  }
  double gain_weight() const { return exchange_.gain_weight; }  ///< the weight with which the workers' gains are added
  /// The fraction of a row's changes that a round that begins now keeps; its l2 and l1 are reduced to match.
  double kept_gain_weight() const;
  void resume_gain_weight(double gain_weight) { exchange_.gain_weight = gain_weight; }
  /// The most rows between two exchanges, as damp_updates() has limited them; at least 1.
  std::uint64_t longest_exchange() const { return longest_exchange_; }
  void resume_exchange(std::uint64_t longest) {
    longest_exchange_ = std::max<std::uint64_t>(longest, 1);
    exchange_.rows = std::min(exchange_.rows, longest_exchange_);
  }

  /// How often replicas exchange, and with which weight their gains are added.
  struct pace {
    exchange_options exchange;
    std::uint64_t longest;
  };
  pace current_pace() const { return {exchange_, longest_exchange_}; }
  void resume_pace(const pace& p) { exchange_ = p.exchange, longest_exchange_ = p.longest; }

 private:
  double gain_weight_now() const;
  std::size_t exchanging_workers() const;
  void run(round_plan round);
  void run_in_turns(round_plan round);
  bool reproducible() const { return plan_.options.sharing == access_kind::deterministic; }
  std::size_t collect_unfinished(const round_plan& round);
  double drawn_rows(const round_plan& round) const;
  double rows_before(const round_plan& round) const;
  /// If other processes take part, all ranks finish a round even when it is to stop.
  bool stopping() const { return plan_.options.all_rows == 0 && engine_run_.store().control().stopping(); }

  const training_task& task_;
  const loop_plan& plan_;
  engine_run& engine_run_;
  live_writer live_;
  exchange_options exchange_;
  std::uint64_t longest_exchange_ = unlimited_rows;
  double scale_ = 1.0;
  std::uint32_t first_of_part_ = 0;
  std::uint32_t rounds_ = 1;
  round_question goes_on_{};
  std::optional<worker_trial> trial_{};
};

}  // namespace hogwild
