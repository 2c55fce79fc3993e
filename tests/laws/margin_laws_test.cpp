// SPDX-License-Identifier: Apache-2.0
// Laws of every margin model: its derivative is that of its loss, and large margins do no harm.
#include <cmath>
#include <limits>
#include <tuple>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/loop/margin_loss.hpp>
#include <hogwild/detail/run/curvature.hpp>
#include <hogwild/model.hpp>
#include <hogwild/models.hpp>

using namespace hogwild;

namespace {

template <class M>
class margin_law : public testing::Test {
 public:
  M model{};

  static std::vector<float> labels() {
    if (labels_of(M{}) == label_kind::binary) return {-1.0f, 1.0f};
    std::vector<float> numbers = {-2.25f, 0.0f, 1.0f, 3.5f};
    if constexpr (requires { M::takes(0.0); })
      std::erase_if(numbers, [](float label) { return !M::takes(static_cast<double>(label)); });
    return numbers;
  }
};

/// The margin models among the named ones.
template <class... M>
struct margin_models_of {
  template <class Each>
  using if_margin = std::conditional_t<margin_model<Each>, std::tuple<Each>, std::tuple<>>;
  template <class... Margin>
  static testing::Types<Margin...> types_of(std::tuple<Margin...>);
  using types = decltype(types_of(std::tuple_cat(if_margin<M>()...)));
};
using every_margin_model =
    decltype(with_named_models([]<class... M>() { return typename margin_models_of<M...>::types(); }));
TYPED_TEST_SUITE(margin_law, every_margin_model);

TYPED_TEST(margin_law, conforms) {
  static_assert(conforms<TypeParam>() && segment_storable<TypeParam> && is_linear<TypeParam>());
  EXPECT_FALSE(model_name<TypeParam>().empty());
}

TYPED_TEST(margin_law, derivative_is_the_derivative_of_the_loss) {
  // Margins and their neighbours are exact in float, and no kink (where margin and label differ or multiply to whole
  // quarters) lies between neighbours. The loss is a double: truncation is below h^2 = 6e-8, float rounding of the
  // derivative below 1e-7 of its size.
  constexpr float h = 0x1p-12f;
  for (const float label : this->labels()) {
    for (int k = -256; k <= 256; ++k) {
      const float m = static_cast<float>(k) * 0x1p-5f + 0x1p-9f;
      const double rise = this->model.loss(m + h, label) - this->model.loss(m - h, label);
      const double slope = rise / (2.0 * static_cast<double>(h));
      EXPECT_NEAR(this->model.derivative(m, label), slope, 2e-6 * (1.0 + std::abs(slope))) << m << " " << label;
    }
  }
}

TYPED_TEST(margin_law, loss_is_convex_and_nowhere_negative) {
  // A likelihood without its constant terms satisfies only the first law.
  constexpr bool is_likelihood = requires(const TypeParam& m) {
    m.prediction(0.0f);
  };
  for (const float label : this->labels()) {
    for (float m = -8.0f; m < 8.0f; m += 0.125f) {
      const double middle = this->model.loss(m, label);
      const double ends = this->model.loss(m - 0.5f, label) + this->model.loss(m + 0.5f, label);
      EXPECT_TRUE(is_likelihood || middle >= 0.0) << m << " " << label;
      EXPECT_LE(middle, ends / 2.0 + 1e-12 * std::abs(ends)) << m << " " << label;
    }
  }
}

TYPED_TEST(margin_law, huge_margins_give_finite_losses_and_derivatives_of_the_right_sign) {
  for (const float label : this->labels()) {
    for (const float m : {1e3f, 1e10f, 1e30f, 1e38f}) {
      for (const float margin : {m, -m}) {
        EXPECT_TRUE(std::isfinite(this->model.loss(margin, label))) << margin << " " << label;
        const float slope = this->model.derivative(margin, label);
        EXPECT_TRUE(std::isfinite(slope)) << margin << " " << label;
        // Far away the loss falls towards the label, or is flat on the right side of it.
        EXPECT_GE(slope * margin, 0.0f) << margin << " " << label;
      }
    }
  }
}

// Otherwise a run that has diverged would report a loss.
TYPED_TEST(margin_law, a_margin_that_is_no_number_gives_a_loss_that_is_none) {
  const float none = std::numeric_limits<float>::quiet_NaN();
  for (const float label : this->labels()) EXPECT_TRUE(std::isnan(this->model.loss(none, label))) << label;
}

TYPED_TEST(margin_law, derivative_changes_by_no_more_than_its_smoothness_over_one_unit) {
  if constexpr (requires { this->model.smoothness(1.0); }) GTEST_SKIP() << "it has no bound";
  const double most = smoothness(margin_loss(this->model));
  EXPECT_GT(most, 0.0);
  for (const float label : this->labels())
    for (float m = -12.0f; m < 12.0f; m += 0.125f) {
      const float change = this->model.derivative(m + 0.5f, label) - this->model.derivative(m - 0.5f, label);
      EXPECT_LE(static_cast<double>(change), most * (1.0 + 1e-5)) << m << " " << label;
      EXPECT_GE(change, 0.0f) << m << " " << label;  // convex
    }
}

TYPED_TEST(margin_law, is_the_same_behind_function_pointers) {
  const margin_loss erased(this->model);
  for (const float label : this->labels()) {
    for (const float m : {-3.0f, -0.5f, 0.0f, 0.25f, 7.0f}) {
      EXPECT_EQ(erased.loss(m, label), this->model.loss(m, label));
      EXPECT_EQ(erased.derivative(m, label), this->model.derivative(m, label));
      EXPECT_EQ(erased.prediction(m), prediction_of(this->model, m));
    }
  }
}

}  // namespace
