// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hogwild/detail/model/kernel_models.hpp>
#include <hogwild/detail/task/training_task.hpp>
#include <hogwild/model.hpp>
#include <hogwild/options.hpp>

namespace hogwild {

enum class row_kind : std::uint8_t;

class agreement;
class collective;
class run_notes;
struct validation_split;

/// The facts about a model's type that train() uses.
struct model_traits {
  std::string_view name{};
  std::vector<std::pair<std::string, double>> numbers{};  ///< as in task_facts
  std::vector<double> hyperparameters{};                  ///< likewise
  label_kind labels = label_kind::real;
  bool linear = false;                    ///< defaults depend on the size of the entries
  bool margin = false;                    ///< the engine adds the bias
  bool convex = false;                    ///< declares that its mean loss is convex
  bool lanes = false;                     ///< several can be trained side by side
  bool cuts = false;                      ///< its rows are edges and nodes of a graph
  bool factors = false;                   ///< factors of ratings, whose blocks workers can own
  bool repeats = false;                   ///< a column may occur several times in a row
  bool workspace = false;                 ///< takes several examples at once
  bool lists = false;                     ///< takes rows with lists of labels
  bool weights = true;                    ///< takes weighted rows
  bool offsets = false;                   ///< takes rows with offsets
  bool draws = false;                     ///< draws parameters that it touches besides its row's
  std::optional<row_kind> measured_as{};  ///< its rows, if the model measures places in an order by itself
  bool init_by_rows = false;              ///< initial parameters depend on the rows and on how many each class has
  bool init_by_labels = false;            ///< and on what the labels of these rows are
  training_defaults defaults{};
  std::vector<std::string> groups{};  ///< names of a free model's groups of parameters
};

template <model M>
model_traits traits_of(const M& m) {
  model_traits traits{.name = model_name<M>(),
                      .numbers = named_numbers_of(m),
                      .hyperparameters = hyperparameters_of(m),
                      .labels = labels_of(m),
                      .linear = is_linear<M>(),
                      .margin = margin_model<M>};
  traits.convex = is_convex<M>();
  traits.lanes = margin_model<M> || row_kernel_model<M>;
  traits.defaults = defaults_of<M>();
  traits.factors = factor_model<M>;
  traits.cuts = cuts_graphs<M>();
  if constexpr (requires { M::repeats; }) traits.repeats = M::repeats;
  if constexpr (free_model<M>) {
    for (const parameter_group& g : groups_of(m)) traits.groups.emplace_back(g.name);
  }
  traits.workspace = workspace_model<M>;
  if constexpr (general_model<M>) traits.draws = draws_numbers<M>;
  if constexpr (free_model<M>) traits.init_by_rows = init_by_rows<M>, traits.init_by_labels = init_by_labels<M>;
  if constexpr (orders_candidates<M>) traits.measured_as = M::measured_as;
  traits.lists = takes_lists<M>();
  traits.weights = takes_weights<M>();
  traits.offsets = takes_offsets<M>();
  return traits;
}

/// The schedule that is given, else the default: for ftrl a constant step, for others the model's.
inline schedule_kind schedule_of(const train_options& o, const training_defaults& defaults) {
  const bool ftrl = o.optimizer.value_or(defaults.optimizer) == optimizer_kind::ftrl;
  return o.step.kind.value_or(ftrl ? schedule_kind::constant : defaults.schedule);
}

/// label_map::learn() over the rows of all ranks, which all call it.
label_map learn_labels(label_kind kind, const label_column& labels, const std::string& source, const agreement& ranks);

/// The map of the declared labels; rows must not have others. Throws config_error if the declared labels do not suit
/// the kind, and input_error if rows have others.
label_map declared_labels(label_kind kind, const std::vector<double>& values, const sparse_view& rows,
                          const std::string& source);

/// Throws input_error or config_error if a model of these traits cannot be trained on the rows, which `source` names:
/// entries, weights, offsets, lists of labels.
void require_trainable(const sparse_view& rows, const std::string& source, const train_options& options,
                       const model_traits& traits);

namespace detail {

/// Throws config_error for options that are out of range, or incompatible with each other or with the model: all checks
/// that need no rows.
void check_options(const train_options& options, const model_traits& traits);
/// The same for options that a stream does not take.
void check_stream_options(const train_options& options, const model_traits& traits);
/// Says by which measure epochs are compared, where that is left to the library, once rows are held back: an empty
/// train_options::stop_by then is the loss. Throws config_error if the validation rows do not have the measure.
void choose_comparison(train_options& options, const model_traits& traits);

/// Throws config_error if step * l2 is 1 or more, for weights that are stored with a scale (scaled_l2).
void require_below_one(double step_l2);

}  // namespace detail

/// Checks options and prepares data: learns labels, holds validation rows back, counts columns if needed. Several ranks
/// first compare what they train. Throws config_error and input_error. Refers to the data that it was given, or, if it
/// holds rows back, to copies of its own.
class prepared_data {
 public:
  /// `ranks`: this process and the others that train with it, each on its own rows of the same columns; null: it is
  /// alone.
  prepared_data(const sparse_view& data, const train_options& options, const model_traits& traits,
                collective* ranks = nullptr);
  prepared_data(prepared_data&&) = default;  // not copyable: the rows refer to its own counts

  const sparse_view& train() const { return train_; }
  const label_map& labels() const { return labels_; }
  const loop_options& loop() const { return loop_; }
  const training_defaults& defaults() const { return defaults_; }
  const train_options& options() const { return options_; }
  collective* ranks() const { return ranks_; }
  /// The last of the options' observers: it keeps the run's notes.
  const std::shared_ptr<run_notes>& notes() const { return notes_; }
  /// When the checks began: when train() was called.
  std::chrono::steady_clock::time_point begun() const { return begun_; }
  /// The CPU time of this process and its children at that time.
  std::chrono::nanoseconds cpu_begun() const { return cpu_begun_; }

 private:
  void hold_back(const model_traits& traits);
  std::uint64_t agree_on_rows();
  void follow_entries(std::uint64_t all_rows);
  void follow_squares(std::uint64_t all_rows);
  void weigh_rows(const model_traits& traits);

  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::chrono::nanoseconds cpu_begun_;
  collective* ranks_;
  train_options options_;
  std::shared_ptr<run_notes> notes_;
  std::shared_ptr<const validation_split> split_;  ///< rows that it holds back, and the others; null: none held back
  sparse_view train_;
  label_map labels_;
  training_defaults defaults_;
  loop_options loop_;
  std::vector<std::uint32_t> degree_, class_rows_;
  std::vector<float> train_weights_, test_weights_, validation_weights_;
};

/// A model on its data, checked and ready for an engine.
struct prepared_task {
  prepared_data data;
  std::unique_ptr<const training_task> task;
};

}  // namespace hogwild
