// SPDX-License-Identifier: Apache-2.0
// An mlp whose first layer works on the columns of a batch alone, against the same net in the dense form.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/hogwild.hpp>
#include <hogwild/models/mlp.hpp>
#include <hogwild/registry.hpp>

#include "support/toy_data.hpp"

namespace hogwild {
namespace {

constexpr test::toy_shape few_of_many{.rows = 600, .columns = 150, .per_row = 6};

mlp net_in_form(bool sparse) {
  return {.features = few_of_many.columns, .classes = 3, .hidden = {10, 7}, .sparse = sparse};
}

/// What a net emits, block by block, added up by parameter.
struct block_sums {
  std::vector<double>& of;
  void block(std::size_t offset, std::span<const float> partials) const {
    for (std::size_t i = 0; i < partials.size(); ++i) of[offset + i] += static_cast<double>(partials[i]);
  }
};

struct sparse_mlp : testing::Test {
  train_result run(bool sparse, const auto& engine, const std::function<void(train_options&)>& change) const {
    train_options options{.epochs = 4, .step = {.initial = 0.2}, .l2 = 0.0, .batch = 16};
    options.optimizer = optimizer_kind::sgd;
    change(options);
    return train(net_in_form(sparse), rows, engine, options);
  }
  double largest_difference(const train_result& a, const train_result& b) const {
    double most = 0.0;
    for (std::size_t k = 0; k < a.parameters.size(); ++k)
      most = std::max(most, std::abs(static_cast<double>(a.parameters[k] - b.parameters[k])));
    return most;
  }

