// SPDX-License-Identifier: Apache-2.0
// Any bytes are either a checkpoint, which then survives being written again, or refused with input_error; whatever it
// says of the run that wrote it is compared, or refused.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include <hogwild/detail/platform/checksum.hpp>
#include <hogwild/detail/results/checkpoint.hpp>
#include <hogwild/detail/run/checkpoint_origin.hpp>
#include <hogwild/error.hpp>

namespace {

void read(std::span<const std::byte> bytes) {
  try {
    const auto state = hogwild::parse_checkpoint(bytes, "input");
    if (hogwild::parse_checkpoint(hogwild::checkpoint_bytes(state), "again") != state) std::abort();
    hogwild::detail::require_origin("input", state, {"logistic", {{"l2", "0.1"}, {"seed", "1"}}});
  } catch (const hogwild::input_error&) {
  } catch (const hogwild::config_error&) {
  }
}

/// Corrects length and checksums, so that the sections behind them are reached.
void stamp(std::vector<std::byte>& bytes) {
  const auto put = [&](std::size_t at, std::uint64_t number) { std::memcpy(&bytes[at], &number, sizeof number); };
  static const std::vector<std::byte> sound = hogwild::checkpoint_bytes({});
  std::memcpy(bytes.data(), sound.data(), 12);  // the magic and the version
  put(24, bytes.size());
  put(32, hogwild::detail::checksum(std::span<const std::byte>(bytes).subspan(48)));
  put(40, hogwild::detail::checksum(std::span<const std::byte>(bytes).first(40)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto input = std::as_bytes(std::span(data, size));
  read(input);
  if (size >= 48) {
    std::vector<std::byte> stamped(input.begin(), input.end());
    stamp(stamped);
    read(stamped);
  }
  return 0;
}
