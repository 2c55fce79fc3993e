// SPDX-License-Identifier: Apache-2.0
// Laws of every general model: its gradient is that of its loss, and it may be applied as it is emitted.
#include <cmath>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/check_gradient.hpp>
#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/memory/param_view.hpp>
#include <hogwild/model.hpp>
#include <hogwild/models/factorization_machine.hpp>
#include <hogwild/models/glove.hpp>
#include <hogwild/models/matrix_factorization.hpp>
#include <hogwild/models/softmax.hpp>

#include "support/toy_data.hpp"

using namespace hogwild;

namespace {

constexpr test::toy_shape shape{.rows = 40, .columns = 12, .per_row = 4, .seed = 3};

// A subject of these laws: a model and rows that it understands. Partials of a squared loss of products of parameters
// are cubes of them, which have to fit into a float: `huge` says how large the parameters of such a model may be.
struct softmax_of_three {
  static softmax model() { return {.features = shape.columns, .classes = 3}; }
  static test::toy_rows rows() { return test::planted_classes(shape, 3); }
};
struct softmax_with_bias {
  static softmax model() { return {.features = shape.columns, .classes = 4, .bias = true}; }
  static test::toy_rows rows() { return test::planted_classes(shape, 4); }
};
struct softmax_of_lists {
  static softmax model() { return {.features = shape.columns, .classes = 4, .bias = true}; }
  static test::toy_rows rows() { return test::planted_lists(shape, 4); }
};
struct one_vs_rest {
  static softmax model() { return {.features = shape.columns, .classes = 3, .one_vs_rest = true}; }
  static test::toy_rows rows() { return test::planted_classes(shape, 3); }
};
struct one_vs_rest_of_lists {
  static softmax model() { return {.features = shape.columns, .classes = 4, .bias = true, .one_vs_rest = true}; }
  static test::toy_rows rows() { return test::planted_lists(shape, 4); }
};
struct fm_of_two_labels {
  static constexpr float huge = 1e12f;
  static factorization_machine model() { return {.features = shape.columns, .factors = 3}; }
  static test::toy_rows rows() { return test::planted_classification(shape); }
  static bool is_padding(std::size_t j) { return j < shape.columns * 4 && j % 4 >= 3; }
};
struct fm_of_numbers {
  static constexpr float huge = 1e12f;
  static factorization_machine model() {
    return {.features = shape.columns, .factors = 9, .labels = label_kind::real, .mean = 0.5f, .scale = 0.75f};
  }
  static test::toy_rows rows() { return test::planted_regression(shape); }
  static bool is_padding(std::size_t j) { return j < shape.columns * 16 && j % 16 >= 9; }
};
template <bool Bias>
struct factors_of_ratings {
  static constexpr float huge = 1e12f;
  static matrix_factorization model() { return {.users = 6, .items = 6, .factors = 5, .bias = Bias, .mean = 0.25f}; }
  static test::toy_rows rows() {
    test::toy_shape pairs = shape;
    pairs.per_row = 2;
    return test::planted_regression(pairs);
  }
  static bool is_padding(std::size_t j) { return j < 12 * 16 && j % 16 >= 5; }
};
struct pairs_of_words : factors_of_ratings<true> {
  static glove model() {
    glove m;
    m.users = m.items = 6, m.factors = 5, m.full_weight_from = 0.5f;
    return m;
  }
};

template <class Subject>
class general_law : public testing::Test {
 public:
  using model_type = decltype(Subject::model());
  using scalar = typename model_type::scalar_type;
  using emissions = std::vector<std::pair<std::size_t, scalar>>;

  model_type model = Subject::model();
  test::toy_rows rows = Subject::rows();
  csr_rows data = rows.csr();
  row_cursor cursor{data.view()};
  std::vector<scalar> w = weights();
  std::vector<std::uint32_t> classes{};

  sparse_row<float> row(std::size_t r) {
    sparse_row<float> z = cursor.row(r);
    if (data.view().label.lists())
      z.classes =
          label_map::learn(label_kind::classes, data.view().label, "toy").encode_list(data.view().label, r, classes);
    return z;
  }

  std::vector<scalar> weights() const {
    auto noise = test::noise_vector(model.dim(), 11);
    for (std::size_t j = 0; j < noise.size(); ++j)
      if (is_padding(j)) noise[j] = 0.0f;
    return {noise.begin(), noise.end()};
  }
  static bool is_padding(std::size_t j) {
    if constexpr (requires { Subject::is_padding(j); }) return Subject::is_padding(j);
    return false;
  }
  /// Readers refer to memory that others may write; nobody does here.
  param_reader<scalar> reader(std::vector<scalar>& values) const { return {values.data(), values.size()}; }

  emissions gradient(const auto& z) {
    emissions out;
    model.gradient(reader(w), z, collector{out});
    return out;
  }

