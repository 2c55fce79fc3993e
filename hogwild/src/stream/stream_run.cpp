// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/stream/stream_run.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include <hogwild/detail/math/proximal.hpp>
#include <hogwild/detail/optimization/optimizer.hpp>
#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/detail/run/choose.hpp>
#include <hogwild/detail/run/prepare.hpp>
#include <hogwild/detail/run/rounds.hpp>
#include <hogwild/detail/run/run_checkpoint.hpp>
#include <hogwild/detail/run/run_course.hpp>
#include <hogwild/detail/run/run_planner.hpp>
#include <hogwild/detail/run/run_training.hpp>
#include <hogwild/detail/sharing/singleton_parameters.hpp>
#include <hogwild/detail/task/model_constant.hpp>
#include <hogwild/error.hpp>
#include <hogwild/notes.hpp>

#include "stream_checks.hpp"
#include "task/require.hpp"
#include "trial_loss.hpp"

namespace hogwild {

using detail::require;
using detail::require_below_one;

namespace {

constexpr std::size_t rows_of_chunk = 64;
/// Chunks in a round: few enough that rows are measured with weights that have seen almost all rows before them.
constexpr std::size_t chunks_of_round = 256;
/// l1 is applied after this many rows: fewer would be closer to applying it at each row, but need more passes over all
/// columns.
constexpr std::size_t rows_of_l1 = 1024;
/// The last rows that a stream keeps, up to twice as many: to find the constant term, or only to assess the model.
constexpr std::uint64_t rows_of_constant = 8192;
/// Of fewer rows the losses say little.
constexpr std::size_t least_to_assess = 64;

/// The number of columns that a model is made for: up to twice the present number, so that it is not made again for
/// each new column.
std::size_t room_for(std::size_t columns) {
  return std::min(std::bit_ceil(std::max<std::size_t>(columns, 1)), column_limit);
}

}  // namespace

struct stream_run::planned {
  planned(std::size_t room, prepared_task task) : columns(room), made(std::move(task)) {}

