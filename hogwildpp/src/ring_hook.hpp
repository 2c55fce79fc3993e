// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/memory/param_view.hpp>
#include <hogwild/detail/sharing/exchange_hook.hpp>
#include <hogwild/detail/sharing/ruler.hpp>
#include <hogwild/detail/worker/loop_options.hpp>
#include <hogwild/detail/worker/row_state.hpp>
#include <hogwild/model.hpp>
#include <hogwildpp/detail/exchange_rule.hpp>

#include "ring_turn.hpp"

namespace hogwild::detail {

/// The exchange hook of a worker on a ring that shares its replica with others, or whose replica exchanges with other
/// replicas rather than with the common model. When the token names its replica, the replica exchanges a prefix of the
/// columns, by the marks of a ruler, and the token goes on. All changes are increments, so that concurrent adds of the
/// replica's other workers are kept. A holder whose token was taken over notices after at most one block of parameters.
template <parameter T, class Update>
class ring_hook final : public exchange_hook {
 public:
  ring_hook(const param_store& store, std::size_t slot, const exchange_options& ring,
            std::vector<parameter_group> groups)
      : me_(store.slots()[slot]),
        ring_(ring),
        turn_(store, slot, ring, max_polls),
        weights_(released_weights_of(ring.replicas)),
        state_groups_(groups_of_array(store.shape(), 1, groups)),
        groups_(std::move(groups)),
        // Above 1 a gain would come back from the next replica larger than it went out.
        step_(static_cast<T>(std::min(store.control().round.step, 1.0))),
        // The tolerance applies to weights, which are `scale` times the stored values.
        tolerance_(static_cast<T>(ring.released.tolerance / store.control().round.l2.scale)) {
    for (const parameter_group& g : groups_) widest_ = std::max(widest_, g.width);
    for (std::size_t k = 0; k <= store.shape().state_arrays; ++k) {
      common_.emplace_back(k == 0 ? store.parameters<T>() : store.state<T>(k - 1));
      seen_last_.emplace_back(store.replica_view(turn_.replica()).template beside<T>(k));
    }
    for (std::size_t v = 0; v < ring.replicas; ++v) {
      const param_store replica = store.replica_view(v);
      for (std::size_t k = 0; k < common_.size(); ++k)
        replicas_.emplace_back(k == 0 ? replica.parameters<T>() : replica.state<T>(k - 1));
    }
  }

  void exchanged(std::size_t) override {
    // Under `deltas` the common model takes gains even if nobody else has news; a successor would only pull this
    // replica back.
    if (!turn_.take(ring_.rule == ring_rule::deltas)) return;
    // The released rule is not symmetric; out of turn it would pull this replica back.
    if (turn_.out_of_turn() && ring_.rule == ring_rule::released) return turn_.pass(false);
    // One lap of the token is one turn of the ruler, so that all replicas exchange the same columns in it.
    const std::size_t prefix = ruler_prefix(turn_.generation() / ring_.replicas + 1, widest_);
    for (std::size_t k = 0; k < common_.size(); ++k) {
      for (const parameter_group& g : k == 0 ? groups_ : state_groups_) {
        const bool whole = !g.hot_first || ring_.released.dense != 0;
        const std::size_t end = g.offset + (whole ? g.rows : std::min(g.rows, prefix)) * g.width;
        for (std::size_t j = g.offset; j < end; j += block) {
          if (!me_.counts() || !turn_.is_held()) return;
          meet(k, j, std::min(block, end - j));
        }
      }
    }
    turn_.pass(true);
  }

 private:
  using view = param_view<T, Update>;
  static constexpr std::size_t block = 256, line = 16;

  /// The number of periods between exchanges for which a worker tolerates a token that does not move: the replica that
  /// it names should have taken it within one, and a holder makes progress block by block.
  static constexpr std::size_t max_polls = 1;

  /// Exchanges a block of array `k`: 0 are the parameters, state follows. Optimisers' sums are summed under every rule.
  void meet(std::size_t k, std::size_t first, std::size_t n) {
    const bool summed = k > 0 || ring_.rule == ring_rule::deltas;
    const view own = of_replica(turn_.replica(), k), other = summed ? common_[k] : of_replica(turn_.successor(), k);
    const view base = seen_last_[k];
    const ring_block<T> read{{own_.data(), n}, {other_.data(), n}, {base_.data(), n}};
    const ring_increments<T> add{{to_own_.data(), n}, {to_other_.data(), n}, {to_base_.data(), n}};
    own.load_block(first, {own_.data(), n});
    other.load_block(first, {other_.data(), n});
    const bool remembers = summed || ring_.rule == ring_rule::released;
    if (remembers) base.load_block(first, {base_.data(), n});
    if (summed)
      mix_deltas<T>(read, T(1), add);
    else if (ring_.rule == ring_rule::released)
      mix_released<T>(read, weights_, step_, tolerance_, add);
    else
      mix_average<T>(read, add);
    // A worker that dies in between has taken over a few coordinates without recording it, and they are sent again.
    for (std::size_t i = 0; i < n; i += line) {
      const std::size_t m = std::min(line, n - i);
      add_where_changed(own, first + i, add.own.subspan(i, m));
      add_where_changed(other, first + i, add.other.subspan(i, m));
      if (remembers) add_where_changed(base, first + i, add.base.subspan(i, m));
    }
    me_.ring_bytes.raise(2 * n * sizeof(T));
  }

  /// A line without news stays where it is; a lossy add of zeros might even undo a concurrent store.
  static void add_where_changed(const view& to, std::size_t first, std::span<const T> delta) {
    const auto something = [](T x) { return x != T(0); };
    if (std::ranges::any_of(delta, something)) to.add_block(first, delta);
  }

  view of_replica(std::size_t v, std::size_t k) const { return replicas_[v * common_.size() + k]; }

  worker_slot& me_;
  const exchange_options& ring_;
  ring_turn turn_;
  released_weights weights_;
  std::vector<parameter_group> state_groups_, groups_;
  T step_, tolerance_;
  std::vector<view> common_, seen_last_, replicas_;  ///< by array; replicas one after the other
  std::size_t widest_ = 1;
  std::array<T, block> own_, other_, base_, to_own_, to_other_, to_base_;
};

/// The exchange hook of a worker on a ring that has its replica to itself, under the rule `deltas`: under buffered
/// sharing the worker's array is the replica, so that its exchanges with the common model are the ring's. Workers take
/// turns by the token, which is passed on after at most half a period.
class own_replica_hook final : public exchange_hook {
 public:
  own_replica_hook(const param_store& store, std::size_t slot, const exchange_options& ring)
      : me_(store.slots()[slot]), turn_(store, slot, ring, polls_per_period / 2) {}

  bool may_exchange() override { return turn_.take(true); }
  void exchanged(std::size_t bytes) override {
    me_.ring_bytes.raise(bytes);
    turn_.pass(true);
  }

 private:
  worker_slot& me_;
  ring_turn turn_;
};

}  // namespace hogwild::detail
