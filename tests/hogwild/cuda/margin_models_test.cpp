// SPDX-License-Identifier: Apache-2.0
// Every margin model of the project has kernels, which compute its own derivative.
#include "kernels/margin_models.hpp"

#include <span>

#include <gtest/gtest.h>

#include <hogwild/model.hpp>
#include <hogwild/models.hpp>

using namespace hogwild;

namespace {

template <class M>
void expect_kernels() {
  if constexpr (margin_model<M>) {
    const M model{};
    const auto bytes = std::as_bytes(std::span(&model, 1));
    const auto found = device::known_margin_model::find(M::name, bytes);
    ASSERT_TRUE(found.has_value()) << M::name;
    for (float margin = -4.0f; margin <= 4.0f; margin += 0.125f) {
      for (const float label : {-1.0f, 0.5f, 1.0f}) {
        EXPECT_EQ(found->derivative(margin, label), model.derivative(margin, label)) << M::name;
      }
    }
    EXPECT_FALSE(device::known_margin_model::find(M::name, bytes.first(0)).has_value());
  }
}

TEST(margin_models, all_of_the_project_are_known_by_name) {
  with_named_models([]<class... M>() { (expect_kernels<M>(), ...); });
  EXPECT_FALSE(device::known_margin_model::find("softmax", {}).has_value());
}

TEST(margin_models, hyperparameters_come_with_the_bytes) {
  const huber model{0.25f};
  const auto found = device::known_margin_model::find("huber", std::as_bytes(std::span(&model, 1)));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->derivative(9.0f, 1.0f), 0.25f);
}

}  // namespace
