// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/search/trials_side_by_side.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <bitset>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include <hogwild/detail/collectives/agreement.hpp>
#include <hogwild/detail/options/option_list.hpp>
#include <hogwild/detail/run/curvature.hpp>
#include <hogwild/detail/run/engine_run.hpp>
#include <hogwild/detail/run/lane_run.hpp>
#include <hogwild/detail/run/prepare.hpp>
#include <hogwild/detail/run/step_search.hpp>
#include <hogwild/detail/search/for_each_in_threads.hpp>
#include <hogwild/detail/task/evaluate.hpp>
#include <hogwild/engines.hpp>
#include <hogwild/error.hpp>

#include "run/lane_progress.hpp"

namespace hogwild {

/// Models of one loss on the same rows.
struct trials_side_by_side::group {
  prepared_task made;
  sparse_view test;  ///< with folds all rows, with equal weights
  std::shared_ptr<const std::vector<std::uint8_t>> folds{};
  double curvature = 0.0;                ///< upper bound, of the mean loss, if several rows see the same weights
  std::shared_ptr<any_engine> engine{};  ///< null: the serial one
  /// The decision for a batch size, and for steps that were given or found.
  struct decision {
    loop_options options;
    step_scaling scaling;
  };
  std::map<std::pair<std::uint32_t, bool>, decision> planned{};

  std::shared_ptr<const training_task> task() const { return {std::shared_ptr<const void>(), made.task.get()}; }

  /// The bound over the training rows when this fold is held out.
  std::optional<loss_bound> bound(std::uint32_t held_out, std::span<const float> parameters, thread_team& threads,
                                  const std::stop_token& stop) const {
    sparse_view rows = made.task->data();
    std::vector<float> weight;
    for (std::size_t r = 0; folds && r < rows.rows(); ++r)
      weight.push_back((*folds)[rows.first_row + r] == held_out ? 0.0f : rows.weight_of(r));
    if (folds) rows.weight = weight;
    return made.task->on(rows)->bound(parameters, threads, agreement(nullptr), stop);
  }
};

/// One trial.
struct trials_side_by_side::lane {
  const side_by_side_trial* of = nullptr;
  group* among = nullptr;  ///< null: it has not begun
  lane_progress progress{};
  double l1 = 0.0, l2 = 0.0;
  std::uint32_t batch = 1;
  bool found = false;      ///< its step was found by a search
  bool has_ended = false;  ///< by its tolerance
  lane_kept best{};        ///< the state at its lowest objective, if a tolerance needs it
  lane_kept kept{};        ///< the state after `outcome.epochs`; empty: a new one
  side_by_side_outcome outcome{};

