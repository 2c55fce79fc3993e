// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/half_pairs.hpp"
#include "runtime.hpp"

namespace hogwild::device {

/// Parameters that a device trains as halves, beside the floats that are copied to and from it. Between two copies the
/// floats keep the values from which the halves began. Used by the worker that drives the device.
class half_replica {
 public:
  /// For the first `count` of `values`, which are the device's and outlive this; an even number.
  half_replica(runtime& device, float* values, std::size_t count);

  /// Its size in the device's memory.
  static constexpr std::uint64_t bytes(std::size_t count) { return count / 2 * sizeof(half_pair); }

  half_pair* data() const { return halves_.data(); }

  /// Queued after floats [first, first + count) were copied to the device: their halves become these, rounded to
  /// nearest. Both bounds are even as far as they lie among the halves; nothing is done past the last half.
  void begin(std::size_t first, std::size_t count) const;
  /// Queued before these floats are fetched: adds the gains of their halves since begin() to them, and only those, so
  /// that no rounding is lost except that of the rows' own adds. The halves do not begin again: begin() does that.
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
