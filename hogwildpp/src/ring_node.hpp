// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <hogwild/core/control/ring_token.hpp>
#include <hogwild/core/model.hpp>
#include <hogwild/core/param_store.hpp>
#include <hogwild/core/param_view.hpp>
#include <hogwild/core/placement.hpp>
#include <hogwild/loop_options.hpp>
#include <hogwild/sharing/neighbours.hpp>
#include <hogwild/sharing/ruler.hpp>
#include <hogwildpp/exchange_rule.hpp>

namespace hogwild::detail {

/// Which replica of the ring the worker in `slot` trains: consecutive workers share one; late joiners take turns.
inline std::size_t replica_of(std::size_t slot, const exchange_options& ring) {
  return replica_of_slot(slot, ring.workers, ring.replicas);
}

/// One worker's hand on the ring: when the token names its replica, the replica exchanges a prefix of the ranks, by the
/// marks of a ruler, and the token goes on. All in increments, so that what the replica's other workers add meanwhile
/// is kept.
///
/// Replicas that have not trained a row since this worker looked last (stopped, dead, through with their rows, or put
/// aside by the system) are passed over. A worker that sees the token stand still elsewhere from one of its exchanges
/// to the next, or waits for as many as there are replicas because others are much faster, takes it over. The
/// holder that was passed over notices after at most one block of parameters.
template <parameter T, class Update>
class ring_node final : public neighbours {
 public:
  ring_node(const param_store& store, std::size_t slot, const exchange_options& ring,
            std::vector<parameter_group> groups)
      : store_(store),
        me_(store.slots()[slot]),
        ring_(ring),
        weights_(released_weights_of(ring.replicas)),
        groups_(std::move(groups)),
        replica_(replica_of(slot, ring)),
        // Above 1 a gain would come back from the next replica larger than it went out.
        step_(static_cast<T>(std::min(store.control().round.step, 1.0))),
        tolerance_(static_cast<T>(released_tolerance / store.control().round.l2.scale)) {
    for (const parameter_group& g : groups_) widest_ = std::max(widest_, g.width);
    for (std::size_t k = 0; k <= store.shape().state_arrays; ++k) {
      common_.emplace_back(k == 0 ? store.parameters<T>() : store.state<T>(k - 1));
      seen_last_.emplace_back(store.ring_replica(replica_).template beside<T>(k));
    }
    members_.resize(ring.replicas);
    for (std::size_t s = 0; s < store.slots().size(); ++s) members_[replica_of(s, ring)].push_back(&store.slots()[s]);
    for (std::size_t v = 0; v < ring.replicas; ++v) {
      rows_seen_.push_back(rows_of(v));
      const param_store replica = store.ring_replica(v);
      for (std::size_t k = 0; k < common_.size(); ++k)
        replicas_.emplace_back(k == 0 ? replica.parameters<T>() : replica.state<T>(k - 1));
    }
  }