  lane_settings asked() const { return {.l1 = l1, .l2 = l2, .rows = {.held_out = of->held_out}}; }
};

struct trials_side_by_side::shared {
  struct slot {
    std::once_flag once{};
    std::unique_ptr<group> made{};
  };
  std::mutex grouping{};  ///< guards `groups`, but not their contents
  std::map<std::string, slot> groups{};
  std::vector<lane> lanes{};
};

namespace {

std::optional<double> given_step(const train_options& o, const training_defaults& defaults) {
  return o.step.initial ? o.step.initial : defaults.step;
}

/// The number of epochs that a measurement after this epoch covers; 0: a run does not measure after it.
std::uint64_t epochs_measured(std::size_t epoch, const train_options& options) {
  return is_measured(epoch, options) ? (epoch - 1) % options.measure_every.value_or(1) + 1 : 0;
}

}  // namespace

bool trials_side_by_side::suits(const train_options& o, const model_traits& traits, const sparse_view& rows) {
  const training_defaults& defaults = traits.defaults;
  const bool has_kernels = traits.lanes && (traits.margin || o.l1 == 0.0);
  const optimizer_kind by = o.optimizer.value_or(defaults.optimizer);
  const bool steps = by == optimizer_kind::sgd || (by == optimizer_kind::adagrad && !traits.linear && !traits.margin);
  const schedule_kind schedule = schedule_of(o, defaults);
  return has_kernels && steps && !rows.label.lists() && detail::are_taken_in_lanes(o) &&
         schedule != schedule_kind::plateau && schedule != schedule_kind::linear &&
         o.form.value_or(l2_form::by_degree) != l2_form::two_pass;
}

bool trials_side_by_side::suits_folds(const side_by_side_trial& trial) {
  return !trial.engine && given_step(trial.options, trial.traits.defaults);
}

trials_side_by_side::trials_side_by_side(std::vector<side_by_side_trial> trials, settings how)
    : trials_(std::move(trials)), how_(std::move(how)), shared_(std::make_unique<shared>()) {
  for (const side_by_side_trial& t : trials_) {
    shared_->lanes.push_back({.of = &t});
    double& largest = t.options.l1 == 0.0 ? largest_step_ : largest_with_l1_;
    largest = std::max(largest, given_step(t.options, t.traits.defaults).value_or(0.0));
  }
}

trials_side_by_side::~trials_side_by_side() = default;

const side_by_side_outcome& trials_side_by_side::outcome(std::size_t trial) const {
  return shared_->lanes[trial].outcome;
}

void trials_side_by_side::forget(std::size_t trial) {
  lane& of = shared_->lanes[trial];
  of.kept = {};
  of.outcome.found = {};
}

trials_side_by_side::group& trials_side_by_side::group_of(const side_by_side_trial& of) {
  shared::slot* found = nullptr;
  {
    const std::lock_guard lock(shared_->grouping);
    found = &shared_->groups[of.alike];
  }
  std::call_once(found->once, [&] {
    train_options options = of.options;
    options.stop = how_.stop;
    options.l2.reset();  // each lane has its own; with the default l2 the rows of each column are counted
    prepared_task made = of.make(of.rows, options);
    sparse_view test = of.folds ? made.task->data() : *made.data.options().test;
    if (of.folds) test.weight = {};
    const double smoothness = made.task->smoothness();
    double curvature = 0.0;
    if (made.task->facts().scaled)
      curvature = smoothness * largest_eigenvalue(made.task->data(), made.task->options().bias_square(), how_.stop);
    found->made.reset(new group{std::move(made), test, of.folds, curvature, of.engine ? of.engine() : nullptr, {}});
  });
  return *found->made;
}

/// Finds the step as a separate run would. The number of rows that see the same weights is limited by the largest step
/// of all, in powers of two, so that all lanes with given steps go through the rows together.
void trials_side_by_side::begin(lane& of) {
  const train_options& o = of.of->options;
  group& among = group_of(*of.of);
  detail::check_options(o, of.of->traits);
  const training_task& common = *among.made.task;
  const training_defaults& defaults = among.made.data.defaults();
  const std::optional<double> given = given_step(o, defaults);
  of.found = !given;
  of.l1 = o.l1;
  of.l2 = o.l2.value_or(common.options().l2);
  const bool by_batches = common.facts().scaled;  // with l1, and with several classes, rows go one by one
  of.batch = by_batches ? common.options().batch : 1;
  double initial = given.value_or(0.0);
  if (!given) {
    train_options options = o;
    options.stop = how_.stop;
    initial = find_step(*of.of->make(of.of->rows, options).task, {}, how_.stop);
  } else if (by_batches) {
    const double rows = 1.0 / std::max(largest_step_ * among.curvature, 1e-9);
    of.batch = std::bit_floor(static_cast<std::uint32_t>(std::clamp(rows, 1.0, static_cast<double>(of.batch))));
  }
  of.progress.schedule = schedule_from(o, defaults, common.facts().convex, initial, !given);
  if (by_batches) detail::require_below_one(initial * of.l2);
  of.among = &among;
}

/// Begins one lane of each group first, so that groups are prepared in parallel, too.
void trials_side_by_side::begin_all(std::vector<lane*>& fresh) {
  std::set<std::string_view> met;
  const auto is_first = [&](const lane* of) { return met.insert(of->of->alike).second; };
  const auto rest = std::stable_partition(fresh.begin(), fresh.end(), is_first);
  const std::array phases{std::span(fresh.begin(), rest), std::span(rest, fresh.end())};
  for (const std::span<lane*> some : phases) {
    detail::for_each_in_threads(some.size(), how_.threads, [&](std::size_t i) {
      try {
        begin(*some[i]);
      } catch (const config_error& why) {
        some[i]->outcome.refused = why.what();
      }
    });
  }
}

namespace {

/// Cuts `all` into parts of at most `most`.
template <class Unit>
std::vector<Unit> cut_up(const Unit& all, std::size_t most) {
  std::vector<Unit> parts;
  for (std::size_t first = 0; first < all.size(); first += most) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
    parts.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(std::min(most, all.size() - first)));
  }
  return parts;
}

