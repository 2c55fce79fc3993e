// SPDX-License-Identifier: Apache-2.0
#include "scaling.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include <hogwild/core/error.hpp>
#include <hogwild/names.hpp>

#include "statistics.hpp"

namespace hogwild::bench {
namespace {

train_options fixed_options(const model_settings& settled, const bench_options& options, const workload& data) {
  train_options o = common_options(options, data);
  o.step.initial = settled.step;
  o.step.decay = settled.decay;
  o.l2 = settled.l2;
  return o;
}

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f %%", 100.0 * share);
  return text;
}

void judge(point_report& p, const bench_options& options, std::size_t nonzeros) {
  if (p.state == point_state::skipped) return;
  std::vector<double> counted;
  for (const run_outcome& run : p.runs) {
    const double gap = std::abs(run.result.objective / p.reference_objective - 1.0);
    p.worst_gap = std::isfinite(gap) ? std::max(p.worst_gap, gap) : HUGE_VAL;
    if (run.result.status != run_status::done) {
      p.reason = "a run ended as " + std::string(to_string(run.result.status));
    }
    counted.insert(counted.end(), run.epoch_seconds.begin() + 1, run.epoch_seconds.end());
  }
  if (p.reason.empty() && p.worst_gap > options.tolerance) {
    p.reason = "an objective misses the serial reference by " + percent(p.worst_gap);
  }
  if (!p.reason.empty()) {
    p.state = point_state::failed;
    return;
  }
  p.median_seconds = median(counted);
  p.min_seconds = *std::ranges::min_element(counted);
  p.max_seconds = *std::ranges::max_element(counted);
  p.nonzeros_per_second = static_cast<double>(nonzeros) / p.median_seconds;
}

void say_progress(const point& p, std::size_t done, std::size_t all) {
  std::fprintf(stderr, "[%zu/%zu] %s %s %zu %s\n", done, all, p.model.c_str(), std::string(name_of(p.engine)).c_str(),
               p.workers, std::string(hogwild::name_of(p.update)).c_str());
}

}  // namespace

std::string_view name_of(point_state state) {
  switch (state) {
    case point_state::failed:
      return "failed";
    case point_state::skipped:
      return "skipped";
    case point_state::measured:
      break;
  }
  return "measured";
}

model_settings settle(const std::string& model, const bench_options& options, const workload& data) {
  const run_outcome run = run_once({.model = model}, data, common_options(options, data));
  if (run.result.status != run_status::done) {
    throw config_error(model + ": the serial reference ended as " + std::string(to_string(run.result.status)) +
                       "; give a smaller --step");
  }
  return {model, run.result.step, run.result.decay, run.result.l2, run.result.objective};
}

scaling_report measure_scaling(const bench_options& options, const workload& data, std::size_t usable_cpus) {
  scaling_report report;
  std::map<std::string, train_options> settings;
  std::map<std::string, std::string> unfit;
  for (const std::string& model : options.models) {
    try {
      report.models.push_back(settle(model, options, data));
      settings[model] = fixed_options(report.models.back(), options, data);
    } catch (const error& e) {
      if (e.code() == exit_code::interrupted) throw;
      unfit[model] = e.what();
    }
  }
  for (const planned_point& p : plan_points(options, usable_cpus)) {
    point_report entry{.what = p.what, .reason = unfit.contains(p.what.model) ? unfit[p.what.model] : p.skip};
    if (!entry.reason.empty()) entry.state = point_state::skipped;
    for (const model_settings& m : report.models) {
      if (m.model == p.what.model) entry.reference_objective = m.objective;
    }
    report.points.push_back(std::move(entry));
  }

  const std::size_t all = options.repeats * report.points.size();
  for (std::size_t repeat = 0; repeat < options.repeats; ++repeat) {
    for (std::size_t i = 0; i < report.points.size(); ++i) {
      // Another point begins each time, so that nobody always follows the same neighbour into a warm or busy machine.
      point_report& p = report.points[(i + repeat) % report.points.size()];
      if (p.state == point_state::skipped) continue;
      say_progress(p.what, repeat * report.points.size() + i + 1, all);
      try {
        p.runs.push_back(run_once(p.what, data, settings.at(p.what.model), options.target));
      } catch (const error& e) {
        if (e.code() == exit_code::interrupted) throw;
        p.state = point_state::skipped;
        p.reason = e.what();
      }
    }
  }
  for (point_report& p : report.points) judge(p, options, data.train().nonzeros());
  return report;
}

}  // namespace hogwild::bench
