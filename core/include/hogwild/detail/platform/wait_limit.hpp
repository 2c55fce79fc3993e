// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <utility>

namespace hogwild::detail {

/// The limit of a wait that looks again and again, by one thread. The time between two looks counts for at most an
/// eighth of the limit, and for at most a second: a process, or a whole machine, that did not run has not waited, and
/// what it waits for may come with its next look. Looks have to be more frequent than that, or the wait gets longer.
class wait_limit {
 public:
  using clock = std::chrono::steady_clock;

  explicit wait_limit(std::chrono::nanoseconds limit, clock::time_point now = clock::now())
      : left_(limit),
        most_(std::clamp<std::chrono::nanoseconds>(limit / 8, std::chrono::nanoseconds(1), std::chrono::seconds(1))),
        looked_(now) {}

  /// Looks at the clock. True once the limit has passed.
  bool passed(clock::time_point now = clock::now()) {
    left_ -= std::min<std::chrono::nanoseconds>(now - std::exchange(looked_, now), most_);
    return left_ <= std::chrono::nanoseconds(0);
  }

  /// The time that is left, at least 0.
  std::chrono::nanoseconds left() const { return std::max(left_, std::chrono::nanoseconds(0)); }

 private:
  std::chrono::nanoseconds left_, most_;
  clock::time_point looked_;
};

}  // namespace hogwild::detail
