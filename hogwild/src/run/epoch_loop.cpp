// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/run/epoch_loop.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/detail/collectives/agreement.hpp>
#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/detail/run/divergence_guard.hpp>
#include <hogwild/detail/run/rank_checkpoints.hpp>
#include <hogwild/detail/run/rounds.hpp>
#include <hogwild/detail/run/run_checkpoint.hpp>
#include <hogwild/detail/run/run_course.hpp>
#include <hogwild/detail/run/stop_rules.hpp>
#include <hogwild/detail/task/model_constant.hpp>
#include <hogwild/error.hpp>

#include "run/checkpoint_times.hpp"
#include "run/epoch_meter.hpp"
#include "run/last_checkpoint.hpp"
#include "run/measured_epochs.hpp"
#include "run/report_teller.hpp"
#include "run/run_report.hpp"
#include "run/standstill_watch.hpp"
#include "run/unchanged_parameters.hpp"

namespace hogwild {

namespace {

using clock = std::chrono::steady_clock;

/// Replicas are taken to overshoot if an epoch gives back more than this fraction of the run's gain plus this fraction
/// of the standard deviation of the rows' losses. The second part is for runs that have gained nothing yet.
constexpr double sound_loss = 0.1, sound_noise = 0.05;
/// Two objectives that have both risen are about as good if their rises differ by at most this fraction.
constexpr double about_as_good = 0.1;

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();
const epoch_report unmeasured{.train_loss = no_number, .objective = no_number};

double seconds_since(clock::time_point start) {
  return std::chrono::duration<double>(clock::now() - start).count();
}

class epoch_loop {
 public:
  epoch_loop(const training_task& work, engine_run& who, resolved_run& run)
      : task_(work),
        engine_run_(who),
        run_(run),
        options_(run.options),
        ranks_(run.ranks),
        rounds_(work, run.plan, who),
        meter_(work, who, run),
        teller_(work, options_) {
    if (options_.average) kept_.mean = tail_mean(*options_.average, options_.epochs);
    const std::size_t every = measured_epochs_.every();
    ranks_.require_equal(std::as_bytes(std::span(&every, 1)), "number of epochs between measurements");
  }

  train_result operator()() {
    const param_store& store = engine_run_.store();
    cut_epochs();
    task_.begin(store);
    if (begins_anew()) meter_.minimise_constant(rounds_.scale(), epoch_meter::state::begun);  // as in a step search
    const objective_fall from_start = begin_fall();
    task_.change(store, options_.initial);
    if (run_.resumed) resume();
    engine_run_.get_ready();
    unchanged_.begin();
    rounds_.live().begin(progress_.examples);
    rounds_.resume_at(rounds_.scale());
    announce();
    // From now on a request to stop reaches the workers themselves, within a few rows.
    const stop_relay relay(run_.end_token(), store);
    bool over = false;
    if (checks_falls() || compares_ends_) {
      over = !measure(0, 0.0, 0.0, epoch_meter::state::begun) && asked_to_stop() && stop();
      objective_before_ = last_.objective;
      if (compares_ends_ && options_.resume.empty()) progress_.course.start = last_.objective;
      measured_ = false;  // a run that resumes with nothing left to do still has a mean to measure
      progress_.fall = begins_anew() ? objective_fall{objective_before_} : from_start;
    }
    std::optional<divergence_guard> guard;  // for the epochs since the last measurement
    while (!over && progress_.epoch < options_.epochs) {
      if (asked_to_stop()) {
        stop();
        break;
      }
      const std::size_t e = progress_.epoch + 1;
      const double step = run_.schedule.at(e) * progress_.rules.step_factor;
      if (!guard) guard.emplace(store, rounds_);
      const epoch_report before = last_;
      const std::uint64_t rows_before = rows_here();
      train_epoch(e, step);
      require_not_orphaned(store.control());
      const bool stopped = asked_to_stop();
      if (!stopped) require_trained(e, rows_here() - rows_before);
      const bool not_measured = !stopped && !measured_epochs_.has(e);
      const bool writes = not_measured && checkpoint_times_.are_due(e, observer_stops_);
      if (not_measured && !(writes && has_broken_down())) {
        progress_.epoch = e;
        average();
        if (writes) save();
        continue;
      }
      if (stopped || !measure(e, step, progress_.wall_seconds + seconds_since(run_.begun))) {
        stop();
        break;
      }
      progress_.epoch = e;
      const bool again = turned_back(*guard, e, step);
      guard.reset();
      if (again) {
        last_ = before;  // measurements in between are dropped
        continue;
      }
      objective_before_ = last_.objective;
      if (average() && !measure_mean()) {
        last_ = before;
        stop();
        break;
      }
      over = conclude();
    }
    finish();
    return std::move(result_);
  }

