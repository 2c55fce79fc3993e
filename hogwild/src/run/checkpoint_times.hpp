// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>

#include <hogwild/detail/collectives/agreement.hpp>
#include <hogwild/options.hpp>

namespace hogwild {

/// Decides after which epochs a run writes a checkpoint.
class checkpoint_times {
 public:
  checkpoint_times(const train_options& options, const agreement& ranks) : options_(options), ranks_(ranks) {}

  /// Whether the epoch that has ended is one of them; `stops`: an observer of this rank ends the run with it. All ranks
  /// call it and agree, whatever the clock or the observers of one rank say.
  bool are_due(std::size_t epoch, bool stops) const {
    if (options_.checkpoint.empty()) return false;
    const std::chrono::duration<double> since = clock::now() - written_;
    const bool due = options_.checkpoint_seconds ? since.count() >= *options_.checkpoint_seconds
                                                 : epoch % options_.checkpoint_every == 0;
    return ranks_.any(due || stops || epoch == options_.epochs);
  }
  void written() { written_ = clock::now(); }

 private:
  using clock = std::chrono::steady_clock;

  const train_options& options_;
  const agreement& ranks_;
  clock::time_point written_ = clock::now();
};

}  // namespace hogwild
