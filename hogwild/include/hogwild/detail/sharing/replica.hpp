// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hogwild/detail/control/telemetry.hpp>
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/memory/param_view.hpp>
#include <hogwild/detail/sharing/half_parameters.hpp>
#include <hogwild/detail/sharing/private.hpp>
#include <hogwild/model.hpp>

namespace hogwild {

class exchange_hook;
class worker_memory;

/// One worker's replica of the shared arrays (parameters, then optimiser state), and the rules of when it exchanges
/// which part.
///
/// Columns are ordered by popularity, so that most changes of a worker lie in a short prefix. As with the marks of a
/// ruler, every exchange covers a short prefix of the columns, every second one twice as many, every fourth four times
/// as many, until all are covered: popular columns are exchanged each time, rare ones logarithmically rarely. Groups
/// that are not ordered by popularity are exchanged whole each time.
///
/// Singleton columns need no exchange: the worker that holds the chunk with their row loads them before it and stores
/// them after it; nobody else uses them.
///
/// Factors may be stored as halves (half_parameters.hpp), which halves the memory of `work` and `base`; only under
/// lossy updates.
///
/// An exchange never waits: it adds the gains since the last one and reads the shared values. Under update_kind::exact
/// no gain is lost; under lossy a gain that another one overtakes may be. Belongs to one worker.
///
/// This class decides when and what is exchanged; a derived class moves arrays that the host cannot reach.
template <parameter T>
class replica : public private_arrays<T> {
 public:
  /// `groups` say which parts of the arrays are ordered by popularity; at most the first `head` parameters are held.
  /// Positions from `first_singleton` on are singleton columns, each touched by its row alone; no_singletons if a row
  /// may touch others. `hook` is told of each exchange. `halves`: only if all of a model of floats is held, and there
  /// are no singletons.
  replica(const param_store& store, std::size_t slot, worker_memory& memory, std::vector<parameter_group> groups,
          std::size_t head, std::size_t first_singleton, update_kind update, exchange_hook* hook = nullptr,
          stored_halves halves = {});

  /// How many arrays of its worker's memory it takes, each as long as the held part: two for each of the store's.
  static constexpr std::size_t arrays_of(std::size_t state_arrays) { return 2 * (1 + state_arrays); }

  /// Fetches everything: changes that the others, or the coordinator (by a fold, say), made between the rounds.
  void begin_round(const round_plan& round) override;

  /// Called before and after training the rows that alone have the columns `singletons`. Nobody else adds to these
  /// columns, so their values are copied both ways and count in full, whatever the round's gain weight. A worker that
  /// is taken for dead must not call end_chunk(). A worker that was stopped inside it restores its own values of these
  /// columns when it goes on.
  bool moves_singletons() const override { return true; }
  void begin_chunk(column_range singletons) override;
  void end_chunk() const override;

  std::vector<parameter_run> due() const override;

  /// Sends all remaining gains; the next round's begin fetches those of the others.
  void end_round() override { send(columns_, true); }

 protected:
  /// Three forms of one array; if only a head is held, `shared` is longer than the other two.
  struct array {
    std::span<T> shared;  ///< of all workers
    std::span<T> work;    ///< the worker's own
    std::span<T> base;    ///< values at the last exchange
    stored_halves halves{};

    /// How many parameters are held.
    std::size_t held() const { return work.size() + halves.count / 2; }
  };

  /// For arrays that the host cannot reach: values() has none, and nothing is sampled.
  replica(worker_slot& me, std::size_t slot, std::vector<array> beyond_the_host, std::vector<parameter_group> groups,
          update_kind update, exchange_hook* hook);

  update_kind update() const { return update_; }
  worker_slot& slot() const { return me_; }

  /// Like param_view::fetch(), for these parameters of an array.
  virtual void fetch(const array& of, parameter_run run);
  /// Like param_view::exchange() for them, or like param_view::send() at the last exchange of a round.
  virtual void meet(const array& of, parameter_run run, T gain_weight, bool last);
  /// Returns when all that meet() has begun is done.
  virtual void wait_until_met() {}

 private:
  using private_arrays<T>::period_, private_arrays<T>::rows_, private_arrays<T>::values_;

  /// Workers begin their exchanges at this many different times and places.
  static constexpr std::size_t places = 8;

  replica(worker_slot& me, std::size_t slot, std::vector<array> arrays, std::vector<parameter_group> state_groups,
          std::vector<parameter_group> groups, std::size_t first_singleton, update_kind update, exchange_hook* hook);
  static std::vector<array> arrays_in(const param_store& store, worker_memory& memory, std::size_t head,
                                      stored_halves halves);

  void exchange_now(race_probe& probe) override;

  /// An optimiser's sums are summed over all workers, whatever happens to the parameters; its running means are
  /// averaged.
  T gain_weight_of(std::size_t k) const { return k == 0 ? gain_weight_ : state_gain_weight_; }

  const std::vector<parameter_group>& groups(std::size_t k) const { return k == 0 ? groups_ : state_groups_; }
  /// The held part of a group of an array; of one that is ordered by popularity the first `columns` columns only.
  static parameter_run part_of(const array& of, const parameter_group& g, std::size_t columns) {
    const std::size_t held = of.held(), offset = std::min(g.offset, held);
    const std::size_t rows = g.hot_first ? std::min(g.rows, columns) : g.rows;
    return {offset, std::min(rows * g.width, held - offset)};
  }

  template <class Visit>
  void for_singleton_values(const Visit& visit) const;
  /// Returns how many numbers were exchanged with the shared ones.
  std::size_t send(std::size_t prefix, bool last);

  template <class Sample>
  void sample_conflicts(const Sample& sample) const;

  worker_slot& me_;
  std::size_t place_;
  std::vector<parameter_group> state_groups_, groups_;
  std::vector<array> arrays_;
  update_kind update_;
  exchange_hook* hook_;
  std::size_t first_singleton_;
  column_range singletons_{};
  std::size_t columns_ = 0, widest_ = 1;
  std::uint64_t turn_ = 0;
  T gain_weight_ = T(1), state_gain_weight_ = T(1);
};

extern template class replica<float>;
extern template class replica<double>;

}  // namespace hogwild