  std::size_t columns;     ///< room
  std::size_t sample = 0;  ///< rows that it was planned on
  bool has_constant = false;
  prepared_task made;  ///< for rows that are gone: only its parts that do not depend on rows are used
  loop_plan plan{};
  step_schedule schedule{};
  std::unique_ptr<training_task> current{};  ///< the task that workers use
  std::unique_ptr<engine_run> workers{};     ///< destroyed first
};

stream_run::stream_run(stream_model model, std::function<std::unique_ptr<any_engine>()> engine,
                       const train_options& options, const stream_options& how)
    : model_(std::move(model)),
      engine_(std::move(engine)),
      options_(checked_for_stream(options, model_.traits)),
      how_(how),
      labels_(labels_of_stream(model_.traits, options_)),
      chunk_rows_(rows_of_chunk) {
  require(!model_.traits.init_by_rows && !model_.traits.repeats && !model_.traits.cuts,
          std::string(model_.name) +
              " needs all rows before it begins, and a stream does not have them: train it without a stream");
  require(how_.epoch_rows > 0 && how_.first_rows > 0, "epoch_rows and first_rows must be at least 1");
  const std::size_t batch = options_.batch.value_or(model_.traits.defaults.batch);
  if (batch > 1) chunk_rows_ = (rows_of_chunk + batch - 1) / batch * batch;
  l1_.of_row = std::exchange(options_.l1, 0.0);  // no row applies it by itself
  how_.epoch_rows = (how_.epoch_rows + chunk_rows_ - 1) / chunk_rows_ * chunk_rows_;
  how_.first_rows = (how_.first_rows + chunk_rows_ - 1) / chunk_rows_ * chunk_rows_;
  if (const std::string path = std::exchange(options_.resume, {}); !path.empty()) resume(path);
  course_.begin(state_.rows > 0 || options_.initial != nullptr);
}

stream_run::~stream_run() = default;

void stream_run::check(const sparse_view& rows) const {
  const std::string name(stream_name);
  if (rows.label.lists())
    throw input_error(name + ": its rows have lists of labels, which a stream does not take: train them from a file");
  require_trainable(rows, name, options_, model_.traits);
  if (labels_.kind() != label_kind::real) labels_.require_known(rows.label, name);
  require(!rows.image.known(), "a stream takes rows of features, not images");
  model_.require_data(rows);
  const std::size_t common = std::min(numbers_.size(), rows.original.size());
  const bool same = std::ranges::equal(std::span(numbers_).first(common), rows.original.first(common));
  const bool begins = columns_ == 0 || rows.columns == 0;
  if (!begins && (!same || numbers_.empty() != rows.original.empty())) {
    throw input_error(name +
                      ": the columns of these rows are numbered differently from those before: keep the numbers of "
                      "known columns, and give new columns larger numbers");
  }
}

void stream_run::learn_columns(const sparse_view& rows) {
  columns_ = std::max(columns_, rows.columns);
  if (rows.original.size() > numbers_.size()) numbers_.assign(rows.original.begin(), rows.original.end());
}

stream_report stream_run::take(const sparse_view& rows) {
  require_whole();
  check(rows);
  stream_report report;
  whole_ = false;  // in case something fails from here on
  learn_columns(rows);
  for (std::size_t first = 0; first < rows.rows();) {
    const bool begun = planned_ != nullptr || kept_;
    const std::size_t left = rows.rows() - first, goal = begun ? chunk_rows_ : how_.first_rows;
    if (begun && held_.rows() == 0 && left >= chunk_rows_) {
      const std::size_t n = left / chunk_rows_ * chunk_rows_;
      train(rows.slice(first, first + n), report);
      first += n;
      continue;
    }
    const std::size_t n = std::min(left, goal - held_.rows());
    held_.add(rows.slice(first, first + n));
    first += n;
    if (held_.rows() == goal) train_held(report);
  }
  whole_ = true;
  return completed(report);
}

stream_report stream_run::flush(bool often) {
  require_whole();
  stream_report report;
  whole_ = false;
  if (held_.rows() > 0) train_held(report);
  if (planned_ != nullptr) take_l1();
  if (planned_ != nullptr) minimise_constant();
  const bool before = diverged_;
  if (!often || 2 * since_assessed_ >= std::min<std::size_t>(recent_.rows(), stream_course::rows_to_assess)) {
    const auto sentence = told_worse();
    if (sentence && !before) note(*sentence);
    report.diverged = sentence.has_value();
  }
  whole_ = true;
  return completed(report);
}

void stream_run::note(std::string_view sentence) const {
  how_.note ? how_.note(sentence) : note_by_default(sentence);
}

stream_report stream_run::completed(stream_report report) const {
  report.rows = this->rows();
  const bool measured = how_.progressive && report.trained > 0;
  report.loss = measured ? report.loss / static_cast<double>(report.trained) : std::numeric_limits<double>::quiet_NaN();
  return report;
}

void stream_run::train_held(stream_report& report) {
  train(held_.view(columns_), report);
  held_.clear();
}

void stream_run::require_whole() const {
  require(whole_,
          "a call of this stream failed after some of its rows were trained: begin another stream from the last "
          "checkpoint");
}

sparse_view stream_run::as_planned(const sparse_view& rows) const {
  sparse_view all = rows;
  all.columns = planned_ != nullptr ? std::max(planned_->columns, rows.columns) : room_for(columns_);
  all.original = {};
  all.degree = all.class_rows = {};
  all.first_singleton = no_singletons;
  all.id = {};
  return all;
}

void stream_run::train(const sparse_view& rows, stream_report& report) {
  rows.ensure(0, rows.rows());
  const std::size_t room = how_.first_rows - std::min<std::size_t>(sample_.rows(), how_.first_rows);
  if (room > 0) sample_.add(rows.slice(0, std::min(room, rows.rows())));
  const bool by_few = planned_ != nullptr && planned_->sample < how_.first_rows && sample_.rows() == how_.first_rows;
  if (planned_ == nullptr || columns_ > planned_->columns || by_few) plan();
  for (std::size_t first = 0; first < rows.rows();) {
    const std::size_t n =
        std::min({rows.rows() - first, chunks_of_round * chunk_rows_, rows_to_boundary(), rows_to_l1()});
    if (course_.is_due(state_.rows)) assess();  // before the rows of a resumed stream are replaced
    train_round(as_planned(rows).slice(first, first + n), report);
    recent_.add(rows.slice(first, first + n), state_.rows,
                planned_->has_constant ? rows_of_constant : stream_course::rows_to_assess);
    since_minimised_ += n;
    since_assessed_ += n;
    first += n;
  }
}

/// Done only when enough rows have come since the last time, so that it takes less time than training them.
void stream_run::minimise_constant() {
  if (!planned_->has_constant || 16 * since_minimised_ < recent_.rows()) return;
  const row_buffer rows = recent_.newest(recent_.rows(), columns_);
  const std::unique_ptr<training_task> task = planned_->made.task->on(as_planned(rows.view(columns_)));
  hogwild::minimise_constant(*task, planned_->workers->store(), state_.reached, planned_->workers->helpers());
  since_minimised_ = 0;
}

/// Both models get the constant term that suits these rows best: flush() gives it to the trained one, too. Nothing if
/// the stream has not diverged; else the losses of the trained and of the untrained model.
std::optional<std::array<double, 2>> stream_run::assess() {
  if (planned_ == nullptr || recent_.rows() < least_to_assess) return std::nullopt;
  course_.assess(state_.rows);
  const row_buffer rows = recent_.newest(stream_course::rows_to_assess, columns_);
  const std::unique_ptr<training_task> task = planned_->made.task->on(as_planned(rows.view(columns_)));
  const param_store& store = planned_->workers->store();
  thread_team& threads = planned_->workers->helpers();
  if (course_.is_good_still(task->evaluate(store, state_.reached, task->data(), threads, false).loss))
    return std::nullopt;
  const kept_state state(store);
  const trial_loss trained = loss_of_trial(*task, store, state_.reached, threads);
  const trial_loss untrained = loss_of_untrained(*task, state, threads);
  if (!course_.take(trained, untrained)) return std::nullopt;
  return std::array{trained.mean, untrained.mean};
}

std::optional<std::string> stream_run::told_worse() {
  const auto losses = assess();
  since_assessed_ = 0;
  diverged_ = losses.has_value();
  if (!diverged_) return std::nullopt;
  const auto [trained, untrained] = *losses;
  using detail::to_short_text;
  return "the stream has diverged: the last " +
         std::to_string(std::min<std::uint64_t>(recent_.rows(), stream_course::rows_to_assess)) +
         " rows that it trained have " +
         (std::isfinite(trained) ? "the loss " + to_short_text(trained) : "a loss that is no number") +
         ", where an untrained model has " + to_short_text(untrained) + "; the step may be too large for these rows";
}

double stream_run::step() const {
  return planned_->schedule.at(static_cast<std::size_t>(state_.rows / how_.epoch_rows) + 1);
}

double stream_run::shrink() const {
  if (!planned_->made.task->facts().scaled) return 1.0;
  require_below_one(step() * *options_.l2);
  return 1.0 - planned_->plan.options.exchange.gain_weight * step() * *options_.l2;
}

scaled_l2 stream_run::l2() const {
  return {state_.scale, -static_cast<double>(state_.since_origin), shrink()};
}

/// Rows to the end of the round, which ends where an epoch does, and where the scale has to be multiplied in: at
/// multiples of a chunk.
std::size_t stream_run::rows_to_boundary() const {
  const std::uint64_t to_epoch = how_.epoch_rows - state_.rows % how_.epoch_rows;
  const double by_row = -std::log(shrink());
  if (by_row == 0.0) return to_epoch;
  const double left =
      std::log(state_.scale / scaled_l2::smallest_scale) / by_row - static_cast<double>(state_.since_origin);
  const double chunks = std::max(std::floor(left / static_cast<double>(chunk_rows_)), 1.0);
  return static_cast<std::size_t>(std::min(static_cast<double>(to_epoch), chunks * static_cast<double>(chunk_rows_)));
}

/// Rows until l1 is applied next, whole chunks.
std::size_t stream_run::rows_to_l1() const {
  if (l1_.of_row == 0.0) return std::numeric_limits<std::size_t>::max();
  const std::size_t left = rows_of_l1 - std::min<std::size_t>(l1_.rows, rows_of_l1 - 1);
  return (left + chunk_rows_ - 1) / chunk_rows_ * chunk_rows_;
}

void stream_run::owe_l1(double step, std::size_t rows) {
  if (l1_.of_row == 0.0) return;
  l1_.rows += rows;
  l1_.owed += planned_->plan.options.exchange.gain_weight * step * l1_.of_row * static_cast<double>(rows);
  if (l1_.rows >= rows_of_l1) take_l1();
}

/// How often a column will occur is unknown, so rows cannot apply a part of l1 each: it is applied to all columns at
/// once, for many rows (Langford, Li and Zhang, Sparse online learning via truncated gradient, JMLR 2009).
void stream_run::take_l1() {
  if (l1_.owed == 0.0) return;
  const auto t = static_cast<float>(l1_.owed / state_.reached);
  for (float& v : planned_->workers->store().parameters<float>().first(planned_->columns)) v = soft_threshold(v, t);
  l1_.owed = 0.0, l1_.rows = 0;
}

void stream_run::train_round(const sparse_view& given, stream_report& report) {
  sparse_view rows = given;
  rows.source = nullptr;  // they are in memory, and have been checked
  rows.first_row = state_.rows;
  planned& p = *planned_;
  const param_store& store = p.workers->store();
  const loop_options& o = p.plan.options;
  const double at = step();
  const scaled_l2 by_row = l2();
  p.current = p.made.task->on(rows);
  if (how_.progressive) {
    const double loss = p.current->evaluate(store, by_row.at(0.0), rows, p.workers->helpers(), false).loss;
    report.loss += loss * static_cast<double>(rows.rows());
  }
  p.plan.chunks = chunk_plan(rows.rows(), chunk_rows_);
  p.workers->take(*p.current, p.plan);
  const std::size_t workers = std::max<std::size_t>(p.workers->workers(), 1);
  // Models draw numbers by the pass and the row in the round, so each round has a pass number of its own.
  round_plan round{.pass = state_.rows + 1,
                   .epoch = 1,
                   .step = at,
                   .step_end = at,
                   .l2 = by_row,
                   .shards = static_cast<std::uint32_t>(store.shape().shards),
                   .exchange_rows = exchange_rows(o.exchange, at),
                   .gain_weight = static_cast<float>(o.exchange.gain_weight),
                   .workers = static_cast<std::uint32_t>(workers),
                   .state_gain_weight = static_cast<float>(kept_of_state(o.optimizer, workers))};
  open_round(store, p.plan.chunks, round);
  p.workers->run_round();
  state_.rows += rows.rows();
  state_.since_origin += rows.rows();
  report.trained += rows.rows();
  report.step = at;
  state_.reached = by_row.at(static_cast<double>(rows.rows()));
  state_.shrink = by_row.shrink;
  owe_l1(at, rows.rows());
  const double after_next = state_.reached * std::pow(by_row.shrink, static_cast<double>(chunk_rows_));
  const bool small = after_next < scaled_l2::smallest_scale;
  if (small) {
    p.made.task->fold(store, state_.reached, p.workers->helpers());
    state_.reached = 1.0;
  }
  // In the next epoch another step shrinks weights by another factor.
  if (small || state_.rows % how_.epoch_rows == 0) {
    state_.scale = state_.reached;
    state_.since_origin = 0;
  }
}

void stream_run::plan() {
  const std::size_t columns = room_for(columns_);
  sparse_view wide = as_planned(sample_.view(columns_));
  wide.columns = columns;
  train_options options = options_;
  const std::vector<parameter_group> groups = model_.groups(columns);
  if (options_.initial)
    options.initial = [this, groups](std::span<float> all) { change_known(all, groups, options_.initial); };
  if (options_.initial_state.change)
    options.initial_state.change = [this, groups](std::size_t k, std::span<float> all) {
      change_known(all, groups, [&](std::span<float> known) { options_.initial_state.change(k, known); });
    };
  auto next = std::make_unique<planned>(columns, model_.prepare(wide, options));
  require(*options_.l2 == 0.0 || next->made.task->facts().scaled,
          "in a stream l2 is for linear models with one margin a row, under sgd: leave it out");
  next->sample = sample_.rows();
  resolved_run run = begin_run(next->made);
  const auto engine = engine_();
  run_planner planner(*next->made.task, run);
  engine->plan(planner);
  next->schedule = run.schedule;
  next->plan = next->made.task->plan(planner.loop());
  // The step search used batches that end with the chunks of these rows, which are short if rows are few.
  if (run.step_found)
    next->plan.options.batch =
        static_cast<std::uint32_t>(std::min<std::size_t>(next->plan.options.batch, next->plan.chunks.rows_per_chunk()));
  next->plan.chunks = chunk_plan(chunks_of_round * chunk_rows_, chunk_rows_);
  if (state_.batch == 0) state_.batch = next->plan.options.batch;
  next->plan.options.batch = static_cast<std::uint32_t>(state_.batch);
  next->workers = engine->start_workers(*next->made.task, next->plan, [this](std::string_view text) { note(text); });
  const param_store& store = next->workers->store();
  next->made.task->begin(store);
  std::optional<double> next_rate = options_.bias_rate;
  const loop_options& made = next->made.task->options();
  if (made.bias != 0 && (made.optimizer == optimizer_kind::sgd || options_.initial_state.change))
    next_rate = static_cast<double>(made.bias_rate);
  const std::optional<double> next_epsilon = has_constants(made.optimizer, constants_of_optimizer::moments)
                                                 ? made.constants.epsilon
                                                 : options_.constants.epsilon;
  next->has_constant = hogwild::has_constant(*next->made.task);
  if (planned_ != nullptr) kept_ = arrays();
  if (kept_)
    put_arrays(*kept_, model_.groups(kept_->columns), store, groups);
  else if (options_.initial)
    next->made.task->change(store, options.initial, options.initial_state);
  else
    hogwild::minimise_constant(*next->made.task, store, 1.0, next->workers->helpers());
  next->workers->get_ready();
  kept_.reset();
  planned_ = std::move(next);
  // The values found for the first rows are used for the whole stream.
  options_.step = {.initial = run.schedule.initial, .kind = run.schedule.kind};
  if (run.schedule.kind != schedule_kind::constant) options_.step.decay = run.schedule.decay;
  if (next_rate) options_.bias_rate = next_rate;
  options_.constants.epsilon = next_epsilon;
  // With other workers the kept fraction of their gains may change, and with it that of l2.
  if (state_.rows > 0 && shrink() != state_.shrink) {
    state_.scale = state_.reached;
    state_.since_origin = 0;
  }
}

void stream_run::change_known(std::span<float> all, const std::vector<parameter_group>& room,
                              const std::function<void(std::span<float>)>& change) const {
  const std::vector<parameter_group> groups = model_.groups(columns_);
  std::vector<float> known = regrouped(all, room, groups);
  change(known);
  regroup(known, groups, all, room);
}

stream_arrays stream_run::arrays() const {
  return planned_ != nullptr
             ? copy_arrays(planned_->workers->store(), planned_->columns, model_.groups(planned_->columns))
             : kept_.value_or(stream_arrays{});
}

std::vector<float> stream_run::parameters() const {
  require(planned_ != nullptr || kept_, "no row of the stream has been trained yet: take() more rows, or flush()");
  if (planned_ != nullptr)
    return regrouped(planned_->made.task->parameters_of(planned_->workers->store(), state_.reached),
                     model_.groups(planned_->columns), model_.groups(columns_));
  std::vector<float> w = floats_of(*kept_);
  if (model_.traits.margin)  // all but a bias
    for (float& v : std::span(w).first(kept_->columns)) v *= static_cast<float>(state_.reached);
  return regrouped(w, model_.groups(kept_->columns), model_.groups(columns_));
}

optimizer_state stream_run::state() {
  if (planned_ == nullptr && kept_) plan();  // a resumed stream that has trained nothing since
  require(planned_ != nullptr, "no row of the stream has been trained yet: take() more rows, or flush()");
  optimizer_state state = state_of_optimizer(planned_->workers->store(), *planned_->made.task, planned_->plan.options,
                                             planned_->schedule.initial, static_cast<double>(state_.rows));
  for (std::vector<float>& array : state.arrays)
    array = regrouped(array, model_.groups(planned_->columns), model_.groups(columns_));
  return state;
}

}  // namespace hogwild