 private:
  void train_epoch(std::size_t e, double step) {
    const double step_end = run_.schedule.at_end(e) * progress_.rules.step_factor;
    const auto train = [&] {
      training_since_ = clock::now();
      naming_the_checkpoint([&] { rounds_.train_epoch(e, step, step_end); });
      progress_.train_seconds += seconds_since(training_since_);
    };
    standstills_.around(train, progress_.train_seconds);
  }

  /// Cuts epochs into the rounds that observers ask for.
  void cut_epochs() {
    const std::uint64_t rounds = options_.rounds.value_or(0);
    ranks_.require_equal(std::as_bytes(std::span(&rounds, 1)), "number of rounds that an epoch is cut into");
    if (rounds == 0) return;
    rounds_.cut_epochs(static_cast<std::uint32_t>(rounds), [this](std::uint32_t round, double step, double) {
      progress_.train_seconds += seconds_since(training_since_);
      const bool goes_on = tell_round(round, step);
      training_since_ = clock::now();
      return goes_on;
    });
  }

  bool tell_round(std::uint32_t round, double step) {
    const std::size_t epoch = progress_.epoch + 1;
    const double wall_seconds = progress_.wall_seconds + seconds_since(run_.begun);
    const epoch_report counted = meter_.count(progress_, epoch, step, wall_seconds);
    note_answer(teller_.tell(detail::round_of(counted, round, *options_.rounds), &observer::on_round,
                             [this] { return task_.parameters_of(engine_run_.store(), rounds_.scale()); }));
    return !asked_to_stop();
  }

  template <class F>
  void naming_the_checkpoint(const F& f) const {
    last_checkpoint_.named_by(f, run_.plan.options.rows_in_flight > 0);
  }

  /// Rows that this process's workers have trained so far.
  std::uint64_t rows_here() const { return rows_trained(engine_run_.store().slots()); }

  /// Throws if no rank has trained a row in the epoch, whatever the cause. Some ranks may have no rows.
  void require_trained(std::size_t epoch, std::uint64_t rows) const {
    if (ranks_.any(rows > 0)) return;
    throw worker_error("no worker has trained a row in epoch " + std::to_string(epoch) +
                       ", though no stop was requested; find out what keeps the workers from training");
  }

  /// Whether a stop request, an observer or the time limit asks for the end, on any rank.
  bool asked_to_stop() {
    const std::array mine{options_.stop.stop_requested() ? 1.0 : 0.0, observer_stops_ ? 1.0 : 0.0,
                          run_.time_is_over() ? 1.0 : 0.0};
    constexpr std::array causes{stop_cause::request, stop_cause::observer, stop_cause::time_limit};
    const std::vector<double> all = standstills_.hear_with(mine, progress_.train_seconds);
    std::array<double, mine.size()> asked{};
    for (std::size_t at = 0; at < all.size(); ++at) asked[at % asked.size()] += all[at];
    const auto first = std::ranges::find_if(asked, [](double ranks) { return ranks > 0.0; });
    if (first == asked.end()) return false;
    stopped_by_ = causes[static_cast<std::size_t>(first - asked.begin())];
    return true;
  }

  /// Whether any parameter is no longer a finite number, on any rank. An epoch that ends so is measured, so that the
  /// run turns back or ends: a checkpoint of it would take the place of one to resume from.
  bool has_broken_down() const {
    const std::vector<float> w = task_.parameters_of(engine_run_.store(), rounds_.scale());
    return ranks_.any(!std::ranges::all_of(w, [](float x) { return std::isfinite(x); }));
  }

  void note_answer(bool stop) { observer_stops_ = observer_stops_ || stop; }

  /// Ends the run with the parameters as they are. The report is that of the last measurement: measuring part of the
  /// rows would tell nothing, and measuring all would delay the stop. A run whose time is over is measured once more.
  bool stop() {
    const bool trained = progress_.epoch > 0 || ranks_.any(rows_here() > 0);
    result_.status = stopped_by_ == stop_cause::time_limit && trained ? run_status::done : run_status::stopped;
    result_.stopped_by = stopped_by_;
    return true;
  }

