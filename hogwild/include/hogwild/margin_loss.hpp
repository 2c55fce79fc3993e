// SPDX-License-Identifier: Apache-2.0
#pragma once

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
        }) {}

  double loss(float margin, float label) const { return loss_(model_, margin, label); }
  float derivative(float margin, float label) const { return derivative_(model_, margin, label); }

 private:
  const void* model_;
  double (*loss_)(const void*, float, float);
  float (*derivative_)(const void*, float, float);
};

}  // namespace hogwild
