// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <hogwild/general_model.hpp>
#include <hogwild/hogwild.hpp>
struct huber_regression {                                  // satisfies hogwild::model; inherits nothing
  using scalar_type  = float;
  using example_type = hogwild::sparse_row<float>;
  std::size_t features;
  float delta = 1.0f;
  std::size_t dim() const { return features; }
  double loss(const auto& w, const example_type& z) const {
    const float r = std::abs(hogwild::dot(w, z) - z.label);
    return r <= delta ? 0.5f * r * r : delta * (r - 0.5f * delta);
  }
  void gradient(const auto& w, const example_type& z, const auto& emit) const {
    const float g = std::clamp(hogwild::dot(w, z) - z.label, -delta, delta);  // every read first,
    for (auto [j, x] : z) emit(j, g * x);                                     // then one emit a coordinate
  }
};
static_assert(hogwild::conforms<huber_regression>());
int main() {
  const auto data = hogwild::open_libsvm("train.svm");
  const auto run  = hogwild::train(huber_regression{.features = data.features()}, data, hogwild::thread_engine{.workers = 16},
                                   {.epochs = 10, .step = {.initial = 0.1f, .decay = 0.9f}, .seed = 7, .record = "run.jsonl"});
  std::printf("loss %.6f after %zu updates\n", run.train_loss, run.updates);
}