  /// Whether the epoch is trained again, because its summed gains overshot. If the objective rises even with the most
  /// careful exchange, the step is too large for one worker as well. Then workers use the least frequent exchange that
  /// ended about as well, and no other epoch is turned back.
  bool turned_back(divergence_guard& guard, std::size_t e, double step) {
    if (task_.facts().non_monotone || progress_.step_overshoots != 0 || !rose_too_far()) return false;
    tries_.push_back({rounds_.current_pace(), last_.objective});
    if (const auto remedy = guard.turn_back(step)) {
      const bool several = e > reported_epoch_ + 1;
      progress_.epoch = reported_epoch_;
      const std::string which = several ? "s " + std::to_string(reported_epoch_ + 1) + " to " : " ";
      teller_.note("the workers' summed changes overshot in epoch" + which + std::to_string(e) +
                   (several ? "; they are" : "; it is") + " trained again " + *remedy);
      return true;
    }
    if (tries_.size() < 2) return false;
    const auto as_good = [&](const one_try& t) {
      return t.objective <= last_.objective + about_as_good * (last_.objective - objective_before_);
    };
    const auto found = std::ranges::find_if(tries_, as_good);
    if (found != tries_.end()) rounds_.resume_pace(found->pace);
    progress_.step_overshoots = 1;
    teller_.note("the objective rises in epoch " + std::to_string(e) +
                 " however often the workers exchange: the step " + detail::to_short_text(step) +
                 " is too large even for one worker");
    return false;
  }

  /// Called after the measurement of a finished epoch; true if the run ends with it.
  bool conclude() {
    const std::size_t trained = progress_.epoch - std::exchange(reported_epoch_, progress_.epoch);
    tries_.clear();
    if (unchanged_.asked() && !ranks_.any(!unchanged_.are_so(last_))) teller_.note(unchanged_parameters::note(last_));
    note_answer(teller_.tell(last_, &observer::on_epoch, [this] { return parameters_now(); }));
    auto [ended, best] =
        progress_.rules.after(last_, progress_.fall, options_, task_.facts().convex, run_.schedule, trained);
    if (best) {
      kept_.best = parameters_now();
      best_measured_ = last_;
    }
    const bool ends = ended ? *ended == run_status::converged || *ended == run_status::no_progress
                            : progress_.epoch == options_.epochs;
    progress_.course.take(progress_.epoch, last_.objective);
    if (ends && is_worse_than_begun()) ended = run_status::diverged;
    if (ended) result_.status = *ended;
    if (ended == run_status::diverged) end_as_diverged();
    if (ended == run_status::target) result_.seconds_to_target = progress_.train_seconds;
    const bool writes = checkpoint_times_.are_due(progress_.epoch, observer_stops_ || ended);
    if (writes && ended != run_status::diverged) save();
    return ended.has_value();
  }

  /// Whether the run, if it ended now, would be worse than its beginning.
  bool is_worse_than_begun() const {
    const double left = best_measured_ ? best_measured_->objective : last_.objective;
    return progress_.course.is_above(left) &&
           progress_.course.ended_worse(left, meter_.spread_of_losses(rounds_.scale()));
  }

  void end_as_diverged() {
    result_.status = run_status::diverged;
    teller_.note(progress_.course.told(progress_.epoch, last_.objective));
  }

  void announce() {
    const run_start start = detail::start_of(task_, engine_run_, run_, progress_.examples);
    tell(options_, [&](observer& o) { o.on_start(start); });
    if (const optimum_bound* const optimum = meter_.optimum(); optimum != nullptr && !optimum->tells())
      teller_.note(std::string(optimum_bound::silence));
  }

  /// False if the run is to stop before all rows have been measured.
  bool measure(std::size_t epoch, double step, double wall_seconds,
               epoch_meter::state of = epoch_meter::state::trained) {
    std::optional<epoch_report> measured;
    naming_the_checkpoint(
        [&] { measured = meter_.measure(progress_, rounds_.scale(), epoch, step, wall_seconds, of); });
    if (measured) last_ = *measured;
    measured_ = measured_ || measured;
    return measured.has_value();
  }

  /// The parameters to return at present: the mean, if averaging has begun.
  std::vector<float> parameters_now() const {
    if (kept_.mean.added() == 0) return task_.parameters_of(engine_run_.store(), rounds_.scale());
    return measured_mean_.empty() ? kept_.mean.value() : measured_mean_;
  }

  /// Adds the finished epoch to the mean; returns whether the mean is now over several epochs.
  bool average() {
    if (!kept_.mean.takes(progress_.epoch)) return false;
    measured_mean_.clear();
    kept_.mean.add(task_.parameters_of(engine_run_.store(), rounds_.scale()));
    return kept_.mean.added() > 1;
  }

