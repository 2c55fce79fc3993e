// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <hogwild/detail/kernels/row_batch.hpp>

#include "kernels/gathered_values.hpp"

// The common part of the loops of row kernels. As in margin/loops.hpp, each instruction set's type belongs to its own
// file, and nothing here calls an inline function of other headers on floats.

namespace hogwild::detail {

/// Rows are read from memory once a pass, in two streams that the processor's own prefetcher does not follow fast
/// enough. So the loops of the dots prefetch this many entries ahead. Prefetching past the end of a mapping is
/// harmless.
inline constexpr std::size_t entries_ahead = 1024;

/// Isa has load_one(value) and load(value), for a float or a half, as for margin_loops.
template <class Isa>
struct row_rules {
  template <class Floats>
  static void store(float* to, Floats value) {
    __builtin_memcpy(to, &value, sizeof value);
  }
  template <class Floats = floats8>
  static Floats splat(float x) {
    return Floats{} + x;
  }

  /// by / sqrt(a), with a relative error of at most 2.4e-5 for normal numbers above 0. If a is infinite, NaN or below
  /// 0, the result is that of the largest number. Computes a first guess from the bits, then a polynomial in the error
  /// of its square, with constants from a search over all a in [1, 4), in two parts that do not depend on each other.
  /// The bits of positive numbers are in their order, below those of all others.
  template <class By>
  class over_root_of {
   public:
    explicit over_root_of(By by) : c0_(1.88242027f * by), c1_(1.26382637f * by), c2_(0.38139973f * by) {}

    template <class Floats>
    Floats operator()(Floats a) const {
      typename bits_of<Floats>::without bits;
      __builtin_memcpy(&bits, &a, sizeof bits);
      const auto largest = typename bits_of<Floats>::without{} + 0x7f7fffffu;
      bits = bits > largest ? largest : bits;
      __builtin_memcpy(&a, &bits, sizeof a);
      bits = 0x5f36c000u - (bits >> 1);
      Floats y;
      __builtin_memcpy(&y, &bits, sizeof y);
      const Floats t = (a * y) * y;
      return y * ((c0_ - c1_ * t) + c2_ * (t * t));
    }

   private:
    By c0_, c1_, c2_;
  };
  using over_root = over_root_of<float>;

  /// Optimisers: how a partial changes one parameter, or a vector of them, with one step for all, or one for each.
  /// l2_factor() turns the fraction of l2 for an entry into the argument of change(). A change has two halves:
  /// partial() returns the whole gradient, and adds to the sum; moved() returns the new parameter.
  template <class Step>
  struct sgd_rule_of {
    static constexpr bool sums = false;
    Step step;
    template <class T>
    T l2_factor(T fraction) const {
      return 1.0f / (1.0f + step * fraction);
    }
    template <bool L2, class T>
    T partial(T, T g, T, T&) const {
      return g;
    }
    template <bool L2, class T>
    T moved(T w, T g, T factor, T) const {
      w -= step * g;
      return L2 ? w * factor : w;
    }
    template <bool L2, class T>
    T change(T w, T g, T factor, T& sum) const {
      return moved<L2>(w, g, factor, sum);
    }
  };
  template <class Step>
  class adagrad_rule_of {
   public:
    static constexpr bool sums = true;

    explicit adagrad_rule_of(Step step) : over_root_(step) {}
    template <class T>
    T l2_factor(T fraction) const {
      return fraction;
    }
    template <bool L2, class T>
    T partial(T w, T g, T factor, T& sum) const {
      if constexpr (L2) g += factor * w;
      sum += g * g;
      return g;
    }
    template <bool L2, class T>
    T moved(T w, T g, T, T sum) const {
      return w - g * over_root_(sum + 1e-8f);
    }
    template <bool L2, class T>
    T change(T w, T g, T factor, T& sum) const {
      g = partial<L2>(w, g, factor, sum);
      return moved<L2>(w, g, factor, sum);
    }

   private:
    over_root_of<Step> over_root_;
  };
  using sgd_rule = sgd_rule_of<float>;
  using adagrad_rule = adagrad_rule_of<float>;

