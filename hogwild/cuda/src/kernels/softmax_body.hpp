// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <stdexcept>

#include <hogwild/detail/cuda/general_body.hpp>
#include <hogwild/detail/cuda/margin_body.hpp>
#include <hogwild/detail/platform/device_code.hpp>

#include "softmax_rows.hpp"

// How a warp trains rows of the model softmax: as general_step, with classes dealt to lanes; a column's weights for the
// classes are contiguous.

namespace hogwild::device {

inline void require_classes(const softmax_shape& model) {
  if (model.classes == 0 || model.classes > most_softmax_classes)
    throw std::invalid_argument("no kernel for so many classes");
}

template <class Kind>
struct softmax_part {
  static constexpr std::uint32_t slots = most_softmax_classes / warp_width;
  using weights_type = typename Kind::weights_type;
  template <class Warp>
  using numbers = typename Warp::template each_lane<float>;

  /// Calls f(lane, s, k) for each class k, which is in slot s of its lane.
  template <class Warp, class F>
  HOGWILD_DEVICE_CODE static void each_class(const Warp& warp, const softmax_shape& model, const F& f) {
    warp.each([&](unsigned lane) {
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
      for (std::uint32_t s = 0; s < slots; ++s)
        if (const std::uint32_t k = s * warp_width + lane; k < model.classes) f(lane, s, k);
    });
  }

  /// Adds the scores of the classes to p.
  template <class Warp, class Row>
  HOGWILD_DEVICE_CODE static void add_scores(const Warp& warp, const softmax_shape& model, const weights_type& w,
                                             const Row& z, numbers<Warp> (&p)[slots]) {
    for (std::uint32_t e = 0; e < z.size; ++e) {
      const std::uint64_t row = std::uint64_t{z.index[e]} * model.classes;
      const float x = widened(z.value[e]);
      each_class(warp, model,
                 [&](unsigned lane, std::uint32_t s, std::uint32_t k) { p[s][lane] += w.load(row + k) * x; });
    }
    const std::uint64_t biases = model.features * model.classes;
    if (model.bias)
      each_class(warp, model,
                 [&](unsigned lane, std::uint32_t s, std::uint32_t k) { p[s][lane] += w.load(biases + k); });
  }

  /// The largest of the scores.
  template <class Warp>
  HOGWILD_DEVICE_CODE static float largest(const Warp& warp, const softmax_shape& model, numbers<Warp> (&p)[slots]) {
    numbers<Warp> top;
    warp.each([&](unsigned lane) { top[lane] = p[0][lane]; });
    warp.each([&](unsigned lane) {
      if (lane >= model.classes) top[lane] = -HUGE_VALF;
    });
    each_class(warp, model, [&](unsigned lane, std::uint32_t s, std::uint32_t) {
      if (p[s][lane] > top[lane]) top[lane] = p[s][lane];
    });
    return warp.most(top);
  }

  /// Turns the classes' scores into the derivatives of -weight * log softmax(scores)[label] with respect to them.
  template <class Warp>
  HOGWILD_DEVICE_CODE static void differentiate(const Warp& warp, const softmax_shape& model, float label, float weight,
                                                numbers<Warp> (&p)[slots]) {
    numbers<Warp> sum;
    const float top = largest(warp, model, p);  // so that nothing overflows
    each_class(warp, model, [&](unsigned lane, std::uint32_t s, std::uint32_t) {
      p[s][lane] = std::exp(p[s][lane] - top);
      sum[lane] += p[s][lane];
    });
    const float all = warp.sum(sum);
    const auto own = static_cast<std::uint32_t>(label);
    each_class(warp, model, [&](unsigned lane, std::uint32_t s, std::uint32_t k) {
      p[s][lane] = weight * (p[s][lane] / all - (k == own ? 1.0f : 0.0f));
    });
  }

  /// Trains rows part, part + parts, ... of the work, one after the other; returns how many changed something.
  template <class Warp>
  HOGWILD_DEVICE_CODE static std::uint64_t train(const Warp& warp, const general_work& work, const softmax_shape& model,
                                                 std::uint64_t part, std::uint64_t parts) {
    const weights_type w(work.weights), sums(work.sums);
    const work_group& weights_group = work.groups[0];
    const std::uint64_t biases = model.features * model.classes;
    const bool shrinks = weights_group.l2 && has_l2(work);
    std::uint64_t changed = 0;
    for (std::uint64_t i = part; i < work.count; i += parts) {
      const auto z = margin_row_of<Kind>(work, work.first + i);
      numbers<Warp> p[slots], acted;
      add_scores(warp, model, w, z, p);
      differentiate(warp, model, z.label, z.weight, p);
      for (std::uint32_t e = 0; e < z.size && !weights_group.frozen; ++e) {
        const std::uint32_t column = z.index[e];
        const std::uint64_t row = std::uint64_t{column} * model.classes;
        const float x = widened(z.value[e]);
        const float fraction = shrinks ? l2_fraction(work, column) : 0.0f;
        each_class(warp, model, [&](unsigned lane, std::uint32_t s, std::uint32_t k) {
          float g = p[s][lane] * x;
          if constexpr (Kind::adagrad) {
            if (shrinks) g += fraction * w.load(row + k);
            g *= weights_group.unit;
          }
          if (g != 0.0f) {
            descend<Kind>(w, sums, row + k, g, weights_group.step);
            acted[lane] = 1.0f;
          }
          if constexpr (!Kind::adagrad) {
            if (shrinks) shrink<Kind>(w, sums, row + k, fraction, weights_group.step);
          }
        });
      }
      if (const work_group& group = work.groups[1]; model.bias && !group.frozen)
        each_class(warp, model, [&](unsigned lane, std::uint32_t s, std::uint32_t k) {
          if (p[s][lane] == 0.0f) return;
          descend<Kind>(w, sums, biases + k, p[s][lane], group.step);
          acted[lane] = 1.0f;
        });
      if (!has_l2(work) && warp.sum(acted) == 0.0f) continue;
      ++changed;
      warp.settle();  // the next row reads what all lanes have added
    }
    return changed;
  }
};

}  // namespace hogwild::device
