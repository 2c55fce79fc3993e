// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <stdexcept>

#include <hogwild/detail/cuda/general_body.hpp>
#include <hogwild/detail/cuda/margin_body.hpp>
#include <hogwild/detail/models/score_loss.hpp>
#include <hogwild/detail/platform/device_code.hpp>

#include "fm_rows.hpp"

// How a warp trains rows of the model factorization_machine: as general_step, with entries and factors dealt to lanes.
// No lane changes anything that another lane of its warp reads before the row's end.

namespace hogwild::device {

inline void require_width(const fm_shape& model) {
  if (model.width == 0 || model.width > most_fm_width) throw std::invalid_argument("no kernel for so many factors");
}

/// How entries and factors are dealt to lanes: 4, 8, 16 or all lanes share one entry, so that a warp works on several
/// entries of narrow models at once, and what it reads of each entry is contiguous.
struct fm_lanes {
  unsigned shift;  ///< lanes of an entry, as a power of two

  HOGWILD_DEVICE_CODE explicit fm_lanes(std::uint32_t width)
      : shift(width <= 4    ? 2
              : width <= 8  ? 3
              : width <= 16 ? 4
                            : 5) {}
  HOGWILD_DEVICE_CODE unsigned span() const { return 1u << shift; }
  HOGWILD_DEVICE_CODE unsigned entries() const { return warp_width >> shift; }
  HOGWILD_DEVICE_CODE unsigned entry(unsigned lane) const { return lane >> shift; }
  HOGWILD_DEVICE_CODE unsigned factor(unsigned lane) const { return lane & (span() - 1); }
};

template <class Kind>
struct fm_part {
  static constexpr unsigned least_warps = 40;
  static constexpr std::uint32_t slots = most_fm_width / warp_width;
  using weights_type = typename Kind::weights_type;
  template <class Warp>
  using numbers = typename Warp::template each_lane<float>;

  /// Calls f(s) for each slot in which lanes have factors: lane l has factor 32 s + l there, or the remainder modulo
  /// the span.
  template <class F>
  HOGWILD_DEVICE_CODE static void each_slot(const fm_shape& model, const F& f) {
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (std::uint32_t s = 0; s < slots; ++s)
      if (s * warp_width < model.width) f(s);
  }
  /// Calls f(lane, column, x, j) for each entry of a row, with j the parameter that the lane has in the slot.
  template <class Warp, class Row, class F>
  HOGWILD_DEVICE_CODE static void each_entry(const Warp& warp, const fm_shape& model, const Row& z, std::uint32_t slot,
                                             const F& f) {
    const fm_lanes at(model.width);
    for (std::uint32_t first = 0; first < z.size; first += at.entries()) {
      warp.each([&](unsigned lane) {
        const std::uint32_t e = first + at.entry(lane), k = slot * warp_width + at.factor(lane);
        if (e >= z.size || k >= model.width) return;
        const std::uint32_t column = z.index[e];
        f(lane, column, widened(z.value[e]), std::uint64_t{column} * model.width + k);
      });
    }
  }

  /// Applies a partial derivative, and l2 with its fraction for the column, if there is one, to parameter j, which was
  /// just read as x: l2 joins the partial under adagrad, else it divides the result (as `descend` and `shrink`, which
  /// would read the parameter again).
  HOGWILD_DEVICE_CODE static void change(const weights_type& w, const weights_type& sums, std::size_t j, float x,
                                         float g, float fraction, float step) {
    const auto scaled = [&](float slope) {
      if constexpr (!Kind::adagrad) return step * slope;
      constexpr float epsilon = 1e-8f;  // as for adagrad in optimizer.hpp
      const float square = slope * slope;
      const float sum = sums.read_add(j, square) + square;
      return step * slope / std::sqrt(sum + epsilon);
    };
    if constexpr (Kind::adagrad) g += fraction * x;
    float delta = g == 0.0f ? 0.0f : -scaled(g);
    if constexpr (!Kind::adagrad) delta -= (x + delta) * (step * fraction / (1.0f + step * fraction));
    if (delta != 0.0f) w.add_to(j, x, delta);
  }

