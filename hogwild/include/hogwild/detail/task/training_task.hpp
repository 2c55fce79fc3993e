// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/memory/private_memory.hpp>
#include <hogwild/detail/memory/update_policy.hpp>
#include <hogwild/detail/results/metrics.hpp>
#include <hogwild/detail/task/task_facts.hpp>
#include <hogwild/detail/worker/loop_options.hpp>
#include <hogwild/model.hpp>
#include <hogwild/result.hpp>

namespace hogwild {

class agreement;
class lane_loops;
class linear_classes;
struct loss_bound;
class margin_loss;
struct optimizer_start;
class param_store;
struct store_shape;
class thread_team;

/// Locks for owners of blocks of ratings: for bands of users, then for bands of items.
inline constexpr std::uint64_t owner_stripes = 128;

/// The side of a task that workers see. One virtual call a round, none inside.
class worker_side {
 public:
  /// The worker loop of one round for one worker.
  virtual void work(const worker_context& at) const = 0;

 protected:
  ~worker_side() = default;
};

/// All lists of the rows that are measured.
inline constexpr auto all_lists = static_cast<std::size_t>(-1);

/// The side of a task that the coordinator sees: functions that it calls before the first round and between rounds,
/// while nobody trains.
class coordinator_side {
 public:
  /// Fills new parameters; called once, before any worker.
  virtual void initialise(const param_store& store) const = 0;
  /// Like initialise(), for the zero floats of one more model in the same store; does nothing if they stay 0.
  virtual void fill(std::span<float>) const {}
  /// Has the model compute the changes of a few rows, without applying them. Throws config_error if it reads or emits
  /// outside its parameters, which nobody checks while workers train.
  virtual void try_rows(const param_store&) const {}
  /// Measures `rows` under the parameters with the given scale; all measures, or the loss alone. If a stop is asked for
  /// meanwhile, the loss is not a number, and nothing else is measured. A model that orders candidates does so for at
  /// most so many `lists`.
  virtual measurement evaluate(const param_store& store, double scale, const sparse_view& rows, thread_team& threads,
                               bool all_measures, const std::stop_token& stop = {},
                               std::size_t lists = all_lists) const = 0;
  /// The smoothness of the loss (Nesterov, Introductory Lectures on Convex Optimization, 2004, section 1.2.2): the
  /// largest change of the derivative of a row's loss over one unit of its margin, found by trying margins. For models
  /// without a margin 1, which holds for the usual losses of linear scores, or 0 if it is not known, as for nets.
  virtual double smoothness() const = 0;
  /// ||w||^2 over the parameters that l2 applies to.
  virtual double squared_norm(const param_store& store, double scale, thread_team& threads) const = 0;
  /// The sum of the absolute values of the parameters that l1 applies to. Called only for tasks whose scale is 1.
  virtual double absolute_sum(const param_store&, thread_team&) const { return 0.0; }
  /// For tasks whose facts are convex: a bound of the mean loss on the rows of all ranks, made at these parameters. All
  /// ranks call it, and get the same bits, whatever the number of threads. Nothing if a stop is asked for meanwhile.
  virtual std::optional<loss_bound> bound(std::span<const float> /*parameters*/, thread_team&, const agreement&,
                                          const std::stop_token&) const;
  /// Called at the end of epoch `epoch`, which counts from 1 and had this step: applies the part of l1 that is left to
  /// the gate, or computes ftrl's weights from its sums, whichever workers added to them.
  virtual void settle(const param_store&, std::size_t /*epoch*/, double /*step*/, thread_team&) const {}
  /// Multiplies the scale into the stored weights: afterwards they are w, and the scale is 1.
  virtual void fold(const param_store& store, double scale, thread_team& threads) const = 0;
  /// A copy of the parameters as float, the scale multiplied in.
  virtual std::vector<float> parameters_of(const param_store& store, double scale) const = 0;

