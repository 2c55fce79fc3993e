// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <hogwild/detail/kernels/field_kernels.hpp>

#include "kernels/factor_cells.hpp"
#include "kernels/gathered_values.hpp"
#include "kernels/row_rules.hpp"

// As in margin/loops.hpp, each instruction set's type belongs to its own file, and nothing here calls an inline
// function of other headers on floats.

namespace hogwild::detail {

/// Rows with four factors a field whose entries all have different fields, as rows of clicks do. The factors that two
/// entries have for each other are not used by a third: they are read, changed and written in place, and no room is
/// needed. Isa as in field_loops.
template <class Isa, class Factor>
class field_pairs : row_rules<Isa> {
  using row_rules<Isa>::store;
  using arrays = field_arrays_of<Factor>;
  using update = row_update<arrays>;
  using cells = factor_cells<Isa>;
  using row_chance = typename cells::row_chance;

  /// The factors of this many entries for a field: in one vector, or in several if those of Isa are narrower.
  template <std::size_t Entries>
  using factors_of = std::conditional_t<
      Entries == 1 || sizeof(typename Isa::widest) == sizeof(floats4), floats4,
      std::conditional_t<Entries == 2 || sizeof(typename Isa::widest) == sizeof(floats8), floats8, floats16>>;
  /// The number of entries whose factors are in such a vector.
  template <class Factors>
  static constexpr std::size_t held = sizeof(Factors) / sizeof(floats4);

 public:
  /// Whether the row is of this kind, and not too long.
  static bool suit(const arrays& w, const field_row& row) {
    return w.width == 4 && row.entries == row.slots && row.entries <= most_entries;
  }

  /// `row` outlives this.
  field_pairs(const arrays& w, const field_row& row) : row_(row) {
    for (std::size_t k = 0; k < row.entries; ++k) {
      const field_entry& e = row.entry[k];
      column_[k] = e.column;
      begin_[k] = e.column * w.stride;
      x_[k] = e.x;
      store(x_of_factors_ + 4 * k, floats4{} + e.x);
    }
  }

  float score(const arrays& w) const {
    sums pairs;
    for (std::size_t j = 0; j < row_.entries; ++j) {
      for_later(j, [&]<std::size_t Entries>(std::size_t k, std::size_t near, std::size_t far) {
        auto& to = pairs.template of<Entries>();
        using factors = std::remove_reference_t<decltype(to[0])>;
        for (std::size_t p = 0; p < Entries; p += held<factors>)
          to[p / held<factors>] += (x_[j] * loaded<factors>(x_of_factors_ + 4 * (k + p))) *
                                   cells::template load<factors>(w.factors + near + 4 * p) *
                                   far_loaded<factors>(w.factors + far, begin_ + k + p);
      });
    }
    float linear = *w.bias;
    floats8 many{};
    std::size_t k = 0;
    for (; k + width <= row_.entries; k += width) many += gathered(w.weights, column_ + k) * loaded(x_ + k);
    for (; k < row_.entries; ++k) linear += w.weights[column_[k]] * x_[k];
    return (linear + total(many)) + pairs.sum();
  }

  /// Meanwhile announce(k) is called for each entry, with equally many pairs between two calls.
  template <bool L2, class Rule, class Announce>
  void train(const update& u, const Rule& rule, const row_chance& chance, float slope, const Announce& announce) const {
    const float l2 = rule.l2_factor(u.l2);
    const std::size_t n = row_.entries, pairs = n * (n - 1) / 2;
    std::size_t announced = 0, done = 0;
    for (std::size_t j = 0; j < n; ++j) {
      for (; announced * pairs <= done * n && announced < n; ++announced) announce(announced);
      for_later(j, [&]<std::size_t Entries>(std::size_t k, std::size_t near, std::size_t far) {
        using factors = factors_of<Entries>;
        for (std::size_t p = 0; p < Entries; p += held<factors>)
          change<L2>(u, rule, chance, near + 4 * p, far, begin_ + k + p,
                     (slope * x_[j]) * loaded<factors>(x_of_factors_ + 4 * (k + p)), l2);
      });
      done += n - 1 - j;
    }
    typename row_rules<Isa>::template entries<std::uint32_t, float> z;
    z.index = column_, z.value = x_, z.size = n;
    row_rules<Isa>::template change_weights<L2>(u, rule, z, slope);
  }

