// SPDX-License-Identifier: Apache-2.0
// Laws of the step of every margin model under every optimiser: it reads before it writes, so it does the same on live
// parameters as on a copy; and it touches the row's columns and the bias only, each at most once. The owed steps of a
// column are made before that.
#include <hogwild/detail/loop/step.hpp>

#include <map>
#include <tuple>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/loop/margin_fading.hpp>
#include <hogwild/detail/sharing/direct.hpp>
#include <hogwild/models/hinge_svm.hpp>
#include <hogwild/models/huber.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/models/logistic.hpp>

#include "support/toy_data.hpp"

using namespace hogwild;

namespace {

using sharing_type = direct_sharing<float, update::lossy>;

constexpr test::toy_shape law_shape{.rows = 60, .columns = 15, .per_row = 5, .seed = 8};

template <class Case>
class step_law : public testing::Test {
 public:
  using model_type = std::tuple_element_t<0, Case>;
  using step_type = std::tuple_element_t<1, Case>;
  static constexpr optimizer_kind kind = std::tuple_element_t<2, Case>::value;

  /// One worker with memory of its own, starting from the same weights as any other.
  struct worker {
    explicit worker(const step_law& law)
        : store(param_store::in_memory({.parameters = law_shape.columns + 1, .state_arrays = 3})),
          step(sharing_type(store, 0), margin_loss(law.model), law.context) {
      const auto start = test::noise_vector(law_shape.columns + 1, 21);
      std::ranges::copy(start, store.parameters<float>().begin());
      const round_plan round{.step = 0.3, .l2 = {.scale = 0.5, .shrink = 1.0 - 0.3 * 0.01}};
      step.begin_round(round);
      step.begin(round, 0.0);
    }
    void settle(const sparse_row<float>& z) {
      if constexpr (requires { step.settle(z); }) step.settle(z);
    }
    std::vector<float> weights() const {
      const auto w = store.parameters<float>();
      return {w.begin(), w.end()};
    }
    param_store store;
    step_type step;
  };

  model_type model{};
  test::toy_rows rows = labels_of(model_type{}) == label_kind::binary ? test::planted_classification(law_shape)
                                                                      : test::planted_regression(law_shape);
  std::vector<float> weights = test::numbers_in_turn(law_shape.rows, {2.0f, 1.0f, 0.0f}),
                     offsets = test::numbers_in_turn(law_shape.rows, {0.25f, 0.0f, -0.5f, 1.0f});
  csr_rows data = [this] {
    csr_rows made = rows.csr();
    made.set_weights(weights);
    made.set_offsets(offsets);
    return made;
  }();
  label_map labels = label_map::learn(labels_of(model_type{}), data.view().label, "toy");
  std::vector<std::uint32_t> degree = std::vector<std::uint32_t>(law_shape.columns, 20);
  loop_options options{.optimizer = kind, .bias = 1, .l2 = 0.01};
  step_context context{labels, degree, law_shape.rows, options};
};

template <class M, optimizer_kind Kind, template <class> class Step>
using with = std::tuple<M, Step<sharing_type>, std::integral_constant<optimizer_kind, Kind>>;
template <class M>
using with_sgd = with<M, optimizer_kind::sgd, margin_sgd_step>;
template <class M>
using with_adagrad = with<M, optimizer_kind::adagrad, margin_adagrad_step>;
template <class M>
using with_momentum = with<M, optimizer_kind::momentum, margin_fading_step>;
template <class M>
using with_adam = with<M, optimizer_kind::adam, margin_fading_step>;
using every_case = testing::Types<with_sgd<logistic>, with_sgd<hinge_svm>, with_sgd<least_squares>, with_sgd<huber>,
                                  with_adagrad<logistic>, with_adagrad<hinge_svm>, with_adagrad<least_squares>,
                                  with_adagrad<huber>, with_momentum<logistic>, with_momentum<hinge_svm>,
                                  with_momentum<least_squares>, with_momentum<huber>, with_adam<logistic>,
                                  with_adam<hinge_svm>, with_adam<least_squares>, with_adam<huber>>;
TYPED_TEST_SUITE(step_law, every_case);

constexpr auto ignore = [](std::size_t, float) {};

TYPED_TEST(step_law, live_parameters_give_the_same_as_a_copy) {
  typename TestFixture::worker live(*this), copied(*this);
  const auto start = live.weights();
  row_cursor cursor(this->data.view());
  for (std::size_t r = 0; r < law_shape.rows; ++r) {
    const auto z = live.step.example(cursor, r);
    live.settle(z), copied.settle(z);
    live.step.train(live.step.reader(), z, ignore);
    auto frozen = copied.weights();
    copied.step.train(param_reader<float>(frozen.data(), frozen.size()), z, ignore);
    ASSERT_EQ(live.weights(), copied.weights()) << "row " << r;
  }
  EXPECT_NE(live.weights(), start);
}

TYPED_TEST(step_law, touches_the_columns_of_the_row_and_the_bias_once_and_says_where_each_add_began) {
  typename TestFixture::worker one(*this);
  row_cursor cursor(this->data.view());
  for (std::size_t r = 0; r < law_shape.rows; ++r) {
    const auto z = one.step.example(cursor, r);
    one.settle(z);
    const auto before = one.weights();
    std::map<std::size_t, int> allowed{{law_shape.columns, 1}};
    for (auto [j, x] : z) allowed[j] = 1;
    bool noted = false;
    const bool changed = one.step.train(one.step.reader(), z, [&](std::size_t j, float started_from) {
      EXPECT_EQ(started_from, before[j]);
      EXPECT_EQ(allowed[j]--, 1) << "row " << r << " coordinate " << j;
      noted = true;
    });
    const auto after = one.weights();
    for (std::size_t j = 0; j < after.size(); ++j) {
      if (after[j] != before[j]) {
        EXPECT_EQ(allowed[j], 0) << "row " << r << " coordinate " << j << " changed without a word";
      }
    }
    EXPECT_EQ(changed, noted) << "row " << r;
  }
}

}  // namespace