  test::toy_rows all = test::planted_classes(few_of_many, 3);
  csr_rows rows = all.csr();
};

// Sums of at most 16 * 6 products in another order.
TEST_F(sparse_mlp, its_gradient_and_scores_are_those_of_the_dense_form) {
  const sparse_view view = rows.view();
  const mlp dense = net_in_form(false), sparse = net_in_form(true);
  std::vector<float> w = test::noise_vector(dense.dim(), 3, -0.3, 0.3);
  const param_reader<float> reader{w.data(), w.size()};
  for (const std::size_t n : {1u, 5u, 64u, 100u}) {  // passes of 64
    std::vector<double> found[2];
    std::vector<row_score> scores[2];
    for (const bool form : {false, true}) {
      const mlp& m = form ? sparse : dense;
      auto space = m.make_workspace(view, isa::automatic, n);
      row_cursor cursor(view);
      for (const std::size_t first : {0u, 200u}) {  // what the batch before left behind does no harm
        for (std::size_t k = 0; k < n; ++k) {
          auto z = cursor.row(first + k);
          z.label = all.label[first + k];
          m.take(space, k, z, counter_random(1, k));
        }
        found[form].assign(m.dim(), 0.0);
        m.gradient(reader, space, n, block_sums{found[form]});
        scores[form].resize(n);
        m.score(reader, space, n, scores[form]);
      }
    }
    for (std::size_t k = 0; k < found[0].size(); ++k) EXPECT_NEAR(found[1][k], found[0][k], 1e-6) << k;
    for (std::size_t k = 0; k < n; ++k) EXPECT_NEAR(scores[1][k].loss, scores[0][k].loss, 1e-5);
  }
}

TEST_F(sparse_mlp, epochs_end_where_those_of_the_dense_form_do) {
  for (const optimizer_kind kind : {optimizer_kind::sgd, optimizer_kind::adagrad}) {
    const auto change = [=](train_options& o) { o.optimizer = kind; };
    const auto dense = run(false, serial_engine{}, change), sparse = run(true, serial_engine{}, change);
    EXPECT_NEAR(sparse.objective, dense.objective, 1e-5) << name_of(kind);
    EXPECT_LT(largest_difference(sparse, dense), 1e-3) << name_of(kind);
    EXPECT_NE(sparse.parameters, dense.parameters) << "there was no sparse layer";
  }
}

// What l2 and momentum do is the same sum, done at other times: with small steps it ends within a tenth. Adam's means
// of a column stand still while batches are without it, where those of the dense form fade and go on moving its
// weights: it learns, and later.
TEST_F(sparse_mlp, lazy_optimisers_and_l2_by_degree_end_near_the_dense_form) {
  const auto ends = [&](bool sparse, optimizer_kind kind, double step, double l2, std::size_t epochs) {
    return run(sparse, serial_engine{},
               [&](train_options& o) { o.optimizer = kind, o.step.initial = step, o.l2 = l2, o.epochs = epochs; })
        .objective;
  };
  const auto expect_near = [&](optimizer_kind kind, double step, double l2, std::size_t epochs) {
    const double dense = ends(false, kind, step, l2, epochs), sparse = ends(true, kind, step, l2, epochs);
    EXPECT_LT(dense, 0.2) << "of log 3 = 1.1";
    EXPECT_NEAR(sparse, dense, 0.1 * dense) << name_of(kind);
  };
  expect_near(optimizer_kind::sgd, 0.2, 1e-4, 80);
  expect_near(optimizer_kind::momentum, 0.01, 0.0, 150);
  EXPECT_LT(ends(true, optimizer_kind::adam, 0.001, 0.0, 30), 0.5);
  EXPECT_LT(ends(true, optimizer_kind::adam, 0.001, 0.0, 60), 0.1);
}

TEST_F(sparse_mlp, workers_and_replicas_train_it_too) {
  const auto change = [](train_options& o) { o.epochs = 15; };
  const double serial = run(true, serial_engine{}, change).objective;
  const thread_engine two{.workers = 2, .team = thread_team_kind::std, .pin = false};
  EXPECT_LT(run(true, two, change).objective, 1.2 * serial);
  const auto replicas = [](train_options& o) { o.epochs = 15, o.sharing = sharing_kind::buffered; };
  EXPECT_LT(run(true, two, replicas).objective, 1.2 * serial);
  const auto repeated = [](train_options& o) { o.reproducible = true, o.virtual_workers = 2; };
  const thread_engine one{.workers = 1, .team = thread_team_kind::std, .pin = false};
  EXPECT_EQ(run(true, one, repeated).parameters, run(true, two, repeated).parameters);
}

TEST_F(sparse_mlp, groups_that_are_frozen_stay_as_they_are) {
  const auto first_layer = [&](std::size_t epochs) {
    const train_result result =
        run(true, serial_engine{}, [&](train_options& o) { o.freeze = {"fc1.weights"}, o.epochs = epochs; });
    return std::vector<float>(result.parameters.begin(), result.parameters.begin() + few_of_many.columns * 10);
  };
  EXPECT_EQ(first_layer(1), first_layer(3));
}

TEST_F(sparse_mlp, is_what_few_columns_a_row_ask_for_and_is_saved_as_such) {
  const auto made = [](const csr_rows& of, const model_options& options) {
    return std::get<mlp>(make_model("mlp", {.rows = of.view()}, options));
  };
  EXPECT_TRUE(made(rows, {}).sparse);  // 6 of 150 columns
  EXPECT_FALSE(made(rows, {{"first-layer", "dense"}}).sparse);
  const test::toy_rows full = test::planted_classes({.rows = 50, .columns = 8, .per_row = 8}, 2);
  EXPECT_FALSE(made(full.csr(), {}).sparse);
  EXPECT_TRUE(made(full.csr(), {{"first-layer", "sparse"}}).sparse);

  const train_result result = run(true, serial_engine{}, [](train_options&) {});
  std::vector<std::uint32_t> original(few_of_many.columns);
  for (std::size_t j = 0; j < original.size(); ++j) original[j] = static_cast<std::uint32_t>(j + 1);
  const saved_model saved = to_saved(named_model(net_in_form(true)), result.parameters, result.labels, original);
  const predictor read(parse_model(model_bytes(saved, model_format::binary), "bytes"));
  EXPECT_TRUE(std::get<mlp>(read.model()).sparse);
  row_cursor cursor(rows.view());
  double loss = 0.0;
  for (std::size_t r = 0; r < all.rows(); ++r) {
    auto z = cursor.row(r);
    z.label = all.label[r];
    loss += read.loss(z) / static_cast<double>(all.rows());
  }
  EXPECT_NEAR(loss, result.train_loss, 1e-5);
}

}  // namespace
}  // namespace hogwild
