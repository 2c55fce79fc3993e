// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include <hogwild/detail/platform/failure.hpp>

namespace hogwild {

/// The reason why the worker in a slot ended by itself. Its process writes this once, before it ends. The coordinator
/// reads it after it has seen that end, and clears it before another worker gets the slot. Zero: nothing was written. A
/// process that is killed while it writes has written nothing.
struct alignas(128) worker_failure {
  static constexpr std::size_t longest_text = 1008;  ///< bytes; longer text is cut

  std::atomic<std::uint32_t> code;  ///< exit_code; 0 until the rest may be read
  std::uint32_t is_cache_error;
  std::uint32_t length;
  std::uint32_t reserved;
  std::array<char, longest_text> text;

  /// Only the first failure is kept.
  void tell(const failure& what) noexcept {
    if (code.load(std::memory_order_relaxed) != 0) return;
    const std::size_t n = std::min(what.text.size(), longest_text);
    std::copy_n(what.text.data(), n, text.data());
    length = static_cast<std::uint32_t>(n);
    is_cache_error = what.is_cache_error ? 1 : 0;
    code.store(static_cast<std::uint32_t>(what.code), std::memory_order_release);
  }
  std::optional<failure> said() const {
    const std::uint32_t number = code.load(std::memory_order_acquire);
    if (number == 0) return std::nullopt;
    return failure{.code = static_cast<exit_code>(number),
                   .text = {text.data(), std::min<std::size_t>(length, longest_text)},
                   .is_cache_error = is_cache_error != 0};
  }
  void clear() noexcept { code.store(0, std::memory_order_relaxed); }
};

static_assert(std::is_standard_layout_v<worker_failure> && sizeof(worker_failure) == 1024);

}  // namespace hogwild
