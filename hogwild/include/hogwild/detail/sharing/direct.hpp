// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include <hogwild/detail/control/telemetry.hpp>
#include <hogwild/detail/data/singleton_columns.hpp>
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/memory/param_view.hpp>
#include <hogwild/detail/platform/thread_sanitizer.hpp>
#include <hogwild/detail/sharing/sharing_traits.hpp>
#include <hogwild/detail/worker/shard_source.hpp>

namespace hogwild {

/// All workers read and write the one shared array, an update a step: Hogwild! as published.
///
/// A sharing policy says where a worker's reads and adds go. The worker loop calls begin_round() before a round's first
/// row, exchange(rows) after each batch of rows, and end_round() when the worker draws no more tickets. tickets() makes
/// what the worker draws from. changes_worker(): whether another worker may go on with its arrays after each chunk. If
/// moves_singletons(), begin_chunk() and end_chunk() are called before and after the rows that alone have the columns
/// `singletons`.
template <parameter T, class Update>
class direct_sharing {
 public:
  using scalar_type = T;
  using view_type = param_view<T, Update>;
  static constexpr sharing_traits traits{.has_state = true, .races = Update::kind == update_kind::lossy};

  direct_sharing(const param_store& store, std::size_t slot) : store_(store), update_(policy(store, slot)) {}

  param_reader<T> reader() const { return parameters().reader(); }
  view_type parameters() const { return view_type(store_.parameters<T>(), update_); }
  view_type state(std::size_t k) const { return view_type(store_.state<T>(k), update_); }

  void begin_round(const round_plan&) const {}
  std::size_t rows_to_exchange() const { return static_cast<std::size_t>(-1); }
  void exchange(std::size_t, race_probe&) const {}  // every change is visible to the others already
  void end_round() const {}

  std::unique_ptr<ticket_source> tickets(const worker_round& at) const { return std::make_unique<shard_source>(at); }
  static constexpr bool changes_worker() { return false; }
  static constexpr bool moves_singletons() { return false; }
  void begin_chunk(column_range) const {}
  void end_chunk() const {}

 private:
  static Update policy(const param_store& store, std::size_t slot) {
    if constexpr (Update::kind == update_kind::locked) return {store.locks(slot)};
    return {};
  }

  const param_store& store_;
  Update update_;
};

/// Whether kernels may train on arrays that others write. They read and write whole vectors at a time, as all dense
/// exchanges do (param_view.hpp), which ThreadSanitizer cannot follow.
#if defined(HOGWILD_THREAD_SANITIZER)
inline constexpr bool kernels_may_race = false;
#else
inline constexpr bool kernels_may_race = true;
#endif

/// The shared arrays, handed out whole.
class whole_array : public direct_sharing<float, update::lossy> {
 public:
  static constexpr sharing_traits traits{.whole_arrays = true, .has_state = true, .races = true};

  whole_array(const param_store& store, std::size_t slot)
      : direct_sharing<float, update::lossy>(store, slot), values_(store.parameters<float>()) {
    if (store.shape().state_arrays > 0) state_ = store.state<float>(0);
  }
  std::span<float> values() const { return values_; }
  std::span<float> state_values() const { return state_; }

 private:
  std::span<float> values_, state_;
};

}  // namespace hogwild
