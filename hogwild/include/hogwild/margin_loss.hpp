// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <hogwild/core/model.hpp>

namespace hogwild {

/// A margin model behind two function pointers, so that the loops are compiled once and not once a model. Refers to
/// the model, which must outlive it; trivially copied.
class margin_loss {
 public:
  template <margin_model M>
  explicit margin_loss(const M& m)
      : model_(&m),
        loss_([](const void* p, float margin, float label) -> double {
          return static_cast<const M*>(p)->loss(margin, label);
        }),
        derivative_([](const void* p, float margin, float label) -> float {
          return static_cast<const M*>(p)->derivative(margin, label);
        }),
        derivatives_([](const void* p, std::size_t n, const float* margin, const float* label, float* slope) {
          const M& model = *static_cast<const M*>(p);
          for (std::size_t i = 0; i < n; ++i) slope[i] = model.derivative(margin[i], label[i]);
        }) {}

  double loss(float margin, float label) const { return loss_(model_, margin, label); }
  float derivative(float margin, float label) const { return derivative_(model_, margin, label); }

  /// slope[i] = derivative(margin[i], label[i]) for i < n, bit for bit: one call for the rows of a micro-batch, in
  /// which the compiler makes vector code of the model's formula where it can. `slope` may be `margin`.
  void derivatives(std::size_t n, const float* margin, const float* label, float* slope) const {
    derivatives_(model_, n, margin, label, slope);
  }

 private:
  const void* model_;
  double (*loss_)(const void*, float, float);
  float (*derivative_)(const void*, float, float);
  void (*derivatives_)(const void*, std::size_t, const float*, const float*, float*);
};

/// How much the derivative of a margin loss changes at most over one unit of the margin: 1/4 for logistic, 1 for
/// squares, and 1 for the hinge, whose derivative jumps by 1. Found by trying margins within 8 of the label.
double steepness(const margin_loss& loss);

}  // namespace hogwild
