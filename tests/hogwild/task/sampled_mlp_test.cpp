// SPDX-License-Identifier: Apache-2.0
// An mlp whose last layer works on a sample of the classes, against the same net with a full softmax.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/hogwild.hpp>
#include <hogwild/models/mlp.hpp>
#include <hogwild/names.hpp>
#include <hogwild/registry.hpp>

#include "support/toy_data.hpp"

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

struct emitted_runs {
  std::vector<double>& sum;
  std::set<std::size_t>& offsets;
  void block(std::size_t offset, std::span<const float> partials) const {
    EXPECT_TRUE(offsets.insert(offset).second) << "a run came twice";
    for (std::size_t i = 0; i < partials.size(); ++i) sum[offset + i] += static_cast<double>(partials[i]);
  }
};

struct sampled_mlp : testing::Test {
  train_result run(const mlp& m, const auto& engine, const std::function<void(train_options&)>& change) const {
    train_options options{.epochs = 8, .step = {.initial = 0.2}, .l2 = 0.0, .batch = 16};
    options.optimizer = optimizer_kind::sgd;
    change(options);
    return train(m, rows, engine, options);
  }

  test::toy_rows all = test::planted_classes(of_many_classes, wide_classes);
  csr_rows rows = all.csr();
};

// Sums of at most 40 products in another order.
TEST_F(sampled_mlp, all_classes_sampled_have_the_gradient_and_the_scores_of_the_full_softmax) {
  const sparse_view view = rows.view();
  for (const bool sparse : {false, true}) {
    for (const std::array<std::uint32_t, 4> hidden : {std::array<std::uint32_t, 4>{12}, {9, 7}}) {
      const mlp full = wide_net(0, sparse, hidden), wide = wide_net(wide_classes, sparse, hidden);
      const std::size_t width = hidden[1] != 0 ? hidden[1] : hidden[0];
      ASSERT_EQ(full.dim(), wide.dim());
      std::vector<float> w[2] = {test::noise_vector(full.dim(), 3, -0.3, 0.3), {}};
      w[1] = by_class(full, width, w[0]);
      for (const std::size_t n : {1u, 64u, 100u}) {  // passes of 64
        std::vector<double> found[2];
        std::vector<row_score> scores[2];
        for (const bool form : {false, true}) {
          const mlp& m = form ? wide : full;
          const param_reader<float> reader{w[form].data(), w[form].size()};
          auto space = m.make_workspace(view, isa::automatic, n);
          row_cursor cursor(view);
          for (const std::size_t first : {0u, 200u}) {
            for (std::size_t k = 0; k < n; ++k) {
              auto z = cursor.row(first + k);
              z.label = all.label[first + k];
              m.take(space, k, z, counter_random(1, k));
            }
            found[form].assign(m.dim(), 0.0);
            std::set<std::size_t> offsets;
            m.gradient(reader, space, n, emitted_runs{found[form], offsets});
            scores[form].resize(n);
            m.score(reader, space, n, scores[form]);
          }
        }
        const std::vector<float> partials(found[0].begin(), found[0].end());
        const std::vector<float> expected = by_class(full, width, partials);
        for (std::size_t j = 0; j < expected.size(); ++j) EXPECT_NEAR(found[1][j], expected[j], 1e-6) << j;
        for (std::size_t k = 0; k < n; ++k) {
          EXPECT_NEAR(scores[1][k].loss, scores[0][k].loss, 1e-5);
          EXPECT_EQ(scores[1][k].score, scores[0][k].score);
        }
      }
    }
  }
}

TEST_F(sampled_mlp, a_batch_changes_the_classes_of_its_sample_and_its_labels_alone) {
  const sparse_view view = rows.view();
  const mlp m = wide_net(5);
  std::vector<float> w = test::noise_vector(m.dim(), 3, -0.3, 0.3);
  auto space = m.make_workspace(view, isa::automatic, 4);
  row_cursor cursor(view);
  std::set<std::size_t> labels;
  for (std::size_t k = 0; k < 4; ++k) {
    auto z = cursor.row(k);
    z.label = all.label[k];
    labels.insert(static_cast<std::size_t>(z.label));
    m.take(space, k, z, counter_random(1, k));
  }
  std::vector<double> found(m.dim());
  std::set<std::size_t> offsets;
  m.gradient(param_reader<float>{w.data(), w.size()}, space, 4, emitted_runs{found, offsets});
  const std::size_t weights = m.groups()[2].offset, biases = m.groups()[3].offset;
  std::size_t changed = 0;
  for (std::size_t c = 0; c < wide_classes; ++c) {
    EXPECT_EQ(offsets.contains(weights + c * 12), offsets.contains(biases + c));
    EXPECT_TRUE(!labels.contains(c) || offsets.contains(biases + c));
    changed += offsets.contains(biases + c) ? 1 : 0;
  }
  EXPECT_LE(changed, labels.size() + 5);
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
  for (const auto& [kind, step] :
       {std::pair{optimizer_kind::momentum, 0.02}, std::pair{optimizer_kind::adagrad, 0.05},
        std::pair{optimizer_kind::row_adagrad, 0.05}, std::pair{optimizer_kind::adam, 0.005}})
    EXPECT_LT(run(wide_net(10), serial_engine{},
                  [&, kind = kind, step = step](train_options& o) {
                    o.optimizer = kind, o.step.initial = step, o.epochs = 20, o.l2 = 1e-6;
                  })
                  .objective,
              full + 0.3 * (untrained - full))
        << name_of(kind);
}

