// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>

#include <hogwild/detail/data/chunk.hpp>
#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/worker/loop_options.hpp>
#include <hogwild/detail/worker/ticket_source.hpp>

namespace hogwild {

/// Reads the rows of the next chunks ahead from the disk while a worker trains on others, and drops chunks that are
/// done. Does nothing if rows do not stream, or are drawn one by one. Belongs to one worker.
class chunk_reading {
 public:
  /// Enough to keep a disk busy, and few megabytes.
  static constexpr std::size_t chunks_ahead = 32;

  chunk_reading(const sparse_view& data, const chunk_plan& plan, row_order order)
      : data_(data), plan_(plan), streams_(by_chunks(order) && data.streams()) {}

  /// Called before the chunk of this ticket is trained.
  void begin(const ticket_source& tickets, const ticket& drawn) {
    if (!streams_) return;
    // Ticket numbers rise one by one, except past tickets that others draw and at a change of shard.
    if (announced_ <= drawn.number || announced_ > drawn.number + chunks_ahead) announced_ = drawn.number + 1;
    for (; announced_ <= drawn.number + chunks_ahead; ++announced_) {
      const auto next = tickets.following(drawn, announced_ - drawn.number);
      if (next) data_.announce(plan_[*next].first, plan_[*next].last);
    }
  }

  /// Called after the chunk.
  void end(const chunk& trained) const {
    if (streams_) data_.release(trained.first, trained.last);
  }

 private:
  const sparse_view& data_;
  const chunk_plan& plan_;
  bool streams_;
  std::size_t announced_ = 0;  ///< tickets up to this one, of its shard, are announced
};

}  // namespace hogwild
