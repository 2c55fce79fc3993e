// SPDX-License-Identifier: Apache-2.0
#include <hogwild/result.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include <hogwild/error.hpp>
#include <hogwild/measures.hpp>

namespace hogwild {

struct lazy_parameters::state {
  std::mutex mutex;
  const source* from;

  /// Calls f(source) if the source still exists.
  template <class F>
  auto of_source(const F& f) {
    const std::lock_guard lock(mutex);
    if (from == nullptr)
      throw config_error(
          "parameters of a report are there while the observer is told of it: call parameters() in the callback, and "
          "keep what it returns");
    return f(*from);
  }
};

namespace {

[[noreturn]] void refuse_without_parameters() {
  throw config_error("this report has no parameters: those that an observer is given have");
}

}  // namespace

lazy_parameters::lazy_parameters(const source& from) : state_(std::make_shared<state>()) {
  state_->from = &from;
}

std::vector<float> lazy_parameters::operator()() const {
  if (!state_) refuse_without_parameters();
  return state_->of_source([](const source& from) { return from.values(); });
}

std::vector<std::uint32_t> lazy_parameters::columns() const {
  if (!state_) refuse_without_parameters();
  return state_->of_source([](const source& from) { return from.columns(); });
}

void lazy_parameters::close() const {
  if (!state_) return;
  const std::lock_guard lock(state_->mutex);
  state_->from = nullptr;
}

measurement fold_measures::mean() const {
  const auto n = static_cast<double>(folds.size());
  measurement mean{.loss = folds.empty() ? std::numeric_limits<double>::quiet_NaN() : 0.0};
  for (const measurement& of_fold : folds) mean.loss += of_fold.loss / n;
  for (const measure& each : all_measures()) {
    const auto value = each.value;
    if (folds.empty() || !std::ranges::all_of(folds, [&](const measurement& m) { return (m.*value).has_value(); }))
      continue;
    mean.*value = 0.0;
    for (const measurement& of_fold : folds) *(mean.*value) += *(of_fold.*value) / n;
  }
  return mean;
}

double fold_measures::loss_deviation() const {
  if (folds.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  const double mean_loss = mean().loss;
  double sum = 0.0;
  for (const measurement& of_fold : folds) sum += (of_fold.loss - mean_loss) * (of_fold.loss - mean_loss);
  return std::sqrt(sum / static_cast<double>(folds.size() - 1));
}

std::string_view to_string(run_status status) {
  switch (status) {
    case run_status::target:
      return "target";
    case run_status::converged:
      return "converged";
    case run_status::no_progress:
      return "no_progress";
    case run_status::diverged:
      return "diverged";
    case run_status::stopped:
      return "stopped";
    case run_status::done:
      break;
  }
  return "done";
}

std::string_view to_string(stop_cause cause) {
  switch (cause) {
    case stop_cause::observer:
      return "observer";
    case stop_cause::time_limit:
      return "time_limit";
    case stop_cause::request:
      break;
  }
  return "request";
}

}  // namespace hogwild
