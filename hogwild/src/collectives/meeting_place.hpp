// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <hogwild/detail/control/phase_barrier.hpp>
#include <hogwild/detail/control/std_atomics.hpp>
#include <hogwild/detail/platform/process_identity.hpp>

// State, besides their numbers, that the members of a group in common memory share. It holds no pointers, because
// processes map it at different addresses. Zero bytes are a place to which nobody has come yet.

namespace hogwild::detail {

enum class operation : std::uint32_t { none, all_reduce, broadcast, reduce, gather, all_gather, barrier };

/// The call that a member is about to make. Written before a meeting, read by the others until the next one.
struct offer {
  operation call = operation::none;
  std::uint32_t scalar_bytes = 0;
  std::uint64_t length = 0;  ///< of the whole call
  std::uint64_t root = 0;
  std::uint64_t address = 0;  ///< of this piece of its numbers, in bytes from the base of the common memory
};

enum class presence : std::uint32_t { expected, entering, present, left };

struct alignas(128) group_member {
  std::atomic<presence> state;
  published<std::uint32_t> meetings;  ///< how many it has come to, including the open one
  process_identity process;           ///< the member's process; zero for threads. Written while entering
  offer offered;
  std::atomic<std::uint32_t> given_up;  ///< 1 if the others waited for it in vain. Written before `explained`
};

struct meeting_place {
  static constexpr std::size_t longest_reason = 1000;

  phase_barrier barrier;
  alignas(128) std::atomic<std::uint32_t> explained;  ///< 1 once `reason` may be read
  std::array<char, longest_reason> reason;  ///< written by the member that broke the barrier; ends with a zero
};

static_assert(std::is_standard_layout_v<group_member> && sizeof(group_member) == 128);
static_assert(std::is_standard_layout_v<meeting_place> && sizeof(meeting_place) % 128 == 0);

/// One member's view of its group.
struct common_memory {
  meeting_place* place = nullptr;
  std::span<group_member> members{};
  std::span<std::byte> shared{};  ///< memory that every member sees; empty: all memory, for threads
  std::span<std::byte> window{};  ///< this member's part of `shared`, for numbers that lie elsewhere
};

}  // namespace hogwild::detail
