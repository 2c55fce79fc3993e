// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <optional>
#include <span>

#include "launch_size.hpp"
#include "runtime.hpp"

namespace hogwild::device {

/// The run was asked to stop while its data were copied to the device.
struct bringing_stopped : std::exception {
  const char* what() const noexcept override { return "the run was asked to stop while its data were brought"; }
};

/// Calls part(first, count) for all of n, part by part. The time of each part decides the length of the next, so that
/// parts take as long as launches. Throws bringing_stopped if the run is to stop before the next part.
template <class F>
void in_short_parts(const runtime& device, std::size_t n, const F& part) {
  using clock = std::chrono::steady_clock;
  launch_size size(n);
  for (std::size_t done = 0; done < n;) {
    if (device.stopping && device.stopping()) throw bringing_stopped();
    const std::size_t count = std::min(size.rows(), n - done);
    const clock::time_point began = clock::now();
    part(done, count);
    size.took(count, clock::now() - began);
    done += count;
  }
}

/// Copies to the device and returns when everything is there. Throws like in_short_parts().
inline void bring(runtime& device, void* to, std::span<const std::byte> from) {
  constexpr std::size_t unit = std::size_t{1} << 16;  // parts are whole units
  in_short_parts(device, (from.size() + unit - 1) / unit, [&](std::size_t first, std::size_t count) {
    const auto part = from.subspan(first * unit, std::min(count * unit, from.size() - first * unit));
    device.upload(static_cast<std::byte*>(to) + first * unit, part.data(), part.size());
    device.wait(device.mark());
  });
}

/// The address at which the device reads these host data: in place for an emulated device, else in a copy, which `to`
/// keeps. Throws like bring().
template <class T>
const T* brought(runtime& device, std::span<const T> from, std::optional<buffer<T>>& to) {
  if (device.facts().host_memory) return from.data();
  to.emplace(device, from.size());
  bring(device, to->data(), std::as_bytes(from));
  return to->data();
}

}  // namespace hogwild::device
