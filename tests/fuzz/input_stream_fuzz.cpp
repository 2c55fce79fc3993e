// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <hogwild/error.hpp>

#include "text/input_stream.hpp"

// Any bytes, as text or as one of the four kinds of archive: complete lines or an input_error, and never without end.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hogwild;
  constexpr std::size_t enough = std::size_t{64} << 20;  // a few bytes can unpack to very many
  try {
    const auto input =
        detail::open_input_memory({reinterpret_cast<const char*>(data), size}, "fuzz", std::size_t{1} << 12);
    for (std::size_t read = 0; read < enough;) {
      const auto block = input->next();
      if (!block) break;
      if (block->text.empty() || block->text.back() != '\n') std::abort();
      read += block->text.size();
    }
  } catch (const input_error&) {
  }
  return 0;
}
