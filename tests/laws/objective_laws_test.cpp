// SPDX-License-Identifier: Apache-2.0
// A law of every model, optimiser and form of l2: the updates descend the reported objective. An epoch of small steps
// of sgd goes along the gradient of the reported objective, found from its differences; and under small steps of any
// optimiser the objective does not rise.
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/kernels/layer_kernels.hpp>
#include <hogwild/general_model.hpp>
#include <hogwild/hogwild.hpp>
#include <hogwild/models.hpp>

#include "support/toy_data.hpp"
#include "support/toy_ratings.hpp"
#include "workspace_subjects.hpp"

using namespace hogwild;
using namespace hogwild::test::subjects;

namespace {

constexpr double no_rise = 1e-6;  ///< of an objective, which is a sum of floats

/// A model, rows of it, and how an epoch's updates are counted: a row each, or a batch each.
template <class M, l2_form Form = l2_form::by_degree>
struct rows_alone {
  static constexpr l2_form form = Form;
  static constexpr std::size_t batch = 1;
  static constexpr double step = 0x1p-7, tolerance = 0.02;
};

template <class M, l2_form Form = l2_form::by_degree>
struct linear : rows_alone<M, Form> {
  static M model() { return {}; }
  static numbered_rows data() {
    return {.rows = labels_of(M{}) == label_kind::binary ? test::planted_classification(shape)
                                                         : test::planted_regression(shape)};
  }
};
struct counts : rows_alone<poisson> {
  static poisson model() { return {}; }
  static numbered_rows data() {
    numbered_rows d{.rows = test::planted_regression(shape)};
    for (float& y : d.rows.label) y = std::round(std::abs(y));
    d.data = d.rows.csr();
    return d;
  }
};
/// Without constants, which are put where the loss is least.
template <l2_form Form>
struct several_classes : rows_alone<softmax, Form> {
  static softmax model() { return {.features = shape.columns, .classes = 3, .bias = false}; }
  static numbered_rows data() { return {.rows = test::planted_classes(shape, 3)}; }
};
template <l2_form Form>
struct machine : rows_alone<factorization_machine, Form> {
  static factorization_machine model() { return {.features = shape.columns, .factors = 3}; }
  static numbered_rows data() { return {.rows = test::planted_classification(shape)}; }
};
template <l2_form Form>
struct ratings : rows_alone<matrix_factorization, Form> {
  static constexpr test::toy_ratings_shape few{.users = 9, .items = 7, .ratings = 60};
  static matrix_factorization model() { return test::factors_of(few, 3); }
  static numbered_rows data() { return {.rows = test::planted_ratings(few)}; }
};
/// The batch divides the rows.
template <class Subject, std::size_t Batch, l2_form Form = l2_form::by_degree>
struct batches : Subject {
  static constexpr l2_form form = Form;
  static constexpr std::size_t batch = Batch;
};
struct sparse_perceptron : perceptron {
  static mlp model() {
    mlp m = perceptron::model();
    m.sparse = true;
    return m;
  }
};
using binary_fields = fields<label_kind::binary>;
using real_fields = fields<label_kind::real>;

template <class Subject>
class objective_law : public testing::Test {
 public:
  using model_type = decltype(Subject::model());

  void SetUp() override {
    if constexpr (requires(model_type m) { m.net(); })
      if (!has_layer_kernels()) GTEST_SKIP() << "this build has no layers";
  }

  model_type model = Subject::model();
  decltype(Subject::data()) data = Subject::data();
  sparse_view rows = data.view();

