// SPDX-License-Identifier: Apache-2.0
#include "advice_check.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <hogwild/observer.hpp>

#include "training.hpp"

namespace hogwild::cli {
namespace {

constexpr std::size_t turns = 3, epochs_of_a_turn = 5;

/// Seconds of each epoch but the first, which touches new memory.
class epoch_times final : public observer {
 public:
  explicit epoch_times(std::vector<double>& seconds) : seconds_(seconds) {}
  observer_answer on_epoch(const epoch_report& e) override {
    if (e.epoch > 1) seconds_.push_back(e.train_seconds - before_);
    before_ = e.train_seconds;
    return observer_answer::go_on;
  }

 private:
  std::vector<double>& seconds_;
  double before_ = 0.0;
};

engine_name engine_called(const std::string& name) {
  return std::ranges::find(engine_names, name, &detail::enumerator<engine_name>::word)->value;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace

checked_advice measure_advised(const advice& given, const named_model& m, const sparse_view& rows,
                               const train_request& request, const train_options& options) {
  const cpu_watch watch;
  std::vector<measured_run> measured(given.runs.size());
  std::vector<std::vector<double>> seconds(given.runs.size());
  // In turns, so that other load on the machine affects all alike.
  for (std::size_t turn = 0; turn < turns; ++turn) {
    for (std::size_t i = 0; i < given.runs.size(); ++i) {
      if (!given.runs[i].refused.empty()) continue;
      train_request run = request;
      run.engine = engine_called(given.runs[i].engine);
      run.workers = given.runs[i].asked;
      epoch_times times(seconds[i]);
      train_options o = options;
      o.epochs = epochs_of_a_turn;
      o.step.initial = given.step;
      o.observers.push_back(&times);
      measured[i].workers = train_with_engine(m, rows, run, o, nullptr).workers;
    }
  }
  const cpu_load load = watch.load();
  for (std::size_t i = 0; i < measured.size(); ++i) {
    if (seconds[i].empty()) continue;
    measured[i].epoch_seconds = median(seconds[i]);
    measured[i].least_seconds = *std::ranges::min_element(seconds[i]);
  }
  return {.runs = std::move(measured), .load = load};
}

}  // namespace hogwild::cli
