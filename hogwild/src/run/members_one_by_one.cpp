// SPDX-License-Identifier: Apache-2.0
#include "run/members_one_by_one.hpp"

#include <algorithm>
#include <stop_token>

#include <hogwild/detail/run/run_training.hpp>
#include <hogwild/engines.hpp>

#include "run/member_groups.hpp"
#include "run/member_rows.hpp"
#include "task/require.hpp"

namespace hogwild::detail {

members_one_by_one::members_one_by_one(const prepared_data& all, const several_plan& plan)
    : all_(all), plan_(plan), ended_(plan.models) {
  require(!all.options().target,
          "a target ends models that are trained side by side, under sgd without average, plateau and shards: leave it "
          "out");
  require(all.options().sharing == sharing_kind::automatic,
          "models that are trained one by one, as shards are, and under other optimizers than sgd, average or plateau, "
          "have a worker each, who shares nothing: leave out the sharing");
}

void members_one_by_one::train(thread_team& team) {
  std::stop_source end;
  const std::stop_callback asked(all_.options().stop, [&end] { end.request_stop(); });
  by_threads(team, plan_.models, [&](std::size_t k) {
    const member_rows own(all_, plan_, k);
    train_options options = own.options();
    options.stop = end.get_token();
    engine_of<serial_engine> one{serial_engine{}};
    ended_[k] = run_training(plan_.prepare(own.rows(), options), one);
    rows_done_ += ended_[k].examples;
    if (ended_[k].status == run_status::diverged) end.request_stop();
  });
}

run_status members_one_by_one::status() const {
  for (const run_status s : {run_status::diverged, run_status::stopped, run_status::done})
    if (std::ranges::any_of(ended_, [s](const train_result& r) { return r.status == s; })) return s;
  return run_status::converged;
}

std::size_t members_one_by_one::epochs() const {
  const auto [least, most] = std::ranges::minmax(ended_, {}, &train_result::epochs);
  return status() == run_status::stopped ? least.epochs : most.epochs;
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