  /// The entries of row i of a batch.
  template <class Index, class Value>
  struct entries {
    const Index* index = nullptr;
    const Value* value = nullptr;
    std::size_t size = 0;

    entries() = default;
    entries(const row_batch<Index, Value>& rows, std::size_t i)
        : index(rows.columns_of(i)),
          value(rows.value + rows.begin[i]),
          size(static_cast<std::size_t>(rows.end[i] - rows.begin[i])) {}
  };

  template <class Entry>
  static void announce(const Entry* first, std::size_t n) {
    constexpr std::size_t line = 64;
    const auto begin = reinterpret_cast<std::uintptr_t>(first) + entries_ahead * sizeof(Entry);
    for (std::uintptr_t at = begin; at < begin + n * sizeof(Entry); at += line) {
      __builtin_prefetch(reinterpret_cast<const void*>(at));
    }
  }

  /// Changes the weights of a row's columns, one for each, by the partials slope * x. `kept`: the row's weights, one
  /// after the other, if they have been read already; else null. Conditions are tested once a row: inside the loop the
  /// tests would take a fifth of the time.
  template <bool L2, class Arrays, class Rule, class Index, class Value>
  static void change_weights(const row_update<Arrays>& u, const Rule& rule, const entries<Index, Value>& z, float slope,
                             const float* kept = nullptr) {
    if (L2 && u.l2_of != nullptr)
      kept != nullptr ? change_weights_by<L2, L2, true>(u, rule, z, slope, kept)
                      : change_weights_by<L2, L2, false>(u, rule, z, slope, kept);
    else
      kept != nullptr ? change_weights_by<L2, false, true>(u, rule, z, slope, kept)
                      : change_weights_by<L2, false, false>(u, rule, z, slope, kept);
  }

 private:
  /// Own: each column has its own fraction of l2.
  template <bool L2, bool Own, bool Kept, class Arrays, class Rule, class Index, class Value>
  static void change_weights_by(const row_update<Arrays>& u, const Rule& rule, const entries<Index, Value>& z,
                                float slope, const float* kept) {
    float* const w = u.to.weights;
    float* const s = u.sums.weights;
    using many = typename Isa::entries_at_once;
    constexpr std::size_t at_once = sizeof(many) / sizeof(float);
    const std::size_t whole = z.size / at_once * at_once;
    struct {
      many weights, partial, factor, sum;
    } taken{};
    const auto take = [&](std::size_t k) {
      const Index* const j = z.index + k;
      if constexpr (Kept)
        taken.weights = loaded<many>(kept + k);
      else
        taken.weights = Isa::gather(w, j);
      if constexpr (Rule::sums) taken.sum = Isa::gather(s, j);
      taken.factor = splat<many>(u.l2);
      if constexpr (Own) taken.factor = Isa::gather(u.l2_of, j);
      taken.factor = rule.l2_factor(taken.factor);
      taken.partial =
          rule.template partial<L2>(taken.weights, slope * Isa::load_entries(z.value + k), taken.factor, taken.sum);
    };
    // The next entries are loaded before these are stored, so that the processor need not wait for a root: no column
    // occurs twice in a row.
    if (whole > 0) take(0);
    for (std::size_t k = 0; k < whole; k += at_once) {
      const auto these = taken;
      if (k + at_once < whole) take(k + at_once);
      const Index* const j = z.index + k;
      float after[at_once], sums[at_once];
      store(after, rule.template moved<L2>(these.weights, these.partial, these.factor, these.sum));
      store(sums, these.sum);
      for (std::size_t l = 0; l < at_once; ++l) {
        w[j[l]] = after[l];
        if constexpr (Rule::sums) s[j[l]] = sums[l];
      }
    }
    for (std::size_t k = whole; k < z.size; ++k) {
      const std::size_t j = z.index[k];
      float none = 0.0f;
      float& sum = Rule::sums ? s[j] : none;
      const float factor = rule.l2_factor(Own ? u.l2_of[j] : u.l2);
      w[j] = rule.template change<L2>(w[j], slope * Isa::load_one(z.value + k), factor, sum);
    }
  }
};

}  // namespace hogwild::detail
