// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <thread>
#include <vector>

#include <hogwild/detail/control/telemetry.hpp>
#include <hogwild/detail/data/chunk.hpp>
#include <hogwild/detail/data/sampler.hpp>
#include <hogwild/detail/loop/rating_blocks.hpp>
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/worker/loop_options.hpp>
#include <hogwild/detail/worker/ticket_source.hpp>

namespace hogwild {

/// Draws blocks of ratings (rating_blocks.hpp), as a ticket_source draws chunks. The worker that trains a block owns
/// its users and its items, so no two workers change the same row, and a round has the result of one worker that trains
/// the blocks in some order. There is no central dealer: a worker takes the locks of a band of users and of a band of
/// items, both or none, and tries another block if one is taken. Nobody waits except for the last blocks, and for a
/// dead owner's blocks only until the owner is known to be dead.
class block_source {
 public:
  block_source(const param_store& store, const round_plan& round, std::size_t slot, const chunk_plan& plan,
               const loop_options& options)
      : store_(store),
        round_(round),
        me_(store.slots()[slot]),
        locks_(store.locks(slot)),
        blocks_(plan.count()),
        bands_(static_cast<std::uint32_t>(std::lround(std::sqrt(static_cast<double>(plan.count()))))),
        rows_per_block_(static_cast<double>(plan.rows_per_chunk())) {
    // Each worker begins at another place of the same order.
    const std::size_t count = round.redo > 0 ? round.redo : blocks_;
    const feistel_permutation order(count, options.seed ^ 0x626c6f63u, round.pass);
    const std::size_t first = slot % round.workers * count / round.workers;
    left_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t k = order((first + i) % count);
      left_.push_back(round.redo > 0 ? store.redo()[k] : static_cast<std::uint32_t>(k));
    }
  }
  /// A worker that leaves with a block in hand must not keep the others waiting.
  ~block_source() { release(); }
  block_source(const block_source&) = delete;
  block_source& operator=(const block_source&) = delete;

  /// A free block; waits if all that are left are taken. Nothing when none is left, the worker no longer counts, or the
  /// run is asked to stop.
  template <class Step>
  std::optional<ticket> draw(Step&) {
    for (std::uint32_t spins = 1;; ++spins) {
      if (take()) {
        const auto before = store_.control().drawn.draw(round_.number, blocks_);
        const auto blocks = static_cast<double>(before.value_or(blocks_ - 1));
        return ticket{held_, held_, blocks * rows_per_block_};
      }
      if (left_.empty() || !me_.counts() || stopped()) return std::nullopt;
      if (spins % 64 == 0) {
        me_.waits.raise(1);
        std::this_thread::yield();
      }
    }
  }

  /// Marks the block that was drawn last as trained.
  template <class Step>
  void finish(const ticket&, Step&, race_probe&) {
    release();
  }

  bool stopped() const { return store_.control().stopping(); }

 private:
  std::size_t user_stripe(std::uint32_t block) const { return block / bands_; }
  std::size_t item_stripe(std::uint32_t block) const { return most_bands + block % bands_; }
  bool is_done(std::uint32_t block) const { return store_.done()[block].get() == round_.number; }

  /// While many blocks are left, a worker stays with its band of users, whose rows are in its cache. Near the end all
  /// would wait for the same bands, so it takes any free block.
  bool take() {
    std::erase_if(left_, [this](std::uint32_t block) { return is_done(block); });
    if (left_.size() > 3 * bands_) {
      for (const std::uint32_t block : left_) {
        if (user_stripe(block) == last_users_ && try_own(block)) return true;
      }
    }
    return std::ranges::any_of(left_, [this](std::uint32_t block) { return try_own(block); });
  }

  bool try_own(std::uint32_t block) {
    if (!locks_.try_lock_stripe(user_stripe(block))) return false;
    if (!locks_.try_lock_stripe(item_stripe(block))) {
      locks_.unlock_stripe(user_stripe(block));
      return false;
    }
    held_ = block;
    // Its last owner marks it before unlocking.
    if (!is_done(block)) return last_users_ = user_stripe(block), true;
    release();
    return false;
  }

  void release() {
    if (held_ == none) return;
    locks_.unlock_stripe(item_stripe(held_));
    locks_.unlock_stripe(user_stripe(held_));
    held_ = none;
  }

  static constexpr std::uint32_t none = 0xffffffffu;

  const param_store& store_;
  round_plan round_;
  worker_slot& me_;
  stripe_locks locks_;
  std::size_t blocks_;
  std::uint32_t bands_;
  double rows_per_block_;
  std::vector<std::uint32_t> left_;
  std::uint32_t held_ = none;
  std::size_t last_users_ = most_bands;
};

}  // namespace hogwild
