// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>
#include <cstdio>

#include <hogwild/cuda/device_kernels.hpp>
#include <hogwild/cuda/engine.hpp>
#include <hogwild/general_model.hpp>
#include <hogwild/hogwild.hpp>

struct huber_regression {
  using scalar_type = float;
  using example_type = hogwild::sparse_row<float>;
  std::size_t features;
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
static_assert(hogwild::device_model<huber_regression>);
static const hogwild::device_kernels<huber_regression> huber_kernels;

int main() {
  const auto data = hogwild::open_libsvm("train.svm");
  const auto run = hogwild::train(huber_regression{.features = data.features()}, data,
                                  hogwild::cuda_engine{.device = hogwild::emulated_device},
                                  {.epochs = 10, .step = {.initial = 0.1, .decay = 0.9}});
  std::printf("loss %.6f after %zu updates\n", run.train_loss, run.updates);
}