  /// Measures the mean in place of the trained parameters, which are then restored.
  bool measure_mean() {
    engine_run_.settle();
    const std::size_t bytes = task_.facts().parameters * task_.facts().scalar_bytes;
    const std::span<std::byte> trained = engine_run_.store().state_of_training().first(bytes);
    const std::vector<std::byte> before(trained.begin(), trained.end());
    const double scale = rounds_.scale();
    const live_writer::change changing(rounds_.live());
    task_.assign(engine_run_.store(), kept_.mean.value());
    rounds_.resume_at(1.0);
    const bool measured = measure(progress_.epoch, last_.step, last_.wall_seconds);
    measured_mean_ = task_.parameters_of(engine_run_.store(), 1.0);
    std::ranges::copy(before, trained.begin());
    rounds_.resume_at(scale);
    return measured;
  }

  /// Whether any rule of this run needs to know how far the objective has fallen or risen.
  bool checks_falls() const {
    return run_.plan.options.exchange.workers > 1 || by_progress(options_, task_.facts().convex);
  }
  /// Whether training begins with the model's initial parameters.
  bool begins_anew() const { return !options_.initial && options_.resume.empty(); }

  /// The objective from which progress counts: a checkpoint has it, or it is measured here, before a checkpoint or a
  /// warm start replaces the initial parameters.
  objective_fall begin_fall() {
    const objective_fall known = run_.resumed ? fall_of_checkpoint(run_.resumed->state) : objective_fall{};
    if (!checks_falls() || begins_anew() || std::isfinite(known.start)) return known;
    std::vector<float> fresh;
    if (has_constant(task_)) fresh = task_.parameters_of(engine_run_.store(), rounds_.scale());
    // If a stop is requested meanwhile, the value is not used.
    meter_.minimise_constant(rounds_.scale(), epoch_meter::state::begun);
    const auto measured = meter_.measure(progress_, rounds_.scale(), 0, 0.0, 0.0, epoch_meter::state::begun);
    if (!fresh.empty()) task_.assign(engine_run_.store(), fresh);
    return {measured ? measured->objective : no_number};
  }

  /// Whether the last epoch left the objective worse than a sound epoch does.
  bool rose_too_far() const {
    const auto rises_too_far = [&](double noise) {
      return progress_.fall.given_back(objective_before_, last_.objective - noise, sound_loss);
    };
    return rises_too_far(0.0) &&
           rises_too_far(sound_noise * meter_.deviation_of_losses(rounds_.scale(), last_.train_loss));
  }

  void resume() {
    const auto from = std::exchange(run_.resumed, nullptr);  // released once its arrays are in the store
    if (!from->note.empty()) teller_.note(from->note);
    progress_ = load_progress(*from, engine_run_.store(), run_, task_, kept_);
    if (optimum_bound* const optimum = meter_.optimum()) optimum->go_on(std::move(kept_.optimum));
    if (!options_.validation && !by_distance(options_, task_.facts().convex)) kept_.best.clear();
    if (progress_.measured_epoch < progress_.epoch)
      teller_.note("the checkpoint is of epoch " + std::to_string(progress_.epoch) +
                   ", which was not measured; the losses known so far are of epoch " +
                   std::to_string(progress_.measured_epoch));
    reported_epoch_ = progress_.epoch;
    last_checkpoint_.is(options_.resume, progress_.epoch);
    rounds_.resume_at(progress_.scale);
    rounds_.resume_exchange(progress_.longest_exchange);
    if (options_.reproducible) rounds_.resume_gain_weight(progress_.gain_weight);
  }

  void save() {
    run_progress now = progress_;
    now.wall_seconds += seconds_since(run_.begun);
    now.scale = rounds_.scale();
    now.gain_weight = rounds_.gain_weight();
    now.longest_exchange = rounds_.longest_exchange();
    const epoch_report counted = meter_.count(progress_, progress_.epoch, 0.0, 0.0);
    now.examples = counted.examples;
    now.updates = counted.updates;
    now.nonzeros = counted.nonzeros;
    now.measured_epoch = reported_epoch_;
    if (const optimum_bound* const optimum = meter_.optimum()) kept_.optimum = optimum->state();
    save_progress(checkpoint_of_rank(options_.checkpoint, ranks_), engine_run_.store(), run_, task_, now, kept_);
    checkpoint_times_.written();
    name_epoch(options_.checkpoint, now.epoch, in_lockstep(run_.plan.options.sharing), ranks_);
    last_checkpoint_.is(options_.checkpoint, progress_.epoch);
  }

