// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/worker/shard_source.hpp>

#include <algorithm>

namespace hogwild {

std::optional<ticket> shard_source::draw() {
  if (round_.redo > 0) {
    // All workers draw redo tickets from one counter, whatever the shards.
    const auto i = store_.counters()[0].draw(round_.number, round_.redo);
    if (!i) return std::nullopt;
    return ticket_of(store_.redo()[*i], static_cast<double>(*i));
  }
  const auto number = draw_number();
  if (!number) return std::nullopt;
  if (!claimed_) {
    const double before = static_cast<double>(*number - shard_of(own_).first);
    return ticket_of(*number, before * static_cast<double>(round_.shards));
  }
  const auto before = store_.control().drawn.draw(round_.number, plan_.count());
  if (!before) return std::nullopt;
  return ticket_of(*number, static_cast<double>(*before));
}

std::optional<std::size_t> shard_source::following(const ticket& drawn, std::size_t ahead) const {
  if (round_.redo > 0) return std::nullopt;
  const shard whole = shard_holding(drawn.number);
  if (drawn.number + ahead >= part_of(whole, round_).last) return std::nullopt;
  return chunk_order(plan_, whole, seed_, round_.pass, order_)(drawn.number + ahead);
}

shard shard_source::shard_holding(std::size_t number) const {
  std::size_t id = number * round_.shards / plan_.count();
  while (shard_of(id).last <= number) ++id;
  return shard_of(id);
}

ticket shard_source::ticket_of(std::size_t number, double before) const {
  const chunk_order order(plan_, shard_holding(number), seed_, round_.pass, order_);
  const double position = before * static_cast<double>(plan_.rows_per_chunk());
  return {number, order(number), std::min(position, static_cast<double>(plan_.rows())) * round_.l2.stretch};
}

std::optional<std::size_t> shard_source::draw_number() {
  if (own_ < round_.shards) {
    if (const auto i = draw_from(own_)) return i;
  }
  while (claimed_) {
    std::size_t fullest = 0, most = 0;
    for (std::size_t id = 0; id < round_.shards; ++id) {
      const std::size_t left = store_.counters()[id].left(round_.number, part_of(shard_of(id), round_).last);
      if (left > most) fullest = id, most = left;
    }
    if (most == 0) break;
    if (const auto i = draw_from(fullest)) return i;
  }
  return std::nullopt;
}

std::optional<std::size_t> shard_source::draw_from(std::size_t id) {
  return store_.counters()[id].draw(round_.number, part_of(shard_of(id), round_).last);
}

}  // namespace hogwild
