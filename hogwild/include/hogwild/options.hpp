// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/observer.hpp>
#include <hogwild/option_values.hpp>

namespace hogwild {

/// The step size and how it falls.
struct step_options {
  std::optional<double>
      initial{};  ///< > 0; default: the model's, else found by a short seeded search (step_search.hpp)
  /// > 0; its meaning depends on the kind. Default: the model's, if the model has a step of its own. Otherwise, if the
  /// step was found by a search, the last epoch's step is a hundredth of the first; if it was given, it does not decay,
  /// except that a linear schedule ends at 0. A cosine ends at 0.01 of the initial step, and a plateau halves the step.
  std::optional<double> decay{};
  std::optional<schedule_kind> kind{};  ///< default: the model's, else geometric
  std::size_t warm_up = 0;              ///< number of epochs in which the step rises evenly to `initial`; less than all
};

/// Stop as soon as a figure of an epoch is at least as good as `value`.
struct target_option {
  std::string what;  ///< train_loss, objective, test_loss, or test_NAME of a measure (measures.hpp)
  double value;      ///< in that figure's unit
};

/// Weights of rows by their labels. They multiply the rows' own weights (sparse_view::weight). A run divides the
/// weights of training rows by their mean, so that steps and l2 keep their meaning, and those of test and validation
/// rows by their own mean. A row of weight 2 then counts like two rows.
struct class_weights {
  /// Gives all classes the same total weight: a row of class c weighs rows / (classes * rows of c).
  bool balanced = false;
  /// Instead of `balanced`: labels as read, each with the weight of its rows, finite and >= 0; rows of other labels
  /// weigh 1.
  std::vector<std::pair<double, double>> of_labels{};