template <class Unit>
std::map<std::uint32_t, Unit> by_held_out(const Unit& all) {
  std::map<std::uint32_t, Unit> parts;
  for (const auto& lane : all) parts[lane->of->held_out].push_back(lane);
  return parts;
}

/// The approximate cost of a pass over all rows: lanes come in eights, and a row has a cost of its own.
template <class Unit>
double cost(const std::vector<Unit>& units) {
  double sum = 0.0;
  for (const Unit& of : units)
    sum += static_cast<double>(least_lanes + std::max(std::bit_ceil(of.size()), least_lanes));
  return sum;
}

}  // namespace

std::vector<trials_side_by_side::unit> trials_side_by_side::units_of(std::span<lane* const> lanes) const {
  using kind = std::tuple<const group*, std::size_t, std::uint32_t, bool>;
  std::map<kind, std::vector<lane*>> alike;
  for (lane* of : lanes) alike[{of->among, of->outcome.epochs, of->batch, of->found}].push_back(of);
  std::vector<unit> units;
  for (auto& [what, all] : alike) {
    // Sorted by shrinkage: lanes that shrink far, whose weights are rescaled many times in a pass, are put together.
    std::ranges::stable_sort(all, {}, [](const lane* of) { return of->progress.schedule.initial * of->l2; });
    const std::size_t each = (lanes.size() + how_.threads - 1) / how_.threads;
    const std::size_t most = lane_run::lanes_for(*std::get<0>(what)->made.task, each);
    std::vector<unit> cut = cut_up(all, most), by_fold;
    // All lanes of a unit that hold out the same fold pass over its rows; otherwise most rows are used by only some
    // lanes.
    const std::map<std::uint32_t, unit> of_fold = by_held_out(all);
    for (const auto& [fold, some] : of_fold) {
      const std::vector<unit> more = cut_up(some, most);
      by_fold.insert(by_fold.end(), more.begin(), more.end());
    }
    const double part = 1.0 - 1.0 / static_cast<double>(of_fold.size());
    if (by_fold.size() > 1 && part > 0.0 && part * cost(by_fold) <= cost(cut)) cut = std::move(by_fold);
    units.insert(units.end(), std::make_move_iterator(cut.begin()), std::make_move_iterator(cut.end()));
  }
  occupy_threads(units);
  return units;
}

/// Cuts the last units smaller if threads would be idle while they are trained.
void trials_side_by_side::occupy_threads(std::vector<unit>& units) const {
  const std::size_t left = units.size() % how_.threads, parts = left > 0 ? how_.threads / left : 1;
  if (parts < 2) return;
  std::ranges::stable_sort(units, std::greater<>(), [](const unit& of) { return of.size(); });
  const std::vector<unit> last(units.end() - static_cast<std::ptrdiff_t>(left), units.end());
  for (const unit& of : last)
    if (of.front()->among->engine) return;
  units.resize(units.size() - left);
  for (const unit& of : last) {
    const std::vector<unit> some = cut_up(of, std::max(least_lanes, (of.size() + parts - 1) / parts));
    units.insert(units.end(), some.begin(), some.end());
  }
}

