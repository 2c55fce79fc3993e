// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include <hogwild/detail/collectives/agreement.hpp>
#include <hogwild/detail/platform/failure.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>
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

/// The last checkpoint that a run has written or resumed from: it remains after a device failure.
class last_checkpoint {
 public:
  void is(const std::string& path, std::size_t epoch) {
    sentence_ = "; the run's last checkpoint is " + detail::quoted_path(path) + ", of epoch " + std::to_string(epoch) +
                ": resume from it";
  }

  /// Calls f(); if a device fails in it, the exception names the checkpoint, if there is one.
  template <class F>
  void named_by(const F& f, bool on_device) const {
    try {
      f();
    } catch (const error& failed) {
      const bool by_device =
          on_device && (failed.code() == exit_code::resources || failed.code() == exit_code::internal);
      if (!by_device || sentence_.empty()) throw;
      throw_failure({.code = failed.code(), .text = failed.what() + sentence_});
    }
  }

 private:
  std::string sentence_{};
};

}  // namespace hogwild
