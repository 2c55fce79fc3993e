// SPDX-License-Identifier: Apache-2.0
// Rows that a program holds train the same model as the same rows elsewhere: arrays and ranges as a file, dense rows as
// sparse ones with all columns, by every engine.
#include <hogwild/rows.hpp>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/cuda/engine.hpp>
#include <hogwild/detail/formats/libsvm.hpp>
#include <hogwild/engines.hpp>
#include <hogwild/general_model.hpp>
#include <hogwild/hogwild.hpp>
#include <hogwild/models/factorization_machine.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/softmax.hpp>
#include <hogwild/models/squared_hinge.hpp>
#include <hogwild/trained_model.hpp>
#include <hogwildpp/ring_engine.hpp>

#include "support/dense_data.hpp"
#include "support/refusal.hpp"
#include "support/scratch_folder.hpp"
#include "support/toy_data.hpp"

namespace hogwild {
namespace {

using ::testing::HasSubstr;

const thread_engine std_threads{.workers = 2, .team = thread_team_kind::std, .pin = false};

template <class M, class Engine>
std::vector<float> parameters(const M& m, const sparse_view& rows, const Engine& engine, const train_options& options) {
  return train(m, rows, engine, options).parameters;
}

/// Runs every engine that gives the same bits in every run.
template <class M>
void expect_same_by_every_engine(const M& m, const sparse_view& a, const sparse_view& b, train_options options) {
  const auto same = [&](const auto& engine, const char* name) {
    const std::vector<float> of_a = parameters(m, a, engine, options);
    EXPECT_EQ(of_a, parameters(m, b, engine, options)) << name;
    EXPECT_TRUE(std::ranges::any_of(of_a, [](float w) { return w != 0.0f; })) << name;
  };
  same(serial_engine{}, "serial");
  same(all_reduce_engine{.workers = 2, .pin = false}, "all_reduce");
  same(local_sgd_engine{.workers = 2, .pin = false}, "local_sgd");
  same(ring_engine{.workers = 1, .pin = false}, "ring");
  options.reproducible = true;
  same(std_threads, "threads");
}

TEST(own_rows, train_the_model_that_a_file_trains) {
  const test::toy_rows rows = test::planted_classification({.rows = 600, .columns = 60, .per_row = 6});
  const test::scratch_folder folder;
  const std::string path = (folder.path() / "rows.svm").string();
  {
    std::ofstream text(path);
    write_libsvm(text, rows.csr().view());
  }
  const sparse_dataset file = open_libsvm(path);
  const std::vector<std::int64_t> index(rows.index.begin(), rows.index.end());
  const std::vector<double> value(rows.value.begin(), rows.value.end());
  const sparse_dataset own =
      rows_from({.row_start = rows.row_start, .index = index, .value = value, .label = rows.label});
  const train_options options{.epochs = 3, .step = {.initial = 0.3}, .l2 = 1e-4, .bias = true};
  expect_same_by_every_engine(logistic{}, own.view(), file.view(), options);
  expect_same_by_every_engine(factorization_machine{.features = own.features(), .factors = 4}, own.view(), file.view(),
                              {.epochs = 2, .step = {.initial = 0.05}, .optimizer = optimizer_kind::adagrad});

  // The saved model has the caller's numbers of columns, and predicts the caller's rows.
  const train_result run = train(logistic{}, own, serial_engine{}, options);
  const std::string saved = (folder.path() / "model.bin").string();
  save(saved, run, own, logistic{});
  const auto loaded = load<logistic>(saved);
  EXPECT_TRUE(std::ranges::is_permutation(loaded.columns, own.view().original));
  const column_numbering numbering = loaded.numbering();
  const csr_arrays tested{.row_start = rows.row_start, .index = rows.index, .value = rows.value};
  const sparse_dataset read = rows_from(tested, {.numbering = &numbering, .labels_optional = true});
  const std::vector<double> predicted = predict(loaded, read.view());
  std::size_t right = 0;
  for (std::size_t r = 0; r < rows.rows(); ++r) right += predicted[r] == static_cast<double>(rows.label[r]);
  EXPECT_GT(right, rows.rows() * 8 / 10);
  // Row by row, the margin of the columns that the row names.
  const std::vector<float> margins = scores(loaded, read.view());
  double margin = static_cast<double>(loaded.parameters.back());
  for (std::size_t k = rows.row_start[7]; k < rows.row_start[8]; ++k)
    margin +=
        static_cast<double>(loaded.parameters[numbering.position(rows.index[k])]) * static_cast<double>(rows.value[k]);
  EXPECT_NEAR(static_cast<double>(margins[7]), margin, 1e-5);
}

/// How a margin model is trained.
struct way {
  const char* name;
  train_options options{};
};
void PrintTo(const way& w, std::ostream* out) {
  *out << w.name;
}

std::vector<way> ways() {
  const auto with = [](const std::function<void(train_options&)>& change) {
    train_options o{.epochs = 3, .step = {.initial = 0.05}, .l2 = 1e-4, .bias = true};
    change(o);
    return o;
  };
  return {{"sgd", with([](auto&) {})},
          {"one_row_at_a_time", with([](auto& o) { o.batch = 1; })},
          {"an_odd_batch", with([](auto& o) { o.batch = 7; })},
          {"found_step", with([](auto& o) { o.step = {}; })},
          {"two_pass", with([](auto& o) { o.form = l2_form::two_pass; })},
          {"direct", with([](auto& o) { o.sharing = sharing_kind::direct; })},
          {"permuted", with([](auto& o) { o.order = row_order::permuted; })},
          {"l1", with([](auto& o) { o.l1 = 1e-3; })},
          {"momentum", with([](auto& o) { o.optimizer = optimizer_kind::momentum; })},
          {"adagrad", with([](auto& o) { o.optimizer = optimizer_kind::adagrad; })},
          {"adam", with([](auto& o) { o.optimizer = optimizer_kind::adam; })},
          {"ftrl", with([](auto& o) { o.optimizer = optimizer_kind::ftrl; })},
          {"held_back", with([](auto& o) { o.validation_fraction = 0.2; })}};
}

struct dense_law : testing::TestWithParam<way> {};

TEST_P(dense_law, dense_rows_train_as_sparse_rows_with_all_columns_do) {
  for (const std::size_t columns : {5u, 100u, 307u}) {
    const test::dense_data data = test::dense_classes(301, columns);
    const dense_rows dense = data.dense();
    const csr_rows sparse = data.sparse.csr();
    const train_result a = train(logistic{}, dense, serial_engine{}, GetParam().options);
    const train_result b = train(logistic{}, sparse, serial_engine{}, GetParam().options);
    EXPECT_EQ(a.parameters, b.parameters) << columns;
    EXPECT_EQ(a.train_loss, b.train_loss) << columns;
    EXPECT_EQ(a.objective, b.objective) << columns;
  }
}
INSTANTIATE_TEST_SUITE_P(every, dense_law, testing::ValuesIn(ways()),
                         [](const auto& of) { return std::string(of.param.name); });

TEST(dense_rows_of_a_program, train_alike_by_every_engine) {
  const test::dense_data data = test::dense_classes(400, 30);
  const dense_rows dense = data.dense();
  const csr_rows sparse = data.sparse.csr();
  expect_same_by_every_engine(squared_hinge{}, dense.view(), sparse.view(),
                              {.epochs = 3, .step = {.initial = 0.02}, .l2 = 1e-4});
}

/// A general model of a program.
struct own_regression {
  using scalar_type = float;
  using example_type = sparse_row<float>;
  std::size_t features;
  std::size_t dim() const { return features; }
  float loss(const auto& w, const example_type& z) const {
    const float r = dot(w, z) - z.label;
    return 0.5f * r * r;
  }
  void gradient(const auto& w, const example_type& z, const auto& emit) const {
    const float r = dot(w, z) - z.label;
    for (auto [j, x] : z) emit(j, r * x);
  }
};

TEST(dense_rows_of_a_program, train_every_kind_of_model) {
  const test::dense_data data = test::dense_classes(300, 12);
  const dense_rows dense = data.dense();
  const csr_rows sparse = data.sparse.csr();
  const train_options options{.epochs = 2, .step = {.initial = 0.02}};
  const auto same = [&](const auto& m) {
    EXPECT_EQ(parameters(m, dense.view(), serial_engine{}, options),
              parameters(m, sparse.view(), serial_engine{}, options));
  };
  same(softmax{.features = 12, .classes = 2});
  same(factorization_machine{.features = 12, .factors = 4});
  same(own_regression{12});
}

TEST(dense_rows_of_a_program, are_measured_and_predicted) {
  const test::dense_data data = test::dense_classes(300, 12), other = test::dense_classes(100, 12);
  const dense_rows dense = data.dense(), tested = other.dense();
  const train_result run =
      train(logistic{}, dense, serial_engine{}, {.epochs = 5, .step = {.initial = 0.1}, .test = tested.view()});
  const auto model = trained(run, dense, logistic{});
  EXPECT_EQ(predict(model, tested.view()), predict(model, other.sparse.csr().view()));
  EXPECT_NEAR(evaluate(model, tested).loss, run.test->loss, 1e-6);  // of sums in another order
}

TEST(dense_rows_of_a_program, weigh_what_they_are_told) {
  const test::dense_data data = test::dense_classes(200, 9);
  const std::vector<float> weight = test::noise_vector(200, 8, 0.1, 3.0), offset = test::noise_vector(200, 9);
  dense_rows dense = data.dense();
  csr_rows sparse = data.sparse.csr();
  dense.set_weights(weight), dense.set_offsets(offset);
  sparse.set_weights(weight), sparse.set_offsets(offset);
  const train_options options{.epochs = 2, .step = {.initial = 0.02}};
  EXPECT_EQ(parameters(logistic{}, dense.view(), serial_engine{}, options),
            parameters(logistic{}, sparse.view(), serial_engine{}, options));
}

TEST(dense_rows_of_a_program, are_refused_by_a_device) {
  const test::dense_data data = test::dense_classes(100, 9);
  const dense_rows dense = data.dense();
  const cuda_engine device{.workers = 0, .device = emulated_device};
  EXPECT_THAT(test::refusal_of([&] { (void)train(logistic{}, dense, device, {.epochs = 1}); }),
              HasSubstr("give it sparse_dataset::copy_of(rows.view())"));
  EXPECT_NO_THROW((void)train(logistic{}, sparse_dataset::copy_of(dense.view()), device, {.epochs = 1}));
}

}  // namespace
}  // namespace hogwild