// A class's l2 counts as many times as it comes less often: over an epoch it is that of the full softmax. With a label
// for each class and no gradient to speak of, weights shrink by exp(-step l2 batches).
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
  const auto change = [](train_options& o) { o.epochs = 20; };
  const double serial = run(wide_net(10), serial_engine{}, change).objective;
  const thread_engine two{.workers = 2, .team = thread_team_kind::std, .pin = false};
  EXPECT_LT(run(wide_net(10), two, change).objective, 1.2 * serial);
  const auto replicas = [](train_options& o) { o.epochs = 20, o.sharing = sharing_kind::buffered; };
  EXPECT_LT(run(wide_net(10), two, replicas).objective, 1.2 * serial);
  EXPECT_LT(run(wide_net(10), sync_engine{.workers = 2, .rule = sync_rule::average, .rows = 32}, change).objective,
            1.4 * serial);
  const auto repeated = [](train_options& o) { o.reproducible = true, o.virtual_workers = 2; };
  const thread_engine one{.workers = 1, .team = thread_team_kind::std, .pin = false};
  EXPECT_EQ(run(wide_net(10), one, repeated).parameters, run(wide_net(10), two, repeated).parameters);
}

TEST_F(sampled_mlp, groups_of_classes_can_be_frozen) {
  const mlp m = wide_net(10);
  const auto last_layer = [&](std::size_t epochs) {
    const train_result r = run(m, serial_engine{}, [&](train_options& o) {
      o.freeze = {"classes.weights", "classes.bias"}, o.epochs = epochs;
    });
    return std::vector<float>(r.parameters.end() - wide_classes * 13, r.parameters.end());
  };
  EXPECT_EQ(last_layer(1), last_layer(3));
}

TEST_F(sampled_mlp, is_asked_for_by_options_and_saved_as_such) {
  const auto made = [&](const model_options& options) {
    return std::get<mlp>(make_model("mlp", {.rows = rows.view()}, options));
  };
  EXPECT_EQ(made({}).samples, 0u) << "40 classes are few";
  EXPECT_EQ(made({{"samples", "10"}}).samples, 10u);
  EXPECT_EQ(made({{"samples", "100"}}).samples, wide_classes) << "all there are";
  EXPECT_EQ(made({{"samples", "10"}, {"sample-by", "uniform"}}).sampled_by, sample_distribution::uniform);
  const test::toy_rows many = test::planted_classes({.rows = 4000, .columns = 5, .per_row = 2}, 2);
  test::toy_rows numbered = many;
  for (std::size_t r = 0; r < numbered.rows(); ++r) numbered.label[r] = static_cast<float>(r);
  const csr_rows wide_rows = numbered.csr();
  EXPECT_EQ(std::get<mlp>(make_model("mlp", {.rows = wide_rows.view()}, {})).samples, 512u);
  EXPECT_EQ(std::get<mlp>(make_model("mlp", {.rows = wide_rows.view()}, {{"samples", "0"}})).samples, 0u);

  mlp m = wide_net(10);
  m.sampled_by = sample_distribution::log_uniform;
  const train_result result = run(m, serial_engine{}, [](train_options&) {});
  std::vector<std::uint32_t> original(of_many_classes.columns);
  for (std::size_t j = 0; j < original.size(); ++j) original[j] = static_cast<std::uint32_t>(j + 1);
  const saved_model saved = to_saved(named_model(m), result.parameters, result.labels, original);
  const predictor read(parse_model(model_bytes(saved, model_format::binary), "bytes"));
  EXPECT_EQ(std::get<mlp>(read.model()).samples, 10u);
  EXPECT_EQ(std::get<mlp>(read.model()).sampled_by, sample_distribution::log_uniform);
  row_cursor cursor(rows.view());
  double loss = 0.0;
  for (std::size_t r = 0; r < all.rows(); ++r) {
    auto z = cursor.row(r);
    z.label = all.label[r];
    loss += read.loss(z) / static_cast<double>(all.rows());
  }
  EXPECT_NEAR(loss, result.train_loss, 1e-5);
  m.samples = 100;  // more than there are classes, as a program may ask for
  const predictor of_all(to_saved(named_model(m), result.parameters, result.labels, original));
  EXPECT_EQ(std::get<mlp>(of_all.model()).samples, wide_classes);
  saved_model broken = saved;
  for (auto& [name, value] : broken.model_options)
    if (name == "sampled_by") value = 7.0;
  EXPECT_THROW(predictor(parse_model(model_bytes(broken, model_format::binary), "bytes")), input_error);
}

}  // namespace
}  // namespace hogwild
