// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace hogwild {

// Numbers that must not be swapped at a call site. Each converts only explicitly, by index().

enum class worker_id : std::uint32_t {};   ///< which worker of the run, from 0
enum class shard_id : std::uint32_t {};    ///< which part of the tickets, from 0
enum class epoch : std::uint32_t {};       ///< which pass over the data, from 1
enum class coordinate : std::uint64_t {};  ///< which parameter, from 0

template <class E>
requires std::is_enum_v<E>
constexpr std::size_t index(E e) noexcept {
  return static_cast<std::size_t>(e);
}

}  // namespace hogwild
