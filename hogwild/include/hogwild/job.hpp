// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string_view>
#include <utility>
#include <vector>

#include <hogwild/core/chunk.hpp>
#include <hogwild/core/dataset.hpp>
#include <hogwild/core/labels.hpp>
#include <hogwild/core/model.hpp>
#include <hogwild/core/param_store.hpp>
#include <hogwild/core/private_memory.hpp>
#include <hogwild/loop_options.hpp>
#include <hogwild/result.hpp>
#include <hogwild/sharing/neighbours.hpp>
#include <hogwild/team.hpp>

namespace hogwild {

/// Locks of the owners of blocks of ratings: for bands of users, then for bands of items.
inline constexpr std::uint64_t owner_stripes = 128;

/// A model with its data and the options of its inner loop: what an engine runs without knowing what it is. One virtual
/// call a round, none inside. A job is not changed by running it; what changes is in the store.
class job {
 public:
  job(const sparse_view& data, label_map labels, const loop_options& options)
      : data_(data), labels_(std::move(labels)), options_(options), plan_(chunks_of(data, options)) {}
  virtual ~job() = default;

  const sparse_view& data() const { return data_; }
  const label_map& labels() const { return labels_; }
  const loop_options& options() const { return options_; }
  const chunk_plan& plan() const { return plan_; }
  /// How many of `workers` train: no more than there are chunks. In lockstep one without rows takes part all the same,
  /// and what the run ends with depends on it.
  std::size_t who_train(std::size_t workers) const {
    const bool in_lockstep = options_.sharing == sharing_kind::gathered || options_.sharing == sharing_kind::averaged;
    return in_lockstep ? workers : std::min(workers, plan_.count());
  }
  /// Rows of all processes that train the model together.
  std::uint64_t all_rows() const { return options_.all_rows > 0 ? options_.all_rows : data_.rows(); }

  /// For a trial that other processes take no part in.
  void train_alone() { options_.all_rows = 0; }
  /// At most so many rows see the same weights.
  void limit_batch(std::uint32_t rows) { options_.batch = std::min(options_.batch, std::max(rows, 1u)); }
  /// Who gets which rows; decided before anybody is hired.
  void deal(sharding shards) { options_.shards = shards; }
  /// Where workers read and write; decided after the job was made, before anybody is hired for it.
  void share(sharing_kind kind, const exchange_options& exchange) {
    options_.sharing = kind;
    options_.exchange = exchange;
    plan_ = chunks();
  }
  /// Who may change rows of factors; decided as share() is. Nothing to decide for other models.
  virtual void own(ownership_kind) {}
  /// Whether there is something to decide.
  virtual bool can_own() const { return false; }

  virtual std::string_view model_name() const = 0;
  virtual std::size_t parameters() const = 0;
  virtual std::size_t scalar_bytes() const = 0;
  /// The model object for a shared segment; empty where it cannot be copied byte by byte.
  virtual std::span<const std::byte> model_bytes() const = 0;
  /// What tells the model from others of its name and size.
  virtual std::vector<double> settings() const = 0;
  /// Whether it is a margin model: hot columns may then be replicated before a shared tail.
  virtual bool margin() const = 0;
  /// How much the derivative of a row's loss changes at most over one unit of its margin (curvature.hpp); for models
  /// without a margin 1, which holds for the usual losses of linear scores, or 0 where the data do not tell, as of
  /// nets.
  virtual double steepness() const = 0;
  /// Whether the objective may rise though nothing is wrong, as that of a cut, which begins with all nodes alike.
  virtual bool may_rise() const { return false; }
  /// Whether the weights are stored as v with w = scale * v (scaled_l2).
  virtual bool scaled() const = 0;
  /// On how many training rows an epoch's loss is measured, the first ones; no more than there are.
  virtual std::size_t measured_rows() const { return data_.rows(); }
  /// What sharing_kind::automatic means for several workers: automatic where it depends on data and machine.
  virtual sharing_kind preferred_sharing() const { return sharing_kind::automatic; }

  /// Fills new parameters; called once, before any worker.
  virtual void initialise(const param_store& store) const = 0;
  /// Has the model say what a few rows change, without changing it. Throws config_error where it reads or emits beside
  /// its parameters, which nobody looks after while workers train. While nobody trains.
  virtual void try_rows(const param_store&) const {}
  /// The same, then tries the first rows on them.
  void begin(const param_store& store) const;
  /// What `change` does to parameters that nobody has trained yet (train_options::initial); an empty one does nothing.
  void change(const param_store& store, const std::function<void(std::span<float>)>& change) const;
  /// The worker loop of one round for the worker in `slot`, which keeps `memory` from round to round. Where the store
  /// is one replica of several, `others` hears of each exchange of the worker with it.
  virtual void work(const param_store& store, std::size_t slot, worker_memory& memory, neighbours* others) const = 0;
  /// How the parameters are grouped: together the groups cover them once.
  virtual std::vector<parameter_group> groups() const = 0;

  /// Measures `rows` under the parameters with the given scale; all measures, or the loss alone. Where a stop is asked
  /// for meanwhile the loss is no number, and there is nothing else.
  virtual measurement evaluate(const param_store& store, double scale, const sparse_view& rows, team& crew,
                               bool all_measures, const std::stop_token& stop = {}) const = 0;
  /// ||w||^2 over what l2 applies to.
  virtual double squared_norm(const param_store& store, double scale, team& crew) const = 0;
  /// Multiplies the scale into the stored weights: afterwards they are w, and the scale is 1.
  virtual void fold(const param_store& store, double scale, team& crew) const = 0;
  /// A copy of the parameters as float, the scale multiplied in.
  virtual std::vector<float> parameters_of(const param_store& store, double scale) const = 0;
  /// Stores such a copy back; the scale is then 1.
  void assign(const param_store& store, std::span<const float> parameters) const;

  /// The same model and options on other rows with the same columns.
  virtual std::unique_ptr<job> on(const sparse_view& rows) const = 0;

  template <class M>
  static std::vector<double> settings_of(const M& m) {
    if constexpr (requires { m.settings(); }) {
      const auto numbers = m.settings();
      return {numbers.begin(), numbers.end()};
    }
    return {};
  }

  /// Slots for `workers` workers and `spare` late joiners.
  store_shape shape(std::size_t workers, std::size_t spare, std::size_t setup_bytes) const;

 protected:
  /// Chunks hold whole batches, but for the turns of frozen sharing.
  void train_in_batches() {
    in_batches_ = true;
    plan_ = chunks();
  }
  /// How rows are cut into chunks under the options as they are.
  virtual chunk_plan chunks() const { return chunks_of(data_, options_); }

  sparse_view data_;
  label_map labels_;
  loop_options options_;
  bool in_batches_ = false;  // before the plan, which asks it
  chunk_plan plan_;

 private:
  /// Under frozen sharing a chunk is what a virtual worker trains in a turn.
  chunk_plan chunks_of(const sparse_view& data, const loop_options& options) const {
    if (options.sharing == sharing_kind::frozen) return {data.rows(), options.exchange.rows};
    const chunk_plan plan = chunk_plan::choose(data.rows(), data.nonzeros());
    if (!in_batches_) return plan;
    const std::size_t batch = std::max<std::size_t>(options.batch, 1);
    return {data.rows(), (plan.rows_per_chunk() + batch - 1) / batch * batch};
  }
};

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
      break;
  }
  f.template operator()<update::lossy>();
}

}  // namespace hogwild
