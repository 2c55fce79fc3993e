// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <hogwild/detail/control/telemetry.hpp>
#include <hogwild/detail/data/singleton_columns.hpp>
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/memory/param_view.hpp>
#include <hogwild/detail/sharing/half_parameters.hpp>
#include <hogwild/detail/sharing/sharing_traits.hpp>
#include <hogwild/detail/sharing/singleton_parameters.hpp>
#include <hogwild/detail/worker/turn_source.hpp>
#include <hogwild/model.hpp>

namespace hogwild {

/// Virtual workers, each with a replica of its own. Nobody writes the shared arrays while they train. At the end of
/// each turn the shared arrays add the gains of all, in the order of the virtual workers:
///
///   shared += gain_weight * ((replica 0 - shared) + (replica 1 - shared) + ...)
///
/// for a prefix of the columns that follows the marks of a ruler, as in replica.hpp, and for all columns at the end of
/// the round. Singleton columns are excepted: they travel with their chunk and count in full, as in replica.hpp. The
/// worker that takes up a replica in the next turn makes that prefix anew, because the replica may be in another cache.
/// One worker computes each coordinate's sum, so it does not matter which worker, or how the coordinates are cut. All
/// memory is plain: at each moment one worker owns it, and the turn board hands it over.
template <parameter T>
class deterministic_sharing : public virtual_replicas {
 public:
  using scalar_type = T;
  using view_type = param_view<T>;
  using tickets = turn_source;
  static constexpr sharing_traits traits{.replicated = true, .whole_arrays = true, .has_state = true};

  /// `first_singleton` and `halves`: see replica; the store's replicas have as many halves. These begin as the shared
  /// values, rounded to nearest, and gain from there.
  deterministic_sharing(const param_store& store, std::size_t slot, std::vector<parameter_group> groups,
                        std::size_t first_singleton = no_singletons, stored_halves halves = {});

  /// The replica of the virtual worker that this worker plays, as it is stored.
  std::span<T> values() const { return store_.replica<T>(self_, 0); }
  /// Its array k of the optimiser's state; empty if there is none.
  std::span<T> state_values(std::size_t k = 0) const {
    return arrays() > k + 1 ? store_.replica<T>(self_, k + 1) : std::span<T>();
  }
  param_reader<T> reader() const { return parameters().reader(); }
  view_type parameters() const { return view_type(values()); }
  view_type state(std::size_t k) const { return view_type(store_.replica<T>(self_, k + 1)); }

  void begin_round(const round_plan& round) {
    gain_weight_ = static_cast<T>(round.gain_weight);
    state_gain_weight_ = static_cast<T>(round.state_gain_weight);
  }
  std::size_t rows_to_exchange() const { return static_cast<std::size_t>(-1); }
  void exchange(std::size_t, race_probe&) const {}
  void end_round() const {}
  bool moves_singletons() const { return true; }
  void begin_chunk(column_range singletons);
  void end_chunk() const;

  /// From now on the worker plays virtual worker `v`, whose replica takes over the columns that the turn before merged;
  /// in the first turn of a round, all.
  void become(std::size_t v, std::size_t turn) override;

  /// The most slices into which a merge is worth cutting.
  std::size_t worth_slices(const merge_plan& turn) const override;

  /// Merges one slice of a turn's merge.
  void merge(const merge_plan& turn, const merge_slice& slice) const override;

 private:
  static constexpr std::size_t block = 256;  ///< elements that stay in the nearest cache for all replicas

  void copy(std::span<const T> from, std::span<T> to, std::size_t offset, std::size_t n) const;
  /// Copies n shared parameters of array k from `offset` on, of one group, into the replica of virtual worker v.
  void begin(std::size_t v, std::size_t k, std::size_t offset, std::size_t n) const;
  /// The gains of virtual worker v's replica in n parameters of array k from `first` on, at most `block`, since they
  /// were `before`.
  void gains(std::size_t v, std::size_t k, std::size_t first, std::span<const T> before, T* gain) const;

  std::size_t arrays() const { return 1 + store_.shape().state_arrays; }
  std::span<T> shared(std::size_t k) const { return k == 0 ? store_.parameters<T>() : store_.state<T>(k - 1); }

  /// An optimiser's sums are summed over all workers, whatever happens to the parameters; its running means are
  /// averaged.
  T gain_weight_of(std::size_t k) const { return k == 0 ? gain_weight_ : state_gain_weight_; }

  std::size_t merged_rows(const parameter_group& g, const merge_plan& turn) const;

  void merge_block(const merge_plan& turn, std::size_t k, std::size_t first, std::size_t n) const;

  const param_store& store_;
  worker_slot* me_;
  std::vector<parameter_group> groups_;
  std::size_t first_singleton_;
  stored_halves halves_;
  column_range singletons_{};
  std::size_t widest_ = 1;
  std::size_t self_ = 0;
  T gain_weight_ = T(1), state_gain_weight_ = T(1);
};

extern template class deterministic_sharing<float>;
extern template class deterministic_sharing<double>;

}  // namespace hogwild
