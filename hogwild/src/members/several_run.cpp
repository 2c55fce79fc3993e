// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/members/several_run.hpp>
#include <hogwild/detail/memory/param_store.hpp>

#include <algorithm>
#include <array>
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

#include <hogwild/detail/members/ranks_at_work.hpp>
#include <hogwild/detail/options/same_on_ranks.hpp>
#include <hogwild/detail/platform/checksum.hpp>
#include <hogwild/detail/results/checkpoint.hpp>
#include <hogwild/detail/run/checkpoint_origin.hpp>
#include <hogwild/detail/run/data_notes.hpp>
#include <hogwild/detail/run/prepare.hpp>
#include <hogwild/detail/run/rank_checkpoints.hpp>
#include <hogwild/detail/run/rank_paths.hpp>
#include <hogwild/detail/run/run_checkpoint.hpp>
#include <hogwild/detail/run/run_training.hpp>
#include <hogwild/detail/run/time_limit.hpp>
#include <hogwild/detail/teams/thread_team.hpp>

#include "members/member_parameters.hpp"
#include "members/member_rows.hpp"
#include "members/members_one_by_one.hpp"
#include "members/members_side_by_side.hpp"
#include "members/observers_of_ranks.hpp"
#include "members/several_origin.hpp"
#include "run/checkpoint_times.hpp"
#include "run/lane_progress.hpp"
#include "run/report_teller.hpp"
#include "run/run_report.hpp"
#include "run/unchanged_parameters.hpp"
#include "task/require.hpp"

namespace hogwild {

using detail::members_one_by_one;
using detail::members_side_by_side;
using detail::require;

namespace {

using clock = std::chrono::steady_clock;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

double time_since(clock::time_point start) {
  return std::chrono::duration<double>(clock::now() - start).count();
}

struct joint_measures {
  double train_loss = unknown, objective = unknown;
  std::optional<measurement> test{}, validation{};
};

/// Trains the combined model and tells observers. Each rank trains its share of the models; the first measures the
/// combination, and all decide by its measures.
class several_run {
 public:
  several_run(const prepared_task& all, several_plan plan, std::shared_ptr<any_engine> engine, ranks_at_work& ranks)
      : all_(all),
        data_(all.data),
        task_(*all.task),
        plan_(std::move(plan)),
        engine_(std::move(engine)),
        ranks_(ranks),
        portions_{ranks.size(), plan_.models},
        options_(run_.options),
        side_by_side_(members_side_by_side::suits(all, plan_)),
        teller_(task_, options_, models_kept()),
        team_(thread_team::make(plan_.team, std::clamp<std::size_t>(plan_.workers, 1, portions_.count_of(ranks.rank())),
                                plan_.pin)) {
    run_.options = data_.options();
    run_.options.stop = ranks_.stop();
    run_.limit = std::make_shared<const time_limit>(options_.max_seconds, data_.begun(), options_.stop);
    // The first rank writes for all: only its observers hear of epochs.
    run_.options.record = is_first() ? path_of_rank(run_.options.record, 0) : std::string();
    run_.ranks = plan_.ranks;
    run_.l2 = data_.loop().l2;
    run_.begun = data_.begun();
    run_.cpu_begun = data_.cpu_begun();
    run_.notes = data_.notes();
    run_.workers_asked = plan_.workers;
    run_.models = plan_.models;
    run_.combination = std::string(name_of(plan_));
    if (!options_.checkpoint.empty())
      ranks_.together([this] { require_checkpoint_place(checkpoint_of_rank(options_.checkpoint, ranks_.agreed())); });
  }

  train_result operator()() {
    try {
      find_steps();
      announce();
      train();
      finish();
    } catch (...) {
      tell_of_failure(options_);
      throw;
    }
    return std::move(result_);
  }

 private:
  bool is_first() const { return ranks_.rank() == 0; }

