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

/// What a member is about to do; `broken`: nothing any more, since NCCL does not bring what it has to.
enum class operation { join, all_reduce, broadcast, reduce, gather, all_gather, barrier, broken };

/// What NCCL does not know: who is there, and what each is about to do. The carrier tells; used by one thread at a
/// time.
class agreed_calls {
 public:
  explicit agreed_calls(std::unique_ptr<collective> carrier) : carrier_(std::move(carrier)) {}

  /// Everybody's `mine`, of one length, by rank and bit by bit.
  std::vector<double> gather(std::span<const double> mine);

  /// Tells all members what this one is about to do. Throws worker_error where not all are there and do the same; so
  /// does every later call.
  void announce(operation call, std::size_t scalar_bytes = 0, std::size_t length = 0, std::size_t root = 0);

  /// Of others, as collective::fail(); for this member every later call says the same.
  void fail(const std::string& reason) noexcept;

  /// Leaves the group.
  void leave() noexcept { carrier_.reset(); }

 private:
  [[noreturn]] void break_off(std::string reason);

  std::unique_ptr<collective> carrier_;
  std::string failure_;  ///< empty: none
};

}  // namespace hogwild::nccl
