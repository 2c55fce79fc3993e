// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/run/several_run.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/detail/engines/thread_team.hpp>
#include <hogwild/detail/platform/child_process.hpp>
#include <hogwild/detail/platform/machine.hpp>
#include <hogwild/detail/run/option_checks.hpp>
#include <hogwild/detail/run/record_observer.hpp>
#include <hogwild/detail/run/run_training.hpp>
#include <hogwild/detail/run/step_search.hpp>
#include <hogwild/detail/run/stop_rules.hpp>
#include <hogwild/detail/task/lane_task.hpp>
#include <hogwild/engines.hpp>

#include "run/member_groups.hpp"
#include "run/member_rows.hpp"
#include "run/report_teller.hpp"
#include "task/require.hpp"

namespace hogwild {

using detail::member_rows;
using detail::require;

namespace {

using clock = std::chrono::steady_clock;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

double time_since(clock::time_point start) {
  return std::chrono::duration<double>(clock::now() - start).count();
}

/// One of the models.
struct member {
  double mean = 1.0;  ///< of what its rows count
  step_schedule schedule{};
  stop_rules rules{};
  objective_fall fall{};
  double loss = unknown, objective = unknown;  ///< after the last epoch
  std::vector<float> best{};                   ///< by its validation loss
  std::vector<float> parameters{};             ///< once it has ended; before it empty
};

class several_run {
 public:
  several_run(const prepared_task& all, several_plan plan, std::shared_ptr<any_engine> engine)
      : all_(all),
        data_(all.data),
        task_(*all.task),
        plan_(std::move(plan)),
        engine_(std::move(engine)),
        options_(run_.options),
        teller_(task_, options_, plan_.mean_weights ? 1 : plan_.models),
        members_(plan_.models),
        team_(
            thread_team::make(thread_team_kind::std, std::clamp<std::size_t>(plan_.workers, 1, plan_.models), false)) {
    run_.options = data_.options();
    run_.l2 = data_.loop().l2;
    run_.begun = data_.begun();
    run_.cpu_begun = data_.cpu_begun();
    run_.models = plan_.models;
    run_.combination = std::string(name_of(plan_));
  }

  train_result operator()() {
    try {
      suits_lanes() ? train_side_by_side() : train_one_by_one();
      finish();
    } catch (...) {
      tell(options_, [](observer& o) {
        try {
          o.on_failure();
        } catch (...) {
          // What ended the run is what is thrown.
        }
      });
      throw;
    }
    return std::move(result_);
  }

 private:
  bool suits_lanes() const {
    const bool lanes_add = options_.update == update_kind::lossy || options_.update == update_kind::exact;
    return plan_.rows != member_rows_kind::shards && lane_task::suits(task_) && !options_.average && lanes_add &&
           schedule_of(options_, data_.defaults()) != schedule_kind::plateau;
  }

  // ---- side by side

  void train_side_by_side() {
    find_schedules();
    if (options_.stop.stop_requested()) return stop(stop_cause::request);
    start_groups();
    announce(groups_->engine(), groups_->workers(), groups_->groups(), [this] { return groups_->counted().examples; });
    if (options_.tolerance) begin_falls();
    for (std::size_t e = 1; e <= options_.epochs; ++e) {
      if (options_.stop.stop_requested() || !train_epoch(e)) return stop(stop_cause::request);
      result_.epochs = e;
      const bool sound = conclude(e);
      const bool stops = report(e);
      if (!sound) return end(run_status::diverged);
      if (result_.seconds_to_target) return end(run_status::target);
      if (stops) return stop(stop_cause::observer);
      if (std::ranges::all_of(members_, [](const member& m) { return !m.parameters.empty(); }))
        return end(run_status::converged);
    }
    end(run_status::done);
  }

  /// As a run of its own finds it.
  void find_schedules() {
    const auto begin = clock::now();
    const training_defaults& defaults = data_.defaults();
    const std::optional<double> given = options_.step.initial ? options_.step.initial : defaults.step;
    run_.step_found = !given;
    const auto set = [&](std::size_t k) {
      double initial = given.value_or(0.0);
      if (!given) {
        const member_rows own(data_, plan_, k);
        initial = find_step(*plan_.prepare(own.rows(), own.options()).task, {}, options_.stop);
      }
      members_[k].schedule = schedule_from(options_, defaults, initial, !given);
    };
    detail::by_threads(*team_, members_.size(), set);
    run_.schedule = members_.front().schedule;
    if (!given) run_.search_seconds = time_since(begin);
  }

