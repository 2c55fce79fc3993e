// SPDX-License-Identifier: Apache-2.0
// Laws of every model with a workspace: its gradient is that of its mean loss, in runs that lie in one group each; it
// keeps no state, bears large numbers and does not change padding.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/kernels/bf16_kernels.hpp>
#include <hogwild/detail/kernels/layer_kernels.hpp>
#include <hogwild/detail/loop/workspace_step.hpp>
#include <hogwild/detail/memory/param_view.hpp>
#include <hogwild/model.hpp>

#include "support/toy_data.hpp"
#include "workspace_subjects.hpp"

using namespace hogwild;

namespace {

/// Along such a direction the sum of a point's entries stays as it is.
void keep_in_simplex(std::vector<double>& direction, std::size_t width) {
  for (std::size_t first = 0; first < direction.size(); first += width) {
    const std::span<double> entries = std::span(direction).subspan(first, width);
    const double mean = std::accumulate(entries.begin(), entries.end(), 0.0) / static_cast<double>(width);
    for (double& d : entries) d -= mean;
  }
}

template <class Subject>
class workspace_law : public testing::Test {
 public:
  using model_type = decltype(Subject::model());
  using workspace = typename model_type::workspace;
  using emissions = std::vector<std::pair<std::size_t, std::vector<float>>>;

  void SetUp() override {
    if constexpr (requires(model_type m) { m.net(); })
      if (!has_layer_kernels()) GTEST_SKIP() << "this build has no layers";
  }

  model_type model = Subject::model();
  decltype(Subject::data()) data = Subject::data();
  sparse_view rows = data.view();
  std::vector<float> w = weights();

  bool is_padding(std::size_t j) const {
    if constexpr (requires { Subject::is_padding(model, j); }) return Subject::is_padding(model, j);
    return false;
  }
  /// The initial weights plus noise.
  std::vector<float> weights() const {
    std::vector<float> all = test::noise_vector(model.dim(), 11, -0.25, 0.25);
    if constexpr (requires { model.net(); }) std::ranges::fill(all, 0.0f);
    std::vector<float> begin(model.dim());
    model.init(param_view<float>(std::span(begin)), counter_random(5, 6));
    for (std::size_t j = 0; j < all.size(); ++j) all[j] = is_padding(j) ? 0.0f : all[j] + begin[j];
    if constexpr (projects_runs<model_type, float>) model.project(all, 0.0f);
    return all;
  }
  static param_reader<float> reader(std::vector<float>& values) { return {values.data(), values.size()}; }

  workspace space() const { return model.make_workspace(rows, isa::automatic, 4); }
  /// Takes rows first .. first + n - 1, each with random numbers of its own.
  void take(workspace& s, std::size_t first, std::size_t n, const std::vector<float>& weights = {}) const {
    row_cursor cursor(rows);
    for (std::size_t k = 0; k < n; ++k) {
      sparse_row<float> z = cursor.row(first + k);
      if (!weights.empty()) z.weight = weights[k];
      model.take(s, k, z, counter_random(3, first + k));
    }
  }