  bool any() const { return balanced || !of_labels.empty(); }  ///< whether any class weighs more or less than 1
};

/// The state of an optimiser that a run begins with.
struct optimizer_start {
  state_numbers numbers{};  ///< as train_result::state has them
  /// Sets the values of array `k`, which begins at zeros: by columns that were not trained before it is left so. Called
  /// as train_options::initial.
  std::function<void(std::size_t k, std::span<float> values)> change{};
};

/// The strengths of l2 from which cross-validation chooses the best.
struct l2_search {
  std::size_t folds = 5;  ///< at least 2, at most the number of rows, and of rows of each label
  /// >= 0, finite, distinct. Default: 10^3, 10^2, ... 10^-4 times the default l2 for linear models, and times 1 / rows
  /// for others.
  std::vector<double> of{};
};

/// Options of a run; every field has the default that the command line has. A number or a kind that need not be given
/// is optional; a name, list or function that is not given is empty.
struct train_options {
  /// The number of epochs, unless a target, a tolerance, a validation set or `max_seconds` ends the run sooner.
  std::size_t epochs = 20;
  /// > 0: the run ends this many seconds after the call of train(), within a few rows. As after the last epoch, the
  /// parameters are measured and returned, with the status `done`. A resumed run does not count the time before it was
  /// resumed. A step search ends likewise; if no row was trained, the status is `stopped`, and the initial parameters
  /// are returned. Several models that are trained side by side end after the current pass; trainings of folds are not
  /// cut short.
  std::optional<double> max_seconds{};
  step_options step{};         ///< the step size and how it falls
  std::optional<double> l2{};  ///< >= 0; default: for linear models the mean squared norm of the first rows (about a
                               ///< million entries) divided by the number of rows, which is 1/n for rows of norm 1; for
                               ///< others the model's. Not applied to the bias
  /// Instead of l2: train() chooses the l2 with the lowest mean loss on folds of the training rows, and then trains on
  /// all rows with it. Each candidate is trained for `epochs` by one worker, without `tolerance` and `target`;
  /// candidates of linear models under sgd are trained side by side, others by separate runs. Only in a process that
  /// trains alone.
  std::optional<l2_search> l2_by_folds{};
  /// >= 0: adds l1 ||w||_1 to the objective, and makes weights exactly 0. For linear models with one margin a row it
  /// needs sgd, adagrad or ftrl. For other models, except nets, cuts and word vectors, it needs sgd, and applies to the
  /// norm of a column's parameters in each group, which become 0 together. With l1, the default l2 of linear models is
  /// 0.
  double l1 = 0.0;
  std::optional<l2_form> form{};                         ///< default: the model's, else by_degree
  update_kind update = update_kind::lossy;               ///< what an add to a shared parameter promises
  std::optional<optimizer_kind> optimizer{};             ///< default: the model's, else sgd
  optimizer_constants constants{};                       ///< of the optimiser
  sharing_kind sharing = sharing_kind::automatic;        ///< where workers read and write
  ownership_kind ownership = ownership_kind::automatic;  ///< models of ratings
  row_order order = row_order::chunked;                  ///< the order in which rows are trained
  sharding shards = sharding::claimed;                   ///< which rows a worker trains
  bool reproducible = false;                             ///< the same bits for any number of workers, on every engine
  /// > 0: for a reproducible run, whose result depends on it. Default: chosen by data and step.
  std::optional<std::size_t> virtual_workers{};
  /// For margin models: adds a constant term, as the last parameter. Without `initial`, it begins at the value with the
  /// lowest loss for weights of 0. After each measured epoch, and at the end, it is moved to the value with the lowest
  /// mean loss of the training rows for the present weights.
  bool bias = false;
  /// > 0, under sgd: the step of the bias divided by that of the columns, between two measured epochs. Default: the
  /// mean square of the entries of the first rows, as if the bias were the weight of one more column with values as
  /// large as those. In rows of texts, which are long and have small entries, a bias with the columns' step oscillates.
  std::optional<double> bias_rate{};
  double weight_positive = 1.0;  ///< > 0: the weight of a row of the larger label (binary models)
  class_weights weights{};       ///< weights of rows by their labels
  /// The labels that rows may have, even if some do not occur: two numbers (binary models), or those of all classes.
  /// Default: the labels of the training rows.
  std::vector<double> labels{};
  std::uint64_t seed = 1;  ///< for all random draws: the order of rows, initial values, rows that are held back
  /// In [0, 1). For convex (linear) models: stop when the objective is known to lie no further above the optimum than
  /// this fraction of itself (epoch_report::gap). This needs l2 or l1; the epoch with the lowest objective is returned.
  /// For other models, or with `tolerance_epochs`: stop when that many epochs in a row lower the objective by no more
  /// than this fraction of its fall since the model's initial parameters, before a warm start.
  std::optional<double> tolerance{};
  /// > 0; default: 2, except for convex models, whose runs end at the optimum. One epoch without progress may be
  /// chance: asynchronous epochs, and epochs of few rows, are noisy.
  std::optional<std::size_t> tolerance_epochs{};
  std::optional<target_option> target{};  ///< ends the run once it is reached
  /// > 0: the number of epochs from one measurement to the next; the last epoch is always measured. Default: 1; 20 for
  /// a cut without a target, tolerance or validation rows. If workers exchange summed changes, epochs 1, 2, 4, 8, ...
  /// before the first measurement are measured as well, and all epochs of a run that averages: epochs that overshot are
  /// undone.
  std::optional<std::size_t> measure_every{};
  /// > 0; for models that order candidates: of how many sources (users, say) of the test and validation rows the lists
  /// are measured after an epoch, at most; those of the last epoch, and of the parameters that are returned, are all
  /// measured. Default: 1,000, or all if the target is a measure of such rows.
  std::optional<std::size_t> measure_lists{};
  std::optional<sparse_view> test{};        ///< measured with the training rows, never trained on
  std::optional<sparse_view> validation{};  ///< decides when to stop, and which epoch's parameters are kept
  /// The measure of the validation rows by which epochs are compared: loss, or the name of one of measures.hpp.
  /// Default: the loss; ndcg_at_20 of pairs and mrr of triples, since their loss is about candidates that are drawn.
  std::string stop_by{};
  /// In [0, 1): hold back this fraction of the training rows for validation, drawn by the seed: the same fraction of
  /// each of two labels, or of each class, but never the last row of one. Both parts are copies.
  double validation_fraction = 0.0;
  std::size_t patience = 3;  ///< epochs without a better `stop_by` before the run stops
  double min_delta = 0.0;  ///< >= 0: `stop_by` is better if it is better than that of the best epoch by more than this
  /// In (0, 1]: the run's parameters are the mean of the parameters after each of the last epochs: this fraction of
  /// `epochs`, and at least two. From the first of these on the mean is measured, reported and returned. Training goes
  /// on from the parameters that are not averaged.
  std::optional<double> average{};
  /// The number of rows that see the same weights; default: the model's. Margin models: 1 to 16 (the default), or fewer
  /// if the step needs it; under sgd, not with direct or head sharing. Models with a workspace: 1 to 256.
  std::optional<std::size_t> batch{};
  /// A warm start: changes the initial parameters before training. Called with all parameters, by one thread at a time.
  /// It may be called again for trials of a step, for folds and by each rank, and must make the same changes every
  /// time.
  std::function<void(std::span<float> parameters)> initial{};
  /// With `initial`: the optimiser goes on with the state of an earlier run of the same optimizer and constants. A
  /// linear model then keeps the earlier bias_rate, and ftrl the earlier step unless one is given. Neither the schedule
  /// of the step nor the order of the rows goes on: both begin anew.
  optimizer_start initial_state{};
  bool keep_state = false;                     ///< train_result::state; not with `average`, nor under sgd
  std::vector<std::string> freeze{};           ///< names of groups of parameters that stay unchanged
  hogwild::isa isa = hogwild::isa::automatic;  ///< instruction set of the kernels, if `batch` applies
  bool telemetry = true;                       ///< sample staleness and conflicts
  /// The file for a run record (JSON lines). A resumed run appends to an existing record of the same model and data
  /// instead of replacing it; a line says where it resumes.
  std::string record{};
  std::string checkpoint{};  ///< the file for a checkpoint after each epoch
  /// > 0: write the checkpoint only every so many epochs, after the last one, and if an observer ends the run. The
  /// checkpoint of an epoch that is not measured (measure_every) says so.
  std::size_t checkpoint_every = 1;
  /// > 0, instead of a number of epochs: write the checkpoint after the first epoch that ends at least this many
  /// seconds after the last checkpoint.
  std::optional<double> checkpoint_seconds{};
  std::string resume{};     ///< continue from this checkpoint
  std::string data_name{};  ///< the data's name in messages and the record
  /// Observers of the run: pointers to observers that outlive it, observers by value, functions (see observer_handle).
  /// None may be null.
  std::vector<observer_handle> observers{};
  /// 1 to 65,536: each epoch is cut into this many rounds of about equally many rows. All workers wait at the end of a
  /// round, and observers hear of it (observer::on_round). Default: as few rounds as necessary, which are not reported.
  /// Replicas meet after each round; a reproducible run repeats only under the same number. Excludes blocks of ratings,
  /// so models of ratings are trained with shared ownership. All processes that train together must have the same
  /// number.
  std::optional<std::size_t> rounds{};
  /// A request ends the run within a few rows or some milliseconds, whether it searches a step, trains or measures. The
  /// result has the status `stopped`; before the first epoch it has 0 epochs. If several processes train together, all
  /// must be asked: a process that is not asked finishes its epoch.
  std::stop_token stop{};
};

}  // namespace hogwild