  void start_groups() {
    double largest = 0.0;
    std::vector<lane_settings> settings;
    for (std::size_t k = 0; k < members_.size(); ++k) {
      member& m = members_[k];
      const lane_rows lane = detail::lane_rows_of(plan_, options_, k);
      m.mean = detail::mean_count(data_.train(), lane);
      require(m.mean > 0.0, "a bootstrap has drawn no row: take more rows, or another seed");
      largest = std::max(largest, m.schedule.initial);
      // A run of its own has weights over their mean, so that this divides the step and multiplies l2.
      settings.push_back({.l2 = run_.l2 * m.mean, .rows = lane});
    }
    groups_.emplace(all_, settings, largest, run_.step_found, engine_, *team_);
    run_.plan = groups_->plan();
    if (groups_->are_of_workers()) run_.sharing_reason = "each worker has models of its own";
  }

  /// False where a stop was asked for in the middle of it.
  bool train_epoch(std::size_t epoch) {
    const auto begin = clock::now();
    std::vector<double> steps;
    for (const member& m : members_) steps.push_back(m.schedule.at(epoch) / m.mean);
    const bool whole = groups_->train(epoch, steps, options_.stop);
    if (whole) result_.train_seconds += time_since(begin);
    return whole;
  }

  void begin_falls() {
    const auto measured = groups_->measure();
    for (std::size_t k = 0; k < members_.size(); ++k) members_[k].fall = {measured[k].loss};
  }

  /// Measures all and ends those that a rule ends. False where one has diverged.
  bool conclude(std::size_t epoch) {
    bool sound = true;
    train_options rules = options_;
    rules.target.reset();
    const auto measured = groups_->measure();
    for (std::size_t k = 0; k < members_.size(); ++k) {
      member& m = members_[k];
      if (!groups_->trains(k)) continue;
      m.loss = measured[k].loss;
      m.objective = m.loss + measured[k].penalty / m.mean;
      const epoch_report seen{
          .epoch = epoch, .train_loss = m.loss, .objective = m.objective, .validation = measured[k].validation};
      bool better = false;
      const auto ended = m.rules.after(seen, m.fall, rules, better);
      if (better) m.best = groups_->parameters(k);
      sound = sound && ended != run_status::diverged;
      if (ended) end_member(k);
    }
    return sound;
  }

  void end_member(std::size_t k) {
    member& m = members_[k];
    m.parameters = m.best.empty() ? groups_->parameters(k) : std::move(m.best);
    groups_->clear(k);
  }

  /// Tells what they are together. Whether an observer wants to stop.
  bool report(std::size_t epoch) {
    epoch_report now = groups_->counted();
    now.epoch = epoch;
    now.train_seconds = result_.train_seconds;
    now.wall_seconds = time_since(run_.begun);
    now.step = run_.schedule.at(epoch);
    now.train_loss = now.objective = 0.0;
    for (const member& m : members_)
      now.train_loss += loss_factor() * m.loss, now.objective += loss_factor() * m.objective;
    if (options_.test || options_.validation) {
      const std::vector<float> parameters = parameters_now();
      if (options_.test) now.test = measure_all(parameters, *options_.test, true);
      if (options_.validation) now.validation = measure_all(parameters, *options_.validation, true);
    }
    if (options_.target && stop_rules::reached(*options_.target, now)) result_.seconds_to_target = now.train_seconds;
    return teller_.tell(now, &observer::on_epoch, [this] { return parameters_now(); });
  }

  /// Of one class against the rest losses are added up, those of an ensemble are their mean.
  double loss_factor() const {
    return plan_.by == answer_kind::one_vs_rest ? 1.0 : 1.0 / static_cast<double>(members_.size());
  }

  // ---- one by one

