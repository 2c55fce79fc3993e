// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/worker_trial.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

#include <hogwild/detail/platform/number_text.hpp>

namespace hogwild {

namespace {

constexpr std::size_t least_chunks = 4;    // of a worker in a round
constexpr std::size_t most_rounds = 16;    // of an epoch: in each, workers make their memory anew
constexpr std::size_t rounds_of_run = 32;  // so that a lost round costs at most 3 % of the run
constexpr double least_seconds = 1e-3;     // a shorter round is mainly the time of waking workers
constexpr double clearly_less = 0.9;
constexpr int pairs_to_win = 3;

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

std::optional<std::uint32_t> worker_trial::rounds_of_epoch(std::size_t chunks, std::size_t workers,
                                                           std::size_t epochs) {
  const std::size_t rounds = std::clamp<std::size_t>(chunks / (least_chunks * workers), 1, most_rounds);
  if (workers < 2 || rounds * epochs < rounds_of_run) return std::nullopt;
  return static_cast<std::uint32_t>(rounds);
}

worker_trial::worker_trial(std::size_t workers, std::uint32_t rounds, clock_function clock)
    : all_(workers), best_(workers), rounds_(rounds), clock_(clock ? std::move(clock) : steady_seconds) {}

worker_trial worker_trial::ended(std::size_t workers, std::size_t all) {
  worker_trial made(all, 1, {});
  made.best_ = std::clamp<std::size_t>(workers, 1, all);
  made.over_ = true;
  return made;
}

void worker_trial::end_round(double rows) {
  if (over_) return;
  const double seconds = clock_() - begun_, ns = 1e9 * seconds / std::max(rows, 1.0);
  if (std::exchange(tries_less_, false))
    tried_ns_ = ns;
  else if (over_ = seconds < least_seconds; !over_)
    compare(ns);
}

void worker_trial::compare(double ns) {
  if (best_ == all_) all_ns_ = all_ns_ > 0.0 ? std::min(all_ns_, ns) : ns;
  const double before = std::exchange(best_ns_, ns);
  if (tried_ns_ > 0.0) {
    over_ = tried_ns_ > clearly_less * std::min(before, ns);
    if (over_) return;
    if (++won_ == pairs_to_win) {
      best_ = less();
      best_ns_ = std::exchange(tried_ns_, 0.0);
      won_ = 0;
      over_ = best_ == 1;
    }
  }
  tries_less_ = !over_;
}

std::string worker_trial::reason() const {
  if (best_ == all_) return {};
  return std::to_string(best_) + " of " + std::to_string(all_) + " workers " + (best_ == 1 ? "trains" : "train") +
         ": a row took " + (best_ == 1 ? "it " : "them ") + detail::to_short_text(best_ns_) + " ns, and all of them " +
         detail::to_short_text(all_ns_) +
         " ns, in rounds of the training; with an explicit sharing or number of workers all of them train";
}

}  // namespace hogwild
