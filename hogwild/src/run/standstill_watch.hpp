// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <hogwild/detail/collectives/agreement.hpp>
#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/detail/platform/threads.hpp>
#include <hogwild/options.hpp>

namespace hogwild::detail {

/// Measures for how long this process was stopped from outside: a thread of its own looks at the clock several times a
/// second, and a look that comes much too late means that the process did not run. Any thread may ask.
class standstill_watch {
 public:
  using clock = std::chrono::steady_clock;
  /// A look that is this late means a standstill; a busy machine delays none as long.
  static constexpr std::chrono::seconds least{3};

  standstill_watch() : thread_(start_thread([this](const std::stop_token& end) { look_until(end); })) {}

  /// Total seconds of all standstills so far.
  double seconds() {
    const std::lock_guard lock(mutex_);
    look(clock::now());
    return std::chrono::duration<double>(still_).count();
  }

 private:
  static constexpr std::chrono::milliseconds pause{200};

  void look_until(const std::stop_token& end) {
    std::unique_lock lock(mutex_);
    while (!end.stop_requested()) {
      ended_.wait_for(lock, end, pause, [] { return false; });
      look(clock::now());
    }
  }
  void look(clock::time_point now) {
    if (now - looked_ > least) still_ += now - looked_;
    looked_ = now;
  }

  std::mutex mutex_{};
  std::condition_variable_any ended_{};
  clock::time_point looked_ = clock::now();
  clock::duration still_{};
  std::jthread thread_;  ///< destroyed first
};

/// How the ranks of a run exchange their standstills. Training seconds leave standstills out, whenever they occur:
/// otherwise it would depend on chance whether they count as training or as the time in between. Used by the
/// coordinator's thread.
class rank_standstills {
 public:
  /// `ranks` and `options`, whose observers hear of standstills, outlive it. A process that is alone is not watched.
  rank_standstills(const agreement& ranks, const train_options& options) : ranks_(ranks), options_(options) {
    if (!ranks.alone()) watch_.emplace();
  }

  /// Trains an epoch; its time is the growth of `seconds`.
  template <class Train>
  void around(const Train& train, const double& seconds) {
    const double still_before = seconds_now(), before = seconds;
    train();
    in_training_ = seconds_now() - still_before;
    epoch_ = seconds - before;
  }

  /// All ranks' words, by rank, as in agreement::gathered(); all ranks give equally many. Observers are told which
  /// ranks stood still since the last call, and the part of it in the last epoch is subtracted from `seconds`.
  template <std::size_t N>
  std::vector<double> hear_with(const std::array<double, N>& words, double& seconds) {
    std::vector<double> mine(words.begin(), words.end());
    mine.push_back(std::exchange(in_training_, 0.0));
    const double now = seconds_now();
    mine.push_back(now - std::exchange(told_, now));
    const std::vector<double> all = ranks_.gathered(mine);
    std::vector<double> words_of_all;
    double in_training = 0.0, still = 0.0;
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      const double* const of_rank = &all[r * mine.size()];
      words_of_all.insert(words_of_all.end(), of_rank, of_rank + N);
      in_training += of_rank[N], still += of_rank[N + 1];
      if (of_rank[N + 1] > 0.0) tell_of(r, of_rank[N + 1]);
    }
    // A rank that stood still before it began to train kept the others waiting in their training: the part that exceeds
    // the time in between belongs to the epoch.
    const standstill_watch::clock::time_point heard = standstill_watch::clock::now();
    const double since = std::chrono::duration<double>(heard - std::exchange(heard_, heard)).count();
    // If the epoch was cut into rounds, the ranks have exchanged standstills in its middle.
    const double epoch = std::exchange(epoch_, 0.0), between = std::max(since - epoch, 0.0);
    seconds -= std::clamp(std::max(in_training, still - between), 0.0, epoch);
    return words_of_all;
  }

 private:
  double seconds_now() { return watch_ ? watch_->seconds() : 0.0; }
  void tell_of(std::size_t rank, double seconds) const {
    const std::string sentence =
        "rank " + std::to_string(rank) + " of " + std::to_string(ranks_.size()) + " was stopped for " +
        to_short_text(seconds) +
        " s, and the ranks that wait for it stood still; the seconds of training leave that out";
    for (const observer_handle& o : options_.observers) (*o).on_note(sentence);
  }

  const agreement& ranks_;
  const train_options& options_;
  std::optional<standstill_watch> watch_{};
  double in_training_ = 0.0;  ///< of the last epoch, not yet sent to the others
  double told_ = 0.0;         ///< sent to the others so far
  double epoch_ = 0.0;        ///< seconds of the last epoch
  standstill_watch::clock::time_point heard_ = standstill_watch::clock::now();  ///< the last exchange
};

}  // namespace hogwild::detail
