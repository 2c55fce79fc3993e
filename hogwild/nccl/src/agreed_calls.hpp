// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/detail/collectives/collective.hpp>

namespace hogwild::nccl {

/// A member's next call; `broken`: no more calls, since NCCL does not deliver what it should.
enum class operation { join, all_reduce, broadcast, reduce, gather, all_gather, barrier, broken };

/// Agrees on what NCCL does not know: which members are there, and what each is about to do. Uses the carrier; used by
/// one thread at a time.
class agreed_calls {
 public:
  explicit agreed_calls(std::unique_ptr<collective> carrier) : carrier_(std::move(carrier)) {}

  /// All members' `mine`, of one length, by rank and bit by bit.
  std::vector<double> gather(std::span<const double> mine);

  /// Announces this member's next call to all. Throws worker_error unless all members are there and make the same call;
  /// so does every later call.
  void announce(operation call, std::size_t scalar_bytes = 0, std::size_t length = 0, std::size_t root = 0);

  /// Fails for the others, like collective::fail(); for this member every later call throws the same.
  void fail(const std::string& reason) noexcept;

  /// Leaves the group.
  void leave() noexcept { carrier_.reset(); }

 private:
  [[noreturn]] void break_off(std::string reason);

  std::unique_ptr<collective> carrier_;
  std::string failure_;  ///< empty: none
};

}  // namespace hogwild::nccl
