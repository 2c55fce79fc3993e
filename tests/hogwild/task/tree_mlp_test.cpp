// SPDX-License-Identifier: Apache-2.0
// An mlp whose last layer is a hierarchical softmax over a tree of the classes.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/memory/param_view.hpp>
#include <hogwild/hogwild.hpp>
#include <hogwild/models/mlp.hpp>
#include <hogwild/names.hpp>
#include <hogwild/registry.hpp>

#include "support/toy_data.hpp"

namespace hogwild {
namespace {

constexpr test::toy_shape of_tree_classes{.rows = 800, .columns = 60, .per_row = 6};
constexpr std::uint32_t tree_classes = 40;

mlp tree_net(bool hierarchical, bool sparse = true) {
  return {.features = of_tree_classes.columns,
          .classes = tree_classes,
          .hidden = {12},
          .sparse = sparse,
          .hierarchical = hierarchical};
}

struct tree_mlp : testing::Test {
  train_result run(const mlp& m, const auto& engine, const std::function<void(train_options&)>& change) const {
    train_options options{.epochs = 20, .step = {.initial = 0.2}, .l2 = 0.0, .batch = 16};
    options.optimizer = optimizer_kind::sgd;
    change(options);
    return train(m, rows, engine, options);
  }
  std::vector<float> counts() const {
    std::vector<float> n(tree_classes);
    for (const float label : all.label) n[static_cast<std::size_t>(label)] += 1.0f;
    return n;
  }
  std::vector<float> counts_in(const train_result& r) const {
    return {r.parameters.end() - tree_classes, r.parameters.end()};
  }

  test::toy_rows all = test::planted_classes(of_tree_classes, tree_classes);
  csr_rows rows = all.csr();
  thread_engine two{.workers = 2, .team = thread_team_kind::std, .pin = false};
};

// A tree asks for decisions that need not be linear where the classes' scores are. One worker repeats its run; over
// twenty seeds of the parameters the tree ended at most .13 of what training gains above the full softmax, by sgd.
TEST_F(tree_mlp, learns_nearly_as_well_as_the_full_softmax_by_every_optimizer) {
  const double untrained = std::log(static_cast<double>(tree_classes));
  const double full = run(tree_net(false), serial_engine{}, [](train_options&) {}).objective;
  for (const bool sparse : {false, true})
    EXPECT_LT(run(tree_net(true, sparse), serial_engine{}, [](train_options&) {}).objective,
              full + 0.3 * (untrained - full));
  for (const auto& [kind, step] :
       {std::pair{optimizer_kind::momentum, 0.02}, std::pair{optimizer_kind::adagrad, 0.05},
        std::pair{optimizer_kind::row_adagrad, 0.05}, std::pair{optimizer_kind::adam, 0.005}})
    EXPECT_LT(
        run(tree_net(true), serial_engine{},
            [&, kind = kind, step = step](train_options& o) { o.optimizer = kind, o.step.initial = step, o.l2 = 1e-6; })
            .objective,
        full + 0.3 * (untrained - full))
        << name_of(kind);
}

// Over twenty seeds two workers ended 1.4 % above one at most, with a deviation of .6 %: a bound of 20 % is far beyond
// five of those. The ranks repeat their run, which ended 9 to 15 % above.
TEST_F(tree_mlp, workers_replicas_and_ranks_train_it_with_one_tree) {
  const double serial = run(tree_net(true), serial_engine{}, [](train_options&) {}).objective;
  const auto plain = [](train_options&) {};
  const train_result threads = run(tree_net(true), two, plain);
  EXPECT_LT(threads.objective, 1.2 * serial);
  EXPECT_EQ(counts_in(threads), counts());
  const train_result replicas = run(tree_net(true), two, [](train_options& o) { o.sharing = sharing_kind::buffered; });
  EXPECT_LT(replicas.objective, 1.2 * serial);
  EXPECT_EQ(counts_in(replicas), counts());
  const train_result ranks =
      run(tree_net(true), sync_engine{.workers = 2, .rule = sync_rule::average, .rows = 32}, plain);
  EXPECT_LT(ranks.objective, 1.4 * serial);
  for (std::size_t c = 0; c < tree_classes; ++c) EXPECT_NEAR(counts_in(ranks)[c], counts()[c], 0.01f);
  const auto repeated = [](train_options& o) { o.reproducible = true, o.virtual_workers = 2, o.epochs = 5; };
  const thread_engine one{.workers = 1, .team = thread_team_kind::std, .pin = false};
  EXPECT_EQ(run(tree_net(true), one, repeated).parameters, run(tree_net(true), two, repeated).parameters);
}

TEST_F(tree_mlp, what_is_held_back_counts_for_no_class) {
  const train_result r =
      run(tree_net(true), serial_engine{}, [](train_options& o) { o.epochs = 1, o.validation_fraction = 0.25; });
  double sum = 0.0;
  for (const float n : counts_in(r)) sum += static_cast<double>(n);
  EXPECT_EQ(sum, 600.0);
}

TEST_F(tree_mlp, is_asked_for_by_an_option_and_saved_as_such) {
  const auto made = std::get<mlp>(make_model("mlp", {.rows = rows.view()}, {{"hierarchical", "true"}}));
  EXPECT_TRUE(made.hierarchical);
  EXPECT_EQ(made.samples, 0u);
  EXPECT_EQ(made.last_layer(), "hierarchical");
  EXPECT_THROW(make_model("mlp", {.rows = rows.view()}, {{"hierarchical", "true"}, {"samples", "10"}}), config_error);

  const mlp m = tree_net(true);
  const train_result result = run(m, serial_engine{}, [](train_options& o) { o.epochs = 4; });
  EXPECT_EQ(result.last_layer, "hierarchical");
  std::vector<std::uint32_t> original(of_tree_classes.columns);
  for (std::size_t j = 0; j < original.size(); ++j) original[j] = static_cast<std::uint32_t>(j + 1);
  const saved_model saved = to_saved(named_model(m), result.parameters, result.labels, original);
  for (const model_format format : {model_format::binary, model_format::text}) {
    const predictor read(parse_model(model_bytes(saved, format), "bytes"));
    EXPECT_TRUE(std::get<mlp>(read.model()).hierarchical);
    row_cursor cursor(rows.view());
    double loss = 0.0;
    for (std::size_t r = 0; r < all.rows(); ++r) {
      auto z = cursor.row(r);
      z.label = all.label[r];
      loss += read.loss(z) / static_cast<double>(all.rows());
    }
    EXPECT_NEAR(loss, result.train_loss, 1e-5);
  }
  saved_model broken = saved;
  broken.bias.pop_back();
  EXPECT_THROW(predictor(parse_model(model_bytes(broken, model_format::binary), "bytes")), input_error);
}

}  // namespace
}  // namespace hogwild
