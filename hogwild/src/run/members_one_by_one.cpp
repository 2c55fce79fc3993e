// SPDX-License-Identifier: Apache-2.0
#include "run/members_one_by_one.hpp"

#include <algorithm>
#include <span>
#include <stop_token>
#include <vector>

#include <hogwild/detail/run/run_training.hpp>
#include <hogwild/engines.hpp>

#include "run/member_groups.hpp"
#include "run/member_rows.hpp"
#include "task/require.hpp"

namespace hogwild::detail {

members_one_by_one::members_one_by_one(const prepared_data& all, const several_plan& plan, ranks_at_work& ranks)
    : all_(all), plan_(plan), ranks_(ranks), portions_{ranks.size(), plan.models}, ended_(plan.models) {
  require(!all.options().target,
          "a target ends models that are trained side by side, under sgd without average, plateau and shards: leave it "
          "out");
  require(
      !all.options().max_seconds,
      "models that are trained one by one take turns: a number of seconds would leave the last ones untrained; leave "
      "it out");
  require(all.options().sharing == sharing_kind::automatic,
          "models that are trained one by one, as shards are, and under other optimizers than sgd, average or plateau, "
          "have a worker each, who shares nothing: leave out the sharing");
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
    engine_of<serial_engine> one{serial_engine{}};
    ended_[k] = run_training(plan_.prepare(own.rows(), options), one);
    rows_done_ += ended_[k].examples;
    if (ended_[k].status != run_status::diverged) return;
    end.request_stop();
    ranks_.ask_all_to_stop();
  });
}

/// What is told of a model beside its parameters.
struct member_end {
  double status, epochs, examples, updates, nonzeros, search_seconds, step, decay;
};

void members_one_by_one::hear_of_others() {
  std::vector<member_end> ends;
  for (const train_result& one : ended_)
    ends.push_back({static_cast<double>(one.status), static_cast<double>(one.epochs), static_cast<double>(one.examples),
                    static_cast<double>(one.updates), static_cast<double>(one.nonzeros), one.search_seconds, one.step,
                    one.decay});
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
  }
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
