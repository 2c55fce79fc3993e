// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hogwild/detail/options/option_facts.hpp>
#include <hogwild/detail/options/same_on_ranks.hpp>
#include <hogwild/detail/results/run_record.hpp>
#include <hogwild/options.hpp>

// The table of a run's options: for each its place in train_options, its word on the command line, its range, its help,
// and how ranks, resumed runs, records and searches treat it. If a member is added to train_options without a line
// here, this does not compile.

namespace hogwild::detail {

/// A member of train_options, or of a struct in it, by the path of members that leads there.
template <auto Member, auto... Members>
struct run_option : option_facts {
  template <class Options>
  static constexpr auto& of(Options& o) {
    if constexpr (sizeof...(Members) == 0)
      return o.*Member;
    else
      return run_option<Members...>::of(o.*Member);
  }
};

/// Rows of types that differ. Compilers take seconds for a std::tuple of as many.
template <class... Rows>
struct option_rows : Rows... {
  static constexpr std::size_t size = sizeof...(Rows);

  /// Calls f(row) for each row, in order.
  template <class F>
  constexpr void for_each(const F& f) const {
    (f(static_cast<const Rows&>(*this)), ...);
  }
};
template <class... Rows>
option_rows(Rows...) -> option_rows<Rows...>;

inline constexpr option_rows run_options{
    run_option<&train_options::epochs>{
        {{"epochs", "--epochs", "Stopping", "passes over the training rows; some models have a default of their own"},
         {.range = at_least(1), .recorded = "epochs", .in_lanes = true}}},
    run_option<&train_options::max_seconds>{{{"max_seconds", "--max-seconds", "Stopping",
                                              "end after this many seconds of the command, as after the last epoch: "
                                              "the model is saved; seconds before --resume do not count"},
                                             {.range = above(0),
                                              .ranks = between_ranks::as_given,
                                              .search = in_a_search::refused,
                                              .in_lanes = true,
                                              .in_streams = "a number of seconds"}}},
    run_option<&train_options::step, &step_options::initial>{
        {{"step.initial", "--step", "Step", "initial step size; auto: found by a short search"},
         {.placeholder = "auto|X", .otherwise = "auto", .range = above(0), .recorded = "step", .in_lanes = true}}},
    run_option<&train_options::step, &step_options::decay>{
        {{"step.decay", "--decay", "Step",
          "how the step falls: factor of an epoch (geometric) or of an epoch without a better validation measure "
          "(plateau), slope (inverse), or the last step over the first (cosine) (default: the model's, else by "
          "--epochs where the step is found)"},
         {.range = above(0), .recorded = "decay", .in_lanes = true}}},
    run_option<&train_options::step, &step_options::kind>{
        {{"step.kind", "--schedule", "Step",
          "how the step falls with the epochs; plateau: after epochs without a better validation measure (default: the "
          "model's, else geometric; constant under ftrl)"},
         {.recorded = "schedule", .in_lanes = true}}},
    run_option<&train_options::step, &step_options::warm_up>{
        {{"step.warm_up", "--warm-up", "Step", "epochs in which the step rises evenly, before the schedule begins"},
         {.recorded = "warm_up", .in_lanes = true, .in_streams = "a warm-up"}}},
    run_option<&train_options::l2>{
        {{"l2", "--l2", "Model",
          "strength of l2 regularisation; auto: chosen by cross-validation (default: for linear models the mean "
          "squared norm of a row over the number of rows, for others the model's own)"},
         {.placeholder = "auto|X",
          .range = at_least(0),
          .resume = when_resumed::same,
          .recorded = "l2",
          .in_lanes = true}}},
    run_option<&train_options::l2_by_folds>{{{"l2_by_folds"}}},
    run_option<&train_options::l1>{
        {{"l1", "--l1", "Model", "strength of l1 regularisation; --l2 is then 0 unless it is given"},
         {.range = at_least(0), .resume = when_resumed::same, .recorded = "l1", .in_lanes = true}}},
    run_option<&train_options::form>{
        {{"form", "--l2-form", "Model",
          "regularise each parameter once an epoch (by_degree), or with each row that touches it (per_occurrence); "
          "two_pass: once an epoch, as the programs of the Hogwild! papers do, for linear models (default: the "
          "model's, else by_degree)"},
         {.resume = when_resumed::same, .recorded = "l2_form", .in_lanes = true}}},
    run_option<&train_options::update>{{{"update", "--update", "Workers",
                                         "how workers change shared parameters; edge_locked: an example locks all "
                                         "parameters that it touches; ordered: workers take turns, one example each"},
                                        {.resume = when_resumed::same, .recorded = "update"}}},
    run_option<&train_options::optimizer>{
        {{"optimizer", "--optimizer", "Step", "how a gradient is applied (default: the model's, else sgd)"},
         {.resume = when_resumed::same, .recorded = "optimizer", .in_lanes = true}}},
    run_option<&train_options::constants, &optimizer_constants::momentum>{
        {{"constants.momentum", "--momentum", "Step", "fraction of the last step that --optimizer momentum keeps"},
         {.range = part_below_1, .resume = when_resumed::same, .in_lanes = true}}},
    run_option<&train_options::constants, &optimizer_constants::beta1>{
        {{"constants.beta1", "--beta1", "Step",
          "fraction of its mean of gradients that adam keeps at each step; weight of that mean in a step of lion"},
         {.range = part_below_1, .resume = when_resumed::same, .in_lanes = true}}},
    run_option<&train_options::constants, &optimizer_constants::beta2>{
        {{"constants.beta2", "--beta2", "Step",
          "fraction of its mean of squared gradients that adam keeps at each step, and of its mean of gradients that "
          "lion keeps (default: 0.999 for adam, 0.99 for lion)"},
         {.range = part_below_1, .resume = when_resumed::same, .in_lanes = true}}},
    run_option<&train_options::constants, &optimizer_constants::epsilon>{
        {{"constants.epsilon", "", "", ""}, {.range = above(0), .resume = when_resumed::same, .in_lanes = true}}},
    run_option<&train_options::constants, &optimizer_constants::ftrl_beta>{
        {{"constants.ftrl_beta", "--ftrl-beta", "Step",
          "beta of ftrl, added to the root of its sum of squared gradients (default: 1, for entries around 1)"},
         {.range = above(0), .resume = when_resumed::same, .in_lanes = true}}},
    run_option<&train_options::sharing>{
        {{"sharing", "--sharing", "Workers", "where workers read and write the parameters"}}},
    run_option<&train_options::ownership>{{{"ownership", "--ownership", "Of models",
                                            "a worker owns the users and items of the block that it trains (blocks), "
                                            "or all workers share all (shared)"},
                                           {.in_lanes = true}}},
    run_option<&train_options::order>{{{"order", "--order", "Workers", "order in which rows are visited"},
                                       {.resume = when_resumed::same, .recorded = "order", .in_lanes = true}}},
    run_option<&train_options::shards>{{{"shards", "--shards", "Workers",
                                         "whether workers claim the next rows (claimed), or each has its own (fixed)"},
                                        {.resume = when_resumed::same, .recorded = "shards", .in_lanes = true}}},
    run_option<&train_options::reproducible>{
        {{"reproducible", "--reproducible", "Workers", "the same bits in every run, for any number of workers"},
         {.recorded = "reproducible", .in_lanes = true, .in_streams = "virtual workers"}}},
    run_option<&train_options::virtual_workers>{
        {{"virtual_workers", "--virtual-workers", "Workers",
          "number of virtual workers of a reproducible run (0: by the data); another number gives other bits"},
         {.otherwise = "0",
          .range = at_least(1),
          .resume = when_resumed::same,
          .recorded = "virtual_workers",
          .needs = "--reproducible",
          .zero_is_none = true,
          .in_streams = "virtual workers",
          .in_several_models = "virtual workers"}}},
    run_option<&train_options::bias>{
        {{"bias", "--bias", "Model", "learn a constant term, too"},
         {.resume = when_resumed::same, .recorded = "bias", .turns_off = true, .in_lanes = true}}},
    run_option<&train_options::bias_rate>{{{"bias_rate", "--bias-rate", "Model",
                                            "step of the constant term divided by the step of the columns, under sgd "
                                            "(default: the mean square of the entries of the first rows)"},
                                           {.range = above(0), .resume = when_resumed::same, .in_lanes = true}}},
    run_option<&train_options::weight_positive>{
        {{"weight_positive", "--weight-positive", "Model", "weight of the rows of the larger label"},
         {.range = above(0),
          .recorded = "weight_positive",
          .in_lanes = true,
          .in_streams = "weights of classes (rows may have weights)"}}},
    run_option<&train_options::weights, &class_weights::balanced>{
        {{"weights.balanced"}, {.in_lanes = true, .in_streams = "weights of classes (rows may have weights)"}}},
    run_option<&train_options::weights, &class_weights::of_labels>{
        {{"weights.of_labels", "--class-weights", "Model",
          "weights of rows by their labels, 1 where a label is not named; balanced: all classes weigh the same"},
         {.placeholder = "balanced|LABEL=W,...",
          .excludes = "--weight-positive",
          .in_lanes = true,
          .in_streams = "weights of classes (rows may have weights)"}}},
    run_option<&train_options::labels>{{{"labels", "--label-values", "Data",
                                         "all labels that rows may have, whether or not each occurs; a stream of "
                                         "classes needs them (default: those of the training rows)"},
                                        {.placeholder = "LABEL,...", .search = in_a_search::shared, .in_lanes = true}}},
    run_option<&train_options::seed>{
        {{"seed", "--seed", "Step", "seed of all random draws, such as the order of the rows"},
         {.resume = when_resumed::same, .recorded = "seed", .in_lanes = true}}},
    run_option<&train_options::tolerance>{
        {{"tolerance", "--tolerance", "Stopping",
          "stop once the objective is known to be within this fraction of its optimum (linear models), or once two "
          "epochs in a row lower it by at most this fraction of its fall so far (others, or with --validation)"},
         {.otherwise = "0",
          .range = part_below_1,
          .search = in_a_search::refused,
          .recorded = "tolerance",
          .zero_is_none = true,
          .in_lanes = true,
          .in_streams = "a tolerance"}}},
    run_option<&train_options::tolerance_epochs>{
        {{"tolerance_epochs", "--tolerance-epochs", "Stopping",
          "stop after N epochs in a row that each gain at most --tolerance, for every model"},
         {.range = at_least(1), .search = in_a_search::refused, .needs = "--tolerance", .in_lanes = true}}},
    run_option<&train_options::target>{
        {{"target", "--target", "Stopping", "stop once this is reached, for example test_accuracy=0.92"},
         {.placeholder = "METRIC=VALUE", .search = in_a_search::refused, .in_streams = "a target"}}},
    run_option<&train_options::measure_every>{
        {{"measure_every", "--measure-every", "Data",
          "measure after every N epochs and at the end, models of --folds, too (default: 1; cuts of graphs: 20, or 1 "
          "with a stopping rule)"},
         {.range = at_least(1),
          .search = in_a_search::refused,
          .in_lanes = true,
          .in_streams = "epochs between measurements"}}},
    run_option<&train_options::measure_lists>{
        {{"measure_lists", "--measure-lists", "Data",
          "test lists of recommendations that are measured after an epoch, at most; all at the end (default: 1000, or "
          "all if the target is one of their measures)"},
         {.range = at_least(1), .search = in_a_search::refused, .in_streams = "lists to measure"}}},
    run_option<&train_options::test>{{{"test"}, {.in_lanes = true, .in_streams = "test and validation rows"}}},
    run_option<&train_options::validation>{{{"validation"}, {.in_streams = "test and validation rows"}}},
    run_option<&train_options::stop_by>{
        {{"stop_by", "--stop-by", "Stopping",
          "measure of the validation rows that says which epoch is best, for example accuracy (default: loss; "
          "ndcg_at_20 of pairs, mrr of triples)"},
         {.placeholder = "MEASURE",
          .search = in_a_search::refused,
          .needs = "--validation",
          .in_streams = "a measure to stop by",
          .in_several_models = "a measure to stop by"}}},
    run_option<&train_options::validation_fraction>{
        {{"validation_fraction", "", "", ""},
         {.range = part_below_1, .in_lanes = true, .in_streams = "test and validation rows"}}},
    run_option<&train_options::patience>{
        {{"patience", "--patience", "Stopping", "epochs without better validation rows before the run stops"},
         {.range = at_least(1), .search = in_a_search::refused, .needs = "--validation", .in_lanes = true}}},
    run_option<&train_options::min_delta>{
        {{"min_delta", "--min-delta", "Stopping",
          "validation rows are better if their measure, --stop-by, is better by more than this"},
         {.range = at_least(0), .search = in_a_search::refused, .needs = "--validation", .in_streams = "a min_delta"}}},
    run_option<&train_options::average>{
        {{"average", "--average", "Stopping",
          "return the mean of the models after each epoch of the last FRACTION of the run"},
         {.placeholder = "FRACTION",
          .range = part_above_0,
          .resume = when_resumed::same,
          .recorded = "average",
          .in_streams = "an average over epochs"}}},
    run_option<&train_options::batch>{
        {{"batch", "--batch", "Workers",
          "rows that are trained on the same weights (0: the model's own number): 1 to 16 for linear models under sgd, "
          "without direct or head sharing; 1 to 256 for models that train several rows at once"},
         {.otherwise = "0",
          .range = at_least(1),
          .resume = when_resumed::same,
          .recorded = "batch",
          .zero_is_none = true,
          .in_lanes = true}}},
    run_option<&train_options::initial>{
        {{"initial", "", "", ""}, {.ranks = between_ranks::as_given, .resume = when_resumed::same}}},
    run_option<&train_options::initial_state>{{{"initial_state", "", "", ""},
                                               {.ranks = between_ranks::as_given,
                                                .resume = when_resumed::same,
                                                .in_several_models = "the state of an optimizer"}}},
    run_option<&train_options::keep_state>{
        {{"keep_state", "--save-state", "Output",
          "the saved model also holds the state of the optimizer, with which a run that begins with it (--init) under "
          "the same --optimizer goes on"},
         {.search = in_a_search::refused,
          .resume = when_resumed::same,
          .in_several_models = "the state of an optimizer"}}},
    run_option<&train_options::freeze>{
        {{"freeze", "--freeze", "Model", "groups of parameters that training leaves as they are"},
         {.placeholder = "GROUP,...", .resume = when_resumed::same}}},
    run_option<&train_options::isa>{
        {{"isa", "--isa", "Workers",
          "instruction set of the parser and the kernels; for linear models all give the same bits"},
         {.ranks = between_ranks::own, .recorded = "isa", .in_lanes = true}}},
    run_option<&train_options::telemetry>{
        {{"telemetry", "", "", ""}, {.ranks = between_ranks::own, .recorded = "telemetry", .in_lanes = true}}},
    run_option<&train_options::record>{
        {{"record", "--record", "Output", "write a run record here, one JSON object a line"},
         {.ranks = between_ranks::own, .search = in_a_search::not_trials, .in_streams = "a record"}}},
    run_option<&train_options::checkpoint>{{{"checkpoint", "--checkpoint", "Output",
                                             "write the state of the run here, as often as --checkpoint-every says"},
                                            {.ranks = between_ranks::as_given,
                                             .search = in_a_search::refused,
                                             .in_streams = "a checkpoint after each epoch"}}},
    run_option<&train_options::checkpoint_every>{{{"checkpoint_every", "--checkpoint-every", "Output",
                                                   "epochs, or a time such as 90s, 10m or 2h, between two checkpoints"},
                                                  {.placeholder = "N|TIME",
                                                   .otherwise = "1",
                                                   .range = at_least(1),
                                                   .search = in_a_search::refused,
                                                   .needs = "--checkpoint",
                                                   .in_lanes = true}}},
    run_option<&train_options::checkpoint_seconds>{
        {{"checkpoint_seconds", "", "", ""}, {.range = above(0), .in_lanes = true}}},
    run_option<&train_options::resume>{
        {{"resume", "--resume", "Output", "go on from this checkpoint, and append to the record that --record names"},
         {.ranks = between_ranks::as_given, .search = in_a_search::refused}}},
    run_option<&train_options::data_name>{{{"data_name", "", "", ""}, {.ranks = between_ranks::own, .in_lanes = true}}},
    run_option<&train_options::observers>{
        {{"observers", "", "", ""}, {.ranks = between_ranks::own, .in_lanes = true, .in_streams = "observers"}}},
    run_option<&train_options::rounds>{
        {{"rounds", "", "", ""},
         {.range = from(1, 65'536), .in_streams = "rounds of an epoch", .in_several_models = "rounds of an epoch"}}},
    run_option<&train_options::stop>{{{"stop", "", "", ""},
                                      {.ranks = between_ranks::own,
                                       .in_lanes = true,
                                       .in_streams = "a request to stop, because each call ends by itself"}}},
};

/// Converts to a member of any type.
struct any_member {
  template <class T>
  operator T() const;
};
/// The number of members of a struct without constructors: as many values as its braces take.
template <class Struct, class... Values>
consteval std::size_t members_of() {
  if constexpr (requires { Struct{Values()..., any_member()}; })
    return members_of<Struct, Values..., any_member>();
  else
    return sizeof...(Values);
}
// In the place of the three members that are structs, the table has their members.
static_assert(run_options.size == members_of<train_options>() - 3 + members_of<step_options>() +
                                      members_of<optimizer_constants>() + members_of<class_weights>(),
              "each member of train_options has a row in this table");

/// Calls f(option) for each option of the list.
template <class F>
constexpr void for_each_run_option(const F& f) {
  run_options.for_each(f);
}

/// Throws config_error, with its name, for the first number of the options that is not in its range.
void require_ranges(const train_options& options);

/// Throws config_error for the first option that is given though this kind of run does not take it: one of
/// option_details::in_streams and in_several_models. `refusal`: the message up to the option, "a stream does not take".
void require_taken(const train_options& options, std::string_view option_details::*kind, std::string_view refusal);

/// Whether trials side by side honour all options that are given (option_details::in_lanes).
bool are_taken_in_lanes(const train_options& options);

/// The options that ranks compare, in the order of the list: names, and values as text.
std::vector<named_value> compared_options(const train_options& options);
/// Likewise the options that must be the same where a run goes on from a checkpoint.
std::vector<named_value> resumed_options(const train_options& options);
/// Likewise the options that a run record has: keys and values. What is not given is 0.
std::vector<std::pair<std::string, record_value>> recorded_options(const train_options& options);

}  // namespace hogwild::detail