  /// The mean count of the rows of each model of this rank.
  std::vector<double> mean_counts() const {
    std::vector<double> means;
    ranks_.together([&] {
      for (std::size_t k = portions_.first_of(ranks_.rank()); k < portions_.first_of(ranks_.rank() + 1); ++k) {
        means.push_back(detail::mean_count(data_.train(), detail::lane_rows_of(plan_, options_, k)));
        require(means.back() > 0.0, "a bootstrap has drawn no row: take more rows, or another seed");
      }
    });
    return means;
  }

  void find_steps() {
    if (!plan_.resume.empty()) resume();
    if (side_by_side_) {
      models_ = std::make_unique<members_side_by_side>(all_, plan_, mean_counts(), engine_, *team_, run_, ranks_);
      return;
    }
    if (plan_.rows == member_rows_kind::bootstrap) mean_counts();
    models_ = std::make_unique<members_one_by_one>(all_, plan_, *team_, run_, ranks_);
    note(std::string(members_one_by_one::description));
  }

  /// Reads the checkpoint from which the run goes on.
  void resume() {
    auto from = std::make_shared<const resumed_checkpoint>(resume_of_rank(plan_.resume, ranks_.agreed()));
    ranks_.together([&] {
      if (from->state.find(detail::several_section) == nullptr)
        throw config_error(from->path + " was not written by a run of several models: resume it as what wrote it");
      detail::require_origin(from->path, from->state, origin());
      before_ = from->state.get<detail::several_progress>(detail::several_section);
      if (before_.measured_epoch > from->state.epoch)
        throw input_error(from->path + " tells of an epoch that was measured before it was trained: begin anew");
    });
    if (!from->note.empty()) note(from->note);
    result_.epochs = from->state.epoch;
    result_.train_seconds = before_.train_seconds;
    measured_epoch_ = before_.measured_epoch;
    run_.resumed = std::move(from);
  }

  void train() {
    models_->begin();
    if (run_.resumed)
      measure_resumed();
    else
      begun_ = digest_of_models();
    run_.resumed.reset();
    run_status ended = models_->has_steps() ? how_ended() : stop_without_steps();
    for (std::size_t e = result_.epochs + 1; e <= options_.epochs && ended == run_status::done && !over_; ++e)
      ended = train_epoch(e);
    models_->end_all();
    if (ended != run_status::stopped && models_->ended() == run_status::diverged) ended = run_status::diverged;
    result_.status = ended;
    if (over_ && ended == run_status::done) end_with_the_time();
    if (ended == run_status::stopped) result_.epochs = measured_epoch_;
    if (ended == run_status::diverged) note(models_->told_of_divergence(result_.epochs));
    if (unwritten_ && ended != run_status::diverged) write(*unwritten_);
  }

  /// One rank speaks for all.
  void note(const std::string& sentence) const {
    if (is_first()) teller_.note(sentence);
  }

  void end_with_the_time() {
    if (result_.epochs == options_.epochs) return;
    result_.stopped_by = stop_cause::time_limit;
    note(detail::note_of_time(result_.epochs, options_.epochs));
  }

  /// The last measurement of the run that wrote the checkpoint, for a run that is stopped before its own first one.
  void measure_resumed() {
    last_ = counted();
    last_.epoch = measured_epoch_;
    last_.train_seconds = before_.train_seconds, last_.wall_seconds = before_.wall_seconds;
    last_.step = run_.schedule.at(std::max<std::size_t>(measured_epoch_, 1));
    measure(last_);
    if (measured_epoch_ < result_.epochs) note(detail::note_of_unmeasured(result_.epochs, measured_epoch_));
  }

  /// Of the parameters of this rank's models.
  std::uint64_t digest_of_models() const {
    std::uint64_t digest = 0;
    for (std::size_t k = portions_.first_of(ranks_.rank()); k < portions_.first_of(ranks_.rank() + 1); ++k)
      digest = 31 * digest + detail::checksum(std::span<const float>(models_->parameters(k)));
    return digest;
  }

