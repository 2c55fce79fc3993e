// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>

// Error messages of collectives that have lost members, the same for every kind.

namespace hogwild::detail {

/// "rank 2 of 4", "ranks 1 and 3 of 4".
std::string ranks_text(std::span<const std::size_t> ranks, std::size_t size);

/// These ranks did not come to `call` in time.
std::string silent_text(std::span<const std::size_t> ranks, std::size_t size, const char* call,
                        std::chrono::nanoseconds timeout);
/// For a rank that comes after the others have given up waiting for it.
std::string given_up_text(std::size_t rank, std::size_t size, std::chrono::nanoseconds timeout);
/// Not all ranks have come to make a group, and nobody can tell which are missing.
std::string not_joined_text(std::chrono::nanoseconds timeout);
/// A rank is no longer there. `how`: "ended", "has left".
std::string gone_text(std::size_t rank, std::size_t size, const std::string& how, const char* call);
/// A rank's process ended, as its supervisor reports. `how`: "was killed by signal 9".
std::string ended_text(std::size_t rank, std::size_t size, const std::string& how);
/// A rank called fail(reason).
std::string failed_text(std::size_t rank, std::size_t size, const std::string& reason);
/// Two members make different calls.
std::string mismatch_text(std::size_t rank, const std::string& call, std::size_t other, const std::string& other_call);

/// Throws config_error unless root < size.
void check_root(std::size_t root, std::size_t size);
/// Throws config_error unless 0 < size and rank < size.
void check_rank(std::size_t rank, std::size_t size);
/// Throws config_error unless `all` elements hold `size` times `each`.
void check_gathered(std::size_t all, std::size_t each, std::size_t size);

}  // namespace hogwild::detail
