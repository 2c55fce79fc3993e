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
#include <hogwild/detail/optimization/schedule.hpp>
#include <hogwild/detail/platform/placement.hpp>

namespace hogwild {

/// A model measured on some rows.
struct measurement {
  double loss = 0.0;                                      ///< mean over rows, without regularisation
  std::optional<double> accuracy{}, auc{}, f1{}, rmse{};  ///< those that suit the labels
  /// Of rows with lists of labels; see list_counts.
  std::optional<double> precision_at_1{}, precision_at_3{}, precision_at_5{}, micro_f1{}, macro_f1{};
  std::optional<double> cut{};  ///< capacity of the edges between sides, of graphs
};

/// What models come to that are trained on all folds of the rows but one, each measured on the fold that it has not
/// seen.
struct fold_measures {
  std::vector<measurement> folds{};  ///< of each fold; the loss is infinite where the model diverged

  /// The mean over the folds of each measure that all of them have.
  measurement mean() const;
  /// The standard deviation of the folds' losses, over one fold less than there are.
  double loss_deviation() const;
};

/// A strength of l2 that was tried by cross-validation.
struct tried_l2 {
  double l2 = 0.0;           ///< that was trained with
  fold_measures measured{};  ///< by this l2
};

// Seconds mean the same in every engine. They are of the process that tells them, by its own clock; of a resumed run
// train_seconds and wall_seconds go on from the checkpoint's.
//
//   search_seconds     finding l2, the step, the sharing and the number of workers; nothing of it is training
//   train_seconds      the passes over the rows, from the opening of an epoch's first round to the end of its last:
//                      exchanges, meetings and the merging of replicas among it, waiting for dead or stopped workers
//                      and other ranks too, and epochs that were taken back; starting workers, measuring and writing
//                      not
//   wall_seconds       from the call of train() to where it is told: all of the above, preparing the data, starting
//                      workers, measuring, checkpoints
//   seconds_to_target  train_seconds after the epoch that reached the target
//   cpu_seconds        the CPU time of all threads of the process and of all worker processes that it started, from the
//                      call of train() to where it is told. Others that train in the process meanwhile are counted,
//                      too; workers that joined by themselves and other ranks are not

/// The parameters as they are between two rounds, copied when somebody asks for them: who does not ask pays nothing.
///
/// They can be asked for while the callback that was given them runs, by any thread. Afterwards, workers train on what
/// is to be read: then a copy of the report has lost them, and asking throws config_error. What was returned stays.
class lazy_parameters {
 public:
  /// Where they come from.
  class source {
   public:
    virtual std::vector<float> values() const = 0;           ///< by the columns' numbers in the input
    virtual std::vector<std::uint32_t> columns() const = 0;  ///< the number in the input of each column that occurs

   protected:
    ~source() = default;
  };

  lazy_parameters() = default;                   ///< none
  explicit lazy_parameters(const source& from);  ///< `from` lives until close()

  /// As train_result::parameters has them, of linear models w itself whatever is stored, but by the columns' numbers in
  /// the input: of each group that goes by columns the rows stand in ascending order of those. Throws config_error.
  std::vector<float> operator()() const;
  /// The number in the input of each column that occurs, ascending: the order of the above. Throws config_error.
  std::vector<std::uint32_t> columns() const;

  /// By who made them: from here on they are lost, for all copies. Waits for those who are reading.
  void close() const;

