// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>

#include <hogwild/detail/data/half.hpp>
#include <hogwild/detail/platform/device_code.hpp>

#include <hogwild/detail/cuda/margin_rows.hpp>
#include <hogwild/detail/cuda/weights.hpp>

// How a warp trains rows of margin models: as margin_sgd_step and margin_adagrad_step (detail/loop/step.hpp), with sums
// over the row in another order.

namespace hogwild::device {

/// The compile-time parameters of the code; all else is known at run time.
template <class I, class V, bool Adagrad, update_kind Update, memory_scope Scope>
struct margin_kind {
  using index_type = I;
  using value_type = V;
  using weights_type = weights<Update, Scope>;
  static constexpr bool adagrad = Adagrad;
  static constexpr memory_scope scope = Scope;
};

/// Calls f(margin_kind<...>{}) for the work. Throws std::invalid_argument for locked updates.
template <class F>
void with_margin_kind(const margin_work& work, const F& f) {
  if (work.update == update_kind::locked) throw std::invalid_argument("a device adds without locks");
  const auto with = [](bool condition, const auto& g) { condition ? g(std::true_type{}) : g(std::false_type{}); };
  with(work.index16 != nullptr, [&](auto short_index) {
    with(work.value16 != nullptr, [&](auto half_value) {
      with(work.sums != nullptr, [&](auto adagrad) {
        with(work.update == update_kind::exact, [&](auto exact) {
          with(work.system_scope, [&](auto system) {
            using index_type = std::conditional_t<decltype(short_index)::value, std::uint16_t, std::uint32_t>;
            using value_type = std::conditional_t<decltype(half_value)::value, half, float>;
            f(margin_kind < index_type, value_type, decltype(adagrad)::value,
              decltype(exact)::value ? update_kind::exact : update_kind::lossy,
              decltype(system)::value ? memory_scope::system : memory_scope::device > {});
          });
        });
      });
    });
  });
}

HOGWILD_DEVICE_CODE inline float widened(float x) {
  return x;
}
HOGWILD_DEVICE_CODE inline float widened(half x) {
#if defined(__CUDA_ARCH__)
  float wide;
  asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(static_cast<std::uint16_t>(x)));
  return wide;
#else
  return to_float(x);
#endif
}

/// x^n.
HOGWILD_DEVICE_CODE inline double power(double x, std::uint64_t n) {
  double result = 1.0;
  for (; n > 0; n /= 2, x *= x) {
    if (n % 2 != 0) result *= x;
  }
  return result;
}

template <class I, class V>
struct margin_row {
  const I* index;
  const V* value;
  std::uint32_t size;  ///< entries, whose columns are distinct
  float label;
  float weight = 1.0f, offset = 0.0f;
};

template <class Kind>
HOGWILD_DEVICE_CODE auto margin_row_of(const margin_work& work, std::uint64_t r) {
  using I = typename Kind::index_type;
  using V = typename Kind::value_type;
  const std::uint64_t begin = work.start32 != nullptr ? work.start32[r] : work.start64[r];
  const std::uint64_t end = work.start32 != nullptr ? work.start32[r + 1] : work.start64[r + 1];
  margin_row<I, V> z{nullptr, nullptr, static_cast<std::uint32_t>(end - begin), work.label[r]};
  if (work.weight != nullptr) z.weight = work.weight[r];
  if (work.offset != nullptr) z.offset = work.offset[r];
  if constexpr (std::same_as<I, std::uint16_t>)
    z.index = work.index16 + begin;
  else
    z.index = work.index32 + begin;
  if constexpr (std::same_as<V, half>)
    z.value = work.value16 + begin;
  else
    z.value = work.value + begin;
  return z;
}

/// The row's margin scale * (v, z) + bias, for all lanes.
template <class Warp, class Weights, class Row>
HOGWILD_DEVICE_CODE float margin_of(const Warp& warp, const margin_work& work, const Weights& v, const Row& z,
                                    float scale) {
  typename Warp::template each_lane<float> part;
  warp.deal(z.size, [&](unsigned lane, std::uint32_t k) { part[lane] += v.load(z.index[k]) * widened(z.value[k]); });
  warp.each([&](unsigned lane) { part[lane] *= scale; });
  // One lane reads the bias: if each read it for itself, they could see it before and after somebody's add.
  if (work.bias) warp.first([&](unsigned lane) { part[lane] += v.load(work.columns); });
  return warp.sum(part);
}

