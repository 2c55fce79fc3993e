// SPDX-License-Identifier: Apache-2.0
#include "search_lanes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <tuple>
#include <variant>

#include <hogwild/detail/run/curvature.hpp>
#include <hogwild/detail/run/lane_run.hpp>
#include <hogwild/detail/run/option_checks.hpp>
#include <hogwild/detail/run/run_training.hpp>
#include <hogwild/detail/run/step_search.hpp>
#include <hogwild/error.hpp>

#include "model_from_request.hpp"
#include "side_by_side.hpp"
#include "training.hpp"

namespace hogwild::cli {
namespace {

/// What trials may differ in that are trained side by side.
constexpr std::array<std::string_view, 5> of_a_lane{"step", "decay", "schedule", "l1", "l2"};

/// The values that a trial has in common with all of its group, and whether it has an l1.
std::string common_options(const trial& t, const train_options& o) {
  configuration common;
  for (const given_option& option : t.options)
    if (std::ranges::find(of_a_lane, option.name) == of_a_lane.end()) common.push_back(option);
  return to_text(common) + (o.l1 > 0.0 ? " with l1" : "");
}

}  // namespace

/// Models of one loss on one part of the rows.
struct lane_trainer::group {
  prepared_task made;
  sparse_view validation;
  double curvature = 0.0;  ///< of the mean loss, at most

