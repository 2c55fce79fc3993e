// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/members/several_run.hpp>
#include <hogwild/detail/memory/param_store.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
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
#include "run/epoch_loop.hpp"
#include "run/lane_progress.hpp"
#include "run/run_report.hpp"
#include "task/require.hpp"

namespace hogwild {

using detail::members_one_by_one;
using detail::members_side_by_side;
using detail::require;

namespace {

double time_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct joint_measures {
  double train_loss, objective;
  std::optional<measurement> test{}, validation{};
};

/// The run before its steps are known. The first rank writes for all: only its observers hear of epochs.
resolved_run begun(const prepared_data& data, const several_plan& plan, const ranks_at_work& ranks) {
  resolved_run run{.options = data.options(),
                   .l2 = data.loop().l2,
                   .begun = data.begun(),
                   .cpu_begun = data.cpu_begun(),
                   .ranks = plan.ranks,
                   .models = plan.models,
                   .combination = std::string(name_of(plan)),
                   .workers_asked = plan.workers,
                   .notes = data.notes()};
  run.options.stop = ranks.stop();
  run.limit = std::make_shared<const time_limit>(run.options.max_seconds, run.begun, run.options.stop);
  run.options.record = ranks.rank() == 0 ? path_of_rank(run.options.record, 0) : std::string();
  return run;
}

/// The epochs of the combined model. Each rank trains its share of the models; the first measures the combination, and
/// all decide by its measures.
class several_run final : public epoch_loop {
 public:
  several_run(const prepared_task& all, const several_plan& plan, std::shared_ptr<any_engine> engine,
              ranks_at_work& ranks, resolved_run& run)
      : epoch_loop(*all.task, run, models_kept(plan)),
        all_(all),
        data_(all.data),
        plan_(plan),
        engine_(std::move(engine)),
        all_ranks_(ranks),
        portions_{ranks.size(), plan.models},
        side_by_side_(members_side_by_side::suits(all, plan)),
        team_(thread_team::make(plan.team, std::clamp<std::size_t>(plan.workers, 1, portions_.count_of(ranks.rank())),
                                plan.pin)) {
    if (!options_.checkpoint.empty())
      all_ranks_.together([this] { require_checkpoint_place(checkpoint_of_rank(options_.checkpoint, ranks_)); });
  }

  void begin() override {
    find_steps();
    announce();
    models_->begin();
    if (run_.resumed)
      measure_resumed();
    else
      begun_ = digest_of_models();
    run_.resumed.reset();
    if (!models_->has_steps()) {
      stopped_by_ = options_.stop.stop_requested() ? stop_cause::request : stop_cause::time_limit;
      stop();
    } else if (const auto ended = how_ended()) {
      result_.status = *ended;
      over_ = true;
    }
  }

  train_result finish() override {
    models_->end_all();
    if (result_.status != run_status::stopped && models_->ended() == run_status::diverged)
      result_.status = run_status::diverged;
    if (time_is_over_ && result_.status == run_status::done) end_with_the_time();
    result_.epochs = result_.status == run_status::stopped ? progress_.measured_epoch : progress_.epoch;
    if (result_.status == run_status::diverged) note(models_->told_of_divergence(result_.epochs));
    if (unwritten_ && result_.status != run_status::diverged) write(*unwritten_);
    measure_end();
    detail::tell_of_run(result_, last_, task_, run_);
    result_.train_seconds = progress_.train_seconds;
    result_.labels = data_.labels();
    return end();
  }

 private:
  static std::size_t models_kept(const several_plan& plan) { return plan.mean_weights ? 1 : plan.models; }
  bool is_first() const { return ranks_.rank() == 0; }

