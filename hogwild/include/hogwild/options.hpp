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
  /// > 0, its meaning by kind; default: the model's, where it has a step of its own; else with a found step the last
  /// epoch's step is a hundredth of the first, and with a given step there is no decay, but for a linear schedule: it
  /// ends at nothing. A cosine ends at 0.01 of its step, and a plateau is halved.
  std::optional<double> decay{};
  std::optional<schedule_kind> kind{};  ///< default: the model's, else geometric
  std::size_t warm_up = 0;              ///< fewer than the epochs: in so many the step rises evenly to `initial`
};

/// Stop as soon as a figure of an epoch is at least as good as `value`.
struct target_option {
  std::string what;  ///< train_loss, objective, test_loss, or test_NAME of a measure (measures.hpp)
  double value;      ///< in that figure's unit
};

/// Weights of rows by their labels, which are multiplied by those of the data (sparse_view::weight). A run divides the
/// weights by their mean over all training rows, so that steps and l2 mean what they mean without; those of test and
/// validation rows by their own mean. A row of weight 2 then counts as two rows do.
struct class_weights {
  /// Every class weighs the same in all: a row of class c weighs rows / (classes * rows of c).
  bool balanced = false;
  /// Instead: labels as read, with the weight of their rows, finite and >= 0; other labels weigh 1.
  std::vector<std::pair<double, double>> of_labels{};

  bool any() const { return balanced || !of_labels.empty(); }  ///< whether any class weighs more or less than 1
};

/// The strengths of l2 among which the best is looked for by cross-validation.
struct l2_search {
  std::size_t folds = 5;  ///< 2 to the number of rows, and to that of the rows of each label
  /// >= 0, finite, distinct; default: that of a run which is given none, for linear models, else 1 / rows, times 10^3,
  /// 10^2, ... 10^-4.
  std::vector<double> of{};
};

