// SPDX-License-Identifier: Apache-2.0
// An mlp whose last layer is a hierarchical softmax over a tree of the classes.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "mlp_runs.hpp"

namespace hogwild {
namespace {

constexpr std::uint32_t tree_classes = 40;

mlp tree_net(bool hierarchical, bool sparse = true) {
  return {.features = 60, .classes = tree_classes, .hidden = {12}, .sparse = sparse, .hierarchical = hierarchical};
}

struct tree_mlp : test::mlp_runs {
  tree_mlp() : mlp_runs(test::planted_classes({.rows = 800, .columns = 60, .per_row = 6}, tree_classes)) {
    for (const float label : rows.label) counts[static_cast<std::size_t>(label)] += 1.0f;
  }
  static void long_run(train_options& o) { o.epochs = 20; }
  static std::vector<float> counts_in(const train_result& r) {
    return {r.parameters.end() - tree_classes, r.parameters.end()};
  }
  std::vector<float> counts = std::vector<float>(tree_classes);
};

// A tree asks for decisions that need not be linear where the classes' scores are. One worker repeats its run; over
// twenty seeds of the parameters the tree ended at most .13 of what training gains above the full softmax, by sgd.
TEST_F(tree_mlp, learns_nearly_as_well_as_the_full_softmax_by_every_optimizer) {
  const double untrained = std::log(static_cast<double>(tree_classes));
  const double full = run(tree_net(false), serial_engine{}, long_run).objective;
  for (const bool sparse : {false, true})
    EXPECT_LT(run(tree_net(true, sparse), serial_engine{}, long_run).objective, full + 0.3 * (untrained - full));
  expect_to_learn_by_others(tree_net(true), untrained, full);
}

// Over twenty seeds two workers ended 1.4 % above one at most, with a deviation of .6 %: a bound of 20 % is far beyond
// five of those. The ranks repeat their run, which ended 9 to 15 % above.
TEST_F(tree_mlp, workers_replicas_and_ranks_train_it_with_one_tree) {
  const double serial = run(tree_net(true), serial_engine{}, long_run).objective;
  for (const sharing_kind sharing : {sharing_kind::automatic, sharing_kind::buffered}) {
    const train_result threads = run(tree_net(true), two, [&](train_options& o) { long_run(o), o.sharing = sharing; });
    EXPECT_LT(threads.objective, 1.2 * serial);
    EXPECT_EQ(counts_in(threads), counts);
  }
  const train_result ranks =
      run(tree_net(true), sync_engine{.workers = 2, .rule = sync_rule::average, .rows = 32}, long_run);
  EXPECT_LT(ranks.objective, 1.4 * serial);
  for (std::size_t c = 0; c < tree_classes; ++c) EXPECT_NEAR(counts_in(ranks)[c], counts[c], 0.01f);
  expect_repeated(tree_net(true));
}

TEST_F(tree_mlp, what_is_held_back_counts_for_no_class) {
  const std::vector<float> found = counts_in(
      run(tree_net(true), serial_engine{}, [](train_options& o) { o.epochs = 1, o.validation_fraction = 0.25; }));
  EXPECT_EQ(std::accumulate(found.begin(), found.end(), 0.0f), 600.0f);
}

TEST_F(tree_mlp, is_asked_for_by_an_option_and_saved_as_such) {
  const mlp asked = made({{"hierarchical", "true"}});
  EXPECT_TRUE(asked.hierarchical);
  EXPECT_EQ(asked.samples, 0u);
  EXPECT_EQ(asked.last_layer(), "hierarchical");
  EXPECT_THROW(made({{"hierarchical", "true"}, {"samples", "10"}}), config_error);

  const train_result result = run(tree_net(true), serial_engine{}, [](train_options& o) { o.epochs = 4; });
  EXPECT_EQ(result.last_layer, "hierarchical");
  expect_loss_of_saved(tree_net(true), result);
  saved_model broken = saved(tree_net(true), result);
  EXPECT_TRUE(std::get<mlp>(read_again(broken).model()).hierarchical);
  broken.bias.pop_back();
  EXPECT_THROW(read_again(broken), input_error);
}

}  // namespace
}  // namespace hogwild
