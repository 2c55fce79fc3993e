// SPDX-License-Identifier: Apache-2.0
#include "ring_turn.hpp"

namespace hogwild::detail {

ring_turn::ring_turn(const param_store& store, std::size_t slot, const exchange_options& ring, std::size_t max_polls)
    : store_(store),
      me_(store.slots()[slot]),
      ring_(ring),
      replica_(replica_of(slot, ring)),
      successor_(replica_),
      max_polls_(max_polls),
      members_(ring.replicas) {
  for (std::size_t s = 0; s < store.slots().size(); ++s) members_[replica_of(s, ring)].push_back(&store.slots()[s]);
  for (std::size_t v = 0; v < ring.replicas; ++v) rows_seen_.push_back(sum_of(v, &worker_slot::rows));
}

bool ring_turn::take(bool news) {
  ring_token& token = store_.control().token;
  const auto seen = token.look();
  const bool mine = token.names(seen, replica_);
  if (!mine) me_.ring_waits.raise(1);
  if (!mine && !overdue(seen)) return false;
  const auto next = next_that_moved();
  if (!next && !news) return false;
  const auto held = mine ? token.claim(seen) : token.take_over(seen, replica_);
  if (!held) return false;
  if (!mine) me_.ring_taken_over.raise(1);
  waited_ = 0;
  if (next) rows_seen_[next->replica] = next->rows;
  successor_ = next ? next->replica : replica_;
  held_ = *held;
  out_of_turn_ = !mine;
  begin_ = std::chrono::steady_clock::now();
  return true;
}

void ring_turn::pass(bool exchanged) {
  store_.control().token.pass(held_, successor_);
  if (!exchanged) return;
  me_.ring_exchanges.raise(1);
  const auto took = std::chrono::steady_clock::now() - begin_;
  me_.ring_held_ns.raise(
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(took).count()));
}

bool ring_turn::overdue(ring_token::seen now) {
  const std::uint64_t turns = sum_of(replica_, &worker_slot::ring_exchanges);
  waited_ = turns == last_turns_ ? waited_ + 1 : 0;  // another worker of this replica may have had it
  last_turns_ = turns;
  // The byte count rises while the holder makes progress.
  const std::uint64_t bytes = sum_of(ring_token::replica(now), &worker_slot::ring_bytes);
  stood_still_ = now == last_seen_ && bytes == last_bytes_ ? stood_still_ + 1 : 0;
  last_seen_ = now;
  last_bytes_ = bytes;
  return stood_still_ >= max_polls_ || (waited_ >= max_polls_ * ring_.replicas && !ring_token::in_hand(now));
}

std::optional<ring_turn::moved> ring_turn::next_that_moved() const {
  for (std::size_t i = 1; i < ring_.replicas; ++i) {
    const std::size_t v = (replica_ + i) % ring_.replicas;
    const std::uint64_t rows = sum_of(v, &worker_slot::rows);
    if (rows != rows_seen_[v]) return moved{v, rows};
  }
  return std::nullopt;
}

template <class Number>
std::uint64_t ring_turn::sum_of(std::size_t v, Number worker_slot::*what) const {
  std::uint64_t sum = 0;
  for (const worker_slot* member : members_[v]) sum += (member->*what).get();
  return sum;
}

}  // namespace hogwild::detail
