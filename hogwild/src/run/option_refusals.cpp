// SPDX-License-Identifier: Apache-2.0
#include <span>
#include <string>
#include <string_view>

#include <hogwild/detail/control/turn_board.hpp>
#include <hogwild/detail/kernels/row_batch.hpp>
#include <hogwild/detail/loop/workspace_step.hpp>
#include <hogwild/detail/options/combinations.hpp>
#include <hogwild/detail/options/option_list.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/detail/results/saved_state.hpp>
#include <hogwild/detail/run/prepare.hpp>
#include <hogwild/detail/run/stop_rules.hpp>
#include <hogwild/detail/run/tail_mean.hpp>
#include <hogwild/error.hpp>
#include <hogwild/measures.hpp>

#include "task/require.hpp"

// Which options do not suit a model, or each other, whatever the rows and the engine. What sharing, update and devices
// make of each other stands in combinations.hpp.

namespace hogwild {

namespace {

/// The options of a run, with the model's defaults in the place of what is not given.
struct asked_options {
  const train_options& o;
  const model_traits& model;
  optimizer_kind optimizer = o.optimizer.value_or(model.defaults.optimizer);
  schedule_kind schedule = schedule_of(o, model.defaults);
  l2_form form = o.form.value_or(model.defaults.form);

  bool by_ftrl() const { return optimizer == optimizer_kind::ftrl; }
  bool by_sgd() const { return optimizer == optimizer_kind::sgd; }
  double decay_or(double usual) const { return o.step.decay.value_or(usual); }
  bool scales_l2() const { return model.margin && by_sgd() && form != l2_form::two_pass; }  ///< scaled_l2
  bool in_blocks() const { return o.ownership == ownership_kind::blocks; }
  std::size_t most_batch() const { return model.margin ? batch_rows : model.workspace ? most_examples : 1; }
};

/// A condition under which options are refused, and the message for the user.
struct option_refusal {
  bool (*refuses)(const asked_options&);
  std::string_view reason;
};

using asked = const asked_options&;

constexpr option_refusal option_refusals[] = {
    {[](asked a) { return a.o.checkpoint_seconds && a.o.checkpoint_every != 1; },
     "a checkpoint is written after so many epochs or so many seconds: give one of them"},

    {[](asked a) { return a.o.measure_lists && !a.model.measured_as; },
     "--measure-lists is for models that order candidates, as those of pairs do: leave it out"},
    {[](asked a) { return a.schedule == schedule_kind::geometric && a.decay_or(1.0) > 1.0; },
     "a geometric decay above 1 makes the step grow; use a factor of at most 1"},
    {[](asked a) { return a.schedule == schedule_kind::constant && a.o.step.decay; },
     "a constant step has no decay; name another schedule, or leave out the decay"},
    {[](asked a) { return a.schedule == schedule_kind::cosine && a.decay_or(1.0) > 1.0; },
     "under cosine the decay is the last step divided by the first: give at most 1"},
    {[](asked a) { return a.schedule == schedule_kind::plateau && a.decay_or(0.5) >= 1.0; },
     "a plateau whose decay is not below 1 never lowers the step; use a factor below 1"},
    {[](asked a) {
       return a.schedule == schedule_kind::plateau && !hogwild::validates(a.o) && !by_distance(a.o, a.model.convex);
     },
     "the plateau schedule goes by validation: give validation rows, or a fraction to hold back; for convex "
     "models a tolerance alone is enough"},

    {[](asked a) { return a.o.l2_by_folds.has_value(); },
     "only train() of a single model chooses an l2 by folds: give an l2, or choose it first"},
    {[](asked a) {
       const bool words = a.model.repeats && a.model.defaults.form != l2_form::per_occurrence;
       return a.o.l2.value_or(0.0) != 0.0 && (a.model.cuts || words);
     },
     "cuts and word vectors have no l2: leave it out"},
    {[](asked a) { return a.o.bias && !a.model.margin; },
     "the engine adds a bias to margin models only; this model has to bring its own"},
    {[](asked a) { return a.o.bias_rate && !a.o.bias && (a.model.margin || !a.model.linear); },
     "bias_rate needs a bias: learn one, or leave out the rate"},
    {[](asked a) { return a.o.bias_rate && (!a.by_sgd() || a.form == l2_form::two_pass); },
     "bias_rate is for sgd without l2 in two passes: leave it out"},
    {[](asked a) { return a.o.min_delta != 0.0 && !hogwild::validates(a.o); },
     "min_delta is about the measure of validation rows: give validation rows, or a fraction to hold back"},
    {[](asked a) { return a.o.validation_fraction != 0.0 && a.o.validation; },
     "give validation rows or a fraction to hold back, not both"},
    {[](asked a) { return a.o.batch.value_or(1) > 1 && a.most_batch() == 1; },
     "this model takes its rows one at a time: leave out the batch"},
    {[](asked a) { return a.o.form == l2_form::two_pass && !a.by_sgd(); },
     "l2 in two passes is for sgd; with another optimizer it joins the gradient: leave out the form"},
    {[](asked a) { return a.o.form == l2_form::two_pass && !a.o.step.initial; },
     "with l2 in two passes no step is searched for: give one, below 1 / (l2 * rows)"},

    {[](asked a) { return a.o.l1 != 0.0 && (a.model.workspace || a.model.cuts || a.model.repeats); },
     "models that train several rows at once, cuts and word vectors have no l1: leave it out"},
    {[](asked a) { return a.by_ftrl() && !a.model.margin; },
     "ftrl is for linear models with one margin a row: use adagrad for this model"},
    {[](asked a) { return a.o.l1 != 0.0 && !a.model.margin && !a.by_sgd(); },
     "for a model with several parameters a column, l1 is for sgd alone: use sgd"},
    {[](asked a) { return a.o.l1 != 0.0 && !sums_up(a.optimizer); },
     "l1 is applied to the columns of each row, but optimizers with running means move all columns of a linear model "
     "at every row: use sgd, adagrad or ftrl"},
    {[](asked a) { return a.o.l1 != 0.0 && a.form == l2_form::two_pass; },
     "l1 cannot be combined with l2 in two passes: leave out the form of the l2"},
    {[](asked a) { return a.by_ftrl() && (a.schedule != schedule_kind::constant || a.o.step.warm_up > 0); },
     "ftrl lowers its step by its sums of squared gradients: leave out schedule, decay and warm-up"},
    {[](asked a) { return a.by_ftrl() && a.o.initial && !a.o.initial_state.change; },
     "ftrl computes its weights from sums of gradients, which initial weights do not have: begin with a model that was "
     "saved with its state (--save-state) under the same step and beta, leave out the warm start, or use adagrad"},
    {[](asked a) { return a.o.initial_state.change && !a.o.initial; },
     "the state of an optimizer belongs to parameters: give the initial parameters as well"},
    {[](asked a) { return a.o.keep_state && state_arrays_of(a.optimizer) == 0; },
     "sgd has no state to keep: leave that out, or use another optimizer"},
    {[](asked a) { return a.o.keep_state && a.o.average; },
     "the state of an optimizer belongs to the parameters that were trained last, and an average is returned in their "
     "place: leave out one of the two"},
    {[](asked a) { return a.o.average && tail_mean(*a.o.average, a.o.epochs).epochs() <= 1; },
     "the average of a single epoch is that epoch: take a larger fraction, or more epochs"},

    {[](asked a) { return a.o.ownership != ownership_kind::automatic && !a.model.factors; },
     "ownership is for users and items of ratings, which this model does not have: leave it out"},
    {[](asked a) { return a.in_blocks() && a.o.reproducible; },
     "blocks of ratings are trained in an order that differs from run to run: leave out reproducible, or use shared "
     "ownership"},
    {[](asked a) { return a.in_blocks() && a.o.update != update_kind::lossy; },
     "under block ownership only the owner changes a block, so the update policy has no effect: leave out the update, "
     "or use shared ownership"},
    {[](asked a) { return a.in_blocks() && a.o.order != row_order::chunked; },
     "blocks of ratings have an order of their own: leave the order at chunked"},
    {[](asked a) { return a.in_blocks() && a.o.shards != sharding::claimed; },
     "blocks of ratings are claimed: leave the shards at claimed"},
    {[](asked a) { return a.in_blocks() && a.o.rounds; },
     "blocks of ratings are trained in one round an epoch: leave out the rounds, or use shared ownership"},
    {[](asked a) {
       return a.in_blocks() && a.o.sharing != sharing_kind::automatic && a.o.sharing != sharing_kind::direct;
     },
     "under block ownership workers change the shared array itself: leave the sharing at auto"},
    {[](asked a) { return a.in_blocks() && (a.o.weights.any() || a.o.weight_positive != 1.0); },
     "block ownership takes no weights: use shared ownership"},
    {[](asked a) {
       return a.in_blocks() && (!a.o.freeze.empty() || !(a.by_sgd() || a.optimizer == optimizer_kind::row_adagrad));
     },
     "block ownership needs sgd or row_adagrad, with nothing frozen: use shared ownership for anything else"},
    {[](asked a) { return a.o.virtual_workers && !a.o.reproducible; }, "virtual workers are for reproducible runs"},
};

/// What a stream does not take, because it needs all rows, or an end.
constexpr option_refusal stream_refusals[] = {
    {[](asked a) { return a.in_blocks(); }, "a stream does not take ownership of blocks of ratings: leave that out"},
    {[](asked a) { return a.by_ftrl(); },
     "a stream does not take ftrl, whose thresholds depend on the rows of an epoch: choose another optimizer"},
    {[](asked a) { return a.o.order != row_order::chunked && a.o.order != row_order::sequential; },
     "a stream is trained in the order of its rows: leave the order out"},
    {[](asked a) {
       return a.o.step.kind.value_or(schedule_kind::constant) != schedule_kind::constant && !a.o.step.decay;
     },
     "a step that falls in a stream needs a decay: give one"},
    {[](asked a) {
       const schedule_kind kind = a.o.step.kind.value_or(schedule_kind::constant);
       return kind != schedule_kind::constant && kind != schedule_kind::geometric && kind != schedule_kind::inverse;
     },
     "a stream has no last epoch that a step could fall to: the schedule is constant, geometric or inverse"},
    {[](asked a) { return a.o.l2.value_or(0.0) != 0.0 && !a.scales_l2(); },
     "in a stream l2 is for linear models with one margin a row, under sgd and not in two passes, because others need "
     "counts of all rows: leave it out"},
    {[](asked a) { return a.o.l1 != 0.0 && !(a.scales_l2() && a.o.freeze.empty()); },
     "in a stream l1 is for linear models with one margin a row, under sgd and with nothing frozen: leave it out"},
};

/// The first row that refuses the options gives the reason.
void refuse(std::span<const option_refusal> rows, asked options) {
  for (const option_refusal& row : rows)
    if (row.refuses(options)) throw config_error(std::string(row.reason));
}

row_kind kind_of(const std::optional<sparse_view>& rows, const model_traits& traits) {
  if (traits.measured_as) return *traits.measured_as;
  if (traits.cuts) return row_kind::graph;
  if (rows && rows->label.lists()) return row_kind::lists;
  if (traits.labels == label_kind::real) return row_kind::numbers;
  return traits.labels == label_kind::binary ? row_kind::two_classes : row_kind::classes;
}

void check_target(const train_options& o, const model_traits& traits) {
  if (!o.target) return;
  const std::string& what = o.target->what;
  const auto figure = target_figure::named(what);
  if (!figure) throw config_error("the target: " + quote(what) + " is none of " + target_figure::all_names());
  const bool validates = figure->rows() == &epoch_report::validation;
  detail::require(figure->rows() != &epoch_report::test || o.test,
                  "the target is a test metric, but there are no test rows");
  detail::require(!validates || hogwild::validates(o),
                  "the target is a measure of validation rows, and there are none: give some");
  // Rows that are yet to be held back have lists if the training rows do.
  const row_kind kind = kind_of(validates ? o.validation : o.test, traits);
  if (!figure->suits(kind) && !(validates && !o.validation && traits.lists && figure->suits(row_kind::lists)))
    throw config_error(what + " is not measured on " + std::string(to_string(kind)) + ": take one of " +
                       target_figure::names_for(kind));
}

}  // namespace

void detail::choose_comparison(train_options& o, const model_traits& traits) {
  require(o.stop_by.empty() || o.validation,
          "stop_by compares epochs by validation rows, and there are none: give some");
  if (!o.validation) return;
  const row_kind kind = kind_of(o.validation, traits);
  if (o.stop_by.empty()) o.stop_by = usual_comparison(kind);
  if (o.stop_by == "loss") o.stop_by.clear();
  if (o.stop_by.empty()) return;
  const auto figure = target_figure::named("validation_" + o.stop_by);
  if (!figure || !figure->suits(kind)) {
    std::string known = "loss";
    for (const measure& m : all_measures())
      if (m.in_training() && m.suits(kind)) known.append(", ").append(m.name);
    throw config_error("stop_by: " + quote(o.stop_by) + " is not measured on " + std::string(to_string(kind)) +
                       " in training: take one of " + known);
  }
}

void detail::check_stream_options(const train_options& o, const model_traits& traits) {
  require_taken(o, &option_details::in_streams, "a stream does not take");
  refuse(stream_refusals, {o, traits});
}

void detail::check_options(const train_options& o, const model_traits& traits) {
  require_ranges(o);
  const asked_options all{o, traits};
  refuse(option_refusals, all);
  if (o.initial_state.change) {
    const std::string why = why_unsuited(o.initial_state.numbers, all.optimizer, o.constants, o.step.initial);
    require(why.empty(), "the state to begin with does not suit this run: " + why);
  }
  require(o.step.warm_up < o.epochs, "a warm-up of " + std::to_string(o.step.warm_up) +
                                         " epochs leaves none of the run's " + std::to_string(o.epochs) +
                                         " for the schedule: warm up for fewer");
  require(o.batch.value_or(1) <= all.most_batch(),
          "a batch of this model has 1 to " + std::to_string(all.most_batch()) + " rows");
  require(o.virtual_workers.value_or(1) <= turn_board::most_items,
          std::to_string(o.virtual_workers.value_or(1)) + " virtual workers are more than the " +
              std::to_string(turn_board::most_items) + " that a run may have");
  for (std::size_t i = 0; i < o.observers.size(); ++i)
    require(o.observers[i].get() != nullptr,
            "observer " + std::to_string(i) + ", counted from 0, is null: leave it out");
  require_compatible({.sharing = o.sharing,
                      .update = o.update,
                      .shards = o.shards,
                      .margin = traits.margin,
                      .batches = traits.workspace,
                      .form = all.form,
                      .reproducible = o.reproducible,
                      .fades = traits.margin && !sums_up(all.optimizer),
                      .draws = traits.draws,
                      .by_occurrence = traits.workspace && traits.defaults.form == l2_form::per_occurrence});
  check_target(o, traits);
}

}  // namespace hogwild
