// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>

#include <hogwild/cuda/device_kernels.hpp>
#include <hogwild/detail/cuda/general_work.hpp>
#include <hogwild/model.hpp>
#include <hogwild/models/logistic.hpp>

// Models of programs, registered for devices.

namespace hogwild::test {

/// The model of README.md.
struct device_huber {
  using scalar_type = float;
  using example_type = sparse_row<float>;
  static constexpr std::string_view name = "device_huber";
  std::size_t features = 0;
  float delta = 1.0f;
  std::size_t dim() const { return features; }
  double loss(const auto& w, const auto& z) const {
    const float r = std::abs(hogwild::dot(w, z) - z.label);
    return r <= delta ? 0.5f * r * r : delta * (r - 0.5f * delta);
  }
  HOGWILD_DEVICE_CODE void gradient(const auto& w, const auto& z, const auto& emit) const {
    const float g = std::fmax(-delta, std::fmin(hogwild::dot(w, z) - z.label, delta));
    for (auto [j, x] : z) emit(j, g * x);
  }
};

/// Logistic regression with a bias that is read and emitted outside of the loop, as a group of its own.
struct device_logistic {
  using scalar_type = float;
  using example_type = sparse_row<float>;
  static constexpr std::string_view name = "device_logistic";
  static constexpr label_kind labels = label_kind::binary;
  std::size_t features = 0;
  double bias_factor = 1.0;
  std::size_t dim() const { return features + 1; }
  std::array<parameter_group, 2> groups() const {
    return {
        {{.name = "weights", .rows = features},
         {.name = "bias", .offset = features, .rows = 1, .hot_first = false, .step_factor = bias_factor, .l2 = false}}};
  }
  double loss(const auto& w, const auto& z) const { return logistic{}.loss(margin(w, z), z.label); }
  HOGWILD_DEVICE_CODE void gradient(const auto& w, const auto& z, const auto& emit) const {
    const float g = logistic{}.derivative(margin(w, z), z.label);
    if (g == 0.0f) return;
    emit(features, g);
    for (auto [j, x] : z) emit(j, g * x);
  }

 private:
  HOGWILD_DEVICE_CODE float margin(const auto& w, const auto& z) const { return hogwild::dot(w, z) + w[features]; }
};

/// A margin model that the library does not know.
struct device_cubic_hinge {
  static constexpr std::string_view name = "device_cubic_hinge";
  static constexpr label_kind labels = label_kind::binary;
  double loss(float margin, float label) const {
    const double gap = std::fmax(0.0, 1.0 - static_cast<double>(margin * label));
    return gap * gap * gap / 3.0;
  }
  HOGWILD_DEVICE_CODE float derivative(float margin, float label) const {
    const float gap = std::fmax(0.0f, 1.0f - margin * label);
    return -label * gap * gap;
  }
};

inline const device_kernels<device_huber> huber_kernels;
inline const device_kernels<device_logistic> logistic_kernels;
inline const device_kernels<device_cubic_hinge> cubic_hinge_kernels;

template <class M>
const device::named_kernels& kernels_by_name() {
  return *device::find_named_kernels(M::name, sizeof(M));
}
template <class M>
const std::byte* bytes_of(const M& m) {
  return std::as_bytes(std::span(&m, 1)).data();
}

/// Rows with one group for the weights and one for the bias behind them.
inline device::general_work with_bias_group(const device::margin_work& rows) {
  device::general_work work;
  static_cast<device::margin_work&>(work) = rows;
  work.groups[0] = {.end = rows.columns, .step = rows.step, .l2 = true};
  work.groups[1] = {.begin = rows.columns, .end = rows.columns + 1, .step = rows.step};
  work.group_count = 2;
  return work;
}

}  // namespace hogwild::test
