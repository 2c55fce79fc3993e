// SPDX-License-Identifier: Apache-2.0
#include "speedup.hpp"

namespace hogwild::bench {
namespace {

/// The fastest measured point of this model and update policy that has one worker; null where there is none.
const point_report* best_single(const scaling_report& report, const point& what) {
  const point_report* best = nullptr;
  for (const point_report& p : report.points) {
    const bool rival = p.state == point_state::measured && p.what.workers == 1 && p.what.model == what.model &&
                       p.what.update == what.update;
    if (rival && (best == nullptr || p.median_seconds < best->median_seconds)) best = &p;
  }
  return best;
}

/// Of all epochs of a run, the first taken for one like the others.
double schedule_seconds(const point_report& p) {
  return p.median_seconds * static_cast<double>(p.runs.front().epoch_seconds.size());
}

}  // namespace

std::vector<speedup> speedups_of(const scaling_report& report) {
  std::vector<speedup> all;
  for (const point_report& p : report.points) {
    if (p.state != point_state::measured || p.what.workers == 1) continue;
    const point_report* const one = best_single(report, p.what);
    if (one == nullptr) continue;
    all.push_back({.what = p.what,
                   .seconds = p.median_seconds,
                   .one_worker_seconds = one->median_seconds,
                   .one_worker = words_of(one->what),
                   .ratio = one->median_seconds / p.median_seconds,
                   .schedule_ratio = schedule_seconds(*one) / schedule_seconds(p),
                   .objective_difference = p.objective / p.reference_objective - 1.0});
  }
  return all;
}

}  // namespace hogwild::bench
