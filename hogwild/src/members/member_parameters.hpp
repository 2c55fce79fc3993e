// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <hogwild/detail/members/ranks_at_work.hpp>
#include <hogwild/detail/run/engine_run.hpp>
#include <hogwild/detail/run/run_training.hpp>
#include <hogwild/detail/task/model_constant.hpp>
#include <hogwild/detail/task/training_task.hpp>
#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwild/engines.hpp>

namespace hogwild::detail {

/// A store with these parameters, for functions that measure or change a store; nobody trains it. The task must outlive
/// it.
inline std::unique_ptr<engine_run> store_with(const training_task& task, std::span<const float> parameters) {
  std::unique_ptr<engine_run> alone = start(serial_engine{}, task, task.plan(), {});
  task.begin(alone->store());
  task.assign(alone->store(), parameters);
  return alone;
}

/// Calls take(k, w) on the first rank for all models that ranks divide by these portions, in order. w has the `each`
/// parameters of model k, which its rank gets from of(k). All ranks call it. Throws as a collective.
template <class Of, class Take>
void for_all_members(ranks_at_work& ranks, const rank_portions& portions, std::size_t each, const Of& of,
                     const Take& take) {
  if (ranks.alone()) {
    for (std::size_t k = 0; k < portions.all; ++k) take(k, std::span<const float>(of(k)));
    return;
  }
  // Each rank sends its models one after the other, with unused room if it has one fewer than the first rank.
  const std::size_t rank = ranks.rank(), first = portions.first_of(rank);
  std::vector<float> own(each * portions.count_of(0));
  for (std::size_t k = first; k < portions.first_of(rank + 1); ++k)
    std::ranges::copy(of(k), own.begin() + static_cast<std::ptrdiff_t>((k - first) * each));
  const std::size_t room = own.size();
  const std::vector<float> all = ranks.agreed().gathered_by_first(std::move(own));
  if (rank > 0) return;
  for (std::size_t k = 0; k < portions.all; ++k) {
    const std::size_t of_rank = portions.rank_of(k);
    const std::size_t at = of_rank * room + (k - portions.first_of(of_rank)) * each;
    take(k, std::span(all).subspan(at, each));
  }
}

/// The parameters of all models, laid out as in several_margins; zeros on ranks other than the first. All ranks call
/// it.
template <class Of>
std::vector<float> parameters_of_all(ranks_at_work& ranks, const rank_portions& portions, std::size_t each,
                                     const Of& of) {
  std::vector<float> all(each * portions.all);
  for_all_members(ranks, portions, each, of, [&](std::size_t k, std::span<const float> w) {
    for (std::size_t j = 0; j < w.size(); ++j) all[j * portions.all + k] = w[j];
  });
  return all;
}

/// The mean of the parameters of all models, with the best constant term for the rows of `task`, which is one model on
/// all rows; zeros on ranks other than the first. All ranks call it; the first passes over the rows with `threads`.
template <class Of>
std::vector<float> mean_of_all(ranks_at_work& ranks, const rank_portions& portions, const training_task& task,
                               thread_team& threads, const Of& of) {
  std::vector<double> sums(task.facts().parameters);
  for_all_members(ranks, portions, sums.size(), of, [&](std::size_t, std::span<const float> w) {
    for (std::size_t j = 0; j < w.size(); ++j) sums[j] += static_cast<double>(w[j]);
  });
  std::vector<float> mean(sums.size());
  std::ranges::transform(sums, mean.begin(),
                         [&](double sum) { return static_cast<float>(sum / static_cast<double>(portions.all)); });
  ranks.together([&] {
    if (ranks.rank() > 0 || !has_constant(task)) return;
    const auto alone = store_with(task, mean);
    minimise_constant(task, alone->store(), 1.0, threads);
    mean = task.parameters_of(alone->store(), 1.0);
  });
  return mean;
}

}  // namespace hogwild::detail
