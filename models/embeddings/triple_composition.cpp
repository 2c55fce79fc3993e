// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/embeddings/triple_composition.hpp>

#include <algorithm>
#include <cmath>

namespace hogwild {
namespace {

/// The sine of an angle in turns, within 2e-7, without a branch or a call.
float sine_of_turns(float turns) {
  constexpr float to_whole = 12582912.0f;  // 1.5 * 2^23: adding it rounds to a whole number
  const float t = turns - ((turns + to_whole) - to_whole), size = std::abs(t);
  const float a = std::min(size, 0.5f - size), square = a * a;  // a quarter of a turn at most
  float p = -15.094643f;
  for (const float c : {42.058693f, -76.705860f, 81.605249f, -41.341702f, 6.2831853f}) p = p * square + c;
  return std::copysign(p * a, t);
}

/// (a + bi) (c + di) for all pairs of halves.
void multiply_complex(const float* x, const float* y, float* to, std::size_t half) {
  for (std::size_t k = 0; k < half; ++k) {
    const float a = x[k], b = x[half + k], c = y[k], d = y[half + k];
    to[k] = a * c - b * d;
    to[half + k] = a * d + b * c;
  }
}

/// The same with the second factor conjugated, as in the derivative with respect to the first.
void multiply_conjugate(const float* x, const float* y, float* to, std::size_t half) {
  for (std::size_t k = 0; k < half; ++k) {
    const float a = x[k], b = x[half + k], c = y[k], d = y[half + k];
    to[k] = a * c + b * d;
    to[half + k] = b * c - a * d;
  }
}

}  // namespace

void unfold_relation(triple_composition by, std::span<const float> parameters, std::span<float> r) {
  if (by != triple_composition::rotation) {
    std::ranges::copy(parameters, r.begin());
    return;
  }
  const std::size_t half = r.size() / 2;
  for (std::size_t k = 0; k < half; ++k) {
    const float turns = parameters[k] * 0.15915494f;
    r[k] = sine_of_turns(turns + 0.25f);
    r[half + k] = sine_of_turns(turns);
  }
}

void compose(triple_composition by, std::span<const float> e, std::span<const float> r, std::span<float> to) {
  if (is_complex(by)) return multiply_complex(e.data(), r.data(), to.data(), e.size() / 2);
  if (by == triple_composition::sum)
    for (std::size_t k = 0; k < e.size(); ++k) to[k] = e[k] + r[k];
  else
    for (std::size_t k = 0; k < e.size(); ++k) to[k] = e[k] * r[k];
}

void through_composition(triple_composition by, std::span<const float> e, std::span<const float> r,
                         std::span<const float> gradient, std::span<float> of_e, std::span<float> of_r) {
  const std::size_t width = e.size();
  if (is_complex(by)) {
    multiply_conjugate(gradient.data(), r.data(), of_e.data(), width / 2);
    multiply_conjugate(gradient.data(), e.data(), of_r.data(), width / 2);
  } else if (by == triple_composition::sum) {
    std::ranges::copy(gradient, of_e.begin());
    std::ranges::copy(gradient, of_r.begin());
  } else {
    for (std::size_t k = 0; k < width; ++k) {
      of_e[k] = gradient[k] * r[k];
      of_r[k] = gradient[k] * e[k];
    }
  }
}

void fold_relation_gradient(triple_composition by, std::span<const float> r, std::span<float> gradient) {
  if (by != triple_composition::rotation) return;
  const std::size_t half = r.size() / 2;
  for (std::size_t k = 0; k < half; ++k) gradient[k] = gradient[half + k] * r[k] - gradient[k] * r[half + k];
}

}  // namespace hogwild
