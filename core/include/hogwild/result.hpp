// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/math/schedule.hpp>
#include <hogwild/detail/platform/placement.hpp>
#include <hogwild/option_values.hpp>

namespace hogwild {

/// A model measured on some rows.
struct measurement {
  double loss = 0.0;                                                  ///< mean over rows, without regularisation
  std::optional<double> accuracy{}, auc{}, f1{}, matthews{}, rmse{};  ///< only those for the kind of labels
  /// For rows with lists of labels; see list_counts.
  std::optional<double> precision_at_1{}, precision_at_3{}, precision_at_5{}, micro_f1{}, macro_f1{};
  std::optional<double> psp_at_1{}, psp_at_3{}, psp_at_5{};  ///< only where the training rows of each label are known
  /// Of probabilities; measured by `evaluate`, not in training (measure::in_training()).
  std::optional<double> log_loss{}, brier_score{}, expected_calibration_error{};
  std::optional<double> group_auc{}, ndcg_at_10{};  ///< for rows with groups (sparse_view::group)
  std::optional<double> recall_at_20{};     ///< for pairs, as the next six: the best 20 items of each user (top_counts)
  std::optional<double> precision_at_20{};  ///< the fraction of these 20 that the user wants
  std::optional<double> ndcg_at_20{};       ///< their discounted gain
  std::optional<double> map_at_20{};        ///< their average precision
  std::optional<double> mrr_at_20{};        ///< the reciprocal of the place of the first that the user wants
  std::optional<double> hit_rate_at_20{};   ///< the fraction of users who want one of them
  std::optional<double> coverage_at_20{};   ///< the fraction of items that are among them for somebody
  std::optional<double> mrr{};  ///< for triples: the mean of 1 / the place of the right answer (place_counts)
  std::optional<double> hits_at_1{}, hits_at_3{}, hits_at_10{};  ///< for triples: the fraction in the first places
  std::optional<double> cut{};                                   ///< for graphs: capacity of the edges between sides
  std::optional<double> own_1{}, own_2{}, own_3{}, own_4{};      ///< measures that the program added: add_measure()
};

/// Measures by cross-validation: each fold is measured with a model that was trained on the other folds.
struct fold_measures {
  std::vector<measurement> folds{};  ///< of each fold; the loss is infinite if the model diverged

  /// The mean over the folds, for each measure that all of them have.
  measurement mean() const;
  /// The sample standard deviation of the folds' losses (divided by the number of folds less one).
  double loss_deviation() const;
};

/// A value of l2 that was tried by cross-validation.
struct tried_l2 {
  double l2 = 0.0;           ///< the value
  fold_measures measured{};  ///< with this l2
};

// Seconds mean the same in every engine. They are those of the process that reports them, by its own clock. In a
// resumed run train_seconds and wall_seconds continue from the checkpoint's.
//
//   search_seconds     finding l2, the step, the sharing and the number of workers; nothing of it is training
//   train_seconds      the passes over the rows, from the opening of an epoch's first round to the end of its last.
//                      It includes exchanges, meetings, merging replicas, waiting for dead or stopped workers and other
//                      ranks, and epochs that were taken back. It excludes starting workers, measuring and writing
//   wall_seconds       from the call of train() to the report: all of the above, preparing the data, starting
//                      workers, measuring, checkpoints
//   seconds_to_target  train_seconds after the epoch that reached the target
//   cpu_seconds        the CPU time of all threads of the process and of all worker processes that it started, from the
//                      call of train() to the report. It includes other work that the process does meanwhile. It
//                      excludes guests and other ranks

/// The parameters between two rounds. They are copied on request, and otherwise cost nothing.
///
/// Any thread may request them while the callback that received them runs. Afterwards workers go on training: a copy of
/// the report has lost them, and a request throws config_error. A vector that was returned stays valid.
class lazy_parameters {
 public:
  /// Where the parameters come from.
  class source {
   public:
    virtual std::vector<float> values() const = 0;           ///< ordered by the columns' input numbers
    virtual std::vector<std::uint32_t> columns() const = 0;  ///< the input number of each column that occurs

   protected:
    ~source() = default;
  };

  lazy_parameters() = default;                   ///< none
  explicit lazy_parameters(const source& from);  ///< `from` lives until close()

  /// The parameters in the form of train_result::parameters (for linear models w itself, whatever is stored), but
  /// ordered by the columns' input numbers: in each group with a row for each column, the rows stand in ascending order
  /// of these numbers. Throws config_error.
  std::vector<float> operator()() const;
  /// The input number of each column that occurs, ascending: the order of the above. Throws config_error.
  std::vector<std::uint32_t> columns() const;

  /// Called by the maker of the object: from here on the parameters are lost, for all copies. Waits for readers at
  /// work.
  void close() const;

