// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "runtime.hpp"

namespace hogwild::device {

void leave_if_stopping(const runtime& device) {
  if (device.stopping && device.stopping()) throw bringing_stopped();
}

void bring(runtime& device, void* to, std::span<const std::byte> from) {
  std::byte* const here = static_cast<std::byte*>(to);
  for (std::size_t done = 0; done < from.size(); done += brought_at_once) {
    leave_if_stopping(device);
    const auto piece = from.subspan(done, std::min(brought_at_once, from.size() - done));
    device.upload(here + done, piece.data(), piece.size());
    device.wait(device.mark());
  }
}

}  // namespace hogwild::device
