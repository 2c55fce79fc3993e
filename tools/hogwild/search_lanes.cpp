// SPDX-License-Identifier: Apache-2.0
#include "search_lanes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include <hogwild/detail/loop/lane_table.hpp>

#include "model_from_request.hpp"

namespace hogwild::cli {
namespace {

/// The options that all trials of its group share, and whether it has an l1.
std::string common_options(const trial& t, const train_options& o) {
  configuration common;
  for (const given_option& option : t.options)
    if (std::ranges::find(options_of_a_lane, option.name) == options_of_a_lane.end()) common.push_back(option);
  return to_text(common) + (o.l1 > 0.0 ? " with l1" : "");
}

}  // namespace

lane_trainer::lane_trainer(const std::vector<train_request>& requests, std::span<const trial> trials,
                           const search_rows& rows, const search_metric& metric, std::size_t threads,
                           run_trainer& others, search_pace& pace, std::stop_token stop)
    : rows_(rows), threads_(threads), others_(others), pace_(pace), first_(requests.size()) {
  std::vector<side_by_side_trial> all;
  for (const trial& t : trials) {
    const train_request& request = requests[t.number];
    const std::optional<model_traits> traits = traits_of_lane(request, rows.all.part);
    if (!traits) continue;
    first_[t.number] = all.size();
    for (std::size_t part = 0; part < rows.parts.size(); ++part) {
      const std::shared_ptr<const train_request> kept(std::shared_ptr<void>(), &request);
      all.push_back(lane_of(kept, *traits, rows.parts[part].training));
      all.back().options.test = rows.parts[part].validation;
      all.back().options.observers.emplace_back(others.listener());
      all.back().alike = std::to_string(part) + " " + common_options(t, request.options);
    }
  }
  lanes_.emplace(std::move(all),
                 trials_side_by_side::settings{.threads = threads,
                                               .all_measures = metric.value != nullptr,
                                               .sorts = metric.sorts,
                                               .stop = std::move(stop),
                                               .passed = [&pace](std::size_t epochs) { pace.add(epochs); }});
}

std::size_t lane_trainer::at_once(const trial& t) const {
  return first_[t.number] ? most_lanes * threads_ : others_.at_once(t);
}

void lane_trainer::train(std::span<trial* const> some, std::size_t epochs) {
  // All are of one kind, by at_once().
  if (!first_[some.front()->number]) return others_.train(some, epochs);
  const std::size_t parts = rows_.parts.size();
  std::vector<std::size_t> which;
  for (const trial* t : some)
    for (std::size_t part = 0; part < parts; ++part) which.push_back(*first_[t->number] + part);
  std::size_t left = 0;
  for (const trial* t : some) left += epochs - std::min(t->epochs, epochs);
  pace_.begin(left * parts);
  lanes_->train(which, epochs);
  pace_.end();
  constexpr double infinite = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < some.size(); ++i) {
    double sum = 0.0;
    bool complete = true;
    for (std::size_t part = 0; part < parts; ++part) {
      const side_by_side_outcome& one = lanes_->outcome(which[i * parts + part]);
      if (!one.refused.empty()) others_.note_refused(some[i]->number, one.refused);
      complete = complete && (!one.refused.empty() || one.epochs == epochs);
      const bool counts = one.refused.empty() && one.epochs > 0 && std::isfinite(one.measured.loss);
      sum += counts ? others_.measured_by(one.measured) : infinite;
    }
    if (!complete) continue;
    some[i]->metric = std::isfinite(sum) ? sum / static_cast<double>(parts) : infinite;
    some[i]->epochs = epochs;
  }
}

void lane_trainer::forget(std::size_t trial) {
  if (!first_[trial]) return;
  for (std::size_t part = 0; part < rows_.parts.size(); ++part) lanes_->forget(*first_[trial] + part);
}

}  // namespace hogwild::cli