 private:
  struct state;
  std::shared_ptr<state> state_{};
};

/// One epoch as an observer sees it. Counts and seconds are cumulative over the run.
struct epoch_report {
  std::size_t epoch = 0;       ///< from 1
  double train_seconds = 0.0;  ///< see above
  double wall_seconds = 0.0;   ///< see above
  std::uint64_t examples = 0;  ///< rows that were trained, each as often as it was
  std::uint64_t updates = 0;   ///< examples that changed a parameter
  std::uint64_t nonzeros = 0;  ///< entries of these examples
  double step = 0.0;           ///< that the epoch was trained with
  double train_loss = 0.0;     ///< mean over examples; of models that say measured_rows, over the first so many
  double objective = 0.0;      ///< train_loss + l1 ||w||_1 + l2/2 ||w||^2: what is minimised
  /// At least (objective - optimum) / |objective|, where a tolerance asks (train_options::tolerance).
  std::optional<double> gap{};
  std::optional<measurement> test{}, validation{};                ///< on the rows of the options, where they have any
  std::optional<std::uint64_t> staleness_p50{}, staleness_p99{};  ///< rows of other workers
  std::optional<double> conflict_rate{};                          ///< fraction of sampled adds
  lazy_parameters parameters{};  ///< parameters(): what was measured, the mean where a run averages
};

/// A part of an epoch as an observer sees it, where train_options::rounds asks for that. Counts and seconds are
/// cumulative over the run.
struct round_report {
  std::size_t epoch = 0;              ///< the one at hand, from 1
  std::size_t round = 0, rounds = 1;  ///< which of how many of it has ended, from 1
  double train_seconds = 0.0;         ///< see above
  double wall_seconds = 0.0;          ///< see above
  std::uint64_t examples = 0;         ///< rows that were trained, each as often as it was
  std::uint64_t updates = 0;          ///< examples that changed a parameter
  std::uint64_t nonzeros = 0;         ///< entries of these examples
  double step = 0.0;                  ///< that it ended with
  lazy_parameters parameters{};       ///< parameters(): what is trained, as the workers left it
};

enum class run_status {
  done,         ///< all epochs, or all seconds: see train_result::stopped_by
  target,       ///< the target was reached
  converged,    ///< the objective is known to be within the tolerance of the optimum
  no_progress,  ///< the objective no longer fell, or the validation loss; nothing is known of the optimum
  diverged,     ///< the loss is not finite; lower the step
  stopped       ///< somebody asked; see train_result::stopped_by
};

std::string_view to_string(run_status status);

/// Who ended a run before its time.
enum class stop_cause {
  request,    ///< train_options::stop
  observer,   ///< an observer that answered so
  time_limit  ///< train_options::max_seconds
};

std::string_view to_string(stop_cause cause);

// What is told beside an epoch's training, here and below, is of this process alone, and not of the run that a resumed
// one goes on from.

/// What the replicas of a ring told each other in a run, summed over all.
struct ring_report {
  std::size_t replicas = 0;               ///< in this process
  std::uint64_t exchanges = 0;            ///< of one replica with the common model, or with its successor
  std::uint64_t bytes = 0;                ///< read from the other side and written to it
  double held_seconds = 0.0;              ///< from taking up the token to passing it on
  std::uint64_t waits = 0;                ///< times a worker would have exchanged and found the token elsewhere
  std::uint64_t taken_over = 0;           ///< tokens that were overdue
  std::vector<std::vector<int>> nodes{};  ///< memory nodes of each replica, by the operating system's numbers
  placed_memory memory = placed_memory::anywhere;  ///< where replicas lie
};

/// What this process and the others of a ring told each other in a run; figures of this process.
struct link_report {
  std::size_t ranks = 0;        ///< processes that train together
  std::uint64_t exchanges = 0;  ///< this rank's turns
  std::uint64_t bytes = 0;      ///< sent to the next rank, with what the ends of epochs take
  double held_seconds = 0.0;    ///< from taking up a message to sending the next one
  double waited_seconds = 0.0;  ///< for messages, while workers trained
};

/// What the ranks of a synchronous run did when they met. All are at every meeting, and hand over as many bytes.
struct meeting_report {
  std::size_t ranks = 0;     ///< processes that train together
  std::uint64_t dense = 0;   ///< meetings that took whole arrays
  std::uint64_t sparse = 0;  ///< meetings that took pairs of index and value
  std::uint64_t bytes = 0;   ///< that each rank handed over
  double seconds = 0.0;      ///< in meetings, waiting for other ranks included; mean over the ranks
};

/// A device that trained.
struct device_report {
  int device = 0;                    ///< by its number; -1: none, its kernels ran on the CPU
  std::string name{};                ///< as its driver says
  std::string memory{};              ///< where it kept what it trained: "device", "pinned" or "managed"
  std::string storage{};             ///< how it stored factors that it trained: "float" or "half"
  std::uint64_t rows_in_flight = 0;  ///< rows that it trained at once, at most: its part of those that the step allows
  std::uint64_t block_bytes = 0;     ///< rows came through two blocks of so many; 0: all of them stayed on the device
  std::uint64_t rows = 0;            ///< that it trained, each in every epoch
  std::uint64_t measured_rows = 0;   ///< whose losses it added up, each in every epoch; 0: the CPU did
  /// Where its replica met the others: "peers", in a device's memory that all reach, or "host"; empty: it met nobody.
  std::string exchange{};
};

/// What a finished run leaves behind.
///
/// A run that was asked to stop returns the parameters as its workers left them, those of the last whole epoch or
/// later, and counts every row that was trained. Its losses and measures are those after epoch number `epochs`, the
/// last that was both trained and measured; where nothing was measured, losses are no numbers (NaN) and there are no
/// measures. Where validation keeps the parameters of its best epoch, or a tolerance those of the lowest
/// objective, these are returned, and losses are theirs.
struct train_result {
  run_status status = run_status::done;  ///< how the run ended
  /// With status stopped, where somebody asked, and of several ranks any of them; with status done, where the time was
  /// over before the last epoch.
  std::optional<stop_cause> stopped_by{};
  std::size_t epochs = 0;       ///< that were trained to their end, those of an earlier run that was resumed among them
  std::uint64_t examples = 0;   ///< in an epoch that was broken off, too
  std::size_t updates = 0;      ///< examples that changed a parameter
  std::uint64_t nonzeros = 0;   ///< entries of these examples
  double train_loss = 0.0;      ///< mean training loss of the returned parameters
  double objective = 0.0;       ///< of the returned parameters: what is minimised
  std::optional<double> gap{};  ///< as epoch_report has it, of the returned parameters
  std::optional<measurement> test{}, validation{};  ///< on the rows of the options, where they have any
  double step = 0.0;  ///< initial step: given, the model's, or found; of several models that make one, the first one's
  bool step_found = false;                            ///< whether `step` was searched for
  schedule_kind schedule = schedule_kind::geometric;  ///< how the step fell
  double decay = 1.0;                                 ///< by which it fell; what it means, the schedule says
  double l2 = 0.0;                                    ///< that was trained with
  column_scaling scale = column_scaling::none;        ///< by which rule columns were divided; never automatic
  std::vector<tried_l2>
      l2_tried{};               ///< where l2 was chosen by folds (train_options::l2_by_folds), those tried; or empty
  std::string first_layer{};    ///< "sparse" or "dense", where the model has both; else empty
  std::string last_layer{};     ///< "full", "sampled" or "hierarchical", where the model has all; else empty
  std::string class_loss{};     ///< "softmax" or "one_vs_rest", where the model has both; else empty
  std::size_t samples = 0;      ///< draws of a batch for a sampled last layer; else 0
  std::string sampled_by{};     ///< how it draws: "frequency", "log_uniform" or "uniform"; else empty
  double train_seconds = 0.0;   ///< see above
  double wall_seconds = 0.0;    ///< see above
  double search_seconds = 0.0;  ///< not of the run that a resumed one goes on from
  double cpu_seconds = 0.0;     ///< likewise
  /// Of an epoch, by the rule of `sharing_kind::automatic`; nothing where it was not asked or does not know.
  std::optional<double> predicted_epoch_seconds{};
  std::optional<double> seconds_to_target{};  ///< see above; nothing where there was no target, or it was not reached
  std::size_t workers_asked = 0;     ///< by the engine's options; 0: as many as this process may use were meant
  std::size_t workers = 0;           ///< that trained; where they are fewer than asked for, a note has said why
  std::uint64_t rows_lost = 0;       ///< finished rows whose changes a dead worker took along
  std::size_t workers_replaced = 0;  ///< worker processes that died and were replaced
  std::uint64_t peak_rss_bytes = 0;  ///< most memory that this process had resident so far
  /// That threads of this process waited for training rows from the disk, or took to map them, all together and
  /// measurements included; 0 where the rows fit into memory. Worker processes' own are not counted.
  double disk_wait_seconds = 0.0;
  std::optional<ring_report> ring{};         ///< of a run with several replicas in a process
  std::optional<link_report> link{};         ///< of a run of several processes on a ring
  std::optional<meeting_report> meetings{};  ///< of a synchronous run
  std::vector<device_report> devices{};      ///< that trained
  /// By column position; the bias, where there is one, last. Rounded to float for models of double too, as saved models
  /// are; losses and objective above are measured before that rounding, unless validation kept an earlier epoch's.
  std::vector<float> parameters;
  label_map labels;  ///< what the model's classes are called
  /// What the run noted until it ended, in order: the sentences of observer::on_note().
  std::vector<std::string> notes{};
};

}  // namespace hogwild
