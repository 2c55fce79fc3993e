// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include <hogwild/detail/control/round_plan.hpp>
#include <hogwild/detail/control/telemetry.hpp>
#include <hogwild/detail/data/singleton_columns.hpp>
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/memory/param_view.hpp>
#include <hogwild/detail/sharing/exchange_hook.hpp>
#include <hogwild/detail/sharing/sharing_traits.hpp>
#include <hogwild/detail/worker/shard_source.hpp>

namespace hogwild {

/// A view that reads parameters and gathers adds in another array. Both arrays belong to one worker.
template <parameter T>
class gathering_view {
 public:
  using value_type = T;
  using update_type = update::lossy;

  /// `touched`, if not null, notes each parameter when its first gain is gathered.
  gathering_view(std::span<T> values, std::span<T> gains, touched_list* touched)
      : values_(values), gains_(gains), touched_(touched) {}

  std::size_t size() const { return values_.size(); }
  const gathering_view& reader() const { return *this; }
  T operator[](std::size_t j) const { return values_[j]; }
  block_reader<T> block(std::size_t offset, std::size_t n) const {
    const std::span<T> run = values_.subspan(offset, n);
    return {run.data(), n};
  }
  T load(std::size_t j) const { return values_[j]; }
  void add(std::size_t j, T delta) const {
    if (touched_ != nullptr && gains_[j] == T(0)) touched_->note(j);
    gains_[j] += delta;
  }
  T read_add(std::size_t j, T delta) const {
    add(j, delta);
    return values_[j];
  }
  void load_block(std::size_t offset, std::span<T> out) const { block(offset, out.size()).copy_to(out); }
  void add_block(std::size_t offset, std::span<const T> delta) const { add_scaled_block(offset, delta, T(1)); }
  void add_scaled_block(std::size_t offset, std::span<const T> run, T factor) const {
    if (touched_ == nullptr) {
      for (std::size_t i = 0; i < run.size(); ++i) gains_[offset + i] += factor * run[i];
      return;
    }
    for (std::size_t i = 0; i < run.size(); ++i) {
      if (run[i] != T(0)) add(offset + i, factor * run[i]);  // untouched parameters need no meeting
    }
  }
  void settle_adds() const {}

 private:
  std::span<T> values_, gains_;
  touched_list* touched_;
};

/// A rank of a synchronous engine. All of its rows see the parameters as they were at the last meeting. The rank has
/// its arrays to itself and gathers its rows' changes in a second array. After a fixed number of rows all ranks meet
/// (`hook`, which waits).
///
/// A rank that has no more rows goes on meeting the others until they have none, too.
template <parameter T>
class gathered_sharing {
 public:
  using scalar_type = T;
  using view_type = gathering_view<T>;
  static constexpr sharing_traits traits{.replicated = true, .whole_arrays = true, .gathers = true};

  /// `store` is the rank's, as param_store::replica_view gives it.
  gathered_sharing(const param_store& store, exchange_hook& hook) : store_(store), hook_(&hook) {}

  std::span<T> values() const { return store_.parameters<T>(); }
  std::span<T> gains() const { return store_.beside<T>(0); }
  /// Where to note parameters whose gains become nonzero; null: nowhere.
  touched_list* touched() const { return hook_->touched(); }
  view_type reader() const { return parameters(); }
  view_type parameters() const { return view_type(values(), gains(), touched()); }
  /// The rank's own arrays, for the receiver of the sums (set_sum_receiver).
  param_view<T> own_parameters() const { return param_view<T>(values()); }
  param_view<T> own_state(std::size_t k) const { return param_view<T>(store_.state<T>(k)); }
  const round_plan& round() const { return round_; }
  void set_sum_receiver(void* to, exchange_hook::sum_receiver by) const { hook_->set_sum_receiver(to, by); }
  void set_change_receiver(void* to, exchange_hook::change_receiver by) const { hook_->set_change_receiver(to, by); }

  void begin_round(const round_plan& round) {
    round_ = round;
    rows_ = 0;
  }
  std::size_t rows_to_exchange() const { return round_.exchange_rows - rows_; }
  void exchange(std::size_t rows, race_probe&) {
    rows_ += rows;
    if (rows_ < round_.exchange_rows) return;
    rows_ = 0;
    hook_->exchanged(0);
  }
  void end_round() const { hook_->ended(); }

  std::unique_ptr<ticket_source> tickets(const worker_round& at) const { return std::make_unique<shard_source>(at); }
  static constexpr bool changes_worker() { return false; }
  static constexpr bool moves_singletons() { return false; }
  void begin_chunk(column_range) const {}
  void end_chunk() const {}

 private:
  const param_store& store_;
  exchange_hook* hook_;
  round_plan round_{};
  std::size_t rows_ = 0;
};

}  // namespace hogwild
