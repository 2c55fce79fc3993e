// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/members/fold_training.hpp>

#include <algorithm>
#include <bitset>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <hogwild/detail/members/folds.hpp>
#include <hogwild/detail/members/ranks_at_work.hpp>
#include <hogwild/detail/options/option_list.hpp>
#include <hogwild/detail/options/same_on_ranks.hpp>
#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/detail/run/curvature.hpp>
#include <hogwild/detail/run/engine_run.hpp>
#include <hogwild/detail/run/lane_run.hpp>
#include <hogwild/detail/run/run_notes.hpp>
#include <hogwild/detail/run/run_training.hpp>
#include <hogwild/detail/run/step_search.hpp>
#include <hogwild/detail/task/lane_task.hpp>
#include <hogwild/detail/task/model_constant.hpp>
#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwild/engines.hpp>

#include "members/member_groups.hpp"
#include "run/lane_progress.hpp"

namespace hogwild {

namespace {

/// Removes options that belong to the run on all rows: its notes, files and stop rules, and how several workers share.
train_options without_its_own(train_options o) {
  o.l2_by_folds.reset();
  o.tolerance.reset();
  o.target.reset();
  o.test.reset();
  o.observers = silent_observers();
  o.record.clear();
  o.checkpoint.clear();
  o.resume.clear();
  o.max_seconds.reset();
  o.telemetry = false;
  o.rounds.reset();
  o.reproducible = false;
  o.virtual_workers.reset();
  o.sharing = sharing_kind::automatic;
  o.update = update_kind::lossy;
  o.shards = sharding::claimed;
  o.ownership = ownership_kind::automatic;
  return o;
}

/// The options of a fold: labels and weights are determined from all rows.
train_options of_a_fold(const prepared_data& all) {
  train_options o = all.options();
  o.validation.reset();
  o.validation_fraction = 0.0;
  o.min_delta = 0.0;
  o.stop_by.clear();
  o.weight_positive = 1.0;
  o.weights = {};
  o.keep_state = false;
  const auto values = all.labels().values();
  o.labels.assign(values.begin(), values.end());
  return o;
}

std::unique_ptr<const row_folds> deal(const prepared_data& all, std::size_t folds) {
  const sparse_view& rows = all.train();
  return std::make_unique<const row_folds>(rows, draw_folds(rows, all.labels(), folds, all.options().seed), folds);
}

measurement diverged() {
  return {.loss = std::numeric_limits<double>::infinity()};
}

}  // namespace

fold_trainer::fold_trainer(task_maker make, const sparse_view& data, const train_options& options, std::size_t folds,
                           std::size_t workers, ranks_at_work& ranks)
    : make_(std::move(make)),
      all_(make_(data, without_its_own(options))),
      options_(of_a_fold(all_.data)),
      rows_(deal(all_.data, folds)),
      workers_(workers),
      ranks_(ranks),
      parameters_(folds),
      text_of_rows_(ranks.alone() ? "" : detail::text_of_rows(all_.data.train())) {
  options_.stop = ranks_.stop();
  // Several threads train folds, so calls of the user's function are serialised.
  if (options_.initial)
    options_.initial = [asked = std::move(options_.initial),
                        turn = std::make_shared<std::mutex>()](std::span<float> w) {
      const std::lock_guard lock(*turn);
      asked(w);
    };
}

fold_trainer::~fold_trainer() = default;

double fold_trainer::l2_of_all() const {
  return all_.data.loop().l2;
}

double fold_trainer::usual_l2() const {
  if (!is_of_linear_model(*all_.task)) return 1.0 / static_cast<double>(all_rows());
  return hogwild::usual_l2(squares_of_entries(all_.data.train()), all_rows());
}

std::size_t fold_trainer::all_rows() const {
  return all_.data.train().rows();
}

std::optional<double> fold_trainer::given_step() const {
  return options_.step.initial ? options_.step.initial : all_.data.defaults().step;
}

train_options fold_trainer::options_for(std::size_t fold, double l2) const {
  train_options o = options_;
  o.l2 = l2;
  o.test = rows_->validation(fold);
  return o;
}

measurement fold_trainer::train_alone(std::size_t fold, double l2, std::vector<float>& parameters) const {
  train_options o = options_for(fold, l2);
  if (!parameters.empty()) {
    o.initial = [&parameters](std::span<float> fresh) { std::ranges::copy(parameters, fresh.begin()); };
    o.initial_state = {};
  }
  engine_of<serial_engine> engine{serial_engine{}};
  const prepared_task one = make_(rows_->training(fold), o);
  train_result run = run_training(one, engine);
  if (run.status == run_status::diverged || !run.test) return diverged();
  parameters = std::move(run.parameters);
  return *run.test;
}

std::vector<measurement> fold_trainer::train_lanes(const prepared_task& one, std::size_t fold,
                                                   std::span<const double> l2) const {
  const std::optional<double> given = given_step();
  std::vector<step_schedule> schedules;
  double largest = 0.0;
  for (const double of : l2) {
    const double step =
        given ? *given : find_step(*make_(rows_->training(fold), options_for(fold, of)).task, {}, options_.stop);
    if (stopped()) return {};
    schedules.push_back(schedule_from(options_, one.data.defaults(), one.task->facts().convex, step, !given));
    largest = std::max(largest, step);
  }
  const std::size_t lanes = lane_run::lanes_for(*one.task, l2.size());
  std::vector<measurement> found;
  for (std::size_t first = 0; first < l2.size(); first += lanes) {
    const std::size_t count = std::min(lanes, l2.size() - first);
    lane_run run({std::shared_ptr<const void>(), one.task.get()}, one.data.options(), lanes, largest,
                 std::make_unique<engine_of<serial_engine>>(serial_engine{}), given ? nullptr : one.task.get());
    for (std::size_t k = 0; k < count; ++k) run.place(k, {.l1 = one.data.loop().l1, .l2 = l2[first + k]});
    std::vector<double> steps(lanes);
    for (std::size_t epoch = 1; epoch <= options_.epochs; ++epoch) {
      for (std::size_t k = 0; k < count; ++k) steps[k] = schedules[first + k].at(epoch);
      std::bitset<most_lanes> measured;
      if (is_measured(epoch, options_)) measured.set();
      run.train(epoch, steps, options_.stop, measured);
      if (stopped()) return {};
    }
    const auto measured = run.measure(*one.data.options().test, lane_task::rows_of_lane::all, true);
    for (std::size_t k = 0; k < count; ++k) found.push_back(std::isfinite(measured[k].loss) ? measured[k] : diverged());
  }
  return found;
}

template <class Train>
void fold_trainer::by_threads_of_rank(std::size_t parts, const Train& train) const {
  const rank_portions portions{ranks_.size(), parts};
  const std::size_t first = portions.first_of(ranks_.rank()), count = portions.count_of(ranks_.rank());
  if (count == 0) return;
  const auto team = thread_team::make(thread_team_kind::std, std::clamp<std::size_t>(workers_, 1, count), false);
  detail::by_threads(*team, count, [&](std::size_t k) {
    if (!stopped()) train(first + k);
  });
}

void fold_trainer::require_same_on_ranks(std::span<const double> l2) const {
  if (ranks_.alone()) return;
  const task_facts& facts = all_.task->facts();
  std::vector<named_value> mine{detail::compared_build()};
  detail::add_model(mine, facts.model, facts.numbers, facts.hyperparameters);
  mine.push_back({"the number of folds", std::to_string(rows_->folds())});
  for (named_value& one : detail::compared_options(options_)) mine.push_back(std::move(one));
  for (std::size_t i = 0; i < l2.size(); ++i)
    mine.push_back({"l2 number " + std::to_string(i + 1) + " of those that are tried", detail::to_text(l2[i])});
  mine.push_back({"the rows", text_of_rows_, exit_code::input});
  detail::require_same_on_ranks(mine, ranks_.agreed());
}

std::vector<fold_measures> fold_trainer::train(std::span<const double> l2) const {
  require_same_on_ranks(l2);
  const std::size_t folds = rows_->folds();
  std::vector<measurement> found(l2.size() * folds, diverged());  // all folds of an l2, then those of the next
  // Threads take folds, or single models of a fold if models are not trained side by side.
  double lanes = 0.0;
  ranks_.together([&] {
    const prepared_task one = make_(rows_->training(0), options_for(0, l2.front()));
    lanes = l2.size() > 1 && lane_run::suits(one) && lane_task::pays(*one.task) ? 1.0 : 0.0;
  });
  // This depends on a machine's caches, but all ranks must divide the same parts.
  ranks_.take_first(lanes);
  const bool by_lanes = lanes != 0.0;
  ranks_.together([&] {
    by_threads_of_rank(by_lanes ? folds : found.size(), [&](std::size_t k) {
      if (!by_lanes) {
        std::vector<float> parameters;
        found[k] = train_alone(k % folds, l2[k / folds], parameters);
        return;
      }
      const auto measured = train_lanes(make_(rows_->training(k), options_for(k, l2.front())), k, l2);
      for (std::size_t i = 0; i < measured.size(); ++i) found[i * folds + k] = measured[i];
    });
  });
  if (stopped()) return {};
  const rank_portions portions{ranks_.size(), by_lanes ? folds : found.size()};
  ranks_.exchange(std::span(found), [&](std::size_t k) { return portions.rank_of(by_lanes ? k % folds : k); });
  std::vector<fold_measures> of_l2;
  for (auto fold = found.begin(); fold != found.end(); fold += static_cast<std::ptrdiff_t>(folds))
    of_l2.push_back({.folds = {fold, fold + static_cast<std::ptrdiff_t>(folds)}});
  return of_l2;
}

fold_measures fold_trainer::go_on_with(double l2) {
  require_same_on_ranks(std::span(&l2, 1));
  const std::size_t folds = rows_->folds();
  std::vector<measurement> found(folds);
  ranks_.together([&] {
    by_threads_of_rank(folds, [&](std::size_t fold) { found[fold] = train_alone(fold, l2, parameters_[fold]); });
  });
  if (stopped()) return {};
  const rank_portions portions{ranks_.size(), folds};
  ranks_.exchange(std::span(found), [&](std::size_t fold) { return portions.rank_of(fold); });
  return {.folds = std::move(found)};
}

}  // namespace hogwild
