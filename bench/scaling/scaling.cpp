// SPDX-License-Identifier: Apache-2.0
#include "scaling.hpp"

#include <algorithm>
#include <deque>
#include <exception>
#include <map>

#include <hogwild/error.hpp>

#include "assess.hpp"
#include "turns.hpp"

namespace hogwild::bench {
namespace {

/// One call's measurement: who competes, under which options.
class competition {
 public:
  competition(const bench_options& options, const workload& data, std::size_t cpus)
      : options_(options), data_(data), cpus_(cpus) {}

  scaling_report run() {
    for (const std::string& model : options_.models) settle_on(model);
    add_points();
    if (!options_.rivals.names.empty()) add_rivals();
    std::vector<turn> turns;
    for (point_report& p : report_.points) {
      if (p.state == point_state::measured) turns.push_back({p.what.model + " " + words_of(p.what), [&] { run(p); }});
    }
    for (rival_report& r : report_.rivals) {
      if (r.state == point_state::skipped) continue;
      turns.push_back({r.model + " " + r.who.name + " " + r.who.setting, [&] { run(r); }});
    }
    const turn_limits limits{std::chrono::duration<double>(options_.budget_seconds), options_.stop};
    report_.rounds = take_turns(turns, options_.repeats, limits);
    for (point_report& p : report_.points) assess(p, options_, data_.train().nonzeros());
    for (rival_report& r : report_.rivals) assess(r, options_, reference(r.model), data_.train().nonzeros());
    return std::move(report_);
  }

 private:
  const model_settings& reference(const std::string& model) const {
    for (const model_settings& m : report_.models) {
      if (m.model == model) return m;
    }
    throw config_error(model + ": has no reference");
  }

  void settle_on(const std::string& model) {
    try {
      report_.models.push_back(settle(model, options_, data_));
    } catch (const error& e) {
      if (e.code() == exit_code::interrupted) throw;
      unfit_[model] = e.what();
    }
  }

  void add_points() {
    for (const planned_point& p : plan_points(options_, cpus_)) {
      point_report entry{.what = p.what, .reason = p.skip};
      if (unfit_.contains(p.what.model)) {
        entry.state = point_state::broken;
        entry.reason = "its reference: " + unfit_[p.what.model];
      } else if (!p.skip.empty()) {
        entry.state = point_state::skipped;
      } else {
        entry.reference_objective = reference(p.what.model).objective;
      }
      report_.points.push_back(std::move(entry));
    }
  }

  void add_rivals() {
    files_.emplace(data_);
    for (const model_settings& settled : report_.models) {
      contexts_.push_back({options_, settled, data_, *files_, cpus_});
      for (rival& r : find_rivals(contexts_.back())) {
        const point_state state = r.skip.empty() ? point_state::measured : point_state::skipped;
        report_.rivals.push_back({.model = settled.model, .who = r, .state = state, .reason = r.skip});
      }
    }
  }

  /// Whatever ends with an error has its last turn; the others go on.
  template <class Report, class Run>
  void attempt(Report& r, const Run& once) {
    if (r.state == point_state::broken) return;
    const auto broken = [&r](const std::exception& e) {
      r.state = point_state::broken;
      r.reason = e.what();
    };
    try {
      r.runs.push_back(once());
    } catch (const error& e) {
      if (e.code() == exit_code::interrupted) throw;
      broken(e);
    } catch (const std::exception& e) {  // what a rival says may be anything
      broken(e);
    }
  }

  void run(point_report& p) {
    const model_settings& settled = reference(p.what.model);
    train_options o = common_options(options_, data_);
    o.step.initial = settled.step;
    o.step.decay = settled.decay;
    o.l2 = settled.l2;
    std::optional<target_option> target = options_.target;
    if (options_.target_gap) target = {metric::objective, settled.objective * (1.0 + *options_.target_gap)};
    attempt(p, [&] { return run_once(p.what, data_.train().view(), o, target); });
  }

  void run(rival_report& r) {
    attempt(r, [&] { return r.who.run(); });
  }

  const bench_options& options_;
  const workload& data_;
  std::size_t cpus_;
  scaling_report report_;
  std::map<std::string, std::string> unfit_;
  std::optional<rival_files> files_;
  std::deque<rival_context> contexts_;  ///< rivals keep references to them
};

}  // namespace

std::string_view name_of(point_state state) {
  switch (state) {
    case point_state::failed:
      return "failed";
    case point_state::skipped:
      return "skipped";
    case point_state::broken:
      return "broken";
    case point_state::measured:
      break;
  }
  return "measured";
}

bool is_sound(const scaling_report& report) {
  return std::ranges::none_of(
             report.points,
             [](const point_report& p) { return p.state == point_state::failed || p.state == point_state::broken; }) &&
         std::ranges::none_of(report.rivals, [](const rival_report& r) { return r.state == point_state::broken; });
}

model_settings settle(const std::string& model, const bench_options& options, const workload& data) {
  const run_outcome run = run_once({.model = model}, data.train().view(), common_options(options, data));
  const train_result& r = run.result;
  if (r.status != run_status::done) {
    throw config_error(model + ": the serial reference ended as " + std::string(to_string(r.status)) +
                       "; give a smaller --step");
  }
  return {model, r.step, r.decay, r.l2, r.objective, r.test ? r.test->accuracy : std::nullopt};
}

scaling_report measure_scaling(const bench_options& options, const workload& data, std::size_t usable_cpus) {
  return competition(options, data, usable_cpus).run();
}

}  // namespace hogwild::bench