  /// Whether the time is over, by the first rank's clock.
  bool time_is_over() const {
    double over = run_.time_is_over() ? 1.0 : 0.0;
    ranks_.take_first(over);
    return over != 0.0;
  }

  /// How the run ends with this epoch; `done` if it goes on.
  run_status train_epoch(std::size_t epoch) {
    const auto begin = clock::now();
    if (options_.stop.stop_requested() || !models_->train(epoch)) return stop(stop_cause::request);
    const double seconds = time_since(begin);
    over_ = time_is_over();
    const bool usual = over_ || is_measured(epoch, options_);
    const bool writes = !usual && checkpoint_times_.are_due(epoch, false);
    // A checkpoint of a model that has broken down would replace one from which the run can go on.
    const bool measures = usual || (writes && ranks_.agreed().any(models_->have_broken_down()));
    if (!models_->conclude(epoch, measures ? epoch - measured_epoch_ : 0)) return stop(stop_cause::request);
    mean_.clear();
    result_.train_seconds += seconds;
    result_.epochs = epoch;
    if (!measures && !models_->ended()) {
      if (writes) write(state());
      return run_status::done;
    }
    measured_epoch_ = epoch;
    const run_status ended = decide(epoch);
    const bool ends = ended != run_status::done || epoch == options_.epochs;
    if (!checkpoint_times_.are_due(epoch, ends) || ended == run_status::diverged) return ended;
    // Whether a model has ended worse than it began is known once all have ended.
    if (ends || over_)
      unwritten_ = state();
    else
      write(state());
    return ended;
  }

  /// Reports a measured epoch. Returns how the run ends with it; `done` if it goes on.
  run_status decide(std::size_t epoch) {
    const bool stops = report(epoch);
    if (begun_ && !ranks_.agreed().any(digest_of_models() != *begun_)) note(unchanged_parameters::note(last_));
    begun_.reset();
    const run_status ended = how_ended();
    if (ended == run_status::diverged) return ended;
    if (result_.seconds_to_target) return run_status::target;
    if (stops) return stop(stop_cause::observer);
    return ended;
  }

  /// `done` while a model trains.
  run_status how_ended() const {
    const run_status ended = models_->ended().value_or(run_status::done);
    // Nothing is known of the distance of a mean of weights from its optimum.
    return ended == run_status::converged && plan_.mean_weights ? run_status::no_progress : ended;
  }

  const detail::checkpoint_origin& origin() {
    if (!origin_) origin_ = detail::origin_of(plan_, all_, side_by_side_);
    return *origin_;
  }

  /// What this rank writes into a checkpoint.
  checkpoint state() {
    checkpoint file{.epoch = result_.epochs};
    ranks_.together([&] {
      detail::put_origin(file, origin());
      file.put(detail::several_section, detail::several_progress{measured_epoch_, result_.train_seconds,
                                                                 before_.wall_seconds + time_since(run_.begun)});
      models_->put(file);
    });
    return file;
  }

  void write(const checkpoint& file) {
    ranks_.together([&] { write_checkpoint(checkpoint_of_rank(options_.checkpoint, ranks_.agreed()), file); });
    checkpoint_times_.written();
    name_epoch(options_.checkpoint, file.epoch, false, ranks_.agreed());
  }

  /// The status if the step search was ended by a request or by the time limit.
  run_status stop_without_steps() {
    return stop(options_.stop.stop_requested() ? stop_cause::request : stop_cause::time_limit);
  }

  run_status stop(stop_cause cause) {
    result_.stopped_by = cause;
    return run_status::stopped;
  }

  /// Reports the combined measures. Returns whether an observer wants to stop.
  bool report(std::size_t epoch) {
    last_ = counted();
    last_.epoch = epoch;
    last_.train_seconds = result_.train_seconds;
    last_.wall_seconds = before_.wall_seconds + time_since(run_.begun);
    last_.step = run_.schedule.at(epoch);
    measure(last_);
    if (!plan_.mean_weights) last_.gap = models_->gap();
    if (options_.target && stop_rules::reached(*options_.target, last_))
      result_.seconds_to_target = last_.train_seconds;
    return observers_.tell(last_, [this] { return parameters_now(); });
  }