  struct collector {
    emissions& out;
    void operator()(std::size_t j, scalar g) const {
      EXPECT_NE(g, scalar(0)) << "coordinate " << j;
      out.emplace_back(j, g);
    }
    /// Runs may hold zeros: padding is emitted too.
    void block(std::size_t offset, std::span<const scalar> partials) const {
      for (std::size_t i = 0; i < partials.size(); ++i) out.emplace_back(offset + i, partials[i]);
    }
  };
  struct applier {
    param_view<scalar> view;
    scalar step;
    void operator()(std::size_t j, scalar g) const { view.add(j, -step * g); }
    void block(std::size_t offset, std::span<const scalar> partials) const {
      for (std::size_t i = 0; i < partials.size(); ++i) (*this)(offset + i, partials[i]);
    }
  };
};

using every_general_model = testing::Types<softmax_of_three, softmax_with_bias, softmax_of_lists, one_vs_rest,
                                           one_vs_rest_of_lists, fm_of_two_labels, fm_of_numbers,
                                           factors_of_ratings<true>, factors_of_ratings<false>, pairs_of_words>;
TYPED_TEST_SUITE(general_law, every_general_model);

TYPED_TEST(general_law, conforms) {
  using tried = decltype(TypeParam::model());
  static_assert(conforms<tried>() && segment_storable<tried>);
  std::size_t grouped = 0;
  for (const parameter_group& g : groups_of(this->model)) {
    EXPECT_EQ(g.offset, grouped) << g.name;
    grouped += g.rows * g.width;
  }
  EXPECT_EQ(grouped, this->model.dim());
}

TYPED_TEST(general_law, gradient_is_the_derivative_of_the_loss) {
  const auto fault = check_gradient(this->model, this->data, {.parameters = this->w});
  EXPECT_FALSE(fault) << fault->sentence;
}

TYPED_TEST(general_law, emits_each_coordinate_once_and_no_zeros) {
  test::toy_rows with_zero = this->rows;
  with_zero.value[1] = 0.0f;
  const csr_rows with_zero_data = with_zero.csr();
  row_cursor with_zero_cursor(with_zero_data.view());
  for (std::size_t r = 0; r < with_zero.rows(); ++r) {
    std::map<std::size_t, int> emits;
    for (const auto& [j, g] : this->gradient(with_zero_cursor.row(r))) {
      EXPECT_LT(j, this->model.dim());
      EXPECT_EQ(++emits[j], 1) << "row " << r << " coordinate " << j;
    }
  }
}

TYPED_TEST(general_law, applied_as_it_is_emitted_it_does_the_same_as_afterwards) {
  auto at_once = this->w, afterwards = this->w;
  for (std::size_t r = 0; r < this->rows.rows(); ++r) {
    const auto z = this->row(r);
    using law = general_law<TypeParam>;
    this->model.gradient(this->reader(at_once), z, typename law::applier{param_view(std::span(at_once)), 0.25f});
    typename law::emissions collected;
    this->model.gradient(this->reader(afterwards), z, typename law::collector{collected});
    for (const auto& [j, g] : collected) afterwards[j] += -0.25f * g;
    ASSERT_EQ(at_once, afterwards) << "row " << r;
  }
  EXPECT_NE(at_once, this->w);
}

TYPED_TEST(general_law, keeps_nothing_between_calls) {
  const auto first = this->gradient(this->row(0));
  (void)this->gradient(this->row(1));
  EXPECT_EQ(this->gradient(this->row(0)), first);
}

TYPED_TEST(general_law, loss_stays_finite_for_huge_weights) {
  float huge = 1e30f;
  if constexpr (requires { TypeParam::huge; }) huge = TypeParam::huge;
  for (auto& x : this->w) x *= huge;
  for (std::size_t r = 0; r < this->rows.rows(); ++r) {
    const auto z = this->row(r);
    EXPECT_TRUE(std::isfinite(this->model.loss(this->reader(this->w), z))) << r;
    for (const auto& [j, g] : this->gradient(z)) EXPECT_TRUE(std::isfinite(g)) << r << " " << j;
  }
}

TYPED_TEST(general_law, predicts_the_label_of_least_loss) {
  for (std::size_t r = 0; r < this->rows.rows(); ++r) {
    auto z = this->row(r);
    z.classes = {};
    const float predicted = this->model.predict(this->reader(this->w), z);
    std::vector<float> others;
    z.label = predicted;
    switch (labels_of(this->model)) {
      case label_kind::binary:
        z.label = predicted > 0.0f ? 1.0f : -1.0f;
        others = {-z.label};
        break;
      case label_kind::real:
        others = {predicted - 0.5f, predicted + 0.5f};
        break;
      case label_kind::classes:
        for (const float c : {0.0f, 1.0f, 2.0f}) others.push_back(c);
        break;
    }
    const double least = this->model.loss(this->reader(this->w), z);
    for (const float other : others) {
      z.label = other;
      EXPECT_GE(this->model.loss(this->reader(this->w), z), least) << r;
    }
  }
}

TYPED_TEST(general_law, padding_stays_zero) {
  for (int pass = 0; pass < 3; ++pass) {
    for (std::size_t r = 0; r < this->rows.rows(); ++r) {
      using law = general_law<TypeParam>;
      this->model.gradient(this->reader(this->w), this->row(r),
                           typename law::applier{param_view(std::span(this->w)), 0.05f});
    }
  }
  for (std::size_t j = 0; j < this->w.size(); ++j) {
    if (this->is_padding(j))
      EXPECT_EQ(this->w[j], 0.0f) << j;
    else
      EXPECT_TRUE(std::isfinite(this->w[j])) << j;
  }
}

}  // namespace
