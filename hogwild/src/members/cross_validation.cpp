// SPDX-License-Identifier: Apache-2.0
#include <hogwild/cross_validation.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include <hogwild/detail/members/fold_training.hpp>
#include <hogwild/detail/members/ranks_at_work.hpp>
#include <hogwild/detail/options/same_on_ranks.hpp>
#include <hogwild/detail/platform/number_text.hpp>

#include "task/require.hpp"

namespace hogwild {

using detail::require;

namespace {

void require_path(const path_options& path, const train_options& options) {
  require(!path.l2.empty(), "the path has no l2: name at least one");
  detail::require_candidates(path.l2);
  require(!options.l2 && !options.l2_by_folds, "the path names the l2 of each run: leave out the l2 of the options");
  require(options.optimizer != optimizer_kind::ftrl,
          "ftrl computes its weights from sums of gradients, and a path passes on weights without their sums: use sgd "
          "or adagrad");
  require(!options.max_seconds, "max_seconds is for a single run, and a path is one for each l2: leave it out");
  require(options.record.empty() && options.checkpoint.empty() && options.resume.empty(),
          "a path is many runs, which would all write the same file: leave out record, checkpoint and resume");
}

/// Ranks go from one l2 to the next together, so they need the same path.
void require_same_path(std::span<const double> l2, std::optional<std::size_t> folds, ranks_at_work& ranks) {
  std::vector<named_value> mine{{"the folds of the path", folds ? std::to_string(*folds) : ""}};
  for (std::size_t i = 0; i < l2.size(); ++i)
    mine.push_back({"l2 number " + std::to_string(i + 1) + " of the path", detail::to_text(l2[i])});
  detail::require_same_on_ranks(mine, ranks.agreed());
}

/// The loss by which points of a path are compared; nothing if there is none.
std::optional<double> compared(const path_point& p) {
  if (p.measured) return p.measured->mean().loss;
  if (p.run.validation) return p.run.validation->loss;
  return std::nullopt;
}

std::optional<std::size_t> best_point(std::span<const path_point> points) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::optional<double> loss = compared(points[i]);
    if (points[i].run.status == run_status::diverged || (loss && !std::isfinite(*loss))) continue;
    if (!best || !loss || *loss < *compared(points[*best])) best = i;
  }
  return best;
}

}  // namespace

fold_measures detail::cross_validate(const task_maker& make, const sparse_view& data, std::size_t folds,
                                     const train_options& options, std::size_t workers, collective* ranks) {
  ranks_at_work at_work(ranks, options.stop);
  std::optional<fold_trainer> trainer;
  at_work.together([&] {
    require(!options.l2_by_folds,
            "cross-validation measures one l2, and these options choose an l2 by folds: choose it first, then give it");
    trainer.emplace(make, data, options, folds, workers, at_work);
  });
  const double l2 = trainer->l2_of_all();
  const std::vector<fold_measures> found = trainer->train(std::span(&l2, 1));
  return found.empty() ? fold_measures() : found.front();
}

path_result detail::train_path(const task_maker& make, const sparse_view& data,
                               const std::function<std::unique_ptr<any_engine>()>& engine, const path_options& path,
                               const train_options& options, std::size_t workers, const path_ranks& ranks) {
  ranks_at_work at_work(ranks.all, options.stop);
  std::optional<fold_trainer> folds;
  at_work.together([&] {
    require_path(path, options);
    require(!path.folds || at_work.alone() || ranks.rows,
            "folds need all rows, and each rank has only a part of them: leave out the folds, or measure by "
            "cross_validate()");
    if (path.folds && ranks.rows)
      folds.emplace(ranks.make_alone, *ranks.rows, options, *path.folds, workers, at_work);
    else if (path.folds)
      folds.emplace(make, data, options, *path.folds, workers, at_work);
  });
  std::vector<double> falling = path.l2;
  std::ranges::sort(falling, std::greater<>());
  require_same_path(falling, path.folds, at_work);
  path_result result;
  std::vector<float> before;
  train_options of_point = options;
  for (const double l2 : falling) {
    path_point point;
    if (folds) point.measured = folds->go_on_with(l2);
    at_work.together([] {});  // so that a stop of any rank counts
    if (at_work.stop().stop_requested()) break;
    of_point.l2 = l2;
    if (!before.empty()) {
      of_point.initial = [&before](std::span<float> fresh) { std::ranges::copy(before, fresh.begin()); };
      of_point.initial_state = {};
    }
    const std::unique_ptr<any_engine> by = engine();
    point.run = run_training(make(data, of_point), *by);
    const run_status status = point.run.status;
    const bool stopped = status == run_status::stopped;
    if (stopped && (!result.points.empty() || point.run.examples == 0)) break;
    if (status != run_status::diverged) before = point.run.parameters;
    result.points.push_back(std::move(point));
    if (stopped) break;
  }
  result.best = best_point(result.points);
  return result;
}

}  // namespace hogwild
