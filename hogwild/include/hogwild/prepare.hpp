// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <hogwild/agreement.hpp>
#include <hogwild/core/kernels/margin_kernels.hpp>
#include <hogwild/core/model.hpp>
#include <hogwild/engines.hpp>
#include <hogwild/observer.hpp>
#include <hogwild/options.hpp>
#include <hogwild/training_run.hpp>
#include <hogwild/workspace_step.hpp>

namespace hogwild {

/// What train() knows of a model's type.
struct model_traits {
  label_kind labels = label_kind::real;
  bool linear = false;   ///< l2 is 1/n by default
  bool margin = false;   ///< the engine adds the bias
  bool cuts = false;     ///< its rows are edges and nodes of a graph
  bool factors = false;  ///< factors of ratings, whose blocks workers can own
  bool repeats = false;  ///< a column may stand in a row several times
  std::size_t most_batch = 1;
  training_defaults defaults{};
  std::vector<std::string> groups{};  ///< names of a free model's groups of parameters
};

template <model M>
model_traits traits_of(const M& m) {
  model_traits traits{.labels = labels_of(m), .linear = is_linear<M>(), .margin = margin_model<M>};
  traits.defaults = defaults_of<M>();
  traits.factors = factor_model<M>;
  traits.cuts = cuts_graphs<M>();
  if constexpr (requires { M::repeats; }) traits.repeats = M::repeats;
  if constexpr (free_model<M>) {
    for (const parameter_group& g : groups_of(m)) traits.groups.emplace_back(g.name);
  }
  if constexpr (margin_model<M>) traits.most_batch = batch_rows;
  if constexpr (workspace_model<M>) traits.most_batch = most_examples;
  return traits;
}

/// label_map::learn() over the rows of all ranks, which all call it.
label_map learn_labels(label_kind kind, const label_column& labels, const std::string& source, const agreement& ranks);

/// Options checked and data made ready: labels learned, validation rows held back, columns counted where needed.
/// Throws config_error and input_error. Refers to the data that it was given.
class prepared_data {
 public:
  /// `ranks`: this process and those that train with it, each on its own rows of the same columns; null: it is alone.
  prepared_data(const sparse_view& data, const train_options& options, const model_traits& traits,
                collective* ranks = nullptr);

  const sparse_view& train() const { return train_; }
  const label_map& labels() const { return labels_; }
  const loop_options& loop() const { return loop_; }
  const training_defaults& defaults() const { return defaults_; }
  const train_options& options() const { return options_; }
  collective* ranks() const { return ranks_; }
  /// When it began to check them: when train() was called.
  std::chrono::steady_clock::time_point begun() const { return begun_; }

 private:
  std::uint64_t agree_on_rows();

  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  collective* ranks_;
  train_options options_;
  sparse_view train_;
  label_map labels_;
  training_defaults defaults_;
  loop_options loop_;
  std::vector<std::uint32_t> degree_;
};

/// Everything around the epochs of one run: the search for a step, the choice of a sharing, the record, the observers.
class run_scope {
 public:
  run_scope(job& work, const prepared_data& ready);
  ~run_scope();
  run_scope(const run_scope&) = delete;
  run_scope& operator=(const run_scope&) = delete;

  /// The engine with as many workers as will train: decides where they read and write (choose.hpp).
  serial_engine staffed(serial_engine engine) {
    const search_clock searching(run_.search_seconds);
    return share_among(1), engine;
  }
  template <class Engine>
  Engine staffed(Engine engine) {
    const search_clock searching(run_.search_seconds);
    const std::size_t asked = engine.workers;
    std::size_t workers = crew_size(asked);
    if constexpr (requires { grantable(engine, workers); }) workers = granted(workers, grantable(engine, workers));
    if constexpr (requires { engine.layout(workers); })
      engine.workers = share_on_ring(workers, engine.layout(workers, why_fewer()));
    else if constexpr (requires { engine.meetings(); })
      engine.workers = share_in_lockstep(workers, engine.meetings());
    else
      engine.workers = share_among(workers);
    tell_who_trains(asked, engine.workers);
    return engine;
  }

  /// Passes a sentence on to the observers.
  note_function note() const;
  train_result run(crew& workers);

 private:
  /// Adds its life to `seconds`.
  class search_clock {
   public:
    explicit search_clock(double& seconds) : seconds_(seconds) {}
    search_clock(const search_clock&) = delete;
    search_clock& operator=(const search_clock&) = delete;
    ~search_clock() { seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

   private:
    double& seconds_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  };

  std::size_t granted(std::size_t asked, std::size_t most);
  std::string why_fewer() const;
  void tell_who_trains(std::size_t asked, std::size_t workers) const;
  std::size_t share_among(std::size_t workers);
  std::size_t share_on_ring(std::size_t workers, const ring_layout& ring);
  std::size_t share_in_lockstep(std::size_t workers, const sync_layout& meetings);
  void tell_few_steps(double steps, const sync_layout& meetings) const;
  void agree_on_schedule();
  void agree_on_exchange();
  void stretch_found_step(double rows);
  void limit_batch();
  double curvature();
  std::size_t deal_to_virtual_workers(std::size_t workers);
  std::size_t choose_among(std::size_t workers);

  job& job_;
  resolved_run run_;
  std::optional<double> curvature_;
  std::vector<std::string> idle_because_;  ///< why fewer workers train than were asked for
  bool among_ranks_ = false;               ///< other processes change the parameters too
  double delay_ = 1.0;                     ///< periods for which replicas may gain before they hear of each other
  std::unique_ptr<observer> record_;
};

}  // namespace hogwild