  std::shared_ptr<const training_task> task() const { return {std::shared_ptr<const void>(), made.task.get()}; }
};

/// One trial on one part of the rows.
struct lane_trainer::lane {
  const trial* of = nullptr;
  std::size_t part = 0;
  group* among = nullptr;
  step_schedule schedule{};
  double l1 = 0.0, l2 = 0.0;
  std::uint32_t batch = 1;
  std::string refused{};   ///< why it cannot be trained
  std::size_t epochs = 0;  ///< trained so far
  lane_kept kept{};        ///< as it is then; empty: a new one
  double metric = std::numeric_limits<double>::infinity();
};

/// Lanes that one thread trains by one pass an epoch.
struct lane_trainer::unit {
  std::vector<lane*> lanes;
};

lane_trainer::lane_trainer(const std::vector<train_request>& requests, const search_rows& rows,
                           const search_metric& metric, std::size_t threads, run_trainer& others, std::stop_token stop)
    : requests_(requests), rows_(rows), metric_(metric), threads_(threads), others_(others), stop_(std::move(stop)) {
  for (const train_request& request : requests) {
    has_lanes_.push_back(has_lanes(request));
    if (has_lanes_.back() && request.options.l1 == 0.0)
      largest_step_ = std::max(largest_step_, request.options.step.initial.value_or(0.0));
  }
}

lane_trainer::~lane_trainer() = default;

std::size_t lane_trainer::at_once(const trial& t) const {
  return has_lanes_[t.number] ? most_lanes * threads_ : others_.at_once(t);
}

bool lane_trainer::has_lanes(const train_request& request) const {
  const train_options& o = request.options;
  const bool plain = request.engine == engine_name::serial && request.init.empty() &&
                     o.sharing == sharing_kind::automatic && o.update == update_kind::lossy &&
                     o.optimizer.value_or(optimizer_kind::sgd) == optimizer_kind::sgd && !o.average &&
                     o.freeze.empty() && !o.rounds && !o.virtual_workers && o.step.kind != schedule_kind::plateau &&
                     o.form.value_or(l2_form::by_degree) != l2_form::two_pass;
  if (!plain || rows_.all.part.label.lists()) return false;
  try {
    train_request asked = request;
    const named_model m = model_of(asked, rows_.all.part, agreement(nullptr), nullptr);
    return std::visit([]<class M>(const M&) { return margin_model<M>; }, m);
  } catch (const config_error&) {
    return false;  // which a run of its own tells
  }
}

lane_trainer::group& lane_trainer::group_of(const trial& t, std::size_t part) {
  const std::lock_guard lock(grouping_);
  std::unique_ptr<group>& found = groups_[{common_options(t, requests_[t.number].options), part}];
  if (found != nullptr) return *found;
  train_request request = requests_[t.number];
  const search_rows::part& rows = rows_.parts[part];
  const named_model m = model_of(request, rows.training, agreement(nullptr), nullptr);
  train_options options = request.options;
  options.data_name = request.data;
  options.test = rows.validation;
  options.stop = stop_;
  prepared_task made = prepare_named(m, rows.training, options, nullptr);
  const sparse_view validation = *made.data.options().test;
  const double smoothness = made.task->smoothness();
  const double curvature = smoothness * largest_eigenvalue(made.task->data(), made.task->options().bias != 0, stop_);
  found.reset(new group{std::move(made), validation, curvature});
  return *found;
}

/// What a run says of its options before it has a step.
void lane_trainer::check(const train_request& request, std::size_t part) const {
  train_request asked = request;
  const named_model m = model_of(asked, rows_.parts[part].training, agreement(nullptr), nullptr);
  std::visit(
      [&]<class M>(const M& concrete) {
        if constexpr (margin_model<M>) detail::check_options(request.options, traits_of(concrete));
      },
      m);
}

/// Its step is found as a run of its own would find it. No more rows see the same weights than the largest step of the
/// search allows, in powers of two: so all lanes with given steps go through the rows together.
void lane_trainer::begin(const trial& t, lane& of) {
  const train_request& request = requests_[t.number];
  const train_options& o = request.options;
  of.among = &group_of(t, of.part);
  check(request, of.part);
  const training_task& common = *of.among->made.task;
  const training_defaults& defaults = of.among->made.data.defaults();
  const std::optional<double> given = o.step.initial ? o.step.initial : defaults.step;
  of.l1 = o.l1;
  of.l2 = o.l2.value_or(common.options().l2);
  of.batch = of.l1 > 0.0 ? 1 : common.options().batch;  // with l1 rows go one by one
  double initial = given.value_or(0.0);
  if (!given) {
    train_request asked = request;
    train_options options = o;
    options.stop = stop_;
    const sparse_view& rows = rows_.parts[of.part].training;
    const named_model m = model_of(asked, rows, agreement(nullptr), nullptr);
    initial = find_step(*prepare_named(m, rows, options, nullptr).task, {}, stop_);
  } else if (of.l1 == 0.0) {
    const double rows = 1.0 / std::max(largest_step_ * of.among->curvature, 1e-9);
    of.batch = std::bit_floor(static_cast<std::uint32_t>(std::clamp(rows, 1.0, static_cast<double>(of.batch))));
  }
  of.schedule = schedule_from(o, defaults, initial, !given);
  if (of.l1 == 0.0) detail::require_below_one(initial * of.l2);
}

std::vector<lane_trainer::unit> lane_trainer::units_of(std::span<lane* const> lanes) const {
  using kind = std::tuple<const group*, std::size_t, std::uint32_t>;
  std::map<kind, std::vector<lane*>> alike;
  for (lane* of : lanes) alike[{of->among, of->epochs, of->batch}].push_back(of);
  std::vector<unit> units;
  for (auto& [what, all] : alike) {
    // Those that shrink far, whose weights are multiplied many times in a pass, with each other.
    std::ranges::stable_sort(all, {}, [](const lane* of) { return of->schedule.initial * of->l2; });
    const std::size_t each = (lanes.size() + threads_ - 1) / threads_;
    const std::size_t most = lane_run::lanes_for(std::get<0>(what)->made.task->data().columns, each);
    for (std::size_t first = 0; first < all.size(); first += most) {
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
      units.push_back({{begin, begin + static_cast<std::ptrdiff_t>(std::min(most, all.size() - first))}});
    }
  }
  return units;
}

void lane_trainer::train_unit(const unit& of, std::size_t epochs) const {
  const group& among = *of.lanes.front()->among;
  loop_options options = among.made.task->options();
  options.batch = of.lanes.front()->batch;
  const std::size_t lanes = lane_run::lanes_for(among.made.task->data().columns, of.lanes.size());
  lane_run run(among.task(), options, lanes, std::make_unique<engine_of<serial_engine>>(serial_engine{}));
  for (std::size_t k = 0; k < of.lanes.size(); ++k)
    run.place(k, {.l1 = of.lanes[k]->l1, .l2 = of.lanes[k]->l2}, of.lanes[k]->kept);
  std::vector<double> steps(lanes);
  for (std::size_t e = of.lanes.front()->epochs + 1; e <= epochs; ++e) {
    for (std::size_t k = 0; k < of.lanes.size(); ++k) steps[k] = of.lanes[k]->schedule.at(e);
    run.train(e, steps, stop_);
    if (stop_.stop_requested()) return;
  }
  const auto measured = run.measure(among.validation, lane_task::rows_of_lane::all, metric_.name != "loss");
  for (std::size_t k = 0; k < of.lanes.size(); ++k) {
    lane& l = *of.lanes[k];
    const bool finite = std::isfinite(measured[k].loss);
    l.metric = finite ? others_.measured_by(measured[k]) : std::numeric_limits<double>::infinity();
    l.epochs = epochs;
    l.kept = epochs < requests_[l.of->number].options.epochs ? run.kept(k) : lane_kept{};
  }
}

void lane_trainer::train(std::span<trial* const> some, std::size_t epochs) {
  // All are of one kind, by at_once().
  if (!has_lanes_[some.front()->number]) return others_.train(some, epochs);
  const std::size_t parts = rows_.parts.size();
  std::vector<lane*> all, fresh;
  for (const trial* t : some) {
    for (std::size_t part = 0; part < parts; ++part) {
      std::unique_ptr<lane>& of = lanes_[{t->number, part}];
      if (of == nullptr) {
        of = std::make_unique<lane>(lane{.of = t, .part = part});
        fresh.push_back(of.get());
      }
      all.push_back(of.get());
    }
  }
  for_each_in_threads(fresh.size(), threads_, [&](std::size_t i) {
    try {
      begin(*fresh[i]->of, *fresh[i]);
    } catch (const config_error& why) {
      fresh[i]->refused = why.what();
    }
  });
  // A step that was looked for when the search was asked to stop is none.
  if (stop_.stop_requested()) {
    for (const lane* of : fresh) lanes_.erase({of->of->number, of->part});
    return;
  }
  std::vector<lane*> trained;
  for (lane* of : all)
    if (of->refused.empty() && of->epochs < epochs) trained.push_back(of);
  const std::vector<unit> units = units_of(trained);
  for_each_in_threads(units.size(), threads_, [&](std::size_t i) {
    if (!stop_.stop_requested()) train_unit(units[i], epochs);
  });

  for (std::size_t i = 0; i < some.size(); ++i) {
    const std::span<lane* const> of_trial(all.data() + i * parts, parts);
    double sum = 0.0;
    bool complete = true;
    for (const lane* of : of_trial) {
      if (!of->refused.empty()) others_.note_refused(some[i]->number, of->refused);
      complete = complete && (!of->refused.empty() || of->epochs == epochs);
      sum += of->metric;
    }
    if (!complete) continue;
    some[i]->metric = std::isfinite(sum) ? sum / static_cast<double>(parts) : std::numeric_limits<double>::infinity();
    some[i]->epochs = epochs;
  }
}

void lane_trainer::forget(std::size_t trial) {
  for (std::size_t part = 0; part < rows_.parts.size(); ++part) lanes_.erase({trial, part});
}

}  // namespace hogwild::cli