/// Options of a run; every field has the default that the command line has. A number or a kind that need not be given
/// is optional; a name, list or function that is not given is empty.
struct train_options {
  /// Exactly as many, unless a target, a tolerance, a validation set or a number of seconds ends the run sooner.
  std::size_t epochs = 20;
  /// > 0: so many seconds after the call of train() the run ends within a few rows, as it ends after its last epoch:
  /// what it has trained by then is measured and returned, with the status `done`. Seconds of before a run was resumed
  /// do not count. A search of the step ends likewise; where no row was trained the status is `stopped`, and what comes
  /// back is what the run begins with. Several models side by side end with the pass at hand; trainings of folds are
  /// not cut short.
  std::optional<double> max_seconds{};
  step_options step{};  ///< the step size and how it falls
  std::optional<double>
      l2{};  ///< >= 0; default: of linear models the mean squared norm of the first rows (of about a million entries)
             ///< over the number of rows, which is 1/n for rows of norm 1, of others the model's. The bias has none
  /// In the place of l2: the one with the lowest mean loss on folds of the training rows, and then a training on all of
  /// them with it. Each candidate is trained for `epochs`, by one worker, `tolerance` and `target` apart; candidates of
  /// linear models under sgd go side by side, others by runs of their own. Of train() in a process that trains alone.
  std::optional<l2_search> l2_by_folds{};
  /// >= 0: adds l1 ||w||_1 to the objective, and makes weights exactly 0. Of linear models with one margin a row under
  /// sgd, adagrad and ftrl; of other models under sgd, for the norm of what a column has in each group of parameters,
  /// which is 0 as a whole, but not of nets, cuts and word vectors. With it l2 is 0 by default in linear models.
  double l1 = 0.0;
  std::optional<l2_form> form{};                         ///< default: the model's, else by_degree
  update_kind update = update_kind::lossy;               ///< what an add to a shared parameter promises
  std::optional<optimizer_kind> optimizer{};             ///< default: the model's, else sgd
  optimizer_constants constants{};                       ///< of the optimiser
  sharing_kind sharing = sharing_kind::automatic;        ///< where workers read and write
  ownership_kind ownership = ownership_kind::automatic;  ///< models of ratings
  row_order order = row_order::chunked;                  ///< in which order rows are trained
  sharding shards = sharding::claimed;                   ///< which rows a worker trains
  bool reproducible = false;                             ///< the same bits for any number of workers, on every engine
  std::optional<std::size_t> virtual_workers{};  ///< > 0: of a reproducible run, whose result depends on them; default:
                                                 ///< by data and step
  /// Margin models: one more parameter, the last. It begins where the loss of the labels alone is least, but with
  /// `initial`; at each epoch that is measured, and at the end, it is put where the mean loss of the training rows is
  /// least as the weights are then.
  bool bias = false;
  /// > 0, under sgd: the step of the bias over that of the columns, between two such epochs. Default: the mean square
  /// of the entries of the first rows, as if the bias were the weight of one more column with values as large as those.
  /// In rows of texts, which are long and have small entries, a bias with the step of the columns goes up and down.
  std::optional<double> bias_rate{};
  double weight_positive = 1.0;  ///< > 0: the weight of a row of the larger label (binary models)
  class_weights weights{};       ///< of rows, by their labels
  /// The labels that rows may have, where not all need occur: two numbers (binary models), or those of all classes.
  /// Default: those that the training rows have.
  std::vector<double> labels{};
  std::uint64_t seed = 1;  ///< of all draws: the order of rows, first values, rows that are held back
  /// In [0, 1). Of a convex model (linear ones): stop when the objective is known to lie no further above the optimum
  /// than this fraction of itself (epoch_report::gap), which takes an l2 or l1; the epoch of the lowest objective is
  /// returned. Of other models, or with `tolerance_epochs`: stop when so many epochs in a row lower the objective by no
  /// more than this fraction of how far it has fallen since the parameters that the model begins with, before a warm
  /// start.
  std::optional<double> tolerance{};
  /// > 0; default: 2, but for convex models, whose runs end at the optimum. One epoch without progress may be chance:
  /// asynchronous epochs are noisy, and those of few rows.
  std::optional<std::size_t> tolerance_epochs{};
  std::optional<target_option> target{};  ///< ends the run once it is reached
  /// > 0: epochs between measurements; the last one is measured.
  /// Default: 1, and 20 for a cut without a target, tolerance or validation rows. Where workers exchange summed changes
  /// so are epochs 1, 2, 4, 8, ... before the first, and all of a run that averages: those that overshot go back.
  std::optional<std::size_t> measure_every{};
  std::optional<sparse_view> test{};        ///< measured with the training rows, never trained on
  std::optional<sparse_view> validation{};  ///< decides when to stop, and which epoch's parameters are kept
  /// In [0, 1): hold back this fraction of the training rows as validation, drawn by the seed: of each of two labels,
  /// or classes, as large a part as of all, and never its last row. Both parts are copies.
  double validation_fraction = 0.0;
  std::size_t patience = 3;  ///< epochs without a better validation loss before the run stops
  /// In (0, 1]: the run's parameters are the mean of those after each of the last epochs, this fraction of `epochs` and
  /// at least two: they are measured, reported and returned from there on. Training goes on from its own.
  std::optional<double> average{};
  /// So many rows see the same weights; default: as many as the model asks for. Margin models: 1 to 16 (the default),
  /// fewer where the step asks for it; under sgd, not direct or head sharing. Models with a workspace: 1 to 256.
  std::optional<std::size_t> batch{};
  /// Changes fresh parameters before anybody trains: a warm start. Called with all of them, by one thread at a time; it
  /// may be called again for trials of a step, folds and by each rank: the same changes every time.
  std::function<void(std::span<float> parameters)> initial{};
  std::vector<std::string> freeze{};           ///< groups of parameters that nothing changes
  hogwild::isa isa = hogwild::isa::automatic;  ///< instruction set of the kernels, where `batch` counts
  bool telemetry = true;                       ///< sample staleness and conflicts
  /// Write a run record (JSON lines) here. A run that is resumed goes on with the record that is there, of the same
  /// model and data, in the place of making it anew: a line says where it goes on.
  std::string record{};
  std::string checkpoint{};  ///< write a checkpoint here after each epoch
  /// > 0: only after every so many epochs, the last one, and one with which an observer ends the run. An epoch that is
  /// not measured (measure_every) has a checkpoint that says so.
  std::size_t checkpoint_every = 1;
  /// > 0, in the place of a number of epochs: after the first epoch that ends so many seconds after the last
  /// checkpoint.
  std::optional<double> checkpoint_seconds{};
  std::string resume{};     ///< continue from this checkpoint
  std::string data_name{};  ///< the data's name in messages and the record
  /// Observers that are told how the run goes: pointers to those that outlive it, observers by value, functions (see
  /// observer_handle); none of them null.
  std::vector<observer_handle> observers{};
  /// 1 to 65,536: each epoch is cut into so many rounds of about as many rows, between which all workers wait, and
  /// observers hear of each (observer::on_round). Default: no more than it takes, and nobody hears of them. Replicas
  /// meet after each round; a reproducible run repeats under the same number. Not with blocks of ratings, which are
  /// trained with shared ownership then. All processes that train together have the same number.
  std::optional<std::size_t> rounds{};
  /// A request ends the run, whatever it does at the moment, within a few rows or some milliseconds: the search of a
  /// step, training, measuring. The result has the status `stopped`; before the first epoch it has 0 epochs. Of several
  /// processes that train together all have to be asked, or those that are not train their epoch to its end.
  std::stop_token stop{};
};

}  // namespace hogwild