/// The row's weight times the derivative of its loss with respect to its margin, for all lanes.
template <class Warp, class Loss, class Weights, class Row>
HOGWILD_DEVICE_CODE float margin_slope(const Warp& warp, const margin_work& work, const Loss& loss, const Weights& v,
                                       const Row& z, float scale) {
  return z.weight * loss.derivative(margin_of(warp, work, v, z, scale) + z.offset, z.label);
}

/// The weights are w = a * v; `before` and `after` are a before and after the row's shrink. Returns whether the row
/// changed anything.
template <class Warp, class Loss, class Weights, class Row>
HOGWILD_DEVICE_CODE bool train_sgd_row(const Warp& warp, const margin_work& work, const Loss& loss, const Weights& v,
                                       const Row& z, double before, double after) {
  const float slope = margin_slope(warp, work, loss, v, z, static_cast<float>(before));
  if (slope == 0.0f) return false;
  const float change = -work.step * slope / static_cast<float>(after);
  // Lost adds would strengthen l2, and in small models many are lost: see margin_sgd_step.
  constexpr std::uint64_t crowded_columns = 1024;
  if (work.shrink != 1.0 && work.columns <= crowded_columns) v.settle_adds();
  warp.deal(z.size, [&](unsigned, std::uint32_t k) { v.add(z.index[k], change * widened(z.value[k])); });
  if (work.bias) warp.first([&](unsigned) { v.add(work.columns, -work.step * slope * work.bias_rate); });
  return true;
}

/// l2 joins the gradient of the columns that the row touches, on rows without loss, too. Returns whether the row had
/// anything to change.
template <class Warp, class Loss, class Weights, class Row>
HOGWILD_DEVICE_CODE bool train_adagrad_row(const Warp& warp, const margin_work& work, const Loss& loss,
                                           const Weights& w, const Weights& sums, const Row& z) {
  constexpr float epsilon = 1e-8f;  // as for adagrad in optimizer.hpp
  const float slope = margin_slope(warp, work, loss, w, z, 1.0f);
  const auto decay = static_cast<float>(work.l2_rows);
  if (slope == 0.0f && decay == 0.0f) return false;
  const auto step = [&](std::size_t j, float g, float factor) {
    const float square = g * g;
    const float sum = sums.read_add(j, square) + square;
    w.add(j, -work.step * g / std::sqrt(sum + epsilon) * factor);
  };
  warp.deal(z.size, [&](unsigned, std::uint32_t k) {
    const std::size_t j = z.index[k];
    float g = slope * widened(z.value[k]);
    if (decay != 0.0f) g += decay / static_cast<float>(work.degree[j]) * w.load(j);
    g *= work.unit;
    if (g != 0.0f) step(j, g, 1.0f);
  });
  if (work.bias && slope != 0.0f) warp.first([&](unsigned) { step(work.columns, slope, work.bias_rate); });
  return true;
}

/// Trains rows part, part + parts, ... of the work, one after the other; returns how many changed something.
template <class Kind, class Warp, class Loss>
HOGWILD_DEVICE_CODE std::uint64_t train_margin_part(const Warp& warp, const margin_work& work, const Loss& loss,
                                                    std::uint64_t part, std::uint64_t parts) {
  const typename Kind::weights_type v(work.weights), sums(work.sums);
  double scale = Kind::adagrad ? 1.0 : work.scale * power(work.shrink, part);
  const double between = Kind::adagrad ? 1.0 : power(work.shrink, parts);
  std::uint64_t changed = 0;
  for (std::uint64_t i = part; i < work.count; i += parts) {
    const auto z = margin_row_of<Kind>(work, work.first + i);
    bool change = false;
    if constexpr (Kind::adagrad) {
      change = train_adagrad_row(warp, work, loss, v, sums, z);
    } else {
      change = train_sgd_row(warp, work, loss, v, z, scale, scale * work.shrink);
      scale *= between;
    }
    if (!change) continue;
    ++changed;
    warp.settle();  // the next row reads what all lanes have added
  }
  return changed;
}

/// The body of a kernel of this kind.
template <class Kind>
struct margin_part {
  template <class Warp, class Loss>
  HOGWILD_DEVICE_CODE static std::uint64_t train(const Warp& warp, const margin_work& work, const Loss& loss,
                                                 std::uint64_t part, std::uint64_t parts) {
    return train_margin_part<Kind>(warp, work, loss, part, parts);
  }
};

}  // namespace hogwild::device
