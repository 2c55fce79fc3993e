// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/run/advise.hpp>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <utility>

#include <hogwild/detail/optimization/optimizer.hpp>
#include <hogwild/detail/run/run_planner.hpp>
#include <hogwild/detail/run/run_training.hpp>
#include <hogwild/error.hpp>

#include "run/memory_need.hpp"

namespace hogwild {

namespace {

constexpr double clearly_faster = 0.95;

advised_run try_candidate(const training_task& task, const resolved_run& begun, candidate& tried) {
  resolved_run run = begun;
  run_planner planner(task, run);
  advised_run made{.engine = tried.engine, .asked = tried.workers, .reason = {}, .in_lockstep = tried.in_lockstep};
  made.workers = tried.by->plan(planner);
  const loop_options& loop = planner.loop();
  made.sharing = loop.sharing;
  made.exchange = loop.exchange;
  made.reason = run.sharing_reason;
  const loop_plan plan = task.plan(loop);
  made.bytes = detail::memory_need(task, plan, made.workers);
  made.workers = plan.training_workers(made.workers);
  // With several replicas an exchange takes another time than the rule assumes.
  const bool by_rule = run.predicted_epoch_seconds && task.facts().margin && loop.exchange.replicas < 2;
  if (by_rule) {
    made.epoch_seconds = *run.predicted_epoch_seconds;
    return made;
  }
  const auto workers_of = [&](const training_task& sample, const loop_plan& cut) {
    if (!tried.twin) return tried.by->start_workers(sample, cut, {});
    return tried.twin->start_workers(sample, cut, {});
  };
  if (tried.twin) {
    resolved_run again = begun;
    run_planner unheard(task, again);
    tried.twin->plan(unheard);  // so that the twin has as many workers as the candidate
  }
  made.probed = true;
  made.epoch_seconds =
      1e-9 * probe_row(task, loop, workers_of, run.options.stop) * static_cast<double>(task.data().rows());
  return made;
}

std::uint64_t bytes_of(const sparse_view& data) {
  const std::size_t entry = (data.has_narrow_index() ? 2 : 4) + (data.has_narrow_value() ? 2 : 4);
  return data.nonzeros() * entry + 4 * (data.rows() + 1);
}

std::string in_figures(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", x);
  return text;
}

std::string why(const std::vector<advised_run>& runs, std::size_t best) {
  const advised_run& taken = runs[best];
  std::string text = taken.workers == 1
                         ? "no other engine is predicted to be clearly faster than one worker alone"
                         : "predicted to be " + in_figures(taken.speed_up) + " times as fast as one worker alone";
  const auto idle = [](const advised_run& run) { return run.workers < run.asked && run.asked > 1; };
  const auto left_out = std::ranges::find_if(runs, idle);
  const std::string& reason = taken.workers == 1 && left_out != runs.end() ? left_out->reason : taken.reason;
  return reason.empty() ? text : text + "; " + reason;
}

}  // namespace

std::size_t best_of(const std::vector<advised_run>& runs) {
  std::size_t best = runs.size();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!runs[i].refused.empty() || runs[i].in_lockstep) continue;
    if (best != runs.size() && runs[i].workers < 2) continue;  // with idle workers it is just one worker again
    if (best == runs.size() || runs[i].epoch_seconds < clearly_faster * runs[best].epoch_seconds) best = i;
  }
  return best == runs.size() ? 0 : best;
}

std::vector<advised_run> extrapolate(const std::vector<advised_run>& runs, std::size_t cpus) {
  std::vector<advised_run> all;
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const advised_run& known = runs[i];
    const bool has_more = i + 1 < runs.size() && runs[i + 1].engine == known.engine;
    if (has_more || known.in_lockstep || !known.refused.empty() || known.workers < 2) continue;
    const auto p = static_cast<double>(known.workers);
    const double alone = runs.front().epoch_seconds;
    const std::uint64_t alone_bytes = runs.front().bytes;
    const double lines = p / (p - 1.0) * std::max(p * known.epoch_seconds - alone, 0.0);
    for (std::size_t next = std::bit_floor(known.workers) * 2;; next *= 2) {
      const std::size_t workers = std::min(next, cpus);
      if (workers <= known.workers) break;
      const auto n = static_cast<double>(workers);
      advised_run made = known;
      made.asked = made.workers = workers;
      made.probed = false;
      made.extrapolated = true;
      made.epoch_seconds = (alone + lines * (n - 1.0) / n) / n;
      made.speed_up = alone / made.epoch_seconds;
      made.bytes = alone_bytes + (known.bytes - std::min(known.bytes, alone_bytes)) / known.workers * workers;
      all.push_back(std::move(made));
      if (workers == cpus) break;
    }
  }
  return all;
}

advice advise(const prepared_task& ready, std::vector<candidate>& candidates) {
  const training_task& task = *ready.task;
  resolved_run begun = begin_run(ready);
  advice given;
  given.meetings = measure_meetings(task.data());
  given.step = begun.schedule.initial;
  given.step_found = begun.step_found;
  given.search_seconds = begun.search_seconds;
  given.data_bytes = bytes_of(task.data());
  run_planner planner(task, begun);
  given.curvature = planner.curvature();
  planner.limit_batch();
  const cpu_watch watch;
  given.speed = {.row_ns = measure_row(task, planner.loop(), begun.options.stop, large_sample),
                 .lines = measure_lines()};
  begun.speed = given.speed;
  begun.speed->lines.missed = 0.0;  // the advice reports it once for all candidates
  for (candidate& tried : candidates) {
    try {
      given.runs.push_back(try_candidate(task, begun, tried));
    } catch (const config_error& e) {
      given.runs.push_back({.engine = tried.engine, .asked = tried.workers, .reason = {}, .refused = e.what()});
    }
  }
  given.load = watch.load();
  given.load.missed = given.speed.lines.missed;
  const double alone = given.runs.empty() ? 0.0 : given.runs.front().epoch_seconds;
  for (advised_run& run : given.runs)
    if (run.epoch_seconds > 0.0) run.speed_up = alone / run.epoch_seconds;
  given.row_ns = 1e9 * alone / static_cast<double>(task.data().rows());
  given.best = best_of(given.runs);
  if (!given.runs.empty()) given.reason = why(given.runs, given.best);
  return given;
}

}  // namespace hogwild