  /// Counts of the workers of all ranks.
  epoch_report counted() const {
    epoch_report sum = models_->counted();
    std::array<double, 3> counts{static_cast<double>(sum.examples), static_cast<double>(sum.updates),
                                 static_cast<double>(sum.nonzeros)};
    ranks_.agreed().sum(counts);
    sum.examples = static_cast<std::uint64_t>(counts[0]);
    sum.updates = static_cast<std::uint64_t>(counts[1]);
    sum.nonzeros = static_cast<std::uint64_t>(counts[2]);
    return sum;
  }

  void measure(epoch_report& now) {
    const bool measures = plan_.mean_weights || options_.test || options_.validation;
    if (!plan_.mean_weights) {
      now.train_loss = now.objective = 0.0;
      for (std::size_t k = 0; k < plan_.models; ++k) {
        now.train_loss += loss_factor() * models_->loss(k);
        now.objective += loss_factor() * models_->objective(k);
      }
    }
    if (measures) measure_by_first(now, parameters_now(), plan_.mean_weights);
  }

  /// The combined measures of all models on all rows that are measured. `training`: also on the training rows, if the
  /// models' own losses do not give them. Only the first rank has the parameters.
  void measure_by_first(epoch_report& now, std::span<const float> parameters, bool training) const {
    joint_measures found{.train_loss = now.train_loss, .objective = now.objective};
    ranks_.together([&] {
      if (!is_first()) return;
      if (training) {
        found.train_loss = measure_all(parameters, data_.train(), false).loss;
        found.objective = found.train_loss + penalty(parameters);
      }
      if (options_.test) found.test = measure_all(parameters, *options_.test, true);
      if (options_.validation) found.validation = measure_all(parameters, *options_.validation, true);
    });
    ranks_.take_first(found);
    now.train_loss = found.train_loss, now.objective = found.objective;
    now.test = found.test, now.validation = found.validation;
  }

  /// With one class against the rest losses are added; for an ensemble they are averaged.
  double loss_factor() const {
    return plan_.by == answer_kind::one_vs_rest ? 1.0 : 1.0 / static_cast<double>(plan_.models);
  }

  void announce() {
    ranks_.in_this_thread([this] { announce_here(); });
  }
  void announce_here() {
    if (!options_.record.empty()) {
      record_ = make_record_observer(options_.record, task_, run_);
      run_.options.observers.push_back(record_.get());
    }
    for (const std::string& sentence : notes_on_data(task_, options_.data_name, agreement(nullptr))) note(sentence);
    result_.workers = models_->workers();
    const std::size_t passes = models_->passes();
    const run_start start{.model = task_.facts().model,
                          .engine = models_->engine(),
                          .workers = result_.workers,
                          .epochs = options_.epochs,
                          .rows = task_.data().rows() * passes,
                          .parameters = task_.facts().parameters * plan_.models,
                          .nonzeros = task_.data().nonzeros() * passes,
                          .step = run_.schedule.initial,
                          .decay = run_.schedule.decay,
                          .l2 = run_.l2,
                          .search_seconds = run_.search_seconds,
                          .rows_done = [this] { return models_->rows_done(); }};
    tell(options_, [&](observer& o) { o.on_start(start); });
  }

  std::size_t models_kept() const { return plan_.mean_weights ? 1 : plan_.models; }

  /// The parameters of all models; under mean_weights their mean, which is kept until the models change. All ranks send
  /// theirs to the first; on the others the result is zeros.
  std::vector<float> parameters_now() {
    const auto of = [this](std::size_t k) { return models_->parameters(k); };
    if (!plan_.mean_weights) return detail::parameters_of_all(ranks_, portions_, task_.facts().parameters, of);
    if (mean_.empty()) mean_ = detail::mean_of_all(ranks_, portions_, task_, *team_, of);
    return mean_;
  }

