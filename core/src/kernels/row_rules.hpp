// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <hogwild/detail/kernels/row_batch.hpp>

#include "kernels/lanes.hpp"

// What the loops of row kernels have in common. As in margin/loops.hpp an instruction set is a type of its own file,
// and nothing here calls an inline function of other headers on floats.

namespace hogwild::detail {

/// Isa has load_one(value) and load(value), of a float or a half, as for margin_loops.
template <class Isa>
struct row_rules {
  template <class Floats>
  static void store(float* to, Floats value) {
    __builtin_memcpy(to, &value, sizeof value);
  }
  template <class Floats = lanes>
  static Floats splat(float x) {
    return Floats{} + x;
  }

  /// Optimisers: what a partial does to one parameter, or to a vector of them. l2_factor() makes of the fraction of l2
  /// that an entry takes what change() is given.
  struct sgd_rule {
    static constexpr bool sums = false;
    float step;
    template <class T>
    T l2_factor(T fraction) const {
      return 1.0f / (1.0f + step * fraction);
    }
    template <bool L2, class T>
    T change(T w, T g, T factor, T&) const {
      w -= step * g;
      return L2 ? w * factor : w;
    }
  };
  class adagrad_rule {
   public:
    static constexpr bool sums = true;

    explicit adagrad_rule(float step) : c0_(1.88242027f * step), c1_(1.26382637f * step), c2_(0.38139973f * step) {}
    template <class T>
    T l2_factor(T fraction) const {
      return fraction;
    }
    template <bool L2, class T>
    T change(T w, T g, T factor, T& sum) const {
      if constexpr (L2) g += factor * w;
      sum += g * g;
      return w - g * over_root(sum + 1e-8f);
    }

   private:
    /// step / sqrt(a) within 2.4e-5 of it for normal numbers above 0; that of the largest number where a is beyond it
    /// or below 0. A first guess by the bits, then a polynomial in how far its square is off, with constants that were
    /// searched for over all a in [1, 4). The bits of numbers above 0 are in their order, below those of all else.
    template <class Floats>
    Floats over_root(Floats a) const {
      typename bits_of<Floats>::without bits;
      __builtin_memcpy(&bits, &a, sizeof bits);
      const auto largest = typename bits_of<Floats>::without{} + 0x7f7fffffu;
      bits = bits > largest ? largest : bits;
      __builtin_memcpy(&a, &bits, sizeof a);
      bits = 0x5f36c000u - (bits >> 1);
      Floats y;
      __builtin_memcpy(&y, &bits, sizeof y);
      const Floats t = (a * y) * y;
      return y * (c0_ - t * (c1_ - c2_ * t));
    }

    float c0_, c1_, c2_;
  };

  /// The entries of row i of a batch.
  template <class Index, class Value>
  struct entries {
    const Index* index = nullptr;
    const Value* value = nullptr;
    std::size_t size = 0;

    entries() = default;
    entries(const row_batch<Index, Value>& rows, std::size_t i)
        : index(rows.index + rows.begin[i]),
          value(rows.value + rows.begin[i]),
          size(static_cast<std::size_t>(rows.end[i] - rows.begin[i])) {}
  };

  /// What the partials slope * x of a row do to weights, of which a column has one.
  template <bool L2, class Arrays, class Rule, class Index, class Value>
  static void change_weights(const row_update<Arrays>& u, const Rule& rule, const entries<Index, Value>& z,
                             float slope) {
    float* const w = u.to.weights;
    float* const s = u.sums.weights;
    using many = typename Isa::entries_at_once;
    constexpr std::size_t at_once = sizeof(many) / sizeof(float);
    std::size_t k = 0;
    for (; k + at_once <= z.size; k += at_once) {
      const Index* const j = z.index + k;
      many sum{};
      if constexpr (Rule::sums) sum = Isa::gather(s, j);
      const many factor = rule.l2_factor(u.l2_of != nullptr ? Isa::gather(u.l2_of, j) : splat<many>(u.l2));
      float after[at_once], sums[at_once];
      store(after, rule.template change<L2>(Isa::gather(w, j), slope * Isa::load_entries(z.value + k), factor, sum));
      store(sums, sum);
      for (std::size_t l = 0; l < at_once; ++l) {
        w[j[l]] = after[l];
        if constexpr (Rule::sums) s[j[l]] = sums[l];
      }
    }
    for (; k < z.size; ++k) {
      const std::size_t j = z.index[k];
      float none = 0.0f;
      float& sum = Rule::sums ? s[j] : none;
      const float factor = rule.l2_factor(u.l2_of != nullptr ? u.l2_of[j] : u.l2);
      w[j] = rule.template change<L2>(w[j], slope * Isa::load_one(z.value + k), factor, sum);
    }
  }
};

}  // namespace hogwild::detail
