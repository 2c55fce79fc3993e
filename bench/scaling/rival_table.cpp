// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <optional>

#include "tables.hpp"

namespace hogwild::bench {
namespace {

/// Seconds of our fastest median epoch with at most as many workers; nothing where none was measured.
std::optional<double> our_epoch(const scaling_report& report, const std::string& model, std::size_t workers) {
  std::optional<double> best;
  for (const point_report& p : report.points) {
    if (p.state != point_state::measured || p.what.model != model || p.what.workers > workers) continue;
    best = std::min(best.value_or(p.median_seconds), p.median_seconds);
  }
  return best;
}

std::string milliseconds(const std::optional<double>& seconds) {
  char text[32];
  if (!seconds) return "-";
  std::snprintf(text, sizeof text, "%.2f", *seconds * 1e3);
  return text;
}

void print_rival(const rival_report& r, const scaling_report& report) {
  std::printf("%-13s %-10s %-22s %7zu  ", r.model.c_str(), r.who.name.c_str(), r.who.setting.c_str(), r.who.workers);
  if (r.state != point_state::measured) {
    std::printf("%s: %s\n", std::string(name_of(r.state)).c_str(), r.reason.c_str());
    return;
  }
  char times[32] = "-", rate[32] = "-", objective[32] = "-", accuracy[32] = "-";
  const auto ours = our_epoch(report, r.model, r.who.workers);
  if (ours && r.median_epoch_seconds) std::snprintf(times, sizeof times, "%.2f", *r.median_epoch_seconds / *ours);
  if (r.nonzeros_per_second) std::snprintf(rate, sizeof rate, "%.0f", *r.nonzeros_per_second / 1e6);
  const rival_run& last = r.runs.back();
  if (last.objective) std::snprintf(objective, sizeof objective, "%.6f", *last.objective);
  if (last.test_accuracy) std::snprintf(accuracy, sizeof accuracy, "%.4f", *last.test_accuracy);
  std::printf("%9.3f  %9s  %9s  %7s  %9s  %9s  %8s  %s\n", r.median_command_seconds,
              milliseconds(r.median_epoch_seconds).c_str(), milliseconds(r.min_epoch_seconds).c_str(), rate, times,
              objective, accuracy, std::string(name_of(r.who.evaluated_by)).c_str());
}

}  // namespace

void print_rivals(const scaling_report& report) {
  if (report.rivals.empty()) return;
  std::printf("\n%-13s %-10s %-22s %7s  %9s  %9s  %9s  %7s  %9s  %9s  %8s  %s\n", "model", "rival", "setting",
              "workers", "command s", "ms/epoch", "best", "M nnz/s", "to ours", "objective", "accuracy", "evaluator");
  for (const rival_report& r : report.rivals) print_rival(r, report);
}

}  // namespace hogwild::bench
