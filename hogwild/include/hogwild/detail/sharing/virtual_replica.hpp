// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <hogwild/detail/control/telemetry.hpp>
#include <hogwild/detail/data/singleton_columns.hpp>
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/sharing/half_parameters.hpp>
#include <hogwild/detail/sharing/private.hpp>
#include <hogwild/detail/sharing/singleton_parameters.hpp>
#include <hogwild/detail/worker/turn_source.hpp>
#include <hogwild/model.hpp>

namespace hogwild {

/// The replica of the virtual worker that a worker plays in a turn of a reproducible round; each virtual worker has
/// one, in the store. Nobody writes the shared arrays while they train. At the end of
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
class virtual_replica final : public private_arrays<T>, public virtual_replicas {
 public:
  /// `first_singleton` and `halves`: see replica; the store's replicas have as many halves. These begin as the shared
  /// values, rounded to nearest, and gain from there.
  virtual_replica(const param_store& store, std::size_t slot, std::vector<parameter_group> groups,
                  std::size_t first_singleton = no_singletons, stored_halves halves = {});

  void begin_round(const round_plan& round) override {
    gain_weight_ = static_cast<T>(round.gain_weight);
    state_gain_weight_ = static_cast<T>(round.state_gain_weight);
  }
  std::unique_ptr<ticket_source> tickets(const worker_round& at) override {
    return std::make_unique<turn_source>(at, *this);
  }
  bool changes_worker() const override { return true; }
  bool moves_singletons() const override { return true; }
  void begin_chunk(column_range singletons) override;
  void end_chunk() const override;

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

  std::span<T> shared(std::size_t k) const { return k == 0 ? store_.parameters<T>() : store_.state<T>(k - 1); }

  /// An optimiser's sums are summed over all workers, whatever happens to the parameters; its running means are
  /// averaged.
  T gain_weight_of(std::size_t k) const { return k == 0 ? gain_weight_ : state_gain_weight_; }

  const std::vector<parameter_group>& groups(std::size_t k) const { return k == 0 ? groups_ : state_groups_; }
  std::size_t merged_rows(const parameter_group& g, const merge_plan& turn) const;

  void merge_block(const merge_plan& turn, std::size_t k, std::size_t first, std::size_t n) const;

  using private_arrays<T>::values_;

  const param_store& store_;
  worker_slot* me_;
  std::vector<parameter_group> state_groups_, groups_;
  std::size_t first_singleton_;
  stored_halves halves_;
  column_range singletons_{};
  std::size_t widest_ = 1;
  T gain_weight_ = T(1), state_gain_weight_ = T(1);
};

extern template class virtual_replica<float>;
extern template class virtual_replica<double>;

}  // namespace hogwild
