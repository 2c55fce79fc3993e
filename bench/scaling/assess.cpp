// SPDX-License-Identifier: Apache-2.0
#include "assess.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "rivals/quality.hpp"
#include "statistics.hpp"

namespace hogwild::bench {
namespace {

std::string percent(double fraction) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f %%", 100.0 * fraction);
  return text;
}

}  // namespace

void assess(point_report& p, const bench_options& options, std::size_t nonzeros) {
  if (p.state != point_state::measured) return;
  std::vector<double> counted, objectives;
  for (const run_outcome& run : p.runs) {
    const double gap = std::abs(run.result.objective / p.reference_objective - 1.0);
    p.worst_gap = std::isfinite(gap) ? std::max(p.worst_gap, gap) : HUGE_VAL;
    if (run.result.status != run_status::done) {
      p.reason = "a run ended as " + std::string(to_string(run.result.status));
    }
    objectives.push_back(run.result.objective);
    counted.insert(counted.end(), run.epoch_seconds.begin() + 1, run.epoch_seconds.end());
  }
  if (p.reason.empty() && p.worst_gap > options.tolerance) {
    p.reason = "an objective misses the serial reference by " + percent(p.worst_gap);
  }
  if (!p.reason.empty()) {
    p.state = point_state::failed;
    return;
  }
  p.objective = median(objectives);
  p.median_seconds = median(counted);
  p.min_seconds = *std::ranges::min_element(counted);
  p.max_seconds = *std::ranges::max_element(counted);
  p.nonzeros_per_second = static_cast<double>(nonzeros) / p.median_seconds;
}

void assess(rival_report& r, const bench_options& options, const model_settings& reference, std::size_t nonzeros) {
  if (r.state != point_state::measured) return;
  std::vector<double> commands, epochs, best;
  for (const rival_run& run : r.runs) {
    const std::string fault = fault_of_quality(run.objective, run.test_accuracy, r.who.same_objective, reference,
                                               options.tolerance, defaults::accuracy_band);
    if (!fault.empty()) {
      r.state = point_state::failed;
      r.reason = fault;
      return;
    }
    commands.push_back(run.command_seconds);
    if (run.epoch_seconds) epochs.push_back(*run.epoch_seconds);
    if (run.best_epoch_seconds) best.push_back(*run.best_epoch_seconds);
  }
  r.median_command_seconds = median(commands);
  if (epochs.empty() || best.empty()) return;
  r.median_epoch_seconds = median(epochs);
  r.min_epoch_seconds = *std::ranges::min_element(best);
  r.nonzeros_per_second = static_cast<double>(nonzeros) / *r.median_epoch_seconds;
}

}  // namespace hogwild::bench
