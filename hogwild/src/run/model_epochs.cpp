// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/memory/param_store.hpp>

#include "run/model_epochs.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <span>
#include <string>
#include <utility>

#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/detail/run/rank_checkpoints.hpp>
#include <hogwild/detail/run/run_course.hpp>
#include <hogwild/detail/run/stop_rules.hpp>
#include <hogwild/detail/task/model_constant.hpp>
#include <hogwild/detail/task/vector_passes.hpp>
#include <hogwild/error.hpp>

#include "run/run_report.hpp"

namespace hogwild {

namespace {

using clock = std::chrono::steady_clock;

/// Replicas are taken to overshoot if an epoch gives back more than this fraction of the run's gain plus this fraction
/// of the standard deviation of the rows' losses. The second part is for runs that have gained nothing yet.
constexpr double sound_loss = 0.1, sound_noise = 0.05;
/// A step that was too large is halved until it is this part of the first.
constexpr double halved = 0.5, least_factor = 1e-6;
/// Two objectives that have both risen are about as good if their rises differ by at most this fraction.
constexpr double about_as_good = 0.1;

/// Of a checkpoint: how many workers a trial has left, and of how many.
constexpr const char* workers_section = "workers that train";

double seconds_since(clock::time_point start) {
  return std::chrono::duration<double>(clock::now() - start).count();
}

/// Whether a model of the library begins with random factors or layers on columns with values. For a program's own
/// model, the loss at zeros may have no meaning.
bool begins_by_chance(const task_facts& facts) {
  return !facts.convex && !facts.non_monotone && !facts.repeats && !facts.saved_by_groups;
}

}  // namespace

model_epochs::model_epochs(const training_task& work, engine_run& who, resolved_run& run)
    : epoch_loop(work, run), engine_run_(who), rounds_(work, run.plan, who), meter_(work, who, run) {
  if (options_.average) kept_.mean = tail_mean(*options_.average, options_.epochs);
}

void model_epochs::begin() {
  const param_store& store = engine_run_.store();
  const std::size_t every = measured_epochs_.every();
  ranks_.require_equal(std::as_bytes(std::span(&every, 1)), "number of epochs between measurements");
  cut_epochs();
  if (!run_.resumed && begins_by_chance(task_.facts())) zeros_.start = meter_.loss_of_zeros();
  task_.begin(store);
  if (begins_anew()) meter_.minimise_constant(rounds_.scale(), epoch_meter::state::begun);  // as in a step search
  const objective_fall from_start = begin_fall();
  task_.change(store, options_.initial, options_.initial_state);
  if (run_.resumed) resume();
  engine_run_.get_ready();
  begin_trial();
  unchanged_.begin();
  rounds_.live().begin(progress_.examples);
  rounds_.resume_at(rounds_.scale());
  announce();
  // From now on a request to stop reaches the workers themselves, within a few rows.
  relay_.emplace(run_.end_token(), store);
  if (!checks_falls() && !compares_ends_) return;
  if (!measure(0, 0.0, 0.0, epoch_meter::state::begun) && asked_to_stop()) stop();
  objective_before_ = last_.objective;
  if (compares_ends_ && !resumes_) progress_.course.start = last_.objective;
  measured_ = false;  // a run that resumes with nothing left to do still has a mean to measure
  progress_.fall = begins_anew() ? objective_fall{objective_before_} : from_start;
}

void model_epochs::begin_trial() {
  if (!run_.tries_workers || rounds_.trial()) return;
  const std::size_t workers = engine_run_.workers();
  const auto rounds =
      worker_trial::rounds_of_epoch(run_.plan.chunks.count(), workers, options_.epochs - progress_.epoch);
  if (rounds) rounds_.try_workers({workers, *rounds, run_.trial_clock});
}

bool model_epochs::train_epoch(std::size_t e) {
  if (!guard_) guard_.emplace(engine_run_.store(), rounds_, run_.step_is_guess);
  const std::uint64_t rows_before = rows_here();
  train_rounds(e);
  require_not_orphaned(engine_run_.store().control());
  if (asked_to_stop()) return false;
  require_trained(e, rows_here() - rows_before);
  return true;
}

void model_epochs::train_rounds(std::size_t e) {
  const double first_step = step(), step_end = run_.schedule.at_end(e) * progress_.rules.step_factor;
  const auto train = [&] {
    training_since_ = clock::now();
    naming_the_checkpoint([&] { rounds_.train_epoch(e, first_step, step_end); });
    progress_.train_seconds += seconds_since(training_since_);
  };
  const bool tries = rounds_.trial() && !rounds_.trial()->is_over();
  standstills_.around(train, progress_.train_seconds);
  if (!tries || !rounds_.trial()->is_over()) return;
  if (const std::string why_fewer = rounds_.trial()->reason(); !why_fewer.empty()) teller_.note(why_fewer);
}

epoch_loop::conclusion model_epochs::conclude_epoch(std::size_t e, bool measures) {
  if (!measures) {
    progress_.epoch = e;
    average();
    return conclusion::unmeasured;
  }
  const epoch_report before = last_;
  const double trained_by = step();
  if (!measure(e, trained_by, wall_seconds())) return conclusion::stopped;
  progress_.epoch = e;
  const bool again = turned_back(e, trained_by);
  guard_.reset();
  if (again) {
    last_ = before;  // measurements in between are dropped
    return conclusion::again;
  }
  objective_before_ = last_.objective;
  if (average() && !measure_mean()) {
    last_ = before;
    return conclusion::stopped;
  }
  tries_.clear();
  reported_epoch_ = e;
  return conclusion::measured;
}

void model_epochs::cut_epochs() {
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

bool model_epochs::tell_round(std::uint32_t round, double step) {
  const std::size_t epoch = progress_.epoch + 1;
  const epoch_report counted = meter_.count(progress_, epoch, step, wall_seconds());
  note_answer(teller_.tell(detail::round_of(counted, round, *options_.rounds), &observer::on_round,
                           [this] { return task_.parameters_of(engine_run_.store(), rounds_.scale()); }));
  return !asked_to_stop();
}

template <class F>
void model_epochs::naming_the_checkpoint(const F& f) const {
  last_checkpoint_.named_by(f, run_.plan.options.rows_in_flight > 0);
}

void model_epochs::require_trained(std::size_t epoch, std::uint64_t rows) const {
  if (ranks_.any(rows > 0)) return;
  throw worker_error("no worker has trained a row in epoch " + std::to_string(epoch) +
                     ", though no stop was requested; find out what keeps the workers from training");
}

bool model_epochs::asked_to_stop() {
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

bool model_epochs::has_broken_down() const {
  const double scale = task_.facts().scaled ? rounds_.scale() : 1.0;
  std::atomic<bool> finite = true;
  const auto look = [&]<class T>() {
    const std::span<const T> w = engine_run_.store().parameters<T>();
    const auto is_finite = [scale](T x) { return std::isfinite(static_cast<float>(scale * static_cast<double>(x))); };
    for_each_block(w.size(), engine_run_.helpers(), [&](std::size_t first, std::size_t last, std::size_t) {
      if (!std::ranges::all_of(w.subspan(first, last - first), is_finite)) finite = false;
    });
  };
  task_.facts().scalar_bytes == sizeof(float) ? look.operator()<float>() : look.operator()<double>();
  return ranks_.any(!finite);
}

bool model_epochs::turned_back(std::size_t e, double step) {
  if (task_.facts().non_monotone || progress_.step_overshoots != 0 || !rose_too_far()) return false;
  tries_.push_back({rounds_.current_pace(), last_.objective});
  std::optional<std::string> remedy = guard_->turn_back(step);
  std::string cause = "the workers' summed changes overshot";
  const bool may_halve = std::isfinite(objective_before_) && progress_.rules.step_factor > least_factor;
  if (!remedy && may_halve && guard_->turn_back_for_step()) {
    progress_.rules.step_factor *= halved;
    remedy = "with half of the step";
    cause = "the objective rose";
  }
  if (remedy) {
    const bool several = e > reported_epoch_ + 1;
    progress_.epoch = reported_epoch_;
    const std::string which = several ? "s " + std::to_string(reported_epoch_ + 1) + " to " : " ";
    teller_.note(cause + " in epoch" + which + std::to_string(e) + (several ? "; they are" : "; it is") +
                 " trained again " + *remedy);
    return true;
  }
  if (tries_.size() < 2) return false;
  const auto as_good = [&](const one_try& t) {
    return t.objective <= last_.objective + about_as_good * (last_.objective - objective_before_);
  };
  const auto found = std::ranges::find_if(tries_, as_good);
  if (found != tries_.end()) rounds_.resume_pace(found->pace);
  progress_.step_overshoots = 1;
  teller_.note("the objective rises in epoch " + std::to_string(e) + " however often the workers exchange: the step " +
               detail::to_short_text(step) + " is too large even for one worker");
  return false;
}

bool model_epochs::tell_observers() {
  return teller_.tell(last_, &observer::on_epoch, [this] { return parameters(); });
}

std::optional<run_status> model_epochs::decide(std::uint64_t epochs) {
  auto [ended, best] =
      progress_.rules.after(last_, progress_.fall, options_, task_.facts().convex, run_.schedule, epochs);
  if (best) {
    kept_.best = parameters();
    kept_.best_state = state_of_now();
    best_measured_ = last_;
  }
  const bool ends =
      ended ? *ended == run_status::converged || *ended == run_status::no_progress : progress_.epoch == options_.epochs;
  progress_.course.take(progress_.epoch, last_.objective);
  if (ends && kept_.best.empty() && is_worse_than_begun()) ended = run_status::diverged;
  if (ended == run_status::diverged) end_as_diverged();
  return ended;
}

bool model_epochs::is_worse_than_begun() const {
  return progress_.course.is_above(last_.objective) && progress_.course.ended_worse(last_.objective, spread_of_last());
}

/// Of the parameters to which last_ belongs.
double model_epochs::spread_of_last() const {
  return kept_.mean.added() > 1 ? spread_of_mean_ : meter_.spread_of_losses(rounds_.scale());
}

/// A model of factors or layers whose columns are large may begin so badly that it ends better than it began, and yet
/// is worth less than nothing.
void model_epochs::compare_with_zeros() {
  if (!zeros_.is_above(last_.train_loss) || !zeros_.ended_worse(last_.train_loss, spread_of_last())) return;
  using detail::to_short_text;
  teller_.note("the parameters are worse than zeros would be: the training loss is " + to_short_text(last_.train_loss) +
               ", and would be about " + to_short_text(zeros_.start) +
               "; divide the columns by their largest values, or lower the step");
}

void model_epochs::end_as_diverged() {
  result_.status = run_status::diverged;
  teller_.note(progress_.course.told(progress_.epoch, last_.objective));
}

void model_epochs::announce() {
  const run_start start = detail::start_of(task_, engine_run_, run_, progress_.examples);
  tell(options_, [&](observer& o) { o.on_start(start); });
  if (const optimum_bound* const optimum = meter_.optimum(); optimum != nullptr && !optimum->tells())
    teller_.note(std::string(optimum_bound::silence));
}

bool model_epochs::measure(std::size_t epoch, double step, double wall_seconds, epoch_meter::state of) {
  std::optional<epoch_report> measured;
  naming_the_checkpoint([&] { measured = meter_.measure(progress_, rounds_.scale(), epoch, step, wall_seconds, of); });
  if (measured) last_ = *measured;
  measured_ = measured_ || measured;
  return measured.has_value();
}

std::vector<float> model_epochs::parameters() const {
  if (kept_.mean.added() == 0) return task_.parameters_of(engine_run_.store(), rounds_.scale());
  return measured_mean_.empty() ? kept_.mean.value() : measured_mean_;
}

optimizer_state model_epochs::state_of_now() const {
  if (!options_.keep_state) return {};
  const double rows = static_cast<double>(task_.all_rows()) * static_cast<double>(progress_.epoch);
  return state_of_optimizer(engine_run_.store(), task_, run_.plan.options, step(), rows);
}

bool model_epochs::average() {
  if (!kept_.mean.takes(progress_.epoch)) return false;
  measured_mean_.clear();
  kept_.mean.add(task_.parameters_of(engine_run_.store(), rounds_.scale()));
  return kept_.mean.added() > 1;
}

bool model_epochs::measure_mean() {
  engine_run_.settle();
  const std::size_t bytes = task_.facts().parameters * task_.facts().scalar_bytes;
  const std::span<std::byte> trained = engine_run_.store().state_of_training().first(bytes);
  const std::vector<std::byte> before(trained.begin(), trained.end());
  const double scale = rounds_.scale();
  const live_writer::change changing(rounds_.live());
  task_.assign(engine_run_.store(), kept_.mean.value());
  rounds_.resume_at(1.0);
  const bool measured = measure(progress_.epoch, last_.step, last_.wall_seconds);
  const bool in_doubt = progress_.course.is_above(last_.objective) || zeros_.is_above(last_.train_loss);
  spread_of_mean_ = in_doubt ? meter_.spread_of_losses(1.0) : 0.0;
  measured_mean_ = task_.parameters_of(engine_run_.store(), 1.0);
  std::ranges::copy(before, trained.begin());
  rounds_.resume_at(scale);
  return measured;
}

bool model_epochs::checks_falls() const {
  return run_.plan.options.exchange.workers > 1 || by_progress(options_, task_.facts().convex);
}

objective_fall model_epochs::begin_fall() {
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

bool model_epochs::rose_too_far() const {
  const auto rises_too_far = [&](double noise) {
    return progress_.fall.given_back(objective_before_, last_.objective - noise, sound_loss);
  };
  return rises_too_far(0.0) &&
         rises_too_far(sound_noise * meter_.deviation_of_losses(rounds_.scale(), last_.train_loss));
}

void model_epochs::resume() {
  const auto from = std::exchange(run_.resumed, nullptr);  // released once its arrays are in the store
  if (!from->note.empty()) teller_.note(from->note);
  progress_ = load_progress(*from, engine_run_.store(), run_, task_, kept_);
  if (optimum_bound* const optimum = meter_.optimum()) optimum->go_on(std::move(kept_.optimum));
  if (!options_.validation && !by_distance(options_, task_.facts().convex)) kept_.best.clear();
  if (progress_.measured_epoch < progress_.epoch)
    teller_.note(detail::note_of_unmeasured(progress_.epoch, progress_.measured_epoch));
  reported_epoch_ = progress_.epoch;
  last_checkpoint_.is(options_.resume, progress_.epoch);
  rounds_.resume_at(progress_.scale);
  rounds_.resume_exchange(progress_.longest_exchange);
  if (options_.reproducible) rounds_.resume_gain_weight(progress_.gain_weight);
  if (run_.tries_workers && from->state.find(workers_section) != nullptr) {
    const auto [left, all] = from->state.get<std::array<std::uint64_t, 2>>(workers_section);
    // Among other workers, another number may be the best.
    if (all == engine_run_.workers()) rounds_.try_workers(worker_trial::ended(left, all));
  }
}

checkpoint model_epochs::state() {
  run_progress now = progress_;
  now.wall_seconds = wall_seconds();
  now.scale = rounds_.scale();
  now.gain_weight = rounds_.gain_weight();
  now.longest_exchange = rounds_.longest_exchange();
  const epoch_report counted = meter_.count(progress_, progress_.epoch, 0.0, 0.0);
  now.examples = counted.examples;
  now.updates = counted.updates;
  now.nonzeros = counted.nonzeros;
  if (const optimum_bound* const optimum = meter_.optimum()) kept_.optimum = optimum->state();
  checkpoint file = checkpoint_of(engine_run_.store(), run_, task_, now, kept_);
  if (rounds_.trial() && rounds_.trial()->is_over())
    file.put(workers_section, std::array<std::uint64_t, 2>{rounds_.trial()->workers(), engine_run_.workers()});
  return file;
}

void model_epochs::save() {
  write_checkpoint(checkpoint_of_rank(options_.checkpoint, ranks_), state());
  checkpoint_times_.written();
  name_epoch(options_.checkpoint, progress_.epoch, in_lockstep(run_.plan.options.sharing), ranks_);
  last_checkpoint_.is(options_.checkpoint, progress_.epoch);
}

/// finish() compares a kept epoch with the beginning.
void model_epochs::save_last() {
  const bool in_doubt =
      result_.status != run_status::target && best_measured_ && progress_.course.is_above(best_measured_->objective);
  if (!in_doubt) save();
}

train_result model_epochs::finish() {
  // A resumed run may have nothing left to do, and a run whose time is over has trained part of an epoch.
  const bool cut_short = result_.status == run_status::done && result_.stopped_by.has_value();
  if (cut_short) {
    teller_.note(detail::note_of_time(progress_.epoch, options_.epochs));
    engine_run_.settle();
  }
  if (cut_short || (!measured_ && result_.status != run_status::stopped)) {
    const bool whole = measure(progress_.epoch, last_.step, last_.wall_seconds);
    const std::size_t few = cut_short ? 0 : 1;  // the mean of one epoch equals the parameters in the store
    if (whole && kept_.mean.added() > few) measure_mean();
    if (cut_short && whole && kept_.best.empty() && (is_worse_than_begun() || !std::isfinite(last_.objective)))
      end_as_diverged();
    if (cut_short && asked_to_stop() && stopped_by_ != stop_cause::time_limit) stop();
  }
  // A stopped run reports its last measured epoch; a measurement before the first epoch is only for comparison.
  if (result_.status == run_status::stopped && reported_epoch_ == 0) last_ = unmeasured();
  result_.epochs = result_.status == run_status::stopped ? reported_epoch_ : progress_.epoch;
  const epoch_report counted = meter_.count(progress_, progress_.epoch, 0.0, 0.0);
  detail::tell_of_run(result_, counted, task_, engine_run_, run_);
  if (rounds_.trial()) result_.workers = std::min(result_.workers, rounds_.trial()->workers());
  result_.train_seconds = progress_.train_seconds;
  const bool is_last = best_measured_ && best_measured_->epoch == progress_.epoch, has_best = !kept_.best.empty();
  if (kept_.best.empty() || (is_last && result_.status != run_status::stopped)) {
    result_.parameters = parameters();
    result_.state = state_of_now();
  } else {
    // An earlier epoch's parameters were kept: they are returned, so they are reported.
    leave(kept_.best);
    if (!measure(progress_.epoch, last_.step, last_.wall_seconds, epoch_meter::state::kept))
      last_ = best_measured_.value_or(unmeasured());
    result_.parameters = std::move(kept_.best);
    result_.state = std::move(kept_.best_state);
    kept_.mean = {};
  }
  const bool ends_by_itself = result_.status == run_status::done || result_.status == run_status::converged ||
                              result_.status == run_status::no_progress;
  if (has_best && ends_by_itself && is_worse_than_begun()) end_as_diverged();
  if (ends_by_itself && result_.status != run_status::diverged) compare_with_zeros();
  standstills_.hear_with(std::array<double, 0>(), progress_.train_seconds);  // for the time after the last epoch
  // An epoch before the last one, after which the run ended, was measured by some lists alone.
  const bool is_returned = !has_best || best_measured_->epoch == progress_.epoch;
  if (is_returned && result_.status != run_status::stopped && meter_.lists_after(progress_.epoch) != all_lists)
    meter_.measure_all_lists(rounds_.scale(), last_);
  leave_to_readers();
  if (const std::string note = detail::note_of_meetings(result_); !note.empty()) teller_.note(note);
  return end();
}

void model_epochs::leave_to_readers() {
  if (engine_run_.store().live() == nullptr) return;
  leave(result_.parameters);
  rounds_.live().end();
}

void model_epochs::leave(const std::vector<float>& parameters) {
  engine_run_.settle();
  const live_writer::change changing(rounds_.live());
  task_.assign(engine_run_.store(), parameters);
  rounds_.resume_at(1.0);
}

train_result train_epochs(const training_task& work, engine_run& who, resolved_run& run) {
  return model_epochs(work, who, run).run();
}

}  // namespace hogwild
