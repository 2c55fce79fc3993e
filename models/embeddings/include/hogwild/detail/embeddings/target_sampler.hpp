// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/math/alias_table.hpp>
#include <hogwild/detail/math/random.hpp>

namespace hogwild {

/// Draws negative targets in proportion to count^power: uniformly if the power is 0. Never changed, so any number of
/// threads may use it.
class target_sampler {
 public:
  /// For targets 0 .. targets - 1, which occur `counts` times; without counts all are equally likely. A target that
  /// does not occur counts as if it occurred once, so that every one can be drawn; unless `all` is true, it
  /// is not drawn.
  target_sampler(std::size_t targets, std::span<const std::uint32_t> counts, double power, bool all = true);

  /// A target, by 64 random bits.
  std::uint32_t draw(std::uint64_t bits) const {
    if (table_.empty()) return static_cast<std::uint32_t>((bits >> 32) * targets_ >> 32);
    return draw_from(table_, bits);
  }
  /// -log of the chance with which a target is drawn.
  float rarity(std::size_t target) const {
    return rarity_.empty() ? std::log(static_cast<float>(targets_)) : rarity_[target];
  }

 private:
  std::uint64_t targets_;
  std::vector<alias_column> table_;  ///< empty: uniform
  std::vector<float> rarity_;
};

/// The positive targets of each source, ascending, each once: to leave them out among negative ones. Never changed.
class known_targets {
 public:
  /// Of the rows whose entries are a column below `sources` and one of the `targets` columns that follow these. Rows
  /// with other entries are passed over.
  known_targets(const sparse_view& rows, std::size_t sources, std::size_t targets);

  std::span<const std::uint32_t> of(std::size_t source) const {
    return std::span(target_).subspan(begin_[source], begin_[source + 1] - begin_[source]);
  }
  /// Fetches the beginning of of(source) into the cache.
  [[gnu::always_inline]] void prefetch(std::size_t source) const {
    constexpr std::size_t line = 64 / sizeof(std::uint32_t), lines = 4;
    const std::span<const std::uint32_t> known = of(source);
    for (std::size_t k = 0; k < known.size() && k < lines * line; k += line) __builtin_prefetch(&known[k]);
  }
  /// Whether a target is among those of a source. Nearly always the filter tells that a drawn one is not.
  bool contains(std::size_t source, std::uint32_t target) const {
    const std::uint64_t hash = mix_bits(source << 32 | target), bits = bits_of(hash);
    return (filter_[hash >> filter_shift_] & bits) == bits && std::ranges::binary_search(of(source), target);
  }

 private:
  /// Two bits of a word, by the low bits of a hash.
  static constexpr std::uint64_t bits_of(std::uint64_t hash) {
    return std::uint64_t{1} << (hash & 63) | std::uint64_t{1} << (hash >> 6 & 63);
  }

  std::vector<std::size_t> begin_;  ///< one more than there are sources
  std::vector<std::uint32_t> target_;
  /// Two bits for each pair of a source and a target, in the word that the high bits of its hash name (Bloom,
  /// Space/time trade-offs in hash coding with allowable errors, 1970).
  std::vector<std::uint64_t> filter_;
  unsigned filter_shift_ = 63;
};

/// Finds the places of a target among those that a block has drawn, of which some may be equal.
class drawn_targets {
 public:
  explicit drawn_targets(std::size_t most);

  void clear();
  /// Adds the target at the next place.
  void add(std::uint32_t target);
  std::span<const std::uint32_t> all() const { return target_; }

  /// Calls f(place) for each place of the target.
  template <class F>
  void for_places(std::uint32_t target, const F& f) const {
    // Nearly all targets that are looked up have not been drawn, and this branch foresees it.
    const std::uint32_t hash = hash_of(target);
    if ((bits_[hash >> bits_shift_ >> 6] >> (hash >> bits_shift_ & 63) & 1) == 0) return;
    for (std::uint32_t at = heads_[slot(target)]; at != none; at = next_[at])
      if (target_[at] == target) f(std::size_t{at});
  }

 private:
  static constexpr std::uint32_t none = 0xffffffff;
  static constexpr std::uint32_t hash_of(std::uint32_t target) { return target * 0x9e3779b1u; }
  std::size_t slot(std::uint32_t target) const { return hash_of(target) >> shift_; }

  unsigned shift_, bits_shift_;
  std::vector<std::uint32_t> heads_, next_, target_;
  std::vector<std::uint64_t> bits_;  ///< a bit for each hash's first digits, 64 to 128 for each target
};

}  // namespace hogwild