  void train_one_by_one() {
    run_.schedule = schedule_from(options_, data_.defaults(), options_.step.initial.value_or(0.0), false);
    run_.step_found = !options_.step.initial && !data_.defaults().step;
    run_.plan = task_.plan();
    std::atomic<std::uint64_t> rows_done = 0;
    announce(plan_.workers > 1 ? "threads" : "serial", team_->size(), members_.size(),
             [&] { return rows_done.load(); });
    const auto begin = clock::now();
    std::vector<train_result> ended(members_.size());
    detail::by_threads(*team_, members_.size(), [&](std::size_t k) {
      const member_rows own(data_, plan_, k);
      engine_of<serial_engine> one{serial_engine{}};
      ended[k] = run_training(plan_.prepare(own.rows(), own.options()), one);
      rows_done += ended[k].examples;
    });
    result_.train_seconds = time_since(begin);
    run_.schedule.initial = ended.front().step;
    run_.schedule.decay = ended.front().decay;
    for (std::size_t k = 0; k < members_.size(); ++k) {
      train_result& of = ended[k];
      result_.examples += of.examples;
      result_.updates += of.updates;
      result_.nonzeros += of.nonzeros;
      result_.epochs = std::max(result_.epochs, of.epochs);
      if (of.status != run_status::done && result_.status != run_status::diverged) result_.status = of.status;
      members_[k].parameters = std::move(of.parameters);
    }
    if (result_.status == run_status::stopped) return stop(stop_cause::request);
  }

  // ---- both

  void announce(std::string_view engine, std::size_t workers, std::size_t passes,
                std::function<std::uint64_t()> rows_done) {
    if (!options_.record.empty()) {
      record_ = make_record_observer(options_.record, task_, run_);
      run_.options.observers.push_back(record_.get());
    }
    result_.workers = workers;
    const run_start start{.model = task_.facts().model,
                          .engine = engine,
                          .workers = result_.workers,
                          .epochs = options_.epochs,
                          .rows = task_.data().rows() * passes,
                          .parameters = task_.facts().parameters * members_.size(),
                          .nonzeros = task_.data().nonzeros() * passes,
                          .step = run_.schedule.initial,
                          .decay = run_.schedule.decay,
                          .l2 = run_.l2,
                          .search_seconds = run_.search_seconds,
                          .rows_done = std::move(rows_done)};
    tell(options_, [&](observer& o) { o.on_start(start); });
  }

  void end(run_status status) {
    result_.status = status;
    for (std::size_t k = 0; groups_ && k < members_.size(); ++k)
      if (groups_->trains(k)) end_member(k);
  }
  void stop(stop_cause cause) {
    result_.stopped_by = cause;
    end(run_status::stopped);
  }

  std::size_t models_kept() const { return plan_.mean_weights ? 1 : members_.size(); }

  std::vector<float> parameters_now() const {
    return combined([this](std::size_t k) {
      return groups_ && groups_->trains(k) ? groups_->parameters(k) : members_[k].parameters;
    });
  }

  /// Of the parameters that parameters_of(k) gives for each model.
  template <class ParametersOf>
  std::vector<float> combined(const ParametersOf& parameters_of) const {
    const std::size_t each = task_.facts().parameters, models = members_.size();
    std::vector<float> all(plan_.mean_weights ? 0 : each * models), mean(each);
    std::vector<double> sums(plan_.mean_weights ? each : 0);
    for (std::size_t k = 0; k < models; ++k) {
      const std::vector<float> own = parameters_of(k);
      for (std::size_t j = 0; j < own.size(); ++j) {
        if (plan_.mean_weights)
          sums[j] += static_cast<double>(own[j]);
        else
          all[j * models + k] = own[j];
      }
    }
    if (!plan_.mean_weights) return all;
    std::ranges::transform(sums, mean.begin(),
                           [&](double sum) { return static_cast<float>(sum / static_cast<double>(models)); });
    return mean;
  }

  measurement measure_all(std::span<const float> parameters, const sparse_view& rows, bool all_measures) const {
    return plan_.measure(parameters, models_kept(), rows, data_.labels(), all_measures);
  }

  /// l1 ||w||_1 + l2 / 2 ||w||^2 of all models, as losses are.
  double penalty(std::span<const float> parameters) const {
    double sum = 0.0;
    for (const float w : parameters.first(task_.data().columns * models_kept())) {
      const auto x = static_cast<double>(w);
      sum += task_.options().l1 * std::abs(x) + 0.5 * run_.l2 * x * x;
    }
    return plan_.by == answer_kind::one_vs_rest ? sum : sum / static_cast<double>(models_kept());
  }

