// SPDX-License-Identifier: Apache-2.0
// A row of weight k is trained and measured like k rows, by every engine, sharing and optimiser; offsets are like
// columns whose weights stay constant.
#include <hogwild/detail/run/row_weights.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/cuda/engine.hpp>
#include <hogwild/detail/collectives/agreement.hpp>
#include <hogwild/detail/kernels/layer_kernels.hpp>
#include <hogwild/engines.hpp>
#include <hogwild/general_model.hpp>
#include <hogwild/hogwild.hpp>
#include <hogwild/models/factorization_machine.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/matrix_factorization.hpp>
#include <hogwild/models/mlp.hpp>
#include <hogwild/models/softmax.hpp>
#include <hogwildpp/ring_engine.hpp>

#include "support/refusal.hpp"
#include "support/sanitizers.hpp"
#include "support/toy_data.hpp"

namespace hogwild {
namespace {

using ::testing::HasSubstr;

const thread_engine two_threads{.workers = 2, .team = thread_team_kind::std, .pin = false};

/// Two kinds of rows in equal numbers that contradict each other: those of the first weigh eight times as much.
struct contradiction {
  test::toy_rows plain{}, repeated{};
  std::vector<float> weights{};

  explicit contradiction(const test::toy_rows& from, const std::function<float(float)>& contradict) {
    plain.columns = repeated.columns = from.columns;
    for (std::size_t r = 0; r < from.rows(); ++r) {
      weights.push_back(r % 2 == 0 ? 8.0f : 1.0f);
      plain.push_row(from, r, r % 2 == 0 ? from.label[r] : contradict(from.label[r]));
    }
    // One after the other, so that rows of a kind are as far apart as those of the plain set.
    for (std::size_t copy = 0; copy < 8; ++copy)
      for (std::size_t r = 0; r < from.rows(); ++r)
        if (static_cast<float>(copy) < weights[r]) repeated.push_row(plain, r);
  }
  csr_rows weighed() const {
    csr_rows rows = plain.csr();
    rows.set_weights(weights);
    return rows;
  }
};

contradiction two_classes() {
  return contradiction(test::planted_classification({.rows = 1200, .columns = 40, .per_row = 6}),
                       [](float y) { return -y; });
}

/// Measures `parameters` on these rows.
template <class M>
measurement measured(const M& m, const sparse_view& rows, const train_options& options,
                     const std::vector<float>& parameters) {
  train_options of = options;
  of.test = {}, of.validation = {};
  const prepared_task ready = prepare(m, rows, of);
  const param_store store = param_store::in_memory({.parameters = parameters.size()});
  ready.task->assign(store, parameters);
  return ready.task->evaluate(store, 1.0, ready.data.train(), *thread_team::make(thread_team_kind::std, 1, false),
                              true);
}

/// The rule of the whole file: rows with weights train as well as repeated ones, and the run's measures are those of
/// repeated rows. Without weights they end much worse. Over 25 runs of each kind the losses by weights were 0.98 to
/// 1.04 times those by repeated rows, with deviations of 0.0142 at most (softmax, whose mean is 0.991, and 0.0104 of
/// the others, with means of at most 1.02): the band is six deviations away, and more for most. For ratings they were
/// 1.099 times, with a deviation of 0.0083. Those without weights were at least 1.15 times, with a deviation of at most
/// 0.003.
template <class M, class Engine>
void expect_as_repeated(const M& m, const contradiction& rows, const Engine& engine, const train_options& options,
                        const std::string& what, double band = 1.08) {
  SCOPED_TRACE(what);
  const csr_rows plain = rows.plain.csr(), weighed = rows.weighed(), repeated = rows.repeated.csr();
  train_options few = options;
  few.epochs = (options.epochs + 4) / 5;  // for as many steps
  const auto loss_of = [&](const train_result& r) { return measured(m, repeated.view(), options, r.parameters).loss; };
  const train_result by_weights = train(m, weighed, engine, options);
  const double ended = loss_of(by_weights);
  EXPECT_NEAR(by_weights.train_loss, ended, 2e-6 * (1.0 + ended));
  if (test::sanitized) return;  // other tests train without weights
  EXPECT_LT(ended, band * loss_of(train(m, repeated, engine, few)));
  EXPECT_GT(loss_of(train(m, plain, engine, options)), 1.1 * ended);
}

const train_options linear{.epochs = 20, .step = {.initial = 0.1, .decay = 0.8}, .l2 = 1e-3, .bias = true};

TEST(row_weights, count_as_rows_by_every_engine) {
  const contradiction rows = two_classes();
  const logistic m;
  expect_as_repeated(m, rows, serial_engine{}, linear, "serial");
  expect_as_repeated(m, rows, two_threads, linear, "threads");
  expect_as_repeated(m, rows, ring_engine{.workers = 2, .replicas = 2, .team = thread_team_kind::std, .pin = false},
                     linear, "ring");
  train_options large = linear;
  large.step = {.initial = 2.0, .decay = 0.9};
  expect_as_repeated(m, rows, all_reduce_engine{.workers = 2, .rows = 16, .pin = false}, large, "all_reduce");
  expect_as_repeated(m, rows, local_sgd_engine{.workers = 2, .rows = 16, .pin = false}, linear, "local_sgd");
  expect_as_repeated(m, rows, cuda_engine{.workers = 0, .device = emulated_device}, linear, "cuda");
}

TEST(row_weights, count_as_rows_by_every_sharing_update_and_optimiser) {
  const contradiction rows = two_classes();
  const auto with = [&](const std::string& what, const std::function<void(train_options&)>& change) {
    train_options options = linear;
    change(options);
    expect_as_repeated(logistic{}, rows, two_threads, options, what);
  };
  with("direct", [](auto& o) { o.sharing = sharing_kind::direct; });
  with("head", [](auto& o) { o.sharing = sharing_kind::head; });
  with("exact", [](auto& o) { o.sharing = sharing_kind::direct, o.update = update_kind::exact; });
  with("locked", [](auto& o) { o.sharing = sharing_kind::direct, o.update = update_kind::locked; });
  with("reproducible", [](auto& o) { o.reproducible = true; });
  with("permuted, row by row", [](auto& o) { o.order = row_order::permuted, o.batch = 1; });
  for (const sharing_kind sharing : {sharing_kind::direct, sharing_kind::buffered}) {
    with("adagrad",
         [&](auto& o) { o.optimizer = optimizer_kind::adagrad, o.sharing = sharing, o.step = {.initial = 0.3}; });
    with("momentum", [&](auto& o) {
      o.optimizer = optimizer_kind::momentum, o.sharing = sharing, o.step = {.initial = 0.01, .decay = 0.8};
    });
    with("adam", [&](auto& o) {
      o.optimizer = optimizer_kind::adam, o.sharing = sharing, o.step = {.initial = 0.005, .decay = 0.8};
    });
  }
}

/// A logistic model that the engine knows nothing of: its rows have the weights all the same.
struct own_logistic {
  using scalar_type = float;
  using example_type = sparse_row<float>;
  static constexpr label_kind labels = label_kind::binary;
  static constexpr bool takes_offsets = true;
  std::size_t features;
  std::size_t fixed = 0;  ///< this many last columns have the weight 1 from the start

