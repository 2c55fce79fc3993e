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

#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/detail/platform/threads.hpp>
#include <hogwild/detail/run/agreement.hpp>
#include <hogwild/options.hpp>

namespace hogwild::detail {

/// Knows for how long this process stood still, because somebody had stopped it: a thread of its own looks at the clock
/// several times a second, and a look that comes much too late was not this process's to make. Any thread may ask.
class standstill_watch {
 public:
  using clock = std::chrono::steady_clock;
  /// A look that comes so late tells of a standstill; a busy machine makes none wait as long.
  static constexpr std::chrono::seconds least{3};

  standstill_watch() : thread_(start_thread([this](const std::stop_token& end) { look_until(end); })) {}

  /// Seconds so far, all standstills together.
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
  std::jthread thread_;  ///< goes first
};

/// What the ranks of a run tell each other of their standstills. Seconds of training leave them out, whenever they
/// come: else they would count in training and not in what lies between, as chance has it. Used by the thread that
/// coordinates.
class rank_standstills {
 public:
  /// `ranks` and `options`, whose observers hear of standstills, outlive it. Of a process that is alone nobody looks.
  rank_standstills(const agreement& ranks, const train_options& options) : ranks_(ranks), options_(options) {
    if (!ranks.alone()) watch_.emplace();
  }

  /// Trains an epoch; what it takes of `seconds` is what they grow by.
  template <class Train>
  void around(const Train& train, const double& seconds) {
    const double still_before = seconds_now(), before = seconds;
    train();
    in_training_ = seconds_now() - still_before;
    epoch_ = seconds - before;
  }

  /// All ranks' words, by rank, as agreement::gathered() has them; all ranks give as many. Observers are told who stood
  /// still since the last call, and `seconds` lose what of it was in the last epoch.
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
    // Who stood still before it began to train kept the others waiting in their training: what does not fit into the
    // time between was of the epoch.
    const standstill_watch::clock::time_point heard = standstill_watch::clock::now();
    const double since = std::chrono::duration<double>(heard - std::exchange(heard_, heard)).count();
    // Of an epoch that was cut into rounds they have told each other in its middle.
    const double epoch = std::exchange(epoch_, 0.0), between = std::max(since - epoch, 0.0);
    seconds -= std::clamp(std::max(in_training, still - between), 0.0, epoch);
    return words_of_all;
  }

 private:
  double seconds_now() { return watch_ ? watch_->seconds() : 0.0; }
  void tell_of(std::size_t rank, double seconds) const {
    const std::string sentence = "rank " + std::to_string(rank) + " of " + std::to_string(ranks_.size()) +
                                 " was stopped for " + to_short_text(seconds) +
                                 " s, and nothing moved that waits for it; the seconds of training leave that out";
    for (const observer_handle& o : options_.observers) (*o).on_note(sentence);
  }

  const agreement& ranks_;
  const train_options& options_;
  std::optional<standstill_watch> watch_{};
  double in_training_ = 0.0;  ///< of the last epoch, which others have not heard of
  double told_ = 0.0;         ///< what they have heard of
  double epoch_ = 0.0;        ///< seconds of the last epoch
  standstill_watch::clock::time_point heard_ = standstill_watch::clock::now();  ///< when all last told each other
};

}  // namespace hogwild::detail