 protected:
  ~coordinator_side() = default;
};

/// A model with its data and the options that were asked for: an engine runs it without knowing what it is. Nothing
/// changes it once it is made: a run's decisions are in its loop_plan, and training changes the store.
class training_task : public worker_side, public coordinator_side {
 public:
  training_task(task_facts facts, const sparse_view& data, label_map labels, const loop_options& options)
      : facts_(std::move(facts)), data_(data), labels_(std::move(labels)), options_(options) {}
  virtual ~training_task() = default;

  const task_facts& facts() const { return facts_; }
  const sparse_view& data() const { return data_; }
  const label_map& labels() const { return labels_; }
  /// The options that were asked for.
  const loop_options& options() const { return options_; }
  /// The loss of a margin model; null for other models.
  virtual const margin_loss* margin() const { return nullptr; }
  /// The model, if its scores of several classes are linear in the columns; null for other models.
  virtual const linear_classes* classes() const { return nullptr; }
  /// How several of its models are trained side by side under the options; null if they are not.
  virtual const lane_loops* lanes() const { return nullptr; }
  /// Rows of all processes that train the model together.
  std::uint64_t all_rows() const { return options_.all_rows > 0 ? options_.all_rows : data_.rows(); }

  /// How much a hit of each class counts in propensity-scored measures; empty if the rows of classes are not counted.
  std::vector<double> inverse_propensities_of_rows() const {
    return inverse_propensities(data_.class_rows, all_rows());
  }

  /// With l2 in two passes (l2_form): the fraction by which a row shrinks the weight of a column that no other row has.
  /// Else 0.
  double two_pass_shrink(double step) const {
    if (!facts_.margin || options_.form != l2_form::two_pass) return 0.0;
    return step * options_.l2 * static_cast<double>(all_rows());
  }

  /// The plan of a run under these options: how the rows are cut into chunks. With ownership::blocks it makes a pass
  /// over all rows, and throws input_error for one that is no rating.
  loop_plan plan(const loop_options& decided) const;
  /// The same under the options that were asked for.
  loop_plan plan() const { return plan(options_); }

  /// Memory for the store of threads that do this task; empty: any.
  virtual memory_source store_memory() const { return {}; }

  /// The same model and options on other rows with the same columns, for a trial that other processes take no part in.
  virtual std::unique_ptr<training_task> on(const sparse_view& rows) const = 0;

  /// initialise(), then try_rows() on the new parameters.
  void begin(const param_store& store) const;
  /// Applies train_options::initial and initial_state, either of which may be empty, to parameters that nobody has
  /// trained yet.
  void change(const param_store& store, const std::function<void(std::span<float>)>& initial,
              const optimizer_start& state) const;
  /// Stores a copy of parameters back; the scale is then 1.
  void assign(const param_store& store, std::span<const float> parameters) const;

  /// Slots for `workers` workers and `spare` late joiners.
  store_shape shape(const loop_plan& plan, std::size_t workers, std::size_t spare, std::size_t setup_bytes) const;

 protected:
  /// The options for a trial.
  loop_options options_alone() const;

  task_facts facts_;
  sparse_view data_;
  label_map labels_;
  loop_options options_;
};

/// The penalty that regularisation adds to the mean loss: l1 ||w||_1 + l2 / 2 ||w||^2.
double penalty_of(const training_task& task, const param_store& store, double scale, thread_team& threads);

/// Throws config_error unless the groups cover every parameter once: replicas exchange what groups name.
void require_cover(std::vector<parameter_group> groups, std::size_t parameters);

/// Calls f.operator()<Update>() with the update policy that `kind` names.
template <class F>
void with_update(update_kind kind, const F& f) {
  switch (kind) {
    case update_kind::exact:
      return f.template operator()<update::exact>();
    case update_kind::locked:
      return f.template operator()<update::locked>();
    case update_kind::lossy:
    case update_kind::edge_locked:  // the example is locked (exclusive.hpp), not its adds
    case update_kind::ordered:
      break;
  }
  f.template operator()<update::lossy>();
}

}  // namespace hogwild