 private:
  static constexpr std::size_t most_entries = 128;

  /// Sums of products, as many at once as there are entries.
  struct sums {
    factors_of<4> four[4 / held<factors_of<4>>]{};
    factors_of<2> two[2 / held<factors_of<2>>]{};
    floats4 one[1]{};

    template <std::size_t Entries>
    auto& of() {
      if constexpr (Entries == 4)
        return four;
      else if constexpr (Entries == 2)
        return two;
      else
        return one;
    }
    float sum() const {
      floats8 parts[3];
      __builtin_memcpy(parts, four, sizeof four);
      __builtin_memcpy(parts + 2, two, sizeof two);
      return (total(parts[0]) + total(parts[1])) + (total(parts[2]) + total(one[0]));
    }
  };

  /// Calls visit.operator()<Entries>(k, near, far) for groups of entries from k on that together are all entries after
  /// j. `near` is where j's factors for them begin, and `far` the offset of each one's factors for j from its own
  /// begin.
  template <class Visit>
  void for_later(std::size_t j, const Visit& visit) const {
    const std::size_t far = std::size_t{row_.entry[j].field} * 4;
    for (std::size_t r = 0; r < row_.runs; ++r) {
      const field_run& run = row_.run[r];
      const std::size_t near = begin_[j] + (std::size_t{run.field} - run.slot) * 4, end = run.slot + run.fields;
      std::size_t k = run.slot > j ? run.slot : j + 1;
      for (; k + 4 <= end; k += 4) visit.template operator()<4>(k, near + 4 * k, far);
      if (k + 2 <= end) {
        visit.template operator()<2>(k, near + 4 * k, far);
        k += 2;
      }
      if (k < end) visit.template operator()<1>(k, near + 4 * k, far);
    }
  }

  /// Changes the factors that entry j and the entries of a Factors vector have for each other. by: the entries' x, and
  /// the slope times that of j.
  template <bool L2, class Rule, class Factors>
  static void change(const update& u, const Rule& rule, const row_chance& chance, std::size_t near, std::size_t far,
                     const std::size_t* begin, Factors by, float l2) {
    Factor* const w = u.to.factors;
    float* const s = u.sums.factors;
    const Factors a = cells::template load<Factors>(w + near), b = far_loaded<Factors>(w + far, begin);
    Factors sum_a{}, sum_b{};
    if constexpr (Rule::sums) sum_a = loaded<Factors>(s + near), sum_b = far_loaded<Factors>(s + far, begin);
    chance.store(w, near, rule.template change<L2>(a, by * b, Factors{} + l2, sum_a));
    far_store(chance, w, far, begin, rule.template change<L2>(b, by * a, Factors{} + l2, sum_b));
    if constexpr (Rule::sums) {
      store(s + near, sum_a);
      far_store(chance, s, far, begin, sum_b);
    }
  }

  /// Loads four numbers at each of the begins of a Factors vector.
  template <class Factors, class T>
  static Factors far_loaded(const T* from, const std::size_t* begin) {
    if constexpr (held<Factors> == 1)
      return cells::template load<Factors>(from + begin[0]);
    else if constexpr (held<Factors> == 2)
      return joined(far_loaded<floats4>(from, begin), far_loaded<floats4>(from, begin + 1));
    else
      return joined(far_loaded<floats8>(from, begin), far_loaded<floats8>(from, begin + 2));
  }
  template <class Factors, class T>
  static void far_store(const row_chance& chance, T* to, std::size_t far, const std::size_t* begin, Factors value) {
    if constexpr (held<Factors> == 1) {
      chance.store(to, far + begin[0], value);
    } else {
      far_store(chance, to, far, begin, lower(value));
      far_store(chance, to, far, begin + held<Factors> / 2, upper(value));
    }
  }

  const field_row& row_;
  std::size_t begin_[most_entries];  ///< of an entry's factors
  std::uint32_t column_[most_entries];
  float x_[most_entries];
  alignas(64) float x_of_factors_[4 * most_entries];
};

}  // namespace hogwild::detail