  std::size_t dim() const { return features; }
  std::vector<parameter_group> groups() const {
    return {{.rows = features - fixed},
            {.name = "fixed", .offset = features - fixed, .rows = fixed, .first_column = features - fixed}};
  }
  void init(const auto& w, const counter_random&) const {
    for (std::size_t j = features - fixed; j < features; ++j) w.store(j, 1.0f);
  }
  double loss(const auto& w, const example_type& z) const { return logistic{}.loss(dot(w, z) + z.offset, z.label); }
  float predict(const auto& w, const example_type& z) const { return dot(w, z) + z.offset; }
  void gradient(const auto& w, const example_type& z, const auto& emit) const {
    const float slope = logistic{}.derivative(dot(w, z) + z.offset, z.label);
    for (auto [j, x] : z) emit(j, slope * x);
  }
};

TEST(row_weights, count_as_rows_in_every_family) {
  const contradiction rows = two_classes();
  const train_options options{.epochs = 20, .step = {.initial = 0.1, .decay = 0.8}, .l2 = 1e-3};
  // Factors fit so few rows too well, each run in a way of its own, unless they are held back.
  const auto stiff = [](train_options o) {
    o.l2 = 4e-3;
    return o;
  };
  for (const sharing_kind sharing : {sharing_kind::automatic, sharing_kind::direct}) {
    train_options o = options;
    o.sharing = sharing;
    for (const optimizer_kind kind : {optimizer_kind::sgd, optimizer_kind::adagrad}) {
      o.optimizer = kind;
      if (kind == optimizer_kind::adagrad) o.step = {.initial = 0.3};
      expect_as_repeated(own_logistic{40}, rows, two_threads, o, "a program's own");
      expect_as_repeated(softmax{.features = 40, .classes = 2, .bias = true}, rows, two_threads, o, "softmax");
      expect_as_repeated(factorization_machine{.features = 40, .factors = 4}, rows, two_threads, stiff(o),
                         "factorization_machine");
    }
  }
  const cuda_engine device{.workers = 0, .device = emulated_device};
  expect_as_repeated(softmax{.features = 40, .classes = 2, .bias = true}, rows, device, options, "softmax on a device");
  expect_as_repeated(factorization_machine{.features = 40, .factors = 4}, rows, device, stiff(options),
                     "factorization_machine on a device");
}

TEST(row_weights, of_ratings_count_as_ratings) {
  test::toy_rows toy;
  constexpr std::uint32_t users = 30, items = 20;
  toy.columns = users + items;
  for (std::uint32_t u = 0; u < users; ++u)
    for (std::uint32_t i = 0; i < 2 * items; ++i)  // each twice
      toy.push({u, users + i / 2}, {1.0f, 1.0f}, 3.0f + ((u * 7 + i / 2 * 3) % 10 < 5 ? 1.0f : -1.0f));
  const contradiction rows(toy, [](float rating) { return 6.0f - rating; });
  const matrix_factorization m{.users = users, .items = items, .factors = 4, .mean = 3.0f};
  expect_as_repeated(m, rows, two_threads, {.epochs = 100, .step = {.initial = 0.05}, .l2 = 0.02}, "ratings", 1.25);
}

TEST(row_weights, of_classes_are_those_of_their_rows) {
  const test::kept_rows plain = test::planted_classes({.rows = 900, .columns = 30, .per_row = 6}, 3);
  const softmax m{.features = 30, .classes = 3};
  const auto trained = [&](const csr_rows& rows, const class_weights& weights) {
    return train(m, rows, serial_engine{}, {.epochs = 3, .step = {.initial = 0.1}, .weights = weights}).parameters;
  };
  std::array<double, 3> count{};
  for (const float label : plain.label) ++count[static_cast<std::size_t>(label)];
  const auto expect_same = [&](const class_weights& by_class, const std::array<double, 3>& by_row) {
    std::vector<float> weights(plain.rows());
    for (std::size_t r = 0; r < weights.size(); ++r)
      weights[r] = static_cast<float>(by_row[static_cast<std::size_t>(plain.label[r])]);
    csr_rows weighed = plain.csr();
    weighed.set_weights(weights);
    const std::vector<float> expected = trained(weighed, {}), found = trained(plain, by_class);
    EXPECT_NE(found, trained(plain, {}));
    for (std::size_t j = 0; j < found.size(); ++j) ASSERT_NEAR(found[j], expected[j], 1e-5f);
  };
  expect_same({.of_labels = {{0.0, 3.0}, {2.0, 0.25}}}, {3.0, 1.0, 0.25});
  expect_same({.of_labels = {{1.0, 0.0}}}, {1.0, 0.0, 1.0});
  expect_same({.balanced = true}, {1.0 / count[0], 1.0 / count[1], 1.0 / count[2]});
}

TEST(row_weights, of_a_class_multiply_those_of_rows_and_are_over_the_mean) {
  const test::kept_rows rows = test::planted_classification({.rows = 4, .columns = 20});
  sparse_view view = rows.view();
  const std::vector<float> weights{4.0f, 0.0f, 1.0f, 1.0f};
  const std::vector<double> labels{0, 1, 1, 0};
  view.label = labels;
  view.weight = weights;
  const label_map map = label_map::learn(label_kind::binary, view.label, "the rows");
  const auto counts = [&](const std::vector<double>& of_labels) {
    return row_weights(view, of_labels, map, "the rows", nullptr);
  };
  EXPECT_THAT(counts({}), ::testing::ElementsAre(4.0f * 4 / 6, 0.0f, 4.0f / 6, 4.0f / 6));
  EXPECT_THAT(counts({0.5, 2.0}), ::testing::ElementsAre(2.0f * 4 / 4.5f, 0.0f, 2.0f * 4 / 4.5f, 0.5f * 4 / 4.5f));
  view.weight = {};
  EXPECT_TRUE(counts({}).empty());
}

TEST(row_weights, count_in_test_and_validation_rows_and_decide_when_to_stop) {
  const contradiction rows = two_classes();
  const csr_rows weighed = rows.weighed(), plain = rows.plain.csr(), repeated = rows.repeated.csr();
  train_options options = linear;
  options.epochs = 2;
  const auto measured_on = [&](const csr_rows& test) {
    options.test = test.view();
    options.validation = test.view();
    return train(logistic{}, plain, serial_engine{}, options);
  };
  const train_result by_weights = measured_on(weighed), by_rows = measured_on(repeated);
  EXPECT_NEAR(by_weights.test->loss, by_rows.test->loss, 1e-6);
  EXPECT_NEAR(*by_weights.test->accuracy, *by_rows.test->accuracy, 1e-9);
  EXPECT_NEAR(*by_weights.test->auc, *by_rows.test->auc, 1e-9);
  EXPECT_GT(std::abs(by_weights.test->loss - measured_on(plain).test->loss), 1e-3);
}

/// These rows with lists of labels, row r as often as times[r] says.
test::toy_rows listed_times(const test::toy_rows& from, const std::vector<float>& times) {
  test::toy_rows to;
  to.columns = from.columns;
  to.label_start = {0};
  const auto append = [](auto& all, const auto& part, std::uint64_t first, std::uint64_t last) {
    all.insert(all.end(), part.begin() + static_cast<std::ptrdiff_t>(first),
               part.begin() + static_cast<std::ptrdiff_t>(last));
  };
  for (std::size_t r = 0; r < from.rows(); ++r)
    for (float copy = 0.0f; copy < times[r]; ++copy) {
      append(to.index, from.index, from.row_start[r], from.row_start[r + 1]);
      append(to.value, from.value, from.row_start[r], from.row_start[r + 1]);
      append(to.label, from.label, from.label_start[r], from.label_start[r + 1]);
      to.row_start.push_back(to.index.size());
      to.label_start.push_back(to.label.size());
    }
  return to;
}

template <class M>
void expect_lists_measured_as_repeated(const M& m) {
  const test::toy_rows toy = test::planted_lists({.rows = 300, .columns = 20, .per_row = 5}, 6);
  const std::vector<float> weights = test::numbers_in_turn(300, {3.0f, 0.0f, 1.0f, 2.0f});
  const test::toy_rows often = listed_times(toy, weights);
  const csr_rows plain = toy.csr(), repeated = often.csr();
  csr_rows weighed = toy.csr();
  weighed.set_weights(weights);
  const auto measured_on = [&](const csr_rows& test) {
    return *train(m, plain, serial_engine{}, {.epochs = 2, .step = {.initial = 0.1}, .test = test.view()}).test;
  };
  const measurement by_weights = measured_on(weighed), by_rows = measured_on(repeated), as_plain = measured_on(plain);
  EXPECT_NEAR(by_weights.loss, by_rows.loss, 1e-6);
  for (const auto measure :
       {&measurement::precision_at_1, &measurement::precision_at_3, &measurement::micro_f1, &measurement::macro_f1})
    EXPECT_NEAR((by_weights.*measure).value(), (by_rows.*measure).value(), 1e-6);
  EXPECT_GT(std::abs(by_weights.precision_at_1.value() - as_plain.precision_at_1.value()), 1e-4);
}

TEST(row_weights, count_where_rows_have_lists_of_labels) {
  expect_lists_measured_as_repeated(softmax{.features = 20, .classes = 6, .bias = true});
  if (!has_layer_kernels()) return;
  expect_lists_measured_as_repeated(mlp{.features = 20, .classes = 6, .hidden = {8}});
}

/// Margins of a column with a fixed weight of 1, which every row has, against offsets.
TEST(offsets, are_columns_whose_weights_nobody_changes) {
  const test::toy_rows toy = test::planted_classification({.rows = 500, .columns = 20, .per_row = 5});
  test::toy_rows with_column;
  with_column.columns = toy.columns + 1;
  const std::vector<float> offsets = test::numbers_in_turn(toy.rows(), {1.5f, -2.0f, 0.0f, 0.5f, -0.25f});
  for (std::size_t r = 0; r < toy.rows(); ++r) {
    with_column.push_row(toy, r);
    with_column.push_entry(toy.columns, offsets[r]);
  }
  csr_rows with_offsets = toy.csr();
  with_offsets.set_offsets(offsets);
  // Row by row, so that both see the same weights; each of 2,000 steps of at most 0.3 is rounded to 1e-7 of itself.
  const train_options options{.epochs = 4,
                              .step = {.initial = 0.3, .decay = 1.0, .kind = schedule_kind::geometric},
                              .l2 = 0.0,
                              .sharing = sharing_kind::direct};
  train_options frozen = options;
  frozen.freeze = {"fixed"};
  const train_result expected = train(own_logistic{21, 1}, with_column.csr(), serial_engine{}, frozen);
  EXPECT_EQ(expected.parameters.back(), 1.0f);
  const auto expect_same = [&](const train_result& found) {
    EXPECT_NEAR(found.train_loss, expected.train_loss, 1e-5);
    for (std::size_t j = 0; j < 20; ++j) EXPECT_NEAR(found.parameters[j], expected.parameters[j], 2e-4f);
  };
  expect_same(train(logistic{}, with_offsets, serial_engine{}, options));
  expect_same(train(own_logistic{20}, with_offsets, serial_engine{}, options));
  // With kernels the rows of a batch see the same weights, so batches have one row.
  train_options by_kernels = options;
  by_kernels.sharing = sharing_kind::automatic, by_kernels.batch = 1;
  expect_same(train(logistic{}, with_offsets, serial_engine{}, by_kernels));
  // Rows that a device trains at once do not see each other's changes.
  const cuda_engine device{.workers = 0, .device = emulated_device};
  EXPECT_NEAR(train(logistic{}, with_offsets, device, by_kernels).train_loss, expected.train_loss, 2e-3);
  EXPECT_GT(std::abs(train(logistic{}, toy.csr(), serial_engine{}, options).train_loss - expected.train_loss), 1e-2);
}

template <class M>
std::string refused(const M& m, const csr_rows& rows, const train_options& options) {
  return test::refusal_of<error>([&] { train(m, rows, serial_engine{}, options); });
}

/// Predicts the mean of the labels, and ignores weights.
template <label_kind Labels>
struct no_weights {
  static constexpr label_kind labels = Labels;
  using scalar_type = float;
  using workspace = std::vector<float>;
  std::size_t dim() const { return 1; }
  std::array<parameter_group, 1> groups() const { return {parameter_group{.rows = 1, .hot_first = false}}; }
  workspace make_workspace(const sparse_view&, isa, std::size_t batch) const { return workspace(batch); }
  void take(workspace& seen, std::size_t k, const sparse_row<float>& z, const counter_random&) const {
    seen[k] = z.label;
  }
  void gradient(const auto& w, workspace& seen, std::size_t n, const auto& emit) const {
    float g = 0.0f;
    for (std::size_t k = 0; k < n; ++k) g += (w[0] - seen[k]) / static_cast<float>(n);
    emit.block(0, std::span<const float>(&g, 1));
  }
  void score(const auto& w, workspace& seen, std::size_t n, std::span<row_score> scores) const {
    for (std::size_t k = 0; k < n; ++k)
      scores[k] = {0.5 * std::pow(static_cast<double>(w[0] - seen[k]), 2.0), static_cast<float>(w[0])};
  }
};

TEST(row_weights, that_cannot_be_are_refused) {
  const test::toy_rows toy = test::planted_classes({.rows = 60, .columns = 20}, 3);
  csr_rows rows = toy.csr();
  const softmax m{.features = 20, .classes = 3};
  const auto said = [&](const class_weights& weights) {
    return refused(m, rows, {.step = {.initial = 0.1}, .weights = weights});
  };
  EXPECT_THAT(said({.of_labels = {{0.0, -1.0}}}), HasSubstr("the weight of label 0 is -1"));
  EXPECT_THAT(said({.of_labels = {{0.0, NAN}}}), HasSubstr("a finite number, 0 or more"));
  EXPECT_THAT(said({.of_labels = {{7.0, 1.0}}}), HasSubstr("no row has the label 7, for which a weight is given"));
  EXPECT_THAT(said({.of_labels = {{1.0, 1.0}, {1.0, 2.0}}}), HasSubstr("the weight of label 1 is given twice"));
  EXPECT_THAT(said({.of_labels = {{0.0, 0.0}, {1.0, 0.0}, {2.0, 0.0}}}), HasSubstr("all weights of rows are 0"));
  EXPECT_THAT(said({.balanced = true, .of_labels = {{0.0, 1.0}}}), HasSubstr("either balanced or have given weights"));
  const test::kept_rows numbers = test::planted_regression({.rows = 60});
  EXPECT_THAT(refused(own_logistic{20}, numbers, {.weights = {.balanced = true}}), HasSubstr("exactly two"));
  EXPECT_THAT(refused(least_squares{}, numbers, {.weights = {.balanced = true}}), HasSubstr("this is a regression"));
  const test::kept_rows binary = test::planted_classification({.rows = 60});
  EXPECT_THAT(refused(logistic{}, binary, {.weight_positive = 2.0, .weights = {.balanced = true}}),
              HasSubstr("exclude each other"));
  EXPECT_THAT(refused(no_weights<label_kind::binary>{}, binary, {.step = {.initial = 0.1}, .weight_positive = 2.0}),
              HasSubstr("classes have weights, which this model does not take"));
  std::vector<float> few(toy.rows() - 1, 1.0f), one(toy.rows(), 1.0f);
  sparse_view short_view = rows.view();
  short_view.weight = few;
  EXPECT_THROW(train(m, short_view, serial_engine{}, {}), input_error);
  short_view.weight = {}, short_view.offset = one;
  EXPECT_THROW(train(m, short_view, serial_engine{}, {}), config_error) << "softmax has no margin";
  one[3] = -1.0f;
  short_view.offset = {}, short_view.weight = one;
  EXPECT_THROW(train(m, short_view, serial_engine{}, {}), input_error);
  one[3] = 1.0f;
  rows.set_weights(one);
  EXPECT_THAT(refused(no_weights<label_kind::real>{}, rows, {.step = {.initial = 0.1}}), HasSubstr("does not take"));
  EXPECT_EQ(refused(no_weights<label_kind::real>{}, toy.csr(), {.epochs = 1, .step = {.initial = 0.1}}), "accepted");
}

TEST(row_weights, of_a_class_without_rows_cannot_be_balanced) {
  const test::kept_rows rows = test::planted_classes({.rows = 60, .columns = 20}, 2);
  const label_map three(label_kind::classes, {0.0, 1.0, 2.0});
  EXPECT_THAT(test::refusal_of<input_error>(
                  [&] { weights_of_labels({.weights = {.balanced = true}}, three, rows.view(), agreement(nullptr)); }),
              HasSubstr("no training row has the label 2"));
}

}  // namespace
}  // namespace hogwild
