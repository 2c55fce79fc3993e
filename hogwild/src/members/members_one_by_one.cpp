// SPDX-License-Identifier: Apache-2.0
#include "members/members_one_by_one.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include <hogwild/detail/run/run_training.hpp>
#include <hogwild/engines.hpp>

#include "members/member_groups.hpp"
#include "members/member_rows.hpp"
#include "task/require.hpp"

namespace hogwild::detail {

members_one_by_one::members_one_by_one(const prepared_data& all, const several_plan& plan, ranks_at_work& ranks)
    : all_(all),
      plan_(plan),
      ranks_(ranks),
      portions_{ranks.size(), plan.models},
      ended_(plan.models),
      told_(plan.models) {
  require(!all.options().target,
          "models that are trained one by one (shards, optimizers other than sgd, the schedules plateau and linear, l2 "
          "in two passes, averages) check no target: leave it out");
  require(
      !all.options().max_seconds,
      "models that are trained one by one take turns: a number of seconds would leave the last ones untrained; leave "
      "it out");
  require(all.options().sharing == sharing_kind::automatic,
          "models that are trained one by one (shards, optimizers other than sgd, the schedules plateau and linear, l2 "
          "in two passes, averages) have one worker each, so nothing is shared: leave out the sharing");
}

void members_one_by_one::train(thread_team& team) {
  ranks_.together([&] { train_own(team); });
  hear_of_others();
}

void members_one_by_one::train_own(thread_team& team) {
  std::stop_source end;
  const std::stop_callback asked(ranks_.stop(), [&end] { end.request_stop(); });
  const std::size_t first = portions_.first_of(ranks_.rank());
  by_threads(team, portions_.count_of(ranks_.rank()), [&](std::size_t i) {
    const std::size_t k = first + i;
    const member_rows own(all_, plan_, k);
    train_options options = own.options();
    options.stop = end.get_token();
    std::vector<member_epoch>& told = told_[k];
    options.observers.push_back([&](const epoch_report& e) {
      const member_epoch now{.loss = e.train_loss,
                             .objective = e.objective,
                             .seconds = e.train_seconds,
                             .examples = static_cast<double>(e.examples),
                             .updates = static_cast<double>(e.updates),
                             .nonzeros = static_cast<double>(e.nonzeros)};
      told.resize(std::max(told.size(), e.epoch), now);
    });
    engine_of<serial_engine> one{serial_engine{}};
    ended_[k] = run_training(plan_.prepare(own.rows(), options), one);
    rows_done_ += ended_[k].examples;
    if (ended_[k].status != run_status::diverged) return;
    end.request_stop();
    ranks_.ask_all_to_stop();
  });
}

/// The results of a model besides its parameters.
struct member_end {
  double status, epochs, examples, updates, nonzeros, search_seconds, step, decay, objective, gap, told;
};

constexpr double untold = -1.0;

void members_one_by_one::hear_of_others() {
  std::vector<member_end> ends;
  for (std::size_t k = 0; k < ended_.size(); ++k) {
    const train_result& one = ended_[k];
    ends.push_back({static_cast<double>(one.status), static_cast<double>(one.epochs), static_cast<double>(one.examples),
                    static_cast<double>(one.updates), static_cast<double>(one.nonzeros), one.search_seconds, one.step,
                    one.decay, one.objective, one.gap.value_or(untold), static_cast<double>(told_[k].size())});
  }
  ranks_.exchange(std::span(ends), [this](std::size_t k) { return portions_.rank_of(k); });
  for (std::size_t k = 0; k < ended_.size(); ++k) {
    train_result& one = ended_[k];
    one.status = static_cast<run_status>(static_cast<int>(ends[k].status));
    one.epochs = static_cast<std::size_t>(ends[k].epochs);
    one.examples = static_cast<std::uint64_t>(ends[k].examples);
    one.updates = static_cast<std::uint64_t>(ends[k].updates);
    one.nonzeros = static_cast<std::uint64_t>(ends[k].nonzeros);
    one.search_seconds = ends[k].search_seconds;
    one.step = ends[k].step;
    one.decay = ends[k].decay;
    one.objective = ends[k].objective;
    one.gap = ends[k].gap == untold ? std::nullopt : std::optional(ends[k].gap);
  }
  double most = 0.0;
  for (const member_end& end : ends) most = std::max({most, end.epochs, end.told});
  hear_of_epochs(static_cast<std::size_t>(most));
}

/// A model that ends before others keeps its last state.
void members_one_by_one::hear_of_epochs(std::size_t epochs) {
  std::vector<member_epoch> all;
  for (std::vector<member_epoch>& told : told_) {
    told.resize(epochs, told.empty() ? member_epoch{} : told.back());
    all.insert(all.end(), told.begin(), told.end());
  }
  ranks_.exchange(std::span(all), [this, epochs](std::size_t i) { return portions_.rank_of(i / epochs); });
  for (std::size_t k = 0; k < told_.size(); ++k) std::copy_n(all.data() + k * epochs, epochs, told_[k].data());
}

epoch_report members_one_by_one::after_epoch(std::size_t epoch) const {
  epoch_report sum{.epoch = epoch};
  double examples = 0.0, updates = 0.0, nonzeros = 0.0;
  for (std::size_t k = 0; k < ended_.size(); ++k) {
    const member_epoch& one = told_[k][epoch - 1];
    sum.train_loss += one.loss;
    sum.objective += one.objective;
    sum.train_seconds += one.seconds;
    examples += one.examples, updates += one.updates, nonzeros += one.nonzeros;
  }
  sum.examples = static_cast<std::uint64_t>(examples);
  sum.updates = static_cast<std::uint64_t>(updates);
  sum.nonzeros = static_cast<std::uint64_t>(nonzeros);
  return sum;
}

run_status members_one_by_one::status() const {
  for (const run_status s : {run_status::diverged, run_status::stopped, run_status::done, run_status::no_progress})
    if (std::ranges::any_of(ended_, [s](const train_result& r) { return r.status == s; })) return s;
  return run_status::converged;
}

std::size_t members_one_by_one::epochs() const {
  const auto [least, most] = std::ranges::minmax(ended_, {}, &train_result::epochs);
  return status() == run_status::stopped ? least.epochs : most.epochs;
}

std::optional<double> members_one_by_one::gap() const {
  double reached = 0.0, distance = 0.0;
  for (const train_result& one : ended_) {
    if (!one.gap) return std::nullopt;
    reached += one.objective, distance += *one.gap * std::abs(one.objective);
  }
  return distance > 0.0 ? distance / std::abs(reached) : 0.0;
}

train_result members_one_by_one::counted() const {
  train_result sum;
  for (const train_result& one : ended_) {
    sum.examples += one.examples;
    sum.updates += one.updates;
    sum.nonzeros += one.nonzeros;
    sum.search_seconds += one.search_seconds;
  }
  return sum;
}

}  // namespace hogwild::detail
