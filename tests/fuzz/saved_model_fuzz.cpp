// SPDX-License-Identifier: Apache-2.0
// Any bytes are either a model, which then survives both formats, or refused with input_error.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include <hogwild/detail/platform/checksum.hpp>
#include <hogwild/error.hpp>
#include <hogwild/saved_model.hpp>

namespace {

void read(std::span<const std::byte> bytes) {
  using hogwild::model_format;
  try {
    const auto model = hogwild::parse_model(bytes, "input");
    for (const auto format : {model_format::binary, model_format::text}) {
      if (format == model_format::text && model.is_quantised()) continue;
      if (hogwild::parse_model(hogwild::model_bytes(model, format), "again") != model) std::abort();
    }
  } catch (const hogwild::input_error&) {
  }
}

/// Corrects a binary model's version, length and checksum, so that the contents behind them are reached.
void stamp(std::vector<std::byte>& bytes) {
  const auto put = [&](std::size_t at, std::uint64_t number) { std::memcpy(&bytes[at], &number, sizeof number); };
  constexpr std::uint64_t versions = 6;
  std::memcpy(bytes.data(), "\x89HWMODL\n", 8);
  put(8, 1 + (static_cast<std::uint64_t>(bytes[8]) + versions - 1) % versions);
  put(16, bytes.size());
  const auto all = std::span<const std::byte>(bytes);
  const std::uint64_t both[] = {hogwild::detail::checksum(all.first(24)), hogwild::detail::checksum(all.subspan(32))};
  put(24, hogwild::detail::checksum(std::as_bytes(std::span(both))));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto input = std::as_bytes(std::span(data, size));
  read(input);
  if (size >= 32) {
    std::vector<std::byte> stamped(input.begin(), input.end());
    stamp(stamped);
    read(stamped);
  }
  return 0;
}