/// The sharing of an engine's workers is decided once for all lanes that go through the rows together, by the largest
/// step.
std::unique_ptr<lane_run> trials_side_by_side::start(const unit& of) const {
  group& among = *of.front()->among;
  const std::size_t lanes = lane_run::lanes_for(*among.made.task, of.size());
  loop_options options = among.made.task->options();
  options.batch = of.front()->batch;
  if (!among.engine) {
    auto run = std::make_unique<lane_run>(among.task(), options, lanes,
                                          std::make_unique<engine_of<serial_engine>>(serial_engine{}));
    if (among.folds) run->deal(*among.folds);
    return run;
  }
  const lane& first = *of.front();
  const std::pair kind{options.batch, first.found};
  if (const auto known = among.planned.find(kind); known != among.planned.end())
    return std::make_unique<lane_run>(among.task(), known->second.options, lanes, among.engine);
  double largest = first.found ? 0.0 : first.l1 > 0.0 ? largest_with_l1_ : largest_step_;
  for (const lane& l : shared_->lanes)
    if (l.among == &among && l.batch == options.batch && l.found == first.found)
      largest = std::max(largest, l.progress.schedule.initial);
  auto run = std::make_unique<lane_run>(among.task(), among.made.data.options(), lanes, largest, among.engine,
                                        first.found ? among.made.task.get() : nullptr);
  among.planned.insert({kind, {run->plan().options, run->scaling()}});
  return run;
}