  void finish() {
    result_.parameters =
        combined([this](std::size_t k) -> const std::vector<float>& { return members_[k].parameters; });
    const bool trained = result_.epochs > 0;
    result_.train_loss = trained ? measure_all(result_.parameters, data_.train(), false).loss : unknown;
    result_.objective = result_.train_loss + penalty(result_.parameters);
    if (trained && options_.test) result_.test = measure_all(result_.parameters, *options_.test, true);
    if (trained && options_.validation)
      result_.validation = measure_all(result_.parameters, *options_.validation, true);
    if (groups_) {
      const epoch_report sum = groups_->counted();
      result_.examples = sum.examples, result_.updates = sum.updates, result_.nonzeros = sum.nonzeros;
    }
    result_.step = run_.schedule.initial;
    result_.step_found = run_.step_found;
    result_.schedule = run_.schedule.kind;
    result_.decay = run_.schedule.decay;
    result_.l2 = run_.l2;
    result_.search_seconds = run_.search_seconds;
    result_.labels = data_.labels();
    result_.wall_seconds = time_since(run_.begun);
    const auto cpu_time = process_cpu_time() + children_cpu_time() - run_.cpu_begun;
    result_.cpu_seconds = std::chrono::duration<double>(cpu_time).count();
    result_.peak_rss_bytes = peak_rss_bytes();
    if (const row_source* const rows = task_.data().source) result_.disk_wait_seconds = rows->waited();
    if (!groups_ && trained && result_.status != run_status::stopped) report_once();
    tell(options_, [&](observer& o) { o.on_finish(result_); });
  }

  /// Of models that were trained one by one, what they are at their end.
  void report_once() {
    const epoch_report end{.epoch = result_.epochs,
                           .train_seconds = result_.train_seconds,
                           .wall_seconds = result_.wall_seconds,
                           .examples = result_.examples,
                           .updates = result_.updates,
                           .nonzeros = result_.nonzeros,
                           .step = result_.step,
                           .train_loss = result_.train_loss,
                           .objective = result_.objective,
                           .test = result_.test,
                           .validation = result_.validation};
    teller_.tell(end, &observer::on_epoch, [this] { return result_.parameters; });
  }

  const prepared_task& all_;
  const prepared_data& data_;
  const training_task& task_;
  several_plan plan_;
  std::shared_ptr<any_engine> engine_;
  resolved_run run_{};
  const train_options& options_;
  report_teller teller_;
  std::vector<member> members_;
  std::unique_ptr<thread_team> team_;
  std::optional<detail::member_groups> groups_{};  ///< of those that go side by side
  std::unique_ptr<observer> record_{};
  train_result result_{};
};

}  // namespace

std::string_view name_of(const several_plan& plan) {
  return plan.mean_weights ? "mean_weights" : name_of(plan.by);
}

void require_several(const several_plan& plan, const train_options& o, const model_traits& traits) {
  const bool of_classes = plan.rows == member_rows_kind::classes;
  require(traits.margin, "several models make one where each has a margin; this model has none");
  require(!of_classes || traits.labels == label_kind::binary,
          "one class against the rest is for models of two labels; this one is of numbers");
  require(of_classes || plan.models >= 2, "an ensemble has two models at least");
  require(plan.by != answer_kind::vote || traits.labels == label_kind::binary,
          "models of numbers do not vote: take the mean of what they predict");
  require(!of_classes || o.weight_positive == 1.0,
          "weight_positive is about two labels, and each class is the larger one once: give weights of classes");
  require(o.checkpoint.empty() && o.resume.empty(),
          "several models that make one keep no checkpoints: leave out checkpoint and resume");
  require(!o.initial, "several models that make one begin with zeros: leave out the warm start");
  require(!o.rounds, "several models that make one tell of whole epochs: leave out the rounds");
}

train_result train_several(const prepared_task& all, several_plan plan, std::shared_ptr<any_engine> engine) {
  if (plan.rows == member_rows_kind::classes) {
    require(all.data.labels().classes() > 2,
            "the rows have two labels, which the model tells apart as it is: leave out one class against the rest");
    plan.models = all.data.labels().classes();
  }
  require(plan.models <= all.data.train().rows() || plan.rows != member_rows_kind::shards,
          "there are more shards, " + std::to_string(plan.models) + ", than rows, " +
              std::to_string(all.data.train().rows()));
  several_run run(all, std::move(plan), std::move(engine));
  return run();
}

}  // namespace hogwild