  struct collector {
    emissions& to;
    void block(std::size_t offset, std::span<const float> g) const { to.push_back({offset, {g.begin(), g.end()}}); }
  };
  struct applier {
    std::vector<float>& w;
    float step;
    void block(std::size_t offset, std::span<const float> g) const {
      for (std::size_t i = 0; i < g.size(); ++i) w[offset + i] -= step * g[i];
    }
  };
  emissions gradient(workspace& s, std::size_t n) {
    emissions all;
    model.gradient(reader(w), s, n, collector{all});
    return all;
  }
  std::vector<double> summed(const emissions& all) const {
    std::vector<double> sum(model.dim());
    for (const auto& [offset, g] : all)
      for (std::size_t i = 0; i < g.size(); ++i) sum[offset + i] += static_cast<double>(g[i]);
    return sum;
  }
  double loss(workspace& s, std::size_t n) {
    if constexpr (requires { Subject::loss(model, s, reader(w), n); }) {
      return Subject::loss(model, s, reader(w), n);
    } else {
      std::vector<row_score> scores(n);
      model.score(reader(w), s, n, scores);
      double sum = 0.0;
      for (const row_score& v : scores) sum += v.loss;
      return emits_sums<model_type> ? sum : sum / static_cast<double>(n);
    }
  }
};

using namespace hogwild::test::subjects;
using every_workspace_model = testing::Types<
    fields<label_kind::binary>, fields<label_kind::real>, deep_fields<label_kind::binary>,
    deep_fields<label_kind::real>, tree_of_labels, perceptron, rest_perceptron, wide_perceptron, tree_perceptron,
    images, edges, walks, edge_blocks<true, true>, edge_blocks<true, false>, edge_blocks<false, true>, user_items<bpr>,
    user_items<sampled_softmax>, user_items<sampled_softmax, true>, user_items_of_features<bpr>,
    user_items_of_features<sampled_softmax>, user_items_of_features<sampled_softmax, true, true>, graph_triples<transe>,
    graph_triples<distmult>, graph_triples<complex>, graph_triples<rotate>,
    graph_triples<rotate, target_loss::logistic>, graph_triples<distmult, target_loss::hinge>, texts<false>,
    texts<true>, windows<skip_gram>, windows<cbow>, windows<skip_gram, true>, windows<cbow, true>,
    windows_of_parts<skip_gram>, windows_of_parts<cbow>, windows_of_parts<skip_gram, true>, documents<false, false>,
    documents<false, true>, documents<true, true>, documents<false, false, true>>;
TYPED_TEST_SUITE(workspace_law, every_workspace_model);

TYPED_TEST(workspace_law, conforms_and_its_groups_cover_the_parameters) {
  using tried = decltype(TypeParam::model());
  static_assert(conforms<tried>() && workspace_model<tried> && segment_storable<tried>);
  std::vector<parameter_group> groups = groups_of(this->model);
  std::ranges::sort(groups, {}, &parameter_group::offset);
  std::size_t grouped = 0;
  for (const parameter_group& g : groups) {
    EXPECT_EQ(g.offset, grouped) << g.name;
    grouped += g.rows * g.width;
  }
  EXPECT_EQ(grouped, this->model.dim());
}

// Along directions of length 1 in each group the slope of the mean loss is gradient . direction. Truncation is of the
// order of step^2; where a relu or a pool switches within a step the slope jumps by a unit's share of it, for which
// nets have a larger `tolerance`. Losses are sums of floats: rounding leaves 2^-23 of them, over the step.
TYPED_TEST(workspace_law, gradient_is_that_of_the_mean_loss_or_of_the_sum) {
  std::size_t n = 3;
  if constexpr (requires { TypeParam::at_once; }) n = TypeParam::at_once;
  auto s = this->space();
  this->take(s, 1, n);
  const std::vector<double> g = this->summed(this->gradient(s, n));
  const std::vector<float> before = this->w;
  const double rounding = 0x1p-23 * (1.0 + this->loss(s, n)) / TypeParam::step;
  std::mt19937_64 random(9);
  for (const parameter_group& group : groups_of(this->model)) {
    const std::size_t size = group.rows * group.width;
    if (size == 0) continue;
    double length = 0.0;
    for (std::size_t i = 0; i < size; ++i) length += g[group.offset + i] * g[group.offset + i];
    length = std::sqrt(length);
    if constexpr (requires { TypeParam::constant; }) {
      if (group.name == TypeParam::constant) {
        EXPECT_EQ(length, 0.0);
        continue;
      }
    }
    EXPECT_GT(length, 10.0 * rounding) << group.name << " has no gradient to speak of";
    for (int round = 0; round < 6; ++round) {
      // The last round goes along the gradient itself, the others leave out parameters without a gradient.
      std::vector<double> direction(size);
      double norm = 0.0, expected = 0.0;
      for (std::size_t i = 0; i < size; ++i) {
        const double partial = g[group.offset + i];
        const double sign = random() % 2 == 0 ? 1.0 : -1.0;
        direction[i] = round == 5 ? partial : this->is_padding(group.offset + i) ? 0.0 : sign;
      }
      if constexpr (projects_runs<decltype(this->model), float>) keep_in_simplex(direction, group.width);
      for (const double d : direction) norm += d * d;
      norm = std::sqrt(norm);
      double difference = 0.0;
      for (const double side : {1.0, -1.0}) {
        for (std::size_t i = 0; i < size; ++i)
          this->w[group.offset + i] = static_cast<float>(static_cast<double>(before[group.offset + i]) +
                                                         side * TypeParam::step * direction[i] / norm);
        difference += side * this->loss(s, n);
        // The direction after rounding.
        for (std::size_t i = 0; i < size; ++i)
          expected += side * g[group.offset + i] * static_cast<double>(this->w[group.offset + i]);
        this->w = before;
      }
      EXPECT_NEAR(difference / (2.0 * TypeParam::step), expected / (2.0 * TypeParam::step),
                  TypeParam::tolerance * length + rounding)
          << group.name << ", direction " << round;
    }
  }
}

// The gradient is linear in the weights: that of a batch is the sum of those in which one example weighs anything. Each
// is rounded some hundred times.
TYPED_TEST(workspace_law, weights_multiply_what_examples_change) {
  if constexpr (takes_weights<decltype(TypeParam::model())>()) {
    constexpr std::size_t n = 4;
    auto s = this->space();
    const auto gradient_of = [&](const std::vector<float>& weights) {
      this->take(s, 0, n, weights);
      return this->summed(this->gradient(s, n));
    };
    const std::vector<double> weighed = gradient_of({2.0f, 0.0f, 0.5f, 1.0f});
    std::vector<double> expected(weighed.size());
    double largest = 0.0, of_second = 0.0;
    for (std::size_t k = 0; k < n; ++k) {
      std::vector<float> alone(n);
      alone[k] = 1.0f;
      const std::vector<double> g = gradient_of(alone);
      const double times = std::vector{2.0, 0.0, 0.5, 1.0}[k];
      for (std::size_t j = 0; j < g.size(); ++j) {
        expected[j] += times * g[j];
        largest = std::max(largest, std::abs(expected[j]));
        if (k == 1) of_second = std::max(of_second, std::abs(g[j]));
      }
    }
    EXPECT_GT(of_second, 1e-3 * largest) << "what weighs nothing here would change nothing anyway";
    for (std::size_t j = 0; j < weighed.size(); ++j) ASSERT_NEAR(weighed[j], expected[j], 1e-5 * largest) << j;
  } else {
    GTEST_SKIP() << "rows of this model weigh the same";
  }
}

TYPED_TEST(workspace_law, emits_finite_runs_within_one_group_each) {
  auto s = this->space();
  for (const std::size_t n : {1u, 4u}) {
    this->take(s, 0, n);
    const auto emitted = this->gradient(s, n);
    EXPECT_FALSE(emitted.empty());
    for (const auto& [offset, g] : emitted) {
      const auto groups = groups_of(this->model);
      const auto holds = [&, begin = offset, end = offset + g.size()](const parameter_group& group) {
        return begin >= group.offset && end <= group.offset + group.rows * group.width;
      };
      EXPECT_EQ(std::ranges::count_if(groups, holds), 1) << offset << " and " << g.size() << " from there";
      for (const float x : g) EXPECT_TRUE(std::isfinite(x));
    }
  }
}

// If a run is emitted once, its step is the same at once and afterwards. Windows of words emit runs repeatedly on
// purpose.
TYPED_TEST(workspace_law, applied_as_it_is_emitted_it_does_the_same_as_afterwards) {
  auto s = this->space();
  this->take(s, 0, 1);
  const auto emitted = this->gradient(s, 1);
  std::vector<int> times(this->model.dim());
  for (const auto& [offset, g] : emitted)
    for (std::size_t i = 0; i < g.size(); ++i) ++times[offset + i];
  if (std::ranges::max(times) > 1) GTEST_SKIP() << "its steps are smaller than its examples";
  auto at_once = this->w, afterwards = this->w;
  using law = workspace_law<TypeParam>;
  this->model.gradient(this->reader(at_once), s, 1, typename law::applier{at_once, 0.25f});
  for (const auto& [offset, g] : emitted) typename law::applier{afterwards, 0.25f}.block(offset, g);
  EXPECT_EQ(at_once, afterwards);
  EXPECT_NE(at_once, this->w);
}

TYPED_TEST(workspace_law, keeps_nothing_between_calls) {
  auto s = this->space();
  this->take(s, 0, 1);
  const auto first = this->gradient(s, 1);
  const double loss = this->loss(s, 1);
  this->take(s, 0, 4);
  (void)this->gradient(s, 4);
  (void)this->loss(s, 4);
  this->take(s, 0, 1);
  EXPECT_EQ(this->gradient(s, 1), first);
  EXPECT_EQ(this->loss(s, 1), loss);
  auto other = this->space();
  this->take(other, 0, 1);
  EXPECT_EQ(this->gradient(other, 1), first);
}

TYPED_TEST(workspace_law, begins_its_runs_where_rows_begin_if_it_says_so) {
  using tried = decltype(TypeParam::model());
  if constexpr (requires { requires tried::emits_rows; }) {
    auto s = this->space();
    this->take(s, 0, 4);
    const auto groups = this->model.groups();
    for (const auto& [offset, g] : this->gradient(s, 4)) {
      const std::size_t first = offset;
      const auto of = std::ranges::find_if(
          groups, [first](const parameter_group& each) { return first - each.offset < each.rows * each.width; });
      ASSERT_NE(of, groups.end());
      EXPECT_EQ((first - of->offset) % of->width, 0u) << of->name;
    }
  } else {
    GTEST_SKIP() << "this model may emit parts of rows";
  }
}

TYPED_TEST(workspace_law, products_in_bf16_change_its_gradient_by_their_rounding_and_no_loss) {
  using tried = decltype(TypeParam::model());
  if constexpr (requires(tried m) { m.products; }) {
    if (bf16_forms().empty()) GTEST_SKIP() << "this processor does not multiply bfloat16";
    const auto by = [&](product_numbers numbers) {
      this->model.products = numbers;
      auto s = this->space();
      this->take(s, 0, 4);
      const double loss = this->loss(s, 4);
      return std::pair(loss, this->summed(this->gradient(s, 4)));
    };
    const auto numbers = this->model.hyperparameters();
    const auto [loss, exact] = by(product_numbers::floats);
    const auto [same, rounded] = by(product_numbers::bf16);
    EXPECT_EQ(same, loss);
    EXPECT_NE(this->model.hyperparameters(), numbers);
    double apart = 0.0, size = 0.0;
    for (std::size_t j = 0; j < exact.size(); ++j)
      apart += (rounded[j] - exact[j]) * (rounded[j] - exact[j]), size += exact[j] * exact[j];
    // Each of the factors is rounded by 2^-9 at most.
    EXPECT_GT(apart, 0.0);
    EXPECT_LT(std::sqrt(apart), 0.02 * std::sqrt(size));
  } else {
    GTEST_SKIP() << "this model has no such products";
  }
}

TYPED_TEST(workspace_law, loss_and_gradient_stay_finite_for_huge_weights) {
  for (float& x : this->w) x *= TypeParam::huge;
  auto s = this->space();
  this->take(s, 0, 4);
  EXPECT_TRUE(std::isfinite(this->loss(s, 4)));
  for (const auto& [offset, g] : this->gradient(s, 4))
    for (const float x : g) EXPECT_TRUE(std::isfinite(x)) << offset;
}

TYPED_TEST(workspace_law, padding_stays_zero_and_steps_lower_the_loss) {
  using law = workspace_law<TypeParam>;
  auto s = this->space();
  this->take(s, 0, 4);
  const double before = this->loss(s, 4);
  for (int step = 0; step < 20; ++step)
    this->model.gradient(this->reader(this->w), s, 4, typename law::applier{this->w, 0.02f});
  EXPECT_LT(this->loss(s, 4), before);
  for (std::size_t j = 0; j < this->w.size(); ++j) {
    if (this->is_padding(j)) {
      EXPECT_EQ(this->w[j], 0.0f) << j;
    }
  }
}

}  // namespace