/// One pass an epoch, by one thread or by the engine.
void trials_side_by_side::train_unit(const unit& of, std::size_t epochs) const {
  const group& among = *of.front()->among;
  const training_task& task = *among.made.task;
  const std::unique_ptr<lane_run> started = start(of);
  lane_run& run = *started;
  const std::size_t lanes = run.lanes();
  for (std::size_t k = 0; k < of.size(); ++k) run.place(k, of[k]->asked(), of[k]->kept);
  const bool convex = task.facts().convex;
  const auto goes_by_progress = [&](const lane& l) { return by_progress(l.of->options, convex); };
  const auto goes_by_distance = [&](const lane& l) { return by_distance(l.of->options, convex); };
  const bool may_end = std::ranges::any_of(of, [](const lane* l) { return l->of->options.tolerance.has_value(); });
  const bool any_progress = std::ranges::any_of(of, [&](const lane* l) { return goes_by_progress(*l); });
  using rows_of_lane = lane_task::rows_of_lane;
  const bool by_folds = among.folds != nullptr;
  const auto alone = thread_team::make(thread_team_kind::std, 1, false);
  const auto losses = [&] {
    return run.measure(task.data(), by_folds ? rows_of_lane::trained_on : rows_of_lane::all, false);
  };
  if (any_progress && of.front()->outcome.epochs == 0) {
    const auto measured = losses();
    for (std::size_t k = 0; k < of.size(); ++k) of[k]->progress.fall = {measured[k].loss};
  }
  // Lanes that have ended keep their state and when they ended. Lanes that go on keep the state in which the call
  // began, so that it can be broken off.
  std::vector<lane> now;
  for (const lane* l : of) now.push_back(*l);
  const auto decided = among.planned.find({of.front()->batch, of.front()->found});
  for (lane& l : now)
    if (decided != among.planned.end() && l.outcome.epochs == 0)
      l.progress.schedule.initial = decided->second.scaling.of(l.progress.schedule.initial);
  std::size_t going = of.size();
  for (std::size_t e = of.front()->outcome.epochs + 1; e <= epochs && going > 0; ++e) {
    std::vector<double> steps(lanes);
    std::bitset<most_lanes> measured_ones;
    for (std::size_t k = 0; k < of.size(); ++k) {
      if (!now[k].has_ended) steps[k] = now[k].progress.step(e);
      measured_ones[k] = is_measured(e, now[k].of->options);
    }
    run.train(e, steps, how_.stop, measured_ones);
    if (how_.stop.stop_requested()) return;
    if (how_.passed) how_.passed(of.size());
    const auto is_due = [&](const lane& l) { return !l.has_ended && epochs_measured(e, l.of->options) > 0; };
    if (!may_end || std::ranges::none_of(now, is_due)) continue;
    const auto measured = any_progress ? losses() : std::vector<measurement>(lanes);
    const std::vector<double> penalties = run.penalties();
    for (std::size_t k = 0; k < of.size(); ++k) {
      if (!is_due(now[k])) continue;
      std::optional<loss_bound> bound;
      if (goes_by_distance(now[k])) {
        bound = among.bound(now[k].of->held_out, run.parameters(k), *alone, how_.stop);
        if (!bound) return;  // a stop was requested
      }
      const train_options& asked = now[k].of->options;
      const auto [ended, best] =
          now[k].progress.after({.epoch = e, .train_loss = measured[k].loss}, penalties[k], bound, now[k].l1, now[k].l2,
                                *alone, asked, convex, epochs_measured(e, asked));
      if (best) now[k].best = run.kept(k);
      if (!ended) continue;
      now[k].has_ended = true;
      now[k].outcome.trained = e;
      now[k].outcome.ended = *ended;
      now[k].kept = now[k].best.stored.empty() ? run.kept(k) : now[k].best;
      run.clear(k);
      --going;
    }
  }
  for (std::size_t k = 0; k < of.size(); ++k) {
    const bool at_end = !now[k].has_ended && epochs >= now[k].of->options.epochs && !now[k].best.stored.empty();
    if (now[k].has_ended || at_end) run.place(k, now[k].asked(), at_end ? now[k].best : now[k].kept);
  }
  const auto measured = run.measure(among.test, by_folds ? rows_of_lane::held_out : rows_of_lane::all,
                                    how_.all_measures, how_.sorts ? measure_scores : measure_unsorted);
  for (std::size_t k = 0; k < of.size(); ++k) {
    lane& l = now[k];
    const bool whole = l.has_ended || epochs >= l.of->options.epochs;
    if (!l.has_ended) l.outcome.trained = epochs;
    l.outcome.epochs = epochs;
    l.outcome.measured = measured[k];
    if (!std::isfinite(measured[k].loss)) l.outcome.measured.loss = std::numeric_limits<double>::infinity();
    l.kept = whole ? lane_kept{} : run.kept(k);
    if (how_.keeps_parameters) l.outcome.found = run.parameters(k);
    *of[k] = std::move(l);
  }
}

void trials_side_by_side::train(std::span<const std::size_t> which, std::size_t epochs) {
  std::vector<lane*> fresh, trained;
  for (const std::size_t k : which) {
    lane& of = shared_->lanes[k];
    if (of.among == nullptr && of.outcome.refused.empty()) fresh.push_back(&of);
  }
  begin_all(fresh);
  // A step whose search was cut short by a stop request is not used.
  if (how_.stop.stop_requested()) {
    for (lane* of : fresh) *of = {.of = of->of};
    return;
  }
  for (const std::size_t k : which) {
    lane& of = shared_->lanes[k];
    if (!of.outcome.refused.empty() || of.outcome.epochs >= epochs) continue;
    if (of.has_ended)
      of.outcome.epochs = epochs;
    else
      trained.push_back(&of);
  }
  const std::vector<unit> units = units_of(trained);
  detail::for_each_in_threads(units.size(), how_.threads, [&](std::size_t i) {
    try {
      if (!how_.stop.stop_requested()) train_unit(units[i], epochs);
    } catch (const config_error& why) {  // from the engine
      for (lane* of : units[i])
        if (!how_.stop.stop_requested()) of->outcome.refused = why.what();
    }
  });
}

}  // namespace hogwild