  void finish() {
    // A resumed run may have nothing left to do, and a run whose time is over has trained part of an epoch.
    const bool cut_short = result_.status == run_status::done && result_.stopped_by.has_value();
    if (cut_short) {
      teller_.note("the time is over: the run ends after " + std::to_string(progress_.epoch) + " of its " +
                   std::to_string(options_.epochs) + " epochs");
      engine_run_.settle();
    }
    if (cut_short || (!measured_ && result_.status != run_status::stopped)) {
      const bool whole = measure(progress_.epoch, last_.step, last_.wall_seconds);
      const std::size_t few = cut_short ? 0 : 1;  // the mean of one epoch equals the parameters in the store
      if (whole && kept_.mean.added() > few) measure_mean();
      if (cut_short && whole && is_worse_than_begun()) end_as_diverged();
      if (cut_short && asked_to_stop() && stopped_by_ != stop_cause::time_limit) stop();
    }
    // A stopped run reports its last measured epoch; a measurement before the first epoch is only for comparison.
    if (result_.status == run_status::stopped && reported_epoch_ == 0) last_ = unmeasured;
    result_.epochs = result_.status == run_status::stopped ? reported_epoch_ : progress_.epoch;
    const epoch_report counted = meter_.count(progress_, progress_.epoch, 0.0, 0.0);
    detail::tell_of_run(result_, counted, task_, engine_run_, run_);
    result_.train_seconds = progress_.train_seconds;
    const bool is_last = best_measured_ && best_measured_->epoch == progress_.epoch;
    if (kept_.best.empty() || (is_last && result_.status != run_status::stopped)) {
      result_.parameters = parameters_now();
    } else {
      // An earlier epoch's parameters were kept: they are returned, so they are reported.
      leave(kept_.best);
      if (!measure(progress_.epoch, last_.step, last_.wall_seconds, epoch_meter::state::kept))
        last_ = best_measured_.value_or(unmeasured);
      result_.parameters = std::move(kept_.best);
    }
    standstills_.hear_with(std::array<double, 0>(), progress_.train_seconds);  // for the time after the last epoch
    leave_to_readers();
    if (const std::string note = detail::note_of_meetings(result_); !note.empty()) teller_.note(note);
    result_.wall_seconds = progress_.wall_seconds + seconds_since(run_.begun);
    detail::tell_of_end(result_, last_, task_, run_);
    tell(options_, [&](observer& o) { o.on_finish(result_); });
  }

  /// At the end, readers in other processes find the parameters that the run returns.
  void leave_to_readers() {
    if (engine_run_.store().live() == nullptr) return;
    leave(result_.parameters);
    rounds_.live().end();
  }

  /// Sets the final parameters; nobody trains any more.
  void leave(const std::vector<float>& parameters) {
    engine_run_.settle();
    const live_writer::change changing(rounds_.live());
    task_.assign(engine_run_.store(), parameters);
    rounds_.resume_at(1.0);
  }

  const training_task& task_;
  engine_run& engine_run_;
  resolved_run& run_;
  const train_options& options_;
  agreement ranks_;
  round_driver rounds_;
  epoch_meter meter_;
  report_teller teller_;
  const measured_epochs measured_epochs_{task_, run_};
  run_progress progress_{};
  epoch_report last_ = unmeasured;
  last_checkpoint last_checkpoint_{};
  std::size_t reported_epoch_ = 0;  ///< the last measured epoch, or the one that the run resumes from
  bool measured_ = false;           ///< whether last_ is a measurement of this run
  bool observer_stops_ = false;     ///< an observer of this rank asked to stop
  stop_cause stopped_by_ = stop_cause::request;
  detail::rank_standstills standstills_{ranks_, options_};
  checkpoint_times checkpoint_times_{options_, ranks_};
  clock::time_point training_since_{};  ///< start of the time that is not yet in the training seconds
  double objective_before_ = 0.0;
  const bool compares_ends_ = !task_.facts().non_monotone;  ///< its end and beginning; other models may end higher
  unchanged_parameters unchanged_{task_, engine_run_};
  struct one_try {
    round_driver::pace pace;
    double objective;
  };
  std::vector<one_try> tries_;  ///< of the current epoch
  kept_parameters kept_;
  std::vector<float> measured_mean_{};  ///< the mean in kept_, with its best constant term
  std::optional<epoch_report> best_measured_;
  train_result result_{};
};

}  // namespace

train_result train_epochs(const training_task& work, engine_run& who, resolved_run& run) {
  try {
    return epoch_loop(work, who, run)();
  } catch (...) {
    live_writer(who.store()).end();
    // The exception destroys the store, so readers have to stop now.
    tell_of_failure(run.options);
    throw;
  }
}

}  // namespace hogwild