  /// The mean count of the rows of each model of this rank.
  std::vector<double> mean_counts() const {
    std::vector<double> means;
    all_ranks_.together([&] {
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
      models_ = std::make_unique<members_side_by_side>(all_, plan_, mean_counts(), engine_, *team_, run_, all_ranks_);
      return;
    }
    if (plan_.rows == member_rows_kind::bootstrap) mean_counts();
    models_ = std::make_unique<members_one_by_one>(all_, plan_, *team_, run_, all_ranks_);
    note(std::string(members_one_by_one::description));
  }

  /// Reads the checkpoint from which the run goes on.
  void resume() {
    auto from = std::make_shared<const resumed_checkpoint>(resume_of_rank(plan_.resume, ranks_));
    detail::several_progress before;
    all_ranks_.together([&] {
      if (from->state.find(detail::several_section) == nullptr)
        throw config_error(from->path + " was not written by a run of several models: resume it as what wrote it");
      detail::require_origin(from->path, from->state, origin());
      before = from->state.get<detail::several_progress>(detail::several_section);
      if (before.measured_epoch > from->state.epoch)
        throw input_error(from->path + " tells of an epoch that was measured before it was trained: begin anew");
    });
    if (!from->note.empty()) note(from->note);
    progress_.epoch = from->state.epoch;
    progress_.measured_epoch = before.measured_epoch;
    progress_.train_seconds = before.train_seconds, progress_.wall_seconds = before.wall_seconds;
    run_.resumed = std::move(from);
  }

  /// One rank speaks for all.
  void note(const std::string& sentence) const {
    if (is_first()) teller_.note(sentence);
  }

  void end_with_the_time() {
    if (progress_.epoch == options_.epochs) return;
    result_.stopped_by = stop_cause::time_limit;
    note(detail::note_of_time(progress_.epoch, options_.epochs));
  }

  /// The last measurement of the run that wrote the checkpoint, for a run that is stopped before its own first one.
  void measure_resumed() {
    const std::uint64_t measured = progress_.measured_epoch;
    last_ = counted();
    last_.epoch = measured;
    last_.train_seconds = progress_.train_seconds, last_.wall_seconds = progress_.wall_seconds;
    last_.step = run_.schedule.at(std::max<std::size_t>(measured, 1));
    measure(last_);
    if (measured < progress_.epoch) note(detail::note_of_unmeasured(progress_.epoch, measured));
  }

  /// Of the parameters of this rank's models.
  std::uint64_t digest_of_models() const {
    std::uint64_t digest = 0;
    for (std::size_t k = portions_.first_of(ranks_.rank()); k < portions_.first_of(ranks_.rank() + 1); ++k)
      digest = 31 * digest + detail::checksum(std::span<const float>(models_->parameters(k)));
    return digest;
  }

  bool asked_to_stop() override {
    const bool requested = options_.stop.stop_requested();
    stopped_by_ = requested ? stop_cause::request : stop_cause::observer;
    return requested || observer_stops_;
  }
  bool has_trained() const override { return progress_.epoch > 0; }

  /// Whether the time is over is decided by the first rank's clock.
  bool train_epoch(std::size_t epoch) override {
    const auto begin = std::chrono::steady_clock::now();
    stopped_by_ = stop_cause::request;
    if (!models_->train(epoch)) return false;
    pass_seconds_ = time_since(begin);
    double over = run_.time_is_over() ? 1.0 : 0.0;
    all_ranks_.take_first(over);
    time_is_over_ = over != 0.0;
    return true;
  }

  bool is_due(std::size_t epoch) const override { return time_is_over_ || is_measured(epoch, options_); }
  bool has_broken_down() const override { return ranks_.any(models_->have_broken_down()); }

  conclusion conclude_epoch(std::size_t epoch, bool measures) override {
    if (!models_->conclude(epoch, measures ? epoch - progress_.measured_epoch : 0)) return conclusion::stopped;
    mean_.clear();
    progress_.train_seconds += pass_seconds_;
    progress_.epoch = epoch;
    if (!measures && !models_->ended()) return conclusion::unmeasured;
    last_ = counted();
    last_.epoch = epoch;
    last_.train_seconds = progress_.train_seconds;
    last_.wall_seconds = wall_seconds();
    last_.step = run_.schedule.at(epoch);
    measure(last_);
    if (!plan_.mean_weights) last_.gap = models_->gap();
    return conclusion::measured;
  }

  bool are_unchanged() override {
    const auto begun = std::exchange(begun_, std::nullopt);
    return begun && !ranks_.any(digest_of_models() != *begun) && is_first();
  }

  bool tell_observers() override {
    return observers_.tell(last_, [this] { return parameters_now(); });
  }

  std::optional<run_status> decide(std::uint64_t) override {
    const std::optional<run_status> ended = how_ended();
    if (ended == run_status::diverged) return ended;
    if (options_.target && stop_rules::reached(*options_.target, last_)) return run_status::target;
    if (ended || observer_stops_ || options_.stop.stop_requested()) return ended;  // a stop comes before the time
    return time_is_over_ ? std::optional(run_status::done) : std::nullopt;
  }

  std::optional<run_status> how_ended() const {
    const std::optional<run_status> ended = models_->ended();
    // Nothing is known of the distance of a mean of weights from its optimum.
    return ended == run_status::converged && plan_.mean_weights ? run_status::no_progress : ended;
  }

  const detail::checkpoint_origin& origin() {
    if (!origin_) origin_ = detail::origin_of(plan_, all_, side_by_side_);
    return *origin_;
  }

  /// What this rank writes into a checkpoint.
  checkpoint state() {
    checkpoint file{.epoch = progress_.epoch};
    all_ranks_.together([&] {
      detail::put_origin(file, origin());
      file.put(detail::several_section,
               detail::several_progress{progress_.measured_epoch, progress_.train_seconds, wall_seconds()});
      models_->put(file);
    });
    return file;
  }

  void save() override { write(state()); }
  /// Whether a model has ended worse than it began is known once all have ended.
  void save_last() override { unwritten_ = state(); }
  void write(const checkpoint& file) {
    all_ranks_.together([&] { write_checkpoint(checkpoint_of_rank(options_.checkpoint, ranks_), file); });
    checkpoint_times_.written();
    name_epoch(options_.checkpoint, file.epoch, false, ranks_);
  }

  /// Counts of the workers of all ranks.
  epoch_report counted() const {
    epoch_report sum = models_->counted();
    std::array<double, 3> counts{static_cast<double>(sum.examples), static_cast<double>(sum.updates),
                                 static_cast<double>(sum.nonzeros)};
    ranks_.sum(counts);
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
    all_ranks_.together([&] {
      if (!is_first()) return;
      if (training) {
        found.train_loss = measure_all(parameters, data_.train(), false).loss;
        found.objective = found.train_loss + penalty(parameters);
      }
      if (options_.test) found.test = measure_all(parameters, *options_.test, true);
      if (options_.validation) found.validation = measure_all(parameters, *options_.validation, true);
    });
    all_ranks_.take_first(found);
    now.train_loss = found.train_loss, now.objective = found.objective;
    now.test = found.test, now.validation = found.validation;
  }

  /// With one class against the rest losses are added; for an ensemble they are averaged.
  double loss_factor() const {
    return plan_.by == answer_kind::one_vs_rest ? 1.0 : 1.0 / static_cast<double>(plan_.models);
  }

  void announce() {
    all_ranks_.in_this_thread([this] { announce_here(); });
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

  /// The parameters of all models; under mean_weights their mean, which is kept until the models change. All ranks send
  /// theirs to the first; on the others the result is zeros.
  std::vector<float> parameters_now() {
    const auto of = [this](std::size_t k) { return models_->parameters(k); };
    if (!plan_.mean_weights) return detail::parameters_of_all(all_ranks_, portions_, task_.facts().parameters, of);
    if (mean_.empty()) mean_ = detail::mean_of_all(all_ranks_, portions_, task_, *team_, of);
    return mean_;
  }

  measurement measure_all(std::span<const float> parameters, const sparse_view& rows, bool all_measures) const {
    return plan_.measure(parameters, models_kept(plan_), rows, data_.labels(), *team_, all_measures);
  }

  /// l1 ||w||_1 + l2 / 2 ||w||^2 of all models, combined as losses are.
  double penalty(std::span<const float> parameters) const {
    double sum = 0.0;
    for (const float w : parameters.first(task_.data().columns * models_kept(plan_))) {
      const auto x = static_cast<double>(w);
      sum += task_.options().l1 * std::abs(x) + 0.5 * run_.l2 * x * x;
    }
    return plan_.by == answer_kind::one_vs_rest ? sum : sum / static_cast<double>(models_kept(plan_));
  }

  /// A stopped run reports the last measured epoch: measuring once more would take as long as an epoch.
  void measure_end() {
    mean_.clear();  // a model may have gone back to its best epoch
    result_.parameters = parameters_now();
    const epoch_report sums = counted();
    last_.examples = sums.examples, last_.updates = sums.updates, last_.nonzeros = sums.nonzeros;
    models_->tell_of_workers(result_);
    if (result_.epochs == 0) {
      last_.train_loss = last_.objective = no_number;
    } else if (result_.status != run_status::stopped) {
      measure_by_first(last_, result_.parameters, true);
      if (!plan_.mean_weights) last_.gap = models_->gap();
    }
    ranks_.take_first(result_.parameters);
  }

  const prepared_task& all_;
  const prepared_data& data_;
  const several_plan& plan_;
  std::shared_ptr<any_engine> engine_;
  ranks_at_work& all_ranks_;
  rank_portions portions_;
  const bool side_by_side_;
  detail::observers_of_ranks observers_{all_ranks_, teller_};
  std::unique_ptr<thread_team> team_;
  std::unique_ptr<detail::member_training> models_{};
  std::unique_ptr<observer> record_{};
  std::vector<float> mean_{};  ///< under mean_weights: the mean of the models as they are; empty until it is needed
  std::optional<std::uint64_t> begun_{};  ///< digest_of_models() before the first epoch, until one is measured
  double pass_seconds_ = 0.0;             ///< of the last pass
  bool time_is_over_ = false;
  std::optional<detail::checkpoint_origin> origin_{};  ///< made when first needed: it takes a pass over the rows
  std::optional<checkpoint> unwritten_{};              ///< of the last epoch, until all models have ended
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
  resolved_run run = begun(all->data, plan, ranks);
  return several_run(*all, plan, std::move(engine), ranks, run).run();
}

}  // namespace hogwild