  void exchanged() override {
    ring_token& token = store_.control().token;
    const auto seen = token.look();
    const bool mine = token.names(seen, replica_);
    if (!mine) me_.ring_waits.raise(1);
    if (!mine && !overdue(seen)) return;
    const auto next = next_that_moved();
    // The common model takes what there is though nobody else has news; a successor would only draw this replica back.
    if (!next && ring_.rule != ring_rule::deltas) return;
    const auto held = mine ? token.claim(seen) : token.take_over(seen, replica_);
    if (!held) return;
    if (!mine) me_.ring_taken_over.raise(1);
    waited_ = 0;
    if (next) rows_seen_[next->replica] = next->rows;
    successor_ = next ? next->replica : replica_;
    // The released rule pulls to one side; out of turn it would draw this replica back.
    if (!mine && ring_.rule == ring_rule::released) {
      token.pass(*held, successor_);
      return;
    }
    const auto begin = std::chrono::steady_clock::now();
    // One round of the token is one turn of the ruler, so that all replicas exchange the same ranks in it.
    const std::size_t prefix = ruler_prefix(token.generation(*held) / ring_.replicas + 1, widest_);
    for (const parameter_group& g : groups_) {
      const std::size_t end = g.offset + (g.hot_first ? std::min(g.rows, prefix) : g.rows) * g.width;
      for (std::size_t j = g.offset; j < end; j += block) {
        if (!me_.counts() || !token.is_still(*held)) return;
        for (std::size_t k = 0; k < common_.size(); ++k) meet(k, j, std::min(block, end - j));
      }
    }
    token.pass(*held, successor_);
    me_.ring_exchanges.raise(1);
    me_.ring_held_ns.raise(static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin).count()));
  }

 private:
  using view = param_view<T, Update>;
  static constexpr std::size_t block = 256, line = 16;
  /// What the released program calls tol, as its scripts set it: of weights, which are `scale` times what is stored.
  static constexpr double released_tolerance = 1e-2;

  /// Periods between two of its exchanges for which a worker lets the token stand still: whom it names should have
  /// taken it up in one, and whoever has it in hand gets on block by block.
  static constexpr std::size_t patience = 1;

  bool overdue(ring_token::seen now) {
    const std::uint64_t turns = turns_of(replica_);
    waited_ = turns == last_turns_ ? waited_ + 1 : 0;  // another worker of this replica may have had it
    last_turns_ = turns;
    const std::uint64_t bytes = bytes_of(ring_token::replica(now));
    stood_still_ = now == last_seen_ && bytes == last_bytes_ ? stood_still_ + 1 : 0;
    last_seen_ = now;
    last_bytes_ = bytes;
    return stood_still_ >= patience || (waited_ >= patience * ring_.replicas && !ring_token::in_hand(now));
  }

  std::uint64_t rows_of(std::size_t v) const {
    std::uint64_t rows = 0;
    for (const worker_slot* member : members_[v]) rows += member->rows.get();
    return rows;
  }
  std::uint64_t turns_of(std::size_t v) const {
    std::uint64_t turns = 0;
    for (const worker_slot* member : members_[v]) turns += member->ring_exchanges.get();
    return turns;
  }
  /// Rises while a worker of the replica has the token in hand and gets on.
  std::uint64_t bytes_of(std::size_t v) const {
    std::uint64_t bytes = 0;
    for (const worker_slot* member : members_[v]) bytes += member->ring_bytes.get();
    return bytes;
  }

  /// The next replica on the ring that has trained since this worker looked at it last.
  struct moved {
    std::size_t replica;
    std::uint64_t rows;
  };
  std::optional<moved> next_that_moved() const {
    for (std::size_t i = 1; i < ring_.replicas; ++i) {
      const std::size_t v = (replica_ + i) % ring_.replicas;
      const std::uint64_t rows = rows_of(v);
      if (rows != rows_seen_[v]) return moved{v, rows};
    }
    return std::nullopt;
  }

  /// A block of array `k`: 0 are the parameters, state follows. What optimisers sum up is summed under every rule.
  void meet(std::size_t k, std::size_t first, std::size_t n) {
    const bool summed = k > 0 || ring_.rule == ring_rule::deltas;
    const view own = of_replica(replica_, k), other = summed ? common_[k] : of_replica(successor_, k);
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
    // Whoever dies in between has taken over a few coordinates without remembering it, and somebody sends them again.
    for (std::size_t i = 0; i < n; i += line) {
      const std::size_t m = std::min(line, n - i);
      add_where_changed(own, first + i, add.own.subspan(i, m));
      add_where_changed(other, first + i, add.other.subspan(i, m));
      if (remembers) add_where_changed(base, first + i, add.base.subspan(i, m));
    }
    me_.ring_bytes.raise(2 * n * sizeof(T));
  }

  /// A line without news stays where it is; and a lossy add of nothing might undo what is stored there meanwhile.
  static void add_where_changed(const view& to, std::size_t first, std::span<const T> delta) {
    const auto something = [](T x) { return x != T(0); };
    if (std::ranges::any_of(delta, something)) to.add_block(first, delta);
  }

  view of_replica(std::size_t v, std::size_t k) const { return replicas_[v * common_.size() + k]; }

  const param_store& store_;
  worker_slot& me_;
  const exchange_options& ring_;
  released_weights weights_;
  std::vector<parameter_group> groups_;
  std::size_t replica_, successor_ = 0;
  std::vector<std::vector<const worker_slot*>> members_;  ///< of each replica
  std::vector<std::uint64_t> rows_seen_;                  ///< of each replica, when last looked at
  T step_, tolerance_;
  std::vector<view> common_, seen_last_, replicas_;  ///< array by array; replicas one after the other
  std::size_t widest_ = 1, stood_still_ = 0, waited_ = 0;
  std::optional<ring_token::seen> last_seen_{};
  std::uint64_t last_bytes_ = 0, last_turns_ = 0;
  std::array<T, block> own_, other_, base_, to_own_, to_other_, to_base_;
};

}  // namespace hogwild::detail
