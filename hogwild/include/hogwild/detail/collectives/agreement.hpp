// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <hogwild/detail/collectives/collective.hpp>

namespace hogwild {

/// How the ranks of one run agree between its rounds, so that all of them decide the same. For a process that trains
/// alone every call is free and returns its own value. All ranks make the same calls in the same order. Calls throw
/// what collective throws; their arguments may then be destroyed.
class agreement {
 public:
  /// `ranks` outlives this; null: this process trains alone.
  explicit agreement(collective* ranks) : ranks_(ranks) {}

  std::size_t rank() const noexcept { return ranks_ == nullptr ? 0 : ranks_->rank(); }
  std::size_t size() const noexcept { return ranks_ == nullptr ? 1 : ranks_->size(); }
  bool alone() const noexcept { return size() == 1; }

  /// x becomes the sum over all ranks' x; whole numbers stay exact below 2^53.
  void sum(std::span<double> x) const;
  double sum(double x) const {
    sum(std::span(&x, 1));
    return x;
  }
  /// x becomes the first rank's x; take(): the x of rank `root`.
  void take_first(std::span<double> x) const { take(x, 0); }
  void take(std::span<double> x, std::size_t root) const;
  /// The same for arrays that are too long to copy.
  void take_first(std::vector<float>& x) const;
  /// All ranks' numbers, in the order of ranks, to the bit; all ranks pass equally many.
  std::vector<double> gathered(std::vector<double> mine) const;
  /// All ranks' numbers on the first rank; empty on the others.
  std::vector<float> gathered_by_first(std::vector<float> mine) const;
  /// Whether the argument is true on any rank.
  bool any(bool mine) const { return sum(mine ? 1.0 : 0.0) > 0.0; }
  /// All values of all ranks, sorted, each once.
  std::vector<double> all_of(std::vector<double> mine) const;
  /// The first rank whose bytes differ from rank 0's, the same on all; nothing if all are equal.
  std::optional<std::size_t> other_than_first(std::span<const std::byte> bytes) const;
  /// Throws worker_error unless all ranks have the same bytes; `what` names them in the message.
  void require_equal(std::span<const std::byte> bytes, std::string_view what) const;

 private:
  collective* ranks_;
};

}  // namespace hogwild
