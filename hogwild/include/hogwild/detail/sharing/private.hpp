// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <hogwild/detail/control/round_plan.hpp>
#include <hogwild/detail/control/telemetry.hpp>
#include <hogwild/detail/control/worker_slot.hpp>
#include <hogwild/detail/data/singleton_columns.hpp>
#include <hogwild/detail/memory/param_view.hpp>
#include <hogwild/detail/sharing/sharing_traits.hpp>
#include <hogwild/detail/worker/loop_options.hpp>
#include <hogwild/detail/worker/shard_source.hpp>
#include <hogwild/detail/worker/ticket_source.hpp>
#include <hogwild/model.hpp>

namespace hogwild {

struct worker_context;

/// A run of parameters, the same in every array of the optimiser's state.
struct parameter_run {
  std::size_t first, count;
};

/// Calls visit(first, size) for the blocks of the run of `n` parameters from `offset` on, and after each reports
/// progress of the worker `me`: copying or merging a large model takes seconds in which no row is trained. Every loop
/// of a worker over a run of parameters goes through here. Called by the slot's owner.
template <class Visit>
void in_blocks(worker_slot& me, std::size_t offset, std::size_t n, const Visit& visit) {
  constexpr std::size_t block = std::size_t{1} << 14;  // microseconds of work
  for (std::size_t done = 0; done < n; done += block) {
    visit(offset + done, std::min(block, n - done));
    me.blocks.raise(1);
  }
}

/// The arrays on which one worker trains while nobody else writes them. How it exchanges with others depends on the
/// class: as a replica of the shared arrays, as a virtual worker of a reproducible run, as a rank of a synchronous
/// engine, or not at all, if it is the only worker. Belongs to one worker.
template <parameter T>
class private_arrays {
 public:
  virtual ~private_arrays() = default;
  private_arrays(const private_arrays&) = delete;
  private_arrays& operator=(const private_arrays&) = delete;

  /// The parameters (k = 0) as they are stored (half_parameters.hpp), or array k - 1 of the optimiser's state.
  std::span<T> values(std::size_t k) const { return values_[k]; }
  /// How many arrays there are.
  std::size_t count() const { return values_.size(); }

  virtual void begin_round(const round_plan& round) = 0;

  /// What the worker draws its tickets from in this round.
  virtual std::unique_ptr<ticket_source> tickets(const worker_round& at) { return std::make_unique<shard_source>(at); }
  /// Whether another worker may go on with these arrays after each chunk.
  virtual bool changes_worker() const { return false; }

  /// Whether singleton columns are loaded here before their chunk and stored after it.
  virtual bool moves_singletons() const { return false; }
  /// Called before and after training the rows that alone have the columns `singletons`.
  virtual void begin_chunk(column_range) {}
  virtual void end_chunk() const {}

  std::size_t rows_to_exchange() const { return period_ == 0 ? static_cast<std::size_t>(-1) : period_ - rows_; }

  /// The parts of each array that the next exchange within the round may read and write. By default the whole arrays.
  virtual std::vector<parameter_run> due() const {
    if (values_.empty()) return {};
    return {{0, values_[0].size()}};
  }

  /// Called after `rows` more rows: exchanges if it is time.
  void exchange(std::size_t rows, race_probe& probe) {
    if (unsent_ != nullptr) unsent_->unsent.raise(rows);
    rows_ += rows;
    if (period_ != 0 && rows_ >= period_) exchange_now(probe);
  }

  virtual void end_round() {}

 protected:
  /// `unsent`: the slot that counts the rows whose changes the others do not have yet; null: there are no such rows.
  explicit private_arrays(worker_slot* unsent) : unsent_(unsent) {}

  /// Called when the period is over; lowers rows_. Not called if there is no period.
  virtual void exchange_now(race_probe&) {}

  std::vector<std::span<T>> values_;
  std::size_t period_ = 0;  ///< rows between two exchanges; 0: none within a round
  std::size_t rows_ = 0;    ///< since the last one

 private:
  worker_slot* unsent_;
};

/// The arrays of a worker whose sharing is alone, averaged, buffered or deterministic (access_kind). `first_singleton`
/// as in replica. The context outlives them.
template <parameter T>
std::unique_ptr<private_arrays<T>> private_arrays_of(access_kind kind, const worker_context& at,
                                                     const std::vector<parameter_group>& groups,
                                                     std::size_t first_singleton);

extern template std::unique_ptr<private_arrays<float>> private_arrays_of(access_kind, const worker_context&,
                                                                         const std::vector<parameter_group>&,
                                                                         std::size_t);
extern template std::unique_ptr<private_arrays<double>> private_arrays_of(access_kind, const worker_context&,
                                                                          const std::vector<parameter_group>&,
                                                                          std::size_t);

/// A worker reads and writes arrays of its own. No cache line is shared between two exchanges, so the inner loop may be
/// as wide as the machine. The loop is the same however the arrays are exchanged, and if they are not.
template <parameter T>
class private_sharing {
 public:
  using scalar_type = T;
  using view_type = param_view<T>;
  static constexpr sharing_traits traits{.replicated = true, .whole_arrays = true, .has_state = true};

  /// `arrays` outlive this.
  explicit private_sharing(private_arrays<T>& arrays) : arrays_(&arrays) {}

  std::span<T> values() const { return arrays_->values(0); }
  /// Array k of the optimiser's state; empty if there is none.
  std::span<T> state_values(std::size_t k = 0) const {
    return arrays_->count() > k + 1 ? arrays_->values(k + 1) : std::span<T>();
  }
  param_reader<T> reader() const { return parameters().reader(); }
  view_type parameters() const { return view_type(values()); }
  view_type state(std::size_t k) const { return view_type(arrays_->values(k + 1)); }

  void begin_round(const round_plan& round) { arrays_->begin_round(round); }
  std::size_t rows_to_exchange() const { return arrays_->rows_to_exchange(); }
  void exchange(std::size_t rows, race_probe& probe) { arrays_->exchange(rows, probe); }
  void end_round() { arrays_->end_round(); }
  std::unique_ptr<ticket_source> tickets(const worker_round& at) { return arrays_->tickets(at); }
  bool changes_worker() const { return arrays_->changes_worker(); }
  bool moves_singletons() const { return arrays_->moves_singletons(); }
  void begin_chunk(column_range singletons) { arrays_->begin_chunk(singletons); }
  void end_chunk() const { arrays_->end_chunk(); }

 private:
  private_arrays<T>* arrays_;
};

}  // namespace hogwild
