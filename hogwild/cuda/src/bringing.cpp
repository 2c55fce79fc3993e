// SPDX-License-Identifier: Apache-2.0
#include "bringing.hpp"

namespace hogwild::device {

void bring(runtime& device, void* to, std::span<const std::byte> from) {
  constexpr std::size_t unit = std::size_t{1} << 16;  // parts are whole units
  in_short_parts(device, (from.size() + unit - 1) / unit, [&](std::size_t first, std::size_t count) {
    const auto part = from.subspan(first * unit, std::min(count * unit, from.size() - first * unit));
    device.upload(static_cast<std::byte*>(to) + first * unit, part.data(), part.size());
    device.wait(device.mark());
  });
}

}  // namespace hogwild::device