 private:
  struct state;
  std::shared_ptr<state> state_{};
};

/// One epoch, as an observer receives it. Counts and seconds are cumulative over the run.
struct epoch_report {
  std::size_t epoch = 0;       ///< from 1
  double train_seconds = 0.0;  ///< see above
  double wall_seconds = 0.0;   ///< see above
  std::uint64_t examples = 0;  ///< trained rows, counted each time
  std::uint64_t updates = 0;   ///< examples that changed a parameter
  std::uint64_t nonzeros = 0;  ///< entries of these examples
  double step = 0.0;           ///< the step that the epoch was trained with
  double train_loss = 0.0;     ///< mean over examples; over the first measured_rows if the model has that member
  double objective = 0.0;      ///< the minimised function: train_loss + l1 ||w||_1 + l2/2 ||w||^2
  /// An upper bound of (objective - optimum) / |objective|, if a tolerance is set (train_options::tolerance).
  std::optional<double> gap{};
  std::optional<measurement> test{}, validation{};                ///< on the rows given in the options, if any
  std::optional<std::uint64_t> staleness_p50{}, staleness_p99{};  ///< in rows of other workers
  std::optional<double> conflict_rate{};  ///< fraction of sampled adds whose value others had changed
  lazy_parameters parameters{};           ///< the measured parameters; their mean if the run averages
};

/// A part of an epoch, as an observer receives it, if train_options::rounds asks for parts. Counts and seconds are
/// cumulative over the run.
struct round_report {
  std::size_t epoch = 0;              ///< the current epoch, from 1
  std::size_t round = 0, rounds = 1;  ///< the round that has ended, from 1, and how many the epoch has
  double train_seconds = 0.0;         ///< see above
  double wall_seconds = 0.0;          ///< see above
  std::uint64_t examples = 0;         ///< trained rows, counted each time
  std::uint64_t updates = 0;          ///< examples that changed a parameter
  std::uint64_t nonzeros = 0;         ///< entries of these examples
  double step = 0.0;                  ///< the step that the round ended with
  lazy_parameters parameters{};       ///< the trained parameters, as the workers left them
};

/// How a run ended.
enum class run_status {
  done,         ///< all epochs, or the time limit: see train_result::stopped_by
  target,       ///< the target was reached
  converged,    ///< the objective is known to be within the tolerance of the optimum
  no_progress,  ///< the objective or the validation measure stopped improving; the distance from the optimum is unknown
  diverged,     ///< the loss is not finite, or the objective ended higher than it began; a lower step may help
  stopped       ///< on request; see train_result::stopped_by
};

/// The name of the value, as run records have it.
std::string_view to_string(run_status status);

/// Who ended a run early.
enum class stop_cause {
  request,    ///< train_options::stop
  observer,   ///< an observer's answer
  time_limit  ///< train_options::max_seconds
};

/// Likewise.
std::string_view to_string(stop_cause cause);

// Figures beside an epoch's training, here and below, cover this process only, without the run that a resumed one
// continues.

/// Exchanges of the replicas of a ring in a run, summed over all replicas.
struct ring_report {
  std::size_t replicas = 0;               ///< in this process
  std::uint64_t exchanges = 0;            ///< by a replica with the common model, or with its successor
  std::uint64_t bytes = 0;                ///< read from the other side and written to it
  double held_seconds = 0.0;              ///< from taking up the token to passing it on
  std::uint64_t waits = 0;                ///< times that a worker was due to exchange and another one had the token
  std::uint64_t taken_over = 0;           ///< overdue tokens that another replica took over
  std::vector<std::vector<int>> nodes{};  ///< memory nodes of each replica, by the operating system's numbers
  placed_memory memory = placed_memory::anywhere;  ///< where the replicas are placed
};

/// Exchanges of the processes of a ring in a run; figures of this process.
struct link_report {
  std::size_t ranks = 0;        ///< processes that train together
  std::uint64_t exchanges = 0;  ///< this rank's turns
  std::uint64_t bytes = 0;      ///< sent to the next rank, including messages at the ends of epochs
  double held_seconds = 0.0;    ///< from taking up a message to sending the next one
  double waited_seconds = 0.0;  ///< for messages, while workers trained
};

/// Meetings of the ranks of a synchronous run. All ranks are at every meeting, and all send the same number of bytes.
struct meeting_report {
  std::size_t ranks = 0;     ///< processes that train together
  std::uint64_t dense = 0;   ///< meetings that exchanged whole arrays
  std::uint64_t sparse = 0;  ///< meetings that exchanged pairs of index and value
  std::uint64_t bytes = 0;   ///< sent by each rank
  double seconds = 0.0;      ///< in meetings, including waiting for other ranks; mean over the ranks
};

/// A device that trained in the run.
struct device_report {
  int device = 0;                    ///< its number; -1: none, its kernels ran on the CPU
  std::string name{};                ///< as its driver reports it
  std::string memory{};              ///< where it kept the parameters: "device", "pinned" or "managed"
  std::string storage{};             ///< how it stored factors: "float" or "half"
  std::uint64_t rows_in_flight = 0;  ///< most rows that it trained at once: its share of what the step allows
  std::uint64_t block_bytes = 0;     ///< size of each of the two blocks through which rows came; 0: all rows stayed on
                                     ///< the device
  std::uint64_t rows = 0;            ///< rows that it trained in each epoch
  std::uint64_t measured_rows = 0;   ///< rows that it measured in each epoch; 0: the CPU measured
  /// Where its replica exchanged: "peers", in a device's memory that all devices reach, or "host"; empty: nowhere.
  std::string exchange{};
};

/// What the optimiser of a run keeps beside the parameters.
struct optimizer_state {
  state_numbers numbers{};                   ///< what it belongs to
  std::vector<std::vector<float>> arrays{};  ///< laid out as the parameters; empty: it is not kept
};

/// The outcome of a finished run.
///
/// A run that was stopped early returns the parameters as its workers left them, at or after the end of the last whole
/// epoch, and counts every row that was trained. Its losses and measures are those after epoch number `epochs`, the
/// last that was both trained and measured; if nothing was measured, losses are NaN and measures are absent. If
/// validation keeps the parameters of the best epoch, or a tolerance those with the lowest objective, these are
/// returned, with their losses.
struct train_result {
  run_status status = run_status::done;  ///< how the run ended
  /// If status is `stopped`: who stopped the run (with several ranks, any of them). If status is `done`: time_limit if
  /// the time ran out before the last epoch.
  std::optional<stop_cause> stopped_by{};
  std::size_t epochs = 0;                           ///< trained to their end, including those of a resumed run
  std::uint64_t examples = 0;                       ///< trained rows, including those of an unfinished epoch
  std::size_t updates = 0;                          ///< examples that changed a parameter
  std::uint64_t nonzeros = 0;                       ///< entries of these examples
  double train_loss = 0.0;                          ///< mean training loss of the returned parameters
  double objective = 0.0;                           ///< the minimised function, for the returned parameters
  std::optional<double> gap{};                      ///< as in epoch_report, for the returned parameters
  std::optional<measurement> test{}, validation{};  ///< on the rows given in the options, if any
  double step = 0.0;  ///< initial step: given, the model's, or found by a search; with several members, that of the
                      ///< first one
  bool step_found = false;                            ///< whether `step` was searched for
  schedule_kind schedule = schedule_kind::geometric;  ///< how the step fell
  double decay = 1.0;                                 ///< how fast it fell; the schedule says what it means
  double l2 = 0.0;                                    ///< the value used in training
  column_scaling scale = column_scaling::none;        ///< the rule by which columns were divided; never automatic
  std::vector<tried_l2> l2_tried{};  ///< the values tried, if l2 was chosen by folds (train_options::l2_by_folds)
  std::string first_layer{};         ///< "sparse" or "dense" if the model has both; else empty
  std::string last_layer{};          ///< "full", "sampled" or "hierarchical" if the model has all; else empty
  std::string class_loss{};          ///< "softmax" or "one_vs_rest" if the model has both; else empty
  std::size_t samples = 0;           ///< draws in a batch for a sampled last layer; else 0
  std::string sampled_by{};          ///< how it draws: "frequency", "log_uniform" or "uniform"; else empty
  double train_seconds = 0.0;        ///< see above
  double wall_seconds = 0.0;         ///< see above
  double search_seconds = 0.0;       ///< without those of a resumed run
  double cpu_seconds = 0.0;          ///< see above; without those of a resumed run
  /// Seconds of an epoch as the rule of `sharing_kind::automatic` predicts; absent if it was not used or cannot tell.
  std::optional<double> predicted_epoch_seconds{};
  std::optional<double> seconds_to_target{};  ///< see above; absent without a target, or if it was not reached
  std::size_t workers_asked = 0;              ///< in the engine's options; 0: as many as this process may use
  std::size_t workers = 0;                    ///< that trained; if fewer than asked for, a note has said why
  std::uint64_t rows_lost = 0;                ///< finished rows whose changes were lost with a dead worker
  std::size_t workers_replaced = 0;           ///< worker processes that died and were replaced
  std::uint64_t peak_rss_bytes = 0;           ///< most resident memory of this process so far
  /// Time that threads of this process waited for training rows from the disk, or spent mapping them, summed over
  /// threads, measurements included; 0 if the rows fit into memory. Worker processes' time is not counted.
  double disk_wait_seconds = 0.0;
  std::optional<ring_report> ring{};         ///< for several replicas in a process
  std::optional<link_report> link{};         ///< for several processes on a ring
  std::optional<meeting_report> meetings{};  ///< for a synchronous run
  std::vector<device_report> devices{};      ///< those that trained
  /// By column position; the bias, if any, last. Rounded to float for models of double as well, as in saved models. The
  /// losses and the objective above are measured before that rounding, unless validation kept an earlier epoch's.
  std::vector<float> parameters;
  optimizer_state state{};  ///< with which the optimiser left the parameters (train_options::keep_state)
  label_map labels;         ///< the names of the model's classes
  /// The notes of the run until it ended, in order: the sentences of observer::on_note().
  std::vector<std::string> notes{};
};

}  // namespace hogwild
