// SPDX-License-Identifier: Apache-2.0
// A factorization machine of this program's own, as docs/writing_models.md#kernels says. Kernels train it to the bits
// of the library's; on one shared array its own gradient does, with other rounding.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <span>

#include <hogwild/general_model.hpp>
#include <hogwild/hogwild.hpp>
#include <hogwild/models/factorization_machine.hpp>

/// s = b + sum_j w_j x_j + 1/2 sum_f [(sum_j v_jf x_j)^2 - sum_j (v_jf x_j)^2], with half the squared error of s.
struct pairs_of_columns {
  using scalar_type = float;
  using example_type = hogwild::sparse_row<float>;
  using kernel_model = pairs_of_columns;
  static constexpr hogwild::label_kind labels = hogwild::label_kind::real;
  static constexpr std::size_t width = 8;
  std::size_t features;

  std::size_t dim() const { return features * (width + 1) + 1; }
  std::array<hogwild::parameter_group, 3> groups() const {
    return {{{.name = "factors", .rows = features, .width = width},
             {.name = "weights", .offset = features * width, .rows = features},
             {.name = "bias", .offset = features * (width + 1), .rows = 1, .hot_first = false, .l2 = false}}};
  }

  // For kernels.
  hogwild::fm_arrays arrays_in(float* w) const {
    float* const weights = w + features * width;
    return {.factors = w, .weights = weights, .bias = weights + features, .width = width};
  }
  std::size_t kernel_room() const { return width; }
  template <std::size_t Models = 1>
  bool derive(float* s, float label) const {
    for (std::size_t m = 0; m < Models; ++m) s[m] -= label;
    return std::any_of(s, s + Models, [](float slope) { return slope != 0.0f; });
  }
  hogwild::row_score measured(const float* s, float label) const {
    const double r = static_cast<double>(*s - label);
    return {0.5 * r * r, *s};
  }

  double loss(const auto& w, const example_type& z) const {
    const float s = predict(w, z);
    return measured(&s, z.label).loss;
  }
  float predict(const auto& w, const example_type& z) const {
    const auto weights = w.block(features * width, features + 1);
    float s = weights[features];
    for (auto [j, x] : z) s += weights[j] * x;
    for (std::size_t f = 0; f < width; ++f) {
      float squares = 0.0f;
      for (auto [j, x] : z) squares += w[j * width + f] * x * w[j * width + f] * x;
      const float sum = sum_of(w, z, f);
      s += 0.5f * (sum * sum - squares);
    }
    return s;
  }
  void gradient(const auto& w, const example_type& z, const auto& emit) const {
    const float slope = predict(w, z) - z.label;
    std::array<float, width> sums;
    for (std::size_t f = 0; f < width; ++f) sums[f] = sum_of(w, z, f);
    for (auto [j, x] : z) {
      std::array<float, width> partials;
      for (std::size_t f = 0; f < width; ++f) partials[f] = slope * x * (sums[f] - w[j * width + f] * x);
      emit.block(j * width, std::span<const float>(partials));
      emit(features * width + j, slope * x);
    }
    emit(features * (width + 1), slope);
  }

 private:
  static float sum_of(const auto& w, const example_type& z, std::size_t f) {
    float sum = 0.0f;
    for (auto [j, x] : z) sum += w[j * width + f] * x;
    return sum;
  }
};
static_assert(hogwild::conforms<pairs_of_columns>() && hogwild::row_kernel_model<pairs_of_columns>);

int main() {
  const auto data = hogwild::open_libsvm("train.svm");
  const pairs_of_columns own{.features = data.features()};
  const hogwild::factorization_machine library{.features = data.features(), .factors = own.width, .labels = own.labels};
  bool right = true;
  for (const auto by : {hogwild::optimizer_kind::sgd, hogwild::optimizer_kind::adagrad}) {
    hogwild::train_options options{.epochs = 5, .step = {.initial = 0.05, .decay = 0.9}, .l2 = 1e-3, .optimizer = by};
    options.initial = [&](std::span<float> w) {
      for (std::size_t i = 0; i < w.size(); ++i)
        w[i] = i < own.features * own.width ? 0.01f * static_cast<float>(i % 7) - 0.03f : 0.0f;
    };
    const auto by_kernels = train(own, data, hogwild::serial_engine{}, options);
    const auto of_library = train(library, data, hogwild::serial_engine{}, options);
    options.sharing = hogwild::sharing_kind::direct;
    const auto by_gradient = train(own, data, hogwild::serial_engine{}, options);
    const bool same_bits = by_kernels.parameters == of_library.parameters;
    const bool had_kernels = by_kernels.parameters != by_gradient.parameters;
    const double apart = std::abs(by_kernels.objective - by_gradient.objective) / by_gradient.objective;
    std::printf("objective %.6g, by its own gradient %.6g; the library's bits: %s; kernels: %s\n", by_kernels.objective,
                by_gradient.objective, same_bits ? "yes" : "no", had_kernels ? "yes" : "no");
    right = right && same_bits && had_kernels && apart < 1e-3;
  }
  return right ? 0 : 1;
}
