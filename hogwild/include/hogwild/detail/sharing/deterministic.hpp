// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <hogwild/detail/control/telemetry.hpp>
#include <hogwild/detail/loop/turn_source.hpp>
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/memory/param_view.hpp>
#include <hogwild/detail/sharing/in_blocks.hpp>
#include <hogwild/detail/sharing/ruler.hpp>
#include <hogwild/detail/sharing/singleton_parameters.hpp>
#include <hogwild/model.hpp>

namespace hogwild {

/// Virtual workers, each with a replica of its own; nobody writes the shared arrays while they train, and take in what
/// all of them gained at the end of each turn, in the order of the virtual workers:
///
///   shared += gain_weight * ((replica 0 - shared) + (replica 1 - shared) + ...)
///
/// for a prefix of the columns that follows the marks of a ruler, as in replica.hpp, and for all at the end of the
/// round, but for the columns of a single row: they go with its chunk and count in full, as in replica.hpp. That prefix
/// of a replica is made anew by the worker that takes it up in the next turn: it may be in another cache. A sum is made
/// by one worker, coordinate by coordinate, so it does not matter by which, or how the coordinates are cut. All memory
/// is plain: at each moment one worker owns it, and the turn board hands it over.
template <parameter T>
class deterministic_sharing {
 public:
  using scalar_type = T;
  using view_type = param_view<T>;
  using tickets = turn_source;
  static constexpr bool replicated = true;

  /// `first_singleton`: see replica.
  deterministic_sharing(const param_store& store, std::size_t slot, std::vector<parameter_group> groups,
                        std::size_t first_singleton = no_singletons)
      : store_(store), me_(&store.slots()[slot]), groups_(std::move(groups)), first_singleton_(first_singleton) {
    for (const parameter_group& g : groups_) {
      widest_ = std::max(widest_, g.width);
    }
  }

  /// The replica of the virtual worker that this worker is at the moment.
  std::span<T> values() const { return store_.replica<T>(self_, 0); }
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
  void begin_chunk(column_range singletons) {
    singletons_ = singletons;
    for (std::size_t k = 0; k < arrays(); ++k) {
      for_singleton_parameters(
          singletons_, first_singleton_, groups_, shared(k).size(),
          [&](std::size_t first, std::size_t n) { copy(shared(k), store_.replica<T>(self_, k), first, n); });
    }
  }
  void end_chunk() const {
    for (std::size_t k = 0; k < arrays(); ++k) {
      for_singleton_parameters(
          singletons_, first_singleton_, groups_, shared(k).size(),
          [&](std::size_t first, std::size_t n) { copy(store_.replica<T>(self_, k), shared(k), first, n); });
    }
  }

  /// From here the worker is virtual worker `v`, whose replica takes in what the turn before merged: in the first turn
  /// of a round, everything.
  void become(std::size_t v, std::size_t turn) {
    self_ = v;
    for (std::size_t k = 0; k < arrays(); ++k) {
      for (const parameter_group& g : groups_) {
        const std::size_t n = merged_rows(g, {turn == 0 ? 0 : turn - 1, 0, turn == 0}) * g.width;
        copy(shared(k), store_.replica<T>(v, k), g.offset, n);
      }
    }
  }

  /// Into how many parts a merge may be cut before the cutting costs more than the work.
  std::size_t worth_slices(const merge_plan& turn) const {
    constexpr std::size_t smallest = 2048;
    std::size_t elements = 0;
    for (const parameter_group& g : groups_) elements += merged_rows(g, turn) * g.width;
    return std::clamp<std::size_t>(arrays() * elements / smallest, 1, turn_board::most_items);
  }

  /// Merges one slice of what the turn merges.
  void merge(const merge_plan& turn, const merge_slice& slice) const {
    for (std::size_t k = 0; k < arrays(); ++k) {
      for (const parameter_group& g : groups_) {
        const std::size_t n = merged_rows(g, turn) * g.width;
        const auto cut = [&](std::size_t i) { return i == slice.count ? n : n * i / slice.count / block * block; };
        const std::size_t begin = cut(slice.number);
        in_blocks(*me_, g.offset + begin, cut(slice.number + 1) - begin, [&](std::size_t first, std::size_t size) {
          for (std::size_t j = 0; j < size; j += block) merge_block(turn, k, first + j, std::min(block, size - j));
        });
      }
    }
  }

 private:
  static constexpr std::size_t block = 256;  ///< elements that stay in the nearest cache for all replicas

  void copy(std::span<const T> from, std::span<T> to, std::size_t offset, std::size_t n) const {
    in_blocks(*me_, offset, n,
              [&](std::size_t first, std::size_t size) { std::copy_n(from.data() + first, size, to.data() + first); });
  }

  std::size_t arrays() const { return 1 + store_.shape().state_arrays; }
  std::span<T> shared(std::size_t k) const { return k == 0 ? store_.parameters<T>() : store_.state<T>(k - 1); }

  /// What an optimiser sums up is summed over all workers, whatever is done with the parameters; of its running means
  /// the mean is taken.
  T gain_weight_of(std::size_t k) const { return k == 0 ? gain_weight_ : state_gain_weight_; }

  std::size_t merged_rows(const parameter_group& g, const merge_plan& turn) const {
    if (!g.hot_first) return g.rows;
    if (turn.last) return std::min(g.rows, first_singleton_);
    return std::min({g.rows, first_singleton_, ruler_prefix(turn.turn + 1, widest_)});
  }

  void merge_block(const merge_plan& turn, std::size_t k, std::size_t first, std::size_t n) const {
    T* const base = shared(k).data() + first;
    std::array<T, block> gain, old;
    std::copy_n(base, n, old.data());
    for (std::size_t v = 0; v < turn.virtual_workers; ++v) {
      const T* const own = store_.replica<T>(v, k).data() + first;
      if (v == 0)
        for (std::size_t i = 0; i < n; ++i) gain[i] = own[i] - old[i];
      else
        for (std::size_t i = 0; i < n; ++i) gain[i] += own[i] - old[i];
    }
    const T gain_weight = gain_weight_of(k);
    for (std::size_t i = 0; i < n; ++i) old[i] += gain_weight * gain[i];
    std::copy_n(old.data(), n, base);
  }

  const param_store& store_;
  worker_slot* me_;
  std::vector<parameter_group> groups_;
  std::size_t first_singleton_;
  column_range singletons_{};
  std::size_t widest_ = 1;
  std::size_t self_ = 0;
  T gain_weight_ = T(1), state_gain_weight_ = T(1);
};

}  // namespace hogwild
