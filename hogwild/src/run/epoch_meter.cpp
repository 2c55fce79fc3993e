// SPDX-License-Identifier: Apache-2.0
#include "run/epoch_meter.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include <hogwild/detail/control/staleness.hpp>
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/run/run_course.hpp>
#include <hogwild/detail/run/stop_rules.hpp>
#include <hogwild/detail/task/model_constant.hpp>
#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwild/measures.hpp>

namespace hogwild {
namespace {

/// Fills in what the workers published.
void read_telemetry(const param_store& store, const loop_options& options, epoch_report& report) {
  std::array<std::uint64_t, staleness_histogram::buckets> staleness{};
  std::uint64_t samples = 0, conflicts = 0, stale_samples = 0;
  for (const worker_slot& slot : store.slots()) {
    report.examples += slot.rows.get();
    report.updates += slot.updates.get();
    report.nonzeros += slot.nonzeros.get();
    samples += slot.conflict_samples.get();
    conflicts += slot.conflicts.get();
    for (std::size_t i = 0; i < staleness.size(); ++i) {
      staleness[i] += slot.staleness[i].get();
      stale_samples += slot.staleness[i].get();
    }
  }
  if (options.telemetry == 0) return;
  if (stale_samples > 0) {
    report.staleness_p50 = staleness_histogram::quantile(staleness, 0.50);
    report.staleness_p99 = staleness_histogram::quantile(staleness, 0.99);
  }
  if (samples > 0) report.conflict_rate = static_cast<double>(conflicts) / static_cast<double>(samples);
}

/// The mean is 1 over all training rows, but a part of them may have another.
double mean_weight(const sparse_view& rows) {
  if (rows.weight.empty() || rows.rows() == 0) return 1.0;
  const double sum = std::accumulate(rows.weight.begin(), rows.weight.end(), 0.0);
  return sum > 0.0 ? sum / static_cast<double>(rows.rows()) : 1.0;
}

/// Takes the first rank's measures; measures that it lacks are removed on all ranks.
void take_first(const agreement& ranks, measurement& m) {
  constexpr double missing = std::numeric_limits<double>::quiet_NaN();
  const std::span<const measure> known = all_measures();
  std::vector<double> all(1 + most_measures(), m.loss);  // a program may have added measures on some ranks only
  std::ranges::transform(known, all.begin() + 1,
                         [&](const measure& each) { return (m.*each.value).value_or(missing); });
  ranks.take_first(all);
  m.loss = all[0];
  for (std::size_t i = 0; i < known.size(); ++i) {
    std::optional<double>& value = m.*known[i].value;
    value.reset();
    if (!std::isnan(all[i + 1])) value = all[i + 1];
  }
}

}  // namespace

epoch_meter::epoch_meter(const training_task& work, engine_run& who, const resolved_run& run)
    : task_(work), engine_run_(who), run_(run), ranks_(run.ranks) {
  const loop_options& o = work.options();
  if (by_distance(run.options, work.facts().convex) && !o.freezes(0)) optimum_.emplace(o.l1, o.l2);
}

epoch_report epoch_meter::count(const run_progress& before, std::size_t epoch, double step, double wall_seconds) {
  epoch_report report{.epoch = epoch,
                      .train_seconds = before.train_seconds,
                      .wall_seconds = wall_seconds,
                      .examples = before.examples,
                      .updates = before.updates,
                      .nonzeros = before.nonzeros,
                      .step = step};
  read_telemetry(engine_run_.store(), task_.options(), report);
  if (ranks_.alone()) return report;
  const auto number = [](std::uint64_t n) { return static_cast<double>(n); };
  std::array<double, 3> sums{number(report.examples - before.examples), number(report.updates - before.updates),
                             number(report.nonzeros - before.nonzeros)};
  ranks_.sum(sums);
  report.examples = before.examples + static_cast<std::uint64_t>(sums[0]);
  report.updates = before.updates + static_cast<std::uint64_t>(sums[1]);
  report.nonzeros = before.nonzeros + static_cast<std::uint64_t>(sums[2]);
  return report;
}

std::optional<double> epoch_meter::minimise_constant(double scale, state of) {
  constant_search by{.stop = stop(of)};
  if (!ranks_.alone()) by.sum = [this](std::span<double> x) { ranks_.sum(x); };
  return hogwild::minimise_constant(task_, engine_run_.store(), scale, engine_run_.helpers(), by);
}

std::optional<epoch_report> epoch_meter::measure(const run_progress& before, double scale, std::size_t epoch,
                                                 double step, double wall_seconds, state of) {
  const param_store& store = engine_run_.store();
  epoch_report report = count(before, epoch, step, wall_seconds);
  const sparse_view& rows = task_.data();
  const std::stop_token stop = this->stop(of);
  bool whole = true;
  const auto note = [&](double loss) {
    // A loss may be NaN because the run diverged; if a stop is requested it counts as not measured.
    whole = whole && !(std::isnan(loss) && stop.stop_requested());
  };
  const std::size_t lists = of == state::trained ? lists_after(epoch) : all_lists;
  const auto loss_of = [&](const sparse_view& of, bool all_measures) {
    const measurement m = task_.evaluate(store, scale, of, engine_run_.helpers(), all_measures, stop, lists);
    note(m.loss);
    return m;
  };
  const std::size_t measured = std::min(rows.rows(), task_.facts().measured_rows);
  std::optional<double> loss;
  if (of == state::trained) loss = minimise_constant(scale, of);
  std::optional<loss_bound> bound;
  if (optimum_ && epoch > 0) {
    bound = task_.bound(task_.parameters_of(store, scale), engine_run_.helpers(), ranks_, stop);
    whole = bound.has_value();
    report.train_loss = bound ? bound->loss : 0.0;
  } else {
    if (!loss) loss = engine_run_.train_loss(measured, scale, stop);
    if (loss)
      note(*loss);
    else
      loss = loss_of(rows.slice(0, measured), false).loss;
    report.train_loss = *loss / mean_weight(rows.slice(0, measured));
  }
  const bool others = of != state::begun;
  if (others && run_.options.test) report.test = loss_of(*run_.options.test, true);
  if (others && run_.options.validation) report.validation = loss_of(*run_.options.validation, true);
  if (ranks_.any(!whole)) return std::nullopt;
  agree_on_losses(report);
  report.objective = report.train_loss + penalty(scale);
  if (bound) tell_gap(*bound, report);
  return report;
}

std::size_t epoch_meter::lists_after(std::size_t epoch) const {
  constexpr std::size_t usual = 1000;
  const train_options& o = run_.options;
  // A mean of epochs is measured where it is made, and is not there at the end. Epochs that are compared by their lists
  // are compared by the same ones, the last like the others.
  const bool compares = o.validation && !o.stop_by.empty();
  if (!task_.facts().orders_candidates || o.average || (epoch == o.epochs && !compares)) return all_lists;
  const bool aims = o.target && target_figure::named(o.target->what)->rows() != nullptr;
  return o.measure_lists.value_or(aims ? all_lists : usual);
}

void epoch_meter::measure_all_lists(double scale, epoch_report& report) const {
  const auto measure = [&](const std::optional<sparse_view>& rows, std::optional<measurement>& into) {
    if (!rows || !into) return;
    into = task_.evaluate(engine_run_.store(), scale, *rows, engine_run_.helpers(), true);
    if (!ranks_.alone()) take_first(ranks_, *into);
  };
  measure(run_.options.test, report.test);
  measure(run_.options.validation, report.validation);
}

void epoch_meter::tell_gap(const loss_bound& bound, epoch_report& report) {
  optimum_->take(bound, engine_run_.helpers());
  if (optimum_->tells()) report.gap = optimum_->gap(report.objective);
}

double epoch_meter::deviation_of_losses(double scale, double mean) const {
  std::array<double, 2> sums{};
  for (const double loss : few_losses(task_.data().rows(), [&](std::size_t r) { return loss_of_row(scale, r); })) {
    sums[0] += (loss - mean) * (loss - mean);
    ++sums[1];
  }
  ranks_.sum(sums);
  return std::sqrt(sums[0] / sums[1]);
}

double epoch_meter::spread_of_losses(double scale) const {
  const std::size_t rows = task_.data().rows();
  const double mine = hogwild::spread_of_losses(rows, [&](std::size_t r) { return loss_of_row(scale, r); });
  std::array<double, 2> sums{mine, rows > 0 ? 1.0 : 0.0};
  ranks_.sum(sums);
  return sums[0] / sums[1];
}

double epoch_meter::loss_of_zeros() const {
  constexpr std::size_t pieces = 64, rows_of_piece = 8;  // evenly spread: rows may be sorted
  const std::size_t all = std::min(task_.data().rows(), task_.facts().measured_rows);
  const std::size_t step = std::max(all / pieces, rows_of_piece);
  std::array<double, 2> sums{};
  const std::stop_token stop = this->stop(state::begun);
  for (std::size_t first = 0; first < all; first += step) {
    const sparse_view rows = task_.data().slice(first, std::min(first + rows_of_piece, all));
    const auto n = static_cast<double>(rows.rows());
    sums[0] += n * task_.evaluate(engine_run_.store(), 1.0, rows, engine_run_.helpers(), false, stop).loss;
    sums[1] += n * mean_weight(rows);
  }
  ranks_.sum(sums);
  return sums[0] / sums[1];
}

double epoch_meter::loss_of_row(double scale, std::size_t r) const {
  return task_.evaluate(engine_run_.store(), scale, task_.data().slice(r, r + 1), *alone_, false).loss;
}

/// The parameters are the same on all ranks. If each row regularises what it touches, the penalty is the mean over all
/// ranks' rows, as the loss is; if counts of columns are used, they are those of all rows, so it is the same
/// everywhere.
double epoch_meter::penalty(double scale) const {
  double mine = penalty_of(task_, engine_run_.store(), scale, engine_run_.helpers());
  if (ranks_.alone()) return mine;
  if (task_.options().form == l2_form::per_occurrence) {
    const auto rows = static_cast<double>(task_.data().rows());
    std::array<double, 2> sums{mine * rows, rows};
    ranks_.sum(sums);
    return sums[0] / sums[1];
  }
  ranks_.take_first(std::span(&mine, 1));
  return mine;
}

/// Losses of training rows are the weighted mean over all ranks' rows; test rows are the same on all ranks.
void epoch_meter::agree_on_losses(epoch_report& report) const {
  if (ranks_.alone()) return;
  const double weight = mean_weight(task_.data()) * static_cast<double>(task_.data().rows());
  std::array<double, 2> sums{report.train_loss * weight, weight};
  ranks_.sum(sums);
  report.train_loss = sums[0] / sums[1];
  for (std::optional<measurement>* const m : {&report.test, &report.validation}) {
    if (*m) take_first(ranks_, **m);
  }
}

}  // namespace hogwild
