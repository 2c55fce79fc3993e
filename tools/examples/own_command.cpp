// SPDX-License-Identifier: Apache-2.0
// The whole command for two models and a measure of this program: train, evaluate, predict, inspect, with every engine.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>

#include <hogwild/command.hpp>
#include <hogwild/measures.hpp>

/// A margin model with a number, which is an option, --power, and is saved with the model.
struct power_hinge {
  static constexpr std::string_view name = "power_hinge";
  static constexpr hogwild::label_kind labels = hogwild::label_kind::binary;  // a label is -1 or +1
  float power = 2.0f;

  static auto numbers() {
    return std::array{hogwild::number<&power_hinge::power>({.name = "power",
                                                            .help = "how fast the loss of a wrong side grows",
                                                            .suits = [](double x) { return x > 1.0; },
                                                            .must_be = "above 1"})};
  }
  double loss(float margin, float label) const {
    return std::pow(std::max(0.0, 1.0 - static_cast<double>(margin * label)), static_cast<double>(power));
  }
  float derivative(float margin, float label) const {
    return -label * power * std::pow(std::max(0.0f, 1.0f - margin * label), power - 1.0f);
  }
};

/// A general model: a slope for each column that must not be negative, and a constant term near the mean label of the
/// training rows.
struct positive_line {
  static constexpr std::string_view name = "positive_line";
  using scalar_type = float;
  using example_type = hogwild::sparse_row<float>;
  std::size_t features = 0;  // set from the data, and from a saved model's columns
  float mean = 0.0f;         // learned, so it is saved, but no option

  static auto numbers() { return std::array{hogwild::number<&positive_line::mean>({.name = "mean"})}; }
  void prepare_for(const hogwild::model_data& data) { mean = static_cast<float>(data.mean_label()); }

  std::size_t dim() const { return features + 1; }
  std::array<hogwild::parameter_group, 2> groups() const {
    return {{{.name = "slopes", .rows = features},  // row j belongs to column j
             {.name = "constant", .offset = features, .rows = 1, .hot_first = false, .projected = false}}};
  }
  float predict(const auto& w, const example_type& z) const { return mean + w[features] + dot(w, z); }
  double loss(const auto& w, const example_type& z) const {
    const auto r = static_cast<double>(predict(w, z) - z.label);
    return 0.5 * r * r;
  }
  void gradient(const auto& w, const example_type& z, const auto& emit) const {
    const float r = predict(w, z) - z.label;
    if (r == 0.0f) return;
    for (auto [j, x] : z)
      if (x != 0.0f) emit(j, r * x);
    emit(features, r);
  }
  void project(std::span<float> run, float) const {  // after each step of these parameters
    for (float& slope : run) slope = std::max(slope, 0.0f);
  }
};

/// A measure: the fraction of rows that are predicted within a half of their labels.
double within_half(std::span<const float> scores, std::span<const float> labels, std::span<const float> weights) {
  double near = 0.0, all = 0.0;
  for (std::size_t r = 0; r < scores.size(); ++r) {
    const double weight = weights.empty() ? 1.0 : static_cast<double>(weights[r]);
    near += std::abs(scores[r] - labels[r]) <= 0.5f ? weight : 0.0;
    all += weight;
  }
  return near / all;
}

int main(int argc, char** argv) {
  hogwild::add_measure({"within_half", hogwild::row_kind::numbers, true, within_half});
  hogwild::register_model<power_hinge>("two labels, by a hinge whose power is an option");
  hogwild::register_model<positive_line>("numbers, by slopes that are not negative");
  return hogwild::command_main(argc, argv);
}