  measurement measure_all(std::span<const float> parameters, const sparse_view& rows, bool all_measures) const {
    return plan_.measure(parameters, models_kept(), rows, data_.labels(), *team_, all_measures);
  }

  /// l1 ||w||_1 + l2 / 2 ||w||^2 of all models, combined as losses are.
  double penalty(std::span<const float> parameters) const {
    double sum = 0.0;
    for (const float w : parameters.first(task_.data().columns * models_kept())) {
      const auto x = static_cast<double>(w);
      sum += task_.options().l1 * std::abs(x) + 0.5 * run_.l2 * x * x;
    }
    return plan_.by == answer_kind::one_vs_rest ? sum : sum / static_cast<double>(models_kept());
  }

  void finish() {
    mean_.clear();  // a model may have gone back to its best epoch
    result_.parameters = parameters_now();
    const epoch_report sums = counted();
    last_.examples = sums.examples, last_.updates = sums.updates, last_.nonzeros = sums.nonzeros;
    models_->tell_of_workers(result_);
    if (result_.epochs == 0) {
      last_.train_loss = last_.objective = unknown;
    } else if (result_.status != run_status::stopped) {
      // A stopped run reports the last measured epoch: measuring once more would take as long as an epoch.
      measure_by_first(last_, result_.parameters, true);
      if (!plan_.mean_weights) last_.gap = models_->gap();
    }
    ranks_.agreed().take_first(result_.parameters);
    detail::tell_of_run(result_, last_, task_, run_);
    result_.labels = data_.labels();
    result_.wall_seconds = before_.wall_seconds + time_since(run_.begun);
    detail::tell_of_end(result_, last_, task_, run_);
    tell(options_, [&](observer& o) { o.on_finish(result_); });
  }

  const prepared_task& all_;
  const prepared_data& data_;
  const training_task& task_;
  several_plan plan_;
  std::shared_ptr<any_engine> engine_;
  ranks_at_work& ranks_;
  rank_portions portions_;
  resolved_run run_{};
  const train_options& options_;
  const bool side_by_side_;
  report_teller teller_;
  detail::observers_of_ranks observers_{ranks_, teller_};
  std::unique_ptr<thread_team> team_;
  std::unique_ptr<detail::member_training> models_{};
  std::unique_ptr<observer> record_{};
  std::vector<float> mean_{};  ///< under mean_weights: the mean of the models as they are; empty until it is needed
  std::optional<std::uint64_t> begun_{};  ///< digest_of_models() before the first epoch, until one is measured
  bool over_ = false;                     ///< the time is over
  detail::several_progress before_{};     ///< of the run from which this one goes on
  std::uint64_t measured_epoch_ = 0;      ///< the last one
  std::optional<detail::checkpoint_origin> origin_{};  ///< made when first needed: it takes a pass over the rows
  std::optional<checkpoint> unwritten_;                ///< of the last epoch, until all models have ended
  checkpoint_times checkpoint_times_{options_, ranks_.agreed()};
  epoch_report last_{.train_loss = unknown, .objective = unknown};
  train_result result_{};
};

}  // namespace

train_result train_several(const std::function<prepared_task(const several_plan&)>& prepare_all, several_plan plan,
                           std::shared_ptr<any_engine> engine, const std::stop_token& stop) {
  ranks_at_work ranks(plan.ranks, stop);
  std::optional<prepared_task> all;
  ranks.together([&] {
    all.emplace(prepare_all(plan));
    detail::complete(plan, *all, ranks.size());
  });
  if (!ranks.alone()) detail::require_same_on_ranks(detail::what_is_trained(plan, *all), ranks.agreed());
  several_run run(*all, std::move(plan), std::move(engine), ranks);
  return run();
}

}  // namespace hogwild