  train_options options(optimizer_kind by, double step) const {
    train_options o{.epochs = 1, .step = {.initial = step, .kind = schedule_kind::constant}, .l2 = 0.2};
    o.optimizer = by;
    o.form = Subject::form;
    o.telemetry = false;
    if (workspace_model<model_type>) o.batch = Subject::batch;
    return o;
  }
  train_result run_from(const std::vector<float>& w, train_options o) const {
    o.initial = [&](std::span<float> fresh) { std::ranges::copy(w, fresh.begin()); };
    return train(model, rows, serial_engine{}, o);
  }
  /// A step of 1e-30 changes no parameter except zeros, and those negligibly.
  double objective_at(const std::vector<float>& w) const {
    return run_from(w, options(optimizer_kind::sgd, 1e-30)).objective;
  }
  std::vector<parameter_group> groups() const {
    if constexpr (margin_model<model_type>)
      return {{.name = "weights", .rows = rows.columns}};
    else {
      const auto all = groups_of(model);
      return {all.begin(), all.end()};
    }
  }
  bool is_padding(std::size_t j) const {
    if constexpr (requires { Subject::is_padding(model, j); }) return Subject::is_padding(model, j);
    if constexpr (requires {
                    model.width();
                    model.users;
                    model.factors;
                  })
      return j < (model.users + model.items) * model.width() && j % model.width() >= model.factors;
    if constexpr (std::is_same_v<model_type, factorization_machine>)
      return j < model.features * model.width() && j % model.width() >= model.factors;
    return false;
  }
  std::vector<float> point() const {
    std::size_t size = 0;
    for (const parameter_group& g : groups()) size += g.rows * g.width;
    std::vector<float> w = test::noise_vector(size, 11, -0.5, 0.5);
    for (std::size_t j = 0; j < w.size(); ++j)
      if (is_padding(j)) w[j] = 0.0f;
    return w;
  }
};

using every_model =
    testing::Types<linear<logistic>, linear<hinge_svm>, linear<squared_hinge>, linear<modified_huber>,
                   linear<least_squares>, linear<huber>, linear<quantile>, linear<epsilon_insensitive>,
                   linear<squared_epsilon_insensitive>, counts, linear<logistic, l2_form::two_pass>,
                   several_classes<l2_form::by_degree>, several_classes<l2_form::per_occurrence>,
                   machine<l2_form::by_degree>, machine<l2_form::per_occurrence>, ratings<l2_form::by_degree>,
                   ratings<l2_form::per_occurrence>, batches<binary_fields, 1, l2_form::per_occurrence>,
                   batches<binary_fields, 4, l2_form::per_occurrence>, batches<real_fields, 3, l2_form::per_occurrence>,
                   batches<deep_fields<label_kind::binary>, 4>, batches<perceptron, 4>, batches<sparse_perceptron, 4>,
                   batches<rest_perceptron, 3>>;
TYPED_TEST_SUITE(objective_law, every_model);

// The epoch moves the parameters by its updates times the step times the gradient, and by the curvature times that once
// more: some hundredth of it. Directions lie within one group, which may have a step of its own. Rounding leaves 2^-22
// of the objectives over how far apart they are, and 2^-24 of a parameter over the step. A relu may switch within a
// difference, for which nets have smaller ones.
TYPED_TEST(objective_law, small_steps_of_sgd_go_along_the_gradient_of_what_is_reported) {
  constexpr double step = 0x1p-11, apart = TypeParam::step;
  const std::vector<float> w = this->point();
  std::mt19937_64 random(5);
  for (const sharing_kind sharing : {sharing_kind::automatic, sharing_kind::direct}) {
    train_options o = this->options(optimizer_kind::sgd, step);
    o.sharing = sharing;
    const std::vector<float> after = this->run_from(w, o).parameters;
    ASSERT_EQ(after.size(), w.size());
    const auto updates = static_cast<double>(this->rows.rows()) / TypeParam::batch;
    for (const parameter_group& g : this->groups()) {
      const std::size_t size = g.rows * g.width;
      std::vector<double> gradient(size);  // by what the epoch has changed
      double length = 0.0;
      for (std::size_t i = 0; i < size; ++i) {
        const double moved = static_cast<double>(after[g.offset + i]) - static_cast<double>(w[g.offset + i]);
        gradient[i] = -moved / (updates * step * g.step_factor);
        length += gradient[i] * gradient[i];
      }
      length = std::sqrt(length);
      if (size == 0 || length == 0.0) continue;
      for (int round = 0; round < 3; ++round) {
        std::vector<double> direction(size);
        double norm = 0.0;
        for (std::size_t i = 0; i < size; ++i) {
          const bool there = random() % 2 == 0, padding = this->is_padding(g.offset + i);
          direction[i] = padding ? 0.0 : round == 0 ? gradient[i] : there ? 1.0 : -1.0;
          norm += direction[i] * direction[i];
        }
        norm = std::sqrt(norm);
        double difference = 0.0, expected = 0.0;
        for (const double side : {1.0, -1.0}) {
          std::vector<float> beside = w;
          for (std::size_t i = 0; i < size; ++i) {
            float& x = beside[g.offset + i];
            x = static_cast<float>(static_cast<double>(x) + side * apart * direction[i] / norm);
            expected += side * gradient[i] * static_cast<double>(x);  // the direction after rounding
          }
          difference += side * this->objective_at(beside);
        }
        const double rounding = 0x1p-22 * (1.0 + this->objective_at(w)) / apart + 0x1p-24 / step;
        EXPECT_NEAR(difference / (2.0 * apart), expected / (2.0 * apart), TypeParam::tolerance * length + rounding)
            << g.name << ", direction " << round << (sharing == sharing_kind::direct ? ", direct" : "");
      }
    }
  }
}

TYPED_TEST(objective_law, small_steps_of_any_optimizer_do_not_raise_what_is_reported) {
  constexpr bool margins = margin_model<decltype(this->model)>;
  for (const optimizer_facts& of : optimizers) {
    const optimizer_kind by = of.kind;
    if (margins ? by == optimizer_kind::row_adagrad : by == optimizer_kind::ftrl) continue;
    if (TypeParam::form == l2_form::two_pass && by != optimizer_kind::sgd) continue;
    train_options o = this->options(by, of.one_step ? 2e-3 : 5e-4);
    std::vector<double> objectives;
    o.epochs = 10;
    o.observers = {[&](const epoch_report& e) { objectives.push_back(e.objective); }};
    if (by == optimizer_kind::ftrl) {
      o.step = {.initial = 5e-4};
      train(this->model, this->rows, serial_engine{}, o);
    } else {
      objectives.push_back(this->objective_at(this->point()));
      this->run_from(this->point(), o);
    }
    ASSERT_GE(objectives.size(), 10u);
    for (std::size_t e = 1; e < objectives.size(); ++e)
      EXPECT_LE(objectives[e], objectives[e - 1] + no_rise * std::abs(objectives[e - 1]))
          << "epoch " << e << " under " << of.name;
  }
}

}  // namespace
