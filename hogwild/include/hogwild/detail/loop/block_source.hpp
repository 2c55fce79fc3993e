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

/// Draws blocks of ratings (rating_blocks.hpp), as a shard_source draws chunks. The worker that trains a block owns
/// its users and its items, so no two workers change the same row, and a round has the result of one worker that trains
/// the blocks in some order. There is no central dealer: a worker takes the locks of a band of users and of a band of
/// items, both or none, and tries another block if one is taken. Nobody waits except for the last blocks, and for a
/// dead owner's blocks only until the owner is known to be dead.
class block_source final : public ticket_source {
 public:
  explicit block_source(const worker_round& at)
      : store_(at.store),
        round_(at.round),
        me_(store_.slots()[at.slot]),
        locks_(store_.locks(at.slot)),
        blocks_(at.plan.count()),
        bands_(static_cast<std::uint32_t>(std::lround(std::sqrt(static_cast<double>(blocks_))))),
        rows_per_block_(static_cast<double>(at.plan.rows_per_chunk())) {
    // Each worker begins at another place of the same order.
    const std::size_t count = round_.redo > 0 ? round_.redo : blocks_;
    const feistel_permutation order(count, at.options.seed ^ 0x626c6f63u, round_.pass);
    const std::size_t first = at.slot % round_.workers * count / round_.workers;
    left_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t k = order((first + i) % count);
      left_.push_back(round_.redo > 0 ? store_.redo()[k] : static_cast<std::uint32_t>(k));
    }
  }
  /// A worker that leaves with a block in hand must not keep the others waiting.
  ~block_source() override { release(); }

  /// A free block; waits if all that are left are taken. Nothing when none is left, the worker no longer counts, or the
  /// run is asked to stop.
  std::optional<ticket> draw() override {
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
  void finish(race_probe&) override { release(); }

  bool stopped() const override { return store_.control().stopping(); }

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
