// SPDX-License-Identifier: Apache-2.0
#include "contests.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

#include <hogwild/cuda/engine.hpp>
#include <hogwild/error.hpp>
#include <hogwild/observer.hpp>
#include <hogwild/train.hpp>

namespace hogwild::bench {
namespace {

/// Seconds of each epoch, and until the objective was at most the target.
class contest_clock final : public observer {
 public:
  explicit contest_clock(double target) : target_(target) {}

  observer_answer on_epoch(const epoch_report& e) override {
    seconds_.push_back(e.train_seconds - before_);
    before_ = e.train_seconds;
    if (!to_target_ && e.objective <= target_) to_target_ = e.train_seconds;
    return observer_answer::go_on;
  }

  std::optional<double> to_target() const { return to_target_; }
  /// The median of all epochs but the first, which touches new pages; of the first if it is the only one.
  double median() const {
    std::vector<double> counted(seconds_.begin() + (seconds_.size() > 1 ? 1 : 0), seconds_.end());
    if (counted.empty()) return 0.0;
    const auto middle = counted.begin() + static_cast<std::ptrdiff_t>(counted.size() / 2);
    std::ranges::nth_element(counted, middle);
    return *middle;
  }

 private:
  double target_, before_ = 0.0;
  std::optional<double> to_target_;
  std::vector<double> seconds_;
};

void leave_where_asked(const train_result& result) {
  if (result.status == run_status::stopped)
    throw error(exit_code::interrupted, "interrupted; what was measured so far is in the record");
}

template <class Engine>
train_result train_by(const Engine& engine, const workload& work, update_kind update, contest_clock& clock,
                      const std::stop_token& stop) {
  train_options o = work.options;
  o.update = update;
  o.stop = stop;
  o.observers.push_back(&clock);
  train_result result = std::visit([&](const auto& m) { return train(m, work.view(), engine, o); }, work.model);
  leave_where_asked(result);
  return result;
}

double rate(const workload& work, const contest_clock& clock) {
  return clock.median() > 0.0 ? static_cast<double>(work.rows.label.size()) / clock.median() : 0.0;
}

}  // namespace

std::vector<contestant> contestants(const workload& work, std::size_t cpus) {
  std::vector<contestant> all{{.name = "cpu", .workers = cpus}};
  // Beside CPU workers, the device's host thread has a CPU of its own.
  const std::size_t beside = std::max<std::size_t>(cpus, 2) - 1;
  for (const update_kind update : {update_kind::lossy, update_kind::exact}) {
    const std::string policy = update == update_kind::lossy ? "lossy" : "exact";
    all.push_back({.name = "device, " + policy, .device = true, .way = {.update = update}});
    if (update == update_kind::lossy && std::holds_alternative<matrix_factorization>(work.model))
      all.push_back({.name = "device, half storage", .device = true, .way = {.storage = storage_kind::half}});
    all.push_back({.name = "hybrid, " + policy, .workers = beside, .device = true, .way = {.update = update}});
  }
  return all;
}

reference train_reference(const workload& work, double target_gap, const std::stop_token& stop) {
  contest_clock clock(-std::numeric_limits<double>::infinity());
  reference found;
  found.result = train_by(serial_engine{}, work, update_kind::lossy, clock, stop);
  found.objective = found.result.objective;
  found.target = found.objective + target_gap * std::abs(found.objective);
  found.rows_per_second = rate(work, clock);
  return found;
}

contest train_contestant(const workload& work, const contestant& who, int device, const reference& by, double tolerance,
                         const std::stop_token& stop) {
  contest outcome;
  contest_clock clock(by.target);
  try {
    const cuda_engine on_device{.workers = who.workers, .device = device, .storage = who.way.storage};
    outcome.result = who.device ? train_by(on_device, work, who.way.update, clock, stop)
                                : train_by(thread_engine{.workers = who.workers}, work, who.way.update, clock, stop);
  } catch (const error& e) {
    if (e.code() == exit_code::interrupted) throw;
    outcome.state = "broken";
    outcome.reason = e.what();
    return outcome;
  }
  outcome.gap = (outcome.result.objective - by.objective) / std::abs(by.objective);
  outcome.rows_per_second = rate(work, clock);
  outcome.seconds_to_target = clock.to_target();
  if (!(outcome.gap <= tolerance)) {
    outcome.state = "failed";
    outcome.reason = "its objective is " + std::to_string(outcome.result.objective) + ", and that of one worker " +
                     std::to_string(by.objective);
  }
  return outcome;
}

}  // namespace hogwild::bench
