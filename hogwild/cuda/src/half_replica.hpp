// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/half_pairs.hpp"
#include "runtime.hpp"

namespace hogwild::device {

/// Parameters on a device that it trains as halves, beside the floats that are copied there and back. Between two
/// copies the floats are what the halves began as. Used by the worker that drives the device.
class half_replica {
 public:
  /// Of the first `count` of `values`, which are the device's and outlive this; an even number.
  half_replica(runtime& device, float* values, std::size_t count);

  /// What it takes of the device's memory.
  static constexpr std::uint64_t bytes(std::size_t count) { return count / 2 * sizeof(half_pair); }

  half_pair* data() const { return halves_.data(); }

  /// Queued, behind floats [first, first + count) that were brought: their halves become these, rounded to nearest.
  /// Both bounds are even where they lie among the halves; past the last of them nothing is done.
  void begin(std::size_t first, std::size_t count) const;
  /// Queued, before these floats are fetched: they gain what their halves have gained since they began, and no more
  /// than that, so that nothing is lost to rounding but what rows add. The halves do not begin anew: begin() does that.
  void take_gains(std::size_t first, std::size_t count) const;

 private:
  template <class OnHost, class OnDevice>
  void run(std::size_t first, std::size_t count, OnHost on_host, OnDevice on_device) const;

  runtime& device_;
  float* values_;
  std::size_t count_;
  buffer<half_pair> halves_;
};

}  // namespace hogwild::device
