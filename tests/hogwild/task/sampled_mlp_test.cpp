// SPDX-License-Identifier: Apache-2.0
// An mlp whose last layer works on a sample of the classes, against the same net with a full softmax.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "mlp_runs.hpp"

namespace hogwild {
namespace {

constexpr test::toy_shape of_many_classes{.rows = 800, .columns = 60, .per_row = 6};
constexpr std::uint32_t wide_classes = 40;

mlp wide_net(std::uint32_t samples, bool sparse = true, std::array<std::uint32_t, 4> hidden = {12}) {
  return {.features = of_many_classes.columns,
          .classes = wide_classes,
          .hidden = hidden,
          .sparse = sparse,
          .samples = samples};
}

/// Moves the parameters of the net stored by input to their places in the net stored by class.
std::vector<float> by_class(const mlp& full, std::size_t width, std::span<const float> w) {
  std::vector<float> moved(w.begin(), w.end());
  const std::size_t first = full.dim() - wide_classes * (width + 1);
  for (std::size_t v = 0; v < width; ++v)
    for (std::size_t c = 0; c < wide_classes; ++c) moved[first + c * width + v] = w[first + v * wide_classes + c];
  return moved;
}

struct sampled_mlp : test::mlp_runs {
  sampled_mlp() : mlp_runs(test::planted_classes(of_many_classes, wide_classes)) {}
};

// Sums of at most 40 products in another order.
TEST_F(sampled_mlp, all_classes_sampled_have_the_gradient_and_the_scores_of_the_full_softmax) {
  for (const bool sparse : {false, true}) {
    for (const std::array<std::uint32_t, 4> hidden : {std::array<std::uint32_t, 4>{12}, {9, 7}}) {
      const mlp full = wide_net(0, sparse, hidden), wide = wide_net(wide_classes, sparse, hidden);
      const std::size_t width = hidden[1] != 0 ? hidden[1] : hidden[0];
      ASSERT_EQ(full.dim(), wide.dim());
      std::vector<float> w = test::noise_vector(full.dim(), 3, -0.3, 0.3), moved = by_class(full, width, w);
      for (const std::size_t n : {1u, 64u, 100u}) {  // passes of 64
        auto of_full = workspace_of(full, n), of_wide = workspace_of(wide, n);
        for (const std::size_t first : {0u, 200u}) {
          const batch of_all = batch_of(full, of_full, w, first, n), sampled = batch_of(wide, of_wide, moved, first, n);
          for (const batch& b : {of_all, sampled})
            EXPECT_EQ(std::set(b.offsets.begin(), b.offsets.end()).size(), b.offsets.size()) << "a run came twice";
          const std::vector<float> partials(of_all.gradient.begin(), of_all.gradient.end());
          const std::vector<float> expected = by_class(full, width, partials);
          for (std::size_t j = 0; j < expected.size(); ++j) EXPECT_NEAR(sampled.gradient[j], expected[j], 1e-6) << j;
          for (std::size_t k = 0; k < n; ++k) {
            EXPECT_NEAR(sampled.scores[k].loss, of_all.scores[k].loss, 1e-5);
            EXPECT_EQ(sampled.scores[k].score, of_all.scores[k].score);
          }
        }
      }
    }
  }
}

TEST_F(sampled_mlp, a_batch_changes_the_classes_of_its_sample_and_its_labels_alone) {
  const mlp m = wide_net(5);
  std::vector<float> w = test::noise_vector(m.dim(), 3, -0.3, 0.3);
  auto space = workspace_of(m, 4);
  const batch found = batch_of(m, space, w, 0, 4);
  const std::set<std::size_t> offsets(found.offsets.begin(), found.offsets.end());
  const std::set<float> of_rows(rows.label.begin(), rows.label.begin() + 4);
  const std::size_t weights = m.groups()[2].offset, biases = m.groups()[3].offset;
  std::size_t changed = 0;
  for (std::size_t c = 0; c < wide_classes; ++c) {
    EXPECT_EQ(offsets.contains(weights + c * 12), offsets.contains(biases + c));
    EXPECT_TRUE(!of_rows.contains(static_cast<float>(c)) || offsets.contains(biases + c));
    changed += offsets.contains(biases + c) ? 1 : 0;
  }
  EXPECT_LE(changed, of_rows.size() + 5);
}

TEST_F(sampled_mlp, trains_by_every_optimizer_and_distribution) {
  const double untrained = std::log(static_cast<double>(wide_classes));
  const double full = run(wide_net(0), serial_engine{}, [](train_options& o) { o.epochs = 20; }).objective;
  for (const auto by :
       {sample_distribution::frequency, sample_distribution::log_uniform, sample_distribution::uniform}) {
    mlp m = wide_net(10);
    m.sampled_by = by;
    const double sampled = run(m, serial_engine{}, [](train_options& o) { o.epochs = 20; }).objective;
    EXPECT_LT(sampled, full + 0.25 * (untrained - full));
  }
  expect_to_learn_by_others(wide_net(10), untrained, full);
}

// A class that is drawn more rarely applies more l2 each time: over an epoch it is that of the full softmax. With a
// label for each class and no gradient to speak of, weights shrink by exp(-step l2 batches).
TEST_F(sampled_mlp, l2_counts_as_often_as_in_the_full_softmax) {
  const auto shrunk = [&](std::uint32_t samples) {
    const mlp m = wide_net(samples);
    const train_result r =
        run(m, serial_engine{}, [&](train_options& o) { o.epochs = 30, o.step.initial = 1e-3, o.l2 = 0.5; });
    double squares = 0.0;
    const parameter_group last = m.groups()[2];
    for (std::size_t j = 0; j < last.rows * last.width; ++j)
      squares += std::pow(static_cast<double>(r.parameters[last.offset + j]), 2.0);
    return squares;
  };
  const double full = shrunk(0);
  EXPECT_NEAR(shrunk(10), full, 0.1 * full);
}

TEST_F(sampled_mlp, workers_replicas_and_ranks_train_it_too) {
  const auto longer = [](train_options& o) { o.epochs = 20; };
  const auto replicas = [](train_options& o) { o.epochs = 20, o.sharing = sharing_kind::buffered; };
  const double serial = run(wide_net(10), serial_engine{}, longer).objective;
  EXPECT_LT(run(wide_net(10), two, longer).objective, 1.2 * serial);
  EXPECT_LT(run(wide_net(10), two, replicas).objective, 1.2 * serial);
  EXPECT_LT(run(wide_net(10), sync_engine{.workers = 2, .rule = sync_rule::average, .rows = 32}, longer).objective,
            1.4 * serial);
  expect_repeated(wide_net(10));
}

TEST_F(sampled_mlp, groups_of_classes_can_be_frozen) {
  const mlp m = wide_net(10);
  expect_frozen(m, {"classes.weights", "classes.bias"}, m.dim() - wide_classes * 13, wide_classes * 13);
}

TEST_F(sampled_mlp, is_asked_for_by_options_and_saved_as_such) {
  EXPECT_EQ(made({}).samples, 0u) << "40 classes are few";
  EXPECT_EQ(made({{"samples", "10"}}).samples, 10u);
  EXPECT_EQ(made({{"samples", "100"}}).samples, wide_classes) << "all there are";
  EXPECT_EQ(made({{"samples", "10"}, {"sample-by", "uniform"}}).sampled_by, sample_distribution::uniform);
  test::toy_rows numbered = test::planted_classes({.rows = 4000, .columns = 5, .per_row = 2}, 2);
  for (std::size_t r = 0; r < numbered.rows(); ++r) numbered.label[r] = static_cast<float>(r);
  const csr_rows many = numbered.csr();
  EXPECT_EQ(made({}, &many).samples, 512u);
  EXPECT_EQ(made({{"samples", "0"}}, &many).samples, 0u);

  mlp m = wide_net(10);
  m.sampled_by = sample_distribution::log_uniform;
  const train_result result = run(m, serial_engine{});
  expect_loss_of_saved(m, result);
  saved_model broken = saved(m, result);
  const predictor read = read_again(broken);
  EXPECT_EQ(std::get<mlp>(read.model()).samples, 10u);
  EXPECT_EQ(std::get<mlp>(read.model()).sampled_by, sample_distribution::log_uniform);
  for (auto& [name, value] : broken.model_options)
    if (name == "sampled_by") value = 7.0;
  EXPECT_THROW(read_again(broken), input_error);
  m.samples = 100;  // more than there are classes, as a program may ask for
  EXPECT_EQ(std::get<mlp>(predictor(saved(m, result)).model()).samples, wide_classes);
}

}  // namespace
}  // namespace hogwild
