// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <hogwild/cross_validation.hpp>
#include <hogwild/detail/collectives/agreement.hpp>
#include <hogwild/detail/members/fold_training.hpp>
#include <hogwild/detail/members/ranks_at_work.hpp>
#include <hogwild/detail/platform/child_process.hpp>
#include <hogwild/detail/platform/machine.hpp>
#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/detail/run/engine_run.hpp>
#include <hogwild/detail/run/rank_checkpoints.hpp>
#include <hogwild/detail/run/run_checkpoint.hpp>
#include <hogwild/detail/run/run_training.hpp>
#include <hogwild/error.hpp>

#include "task/require.hpp"

namespace hogwild {

using detail::require;

namespace {

constexpr const char* both_are_asked =
    "an l2 is given, and the options also ask to choose one by folds: leave out one of them";

/// Rounded as it is printed, so that users who copy it give the same number.
double of_six_digits(double x) {
  const std::string text = detail::to_short_text(x);
  std::from_chars(text.data(), text.data() + text.size(), x);
  return x;
}

/// The default candidates that suit the step, if it is given.
std::vector<double> usual_l2(const fold_trainer& folds, std::optional<l2_form> form) {
  std::vector<double> all;
  const double rows = form == l2_form::two_pass ? static_cast<double>(folds.all_rows()) : 1.0;
  for (int power = 3; power >= -4; --power) {
    const double l2 = of_six_digits(std::pow(10.0, power) * folds.usual_l2());
    if (folds.given_step().value_or(0.0) * l2 * rows < 1.0) all.push_back(l2);
  }
  require(!all.empty(),
          "the step is too large for all of the usual l2 (step * l2, in two passes times the rows, must stay below 1): "
          "lower the step, or name the values of l2 to try");
  return all;
}

}  // namespace

void detail::require_candidates(std::vector<double> l2) {
  require(std::ranges::all_of(l2, [](double x) { return x >= 0.0 && std::isfinite(x); }),
          "an l2 to try must not be negative");
  std::ranges::sort(l2);
  require(std::ranges::adjacent_find(l2) == l2.end(), "an l2 to try is given twice");
}

chosen_l2 detail::choose_l2(const task_maker& make, const sparse_view& data, const train_options& options,
                            std::size_t workers, collective* ranks) {
  chosen_l2 chosen{.begun = std::chrono::steady_clock::now(), .cpu_begun = process_cpu_time() + children_cpu_time()};
  ranks_at_work at_work(ranks, options.stop);
  std::optional<fold_trainer> folds;
  std::vector<double> among;
  at_work.together([&] {
    require(!options.l2, both_are_asked);
    const l2_search& asked = *options.l2_by_folds;
    require_candidates(asked.of);
    folds.emplace(make, data, options, asked.folds, workers, at_work);
    among = asked.of.empty() ? usual_l2(*folds, options.form) : asked.of;
  });
  std::ranges::sort(among, std::greater<>());
  const std::vector<fold_measures> measured = folds->train(among);
  for (std::size_t i = 0; i < measured.size(); ++i) chosen.tried.push_back({among[i], measured[i]});
  const auto loss = [](const tried_l2& t) { return t.measured.mean().loss; };
  const auto best = std::ranges::min_element(chosen.tried, {}, loss);
  // After a request to stop, the run that follows has nothing to train.
  chosen.l2 = best == chosen.tried.end() ? folds->l2_of_all() : best->l2;
  return chosen;
}

train_options detail::with_chosen_l2(train_options options, const chosen_l2& chosen) {
  options.l2_by_folds.reset();
  options.l2 = chosen.l2;
  return options;
}

train_options detail::with_resumed_l2(train_options options, collective* ranks) {
  require(!options.l2, both_are_asked);
  options.l2_by_folds.reset();
  options.l2 = l2_of_checkpoint(resume_of_rank(options.resume, agreement(ranks)).state);
  return options;
}

train_result run_training(const task_maker& make, const sparse_view& data, const train_options& options,
                          any_engine& engine, std::size_t workers) {
  if (!options.l2_by_folds) return run_training(make(data, options), engine);
  require(agreement(engine.ranks()).alone(),
          "choosing an l2 by folds needs all rows, and each rank has only a part of them: give an l2, or let 'hogwild "
          "train --l2 auto' choose it");
  if (!options.resume.empty()) return run_training(make(data, detail::with_resumed_l2(options, nullptr)), engine);
  const chosen_l2 chosen = detail::choose_l2(make, data, options, workers, nullptr);
  return run_training(make(data, detail::with_chosen_l2(options, chosen)), engine, chosen);
}

}  // namespace hogwild