  /// The row's score, and the sums of v x over the row's entries, for each factor.
  template <class Warp, class Row>
  HOGWILD_DEVICE_CODE static float look(const Warp& warp, const fm_shape& model, const weights_type& w, const Row& z,
                                        numbers<Warp> (&sum)[slots]) {
    const fm_lanes at(model.width);
    const std::uint64_t weights = model.features * model.width;
    numbers<Warp> part;
    each_slot(model, [&](std::uint32_t s) {
      numbers<Warp> squares;
      each_entry(warp, model, z, s, [&](unsigned lane, std::uint32_t, float x, std::uint64_t j) {
        const float term = w.load(j) * x;
        sum[s][lane] += term;
        squares[lane] += term * term;
      });
      sum[s] = warp.sum_apart(sum[s], at.span());
      warp.each([&](unsigned lane) {
        // The lanes of all entries have the same sums.
        const float square = at.entry(lane) == 0 ? sum[s][lane] * sum[s][lane] : 0.0f;
        part[lane] += 0.5f * (square - squares[lane]);
      });
    });
    warp.deal(z.size, [&](unsigned lane, std::uint32_t k) {
      part[lane] += w.load(weights + z.index[k]) * widened(z.value[k]);
    });
    // One lane reads the bias: if each read it for itself, they could see it before and after somebody's add.
    warp.first([&](unsigned lane) { part[lane] += w.load(weights + model.features); });
    return model.mean + model.scale * warp.sum(part);
  }

  /// Trains rows part, part + parts, ... of the work, one after the other; returns how many changed something.
  template <class Warp>
  HOGWILD_DEVICE_CODE static std::uint64_t train(const Warp& warp, const general_work& work, const fm_shape& model,
                                                 std::uint64_t part, std::uint64_t parts) {
    const weights_type w(work.weights), sums(work.sums);
    const std::uint64_t weights = model.features * model.width;
    const work_group &of_factors = work.groups[0], &of_weights = work.groups[1];
    const work_group& of_bias = work.groups[work.group_count - 1];
    std::uint64_t changed = 0;
    for (std::uint64_t i = part; i < work.count; i += parts) {
      const auto z = margin_row_of<Kind>(work, work.first + i);
      numbers<Warp> sum[slots], acted;
      const float slope = z.weight * score_slope(model.labels, model.scale, look(warp, model, w, z, sum), z.label);
      if (slope == 0.0f && !has_l2(work)) continue;
      if (!of_factors.frozen)
        each_slot(model, [&](std::uint32_t s) {
          each_entry(warp, model, z, s, [&](unsigned lane, std::uint32_t column, float x, std::uint64_t j) {
            const float by = slope * x, v = w.load(j);
            if (by != 0.0f) acted[lane] = 1.0f;
            change(w, sums, j, v, by * (sum[s][lane] - v * x), l2_of(work, of_factors, column), of_factors.step);
          });
        });
      if (!of_weights.frozen)
        warp.deal(z.size, [&](unsigned lane, std::uint32_t k) {
          const std::uint64_t j = weights + z.index[k];
          const float by = slope * widened(z.value[k]);
          if (by != 0.0f) acted[lane] = 1.0f;
          change(w, sums, j, w.load(j), by, l2_of(work, of_weights, z.index[k]), of_weights.step);
        });
      if (!of_bias.frozen && slope != 0.0f)
        warp.first([&](unsigned lane) {
          descend<Kind>(w, sums, weights + model.features, slope, of_bias.step);
          acted[lane] = 1.0f;
        });
      if (!has_l2(work) && warp.sum(acted) == 0.0f) continue;
      ++changed;
      warp.settle();  // the next row reads what all lanes have added
    }
    return changed;
  }

 private:
  HOGWILD_DEVICE_CODE static float l2_of(const general_work& work, const work_group& group, std::uint32_t column) {
    return group.l2 && has_l2(work) ? l2_fraction(work, column) : 0.0f;
  }
};

}  // namespace hogwild::device
