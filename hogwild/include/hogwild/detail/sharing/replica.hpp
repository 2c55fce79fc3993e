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

/// One worker's replica of the shared arrays (parameters, then optimiser state), and when it exchanges how much of it.
///
/// Columns are ordered by popularity, so that most of what a worker changes lies in a short prefix. Like the marks of a
/// ruler, every exchange covers a short prefix of the columns, every second one twice as many, every fourth four times
/// as many, until all are covered: popular columns travel each time, rare ones logarithmically rarely. Groups that are
/// not ordered by popularity travel whole each time.
///
/// Columns of a single row need no exchange: whoever holds the chunk with that row loads them before it and stores them
/// after it; nobody else has a use for them.
///
/// Factors may be stored as halves (half_parameters.hpp): that takes half the memory of both, and under lossy updates
/// alone.
///
/// An exchange never waits: it adds what was gained since the last one and reads what is there. Under
/// update_kind::exact no gain is lost, under lossy one that is overtaken may be. Belongs to one worker.
///
/// When and what is exchanged is decided here; arrays that the host does not reach are moved by whoever derives.
template <parameter T>
class replica : public private_arrays<T> {
 public:
  /// `groups` say which parts of the arrays are ordered by popularity; of these, at most the first `head` parameters
  /// are held. Positions from `first_singleton` on are those of columns of a single row, each touched by that row
  /// alone; no_singletons where a row may touch others. `hook`: whom to tell of each exchange. `halves`: none but where
  /// all of a model of floats is held, and no columns are singletons.
  replica(const param_store& store, std::size_t slot, worker_memory& memory, std::vector<parameter_group> groups,
          std::size_t head, std::size_t first_singleton, update_kind update, exchange_hook* hook = nullptr,
          stored_halves halves = {});

  /// How many arrays of its worker's memory it takes, each as long as what it holds: two for each of the store's.
  static constexpr std::size_t arrays_of(std::size_t state_arrays) { return 2 * (1 + state_arrays); }

  /// Fetches everything: what the others did between the rounds, and the coordinator (a fold, say).
  void begin_round(const round_plan& round) override;

  /// Before rows are trained that alone have the columns `singletons`, and after them. Nobody else adds to these
  /// columns, so that their values are moved as they are and count in full, here, whatever the round's gain weight. A
  /// worker that is taken for dead must not call end_chunk(); one that was stopped inside it puts back, for these
  /// columns, what it had gained.
  bool moves_singletons() const override { return true; }
  void begin_chunk(column_range singletons) override;
  void end_chunk() const override;

  std::vector<parameter_run> due() const override;

  /// Sends everything that is left; what the others sent is fetched when the next round begins.
  void end_round() override { send(columns_, true); }

 protected:
  /// One of the arrays, three times: with a head alone the shared one is longer.
  struct array {
    std::span<T> shared;  ///< of all workers
    std::span<T> work;    ///< the worker's own
    std::span<T> base;    ///< as they were at the last exchange
    stored_halves halves{};

    /// How many parameters are held.
    std::size_t held() const { return work.size() + halves.count / 2; }
  };

  /// Of arrays that the host does not reach: values() has none, and nothing is sampled.
  replica(worker_slot& me, std::size_t slot, std::vector<array> beyond_the_host, std::vector<parameter_group> groups,
          update_kind update, exchange_hook* hook);

  update_kind update() const { return update_; }
  worker_slot& slot() const { return me_; }

  /// What param_view::fetch() does to these parameters of an array.
  virtual void fetch(const array& of, parameter_run run);
  /// What param_view::exchange() does to them, or, where it is the round's last time, param_view::send().
  virtual void meet(const array& of, parameter_run run, T gain_weight, bool last);
  /// Returns when what meet() was called for is done.
  virtual void wait_until_met() {}

 private:
  using private_arrays<T>::period_, private_arrays<T>::rows_, private_arrays<T>::values_;

  /// Workers begin their exchanges at as many different times and places.
  static constexpr std::size_t places = 8;

  replica(worker_slot& me, std::size_t slot, std::vector<array> arrays, std::vector<parameter_group> groups,
          std::size_t first_singleton, update_kind update, exchange_hook* hook);
  static std::vector<array> arrays_in(const param_store& store, worker_memory& memory, std::size_t head,
                                      stored_halves halves);

  void exchange_now(race_probe& probe) override;

  /// What an optimiser sums up is summed over all workers, whatever is done with the parameters; of its running means
  /// the mean is taken.
  T gain_weight_of(std::size_t k) const { return k == 0 ? gain_weight_ : state_gain_weight_; }

  /// What is held of a group, and of one that is ordered by popularity no columns but the first `columns`.
  parameter_run part_of(const parameter_group& g, std::size_t columns) const {
    const std::size_t held = arrays_[0].held(), offset = std::min(g.offset, held);
    const std::size_t rows = g.hot_first ? std::min(g.rows, columns) : g.rows;
    return {offset, std::min(rows * g.width, held - offset)};
  }

  template <class Visit>
  void for_singleton_values(const Visit& visit) const;
  /// How many numbers met their shared ones.
  std::size_t send(std::size_t prefix, bool last);

  template <class Sample>
  void sample_conflicts(const Sample& sample) const;

  worker_slot& me_;
  std::size_t place_;
  std::vector<parameter_group> groups_;
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
