// SPDX-License-Identifier: Apache-2.0
// A program saves the model that it has trained, loads it, predicts and evaluates: models of its own of every kind, and
// the library's.
#include <hogwild/trained_model.hpp>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/error.hpp>
#include <hogwild/general_model.hpp>
#include <hogwild/hogwild.hpp>
#include <hogwild/models/factorization_machine.hpp>
#include <hogwild/models/huber.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/softmax.hpp>
#include <hogwild/registry.hpp>

#include "support/dense_squares.hpp"
#include "support/refusal.hpp"
#include "support/scratch_folder.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

/// A margin model with a number of its own.
struct power_hinge {
  static constexpr std::string_view name = "power_hinge";
  static constexpr label_kind labels = label_kind::binary;
  float power = 3.0f;
  static auto numbers() {
    return std::array{number<&power_hinge::power>(
        {.name = "power", .suits = [](double x) { return x > 1.0; }, .must_be = "above 1"})};
  }
  double loss(float margin, float label) const {
    return std::pow(std::max(0.0, 1.0 - static_cast<double>(margin * label)), static_cast<double>(power));
  }
  float derivative(float margin, float label) const {
    return -label * power * std::pow(std::max(0.0f, 1.0f - margin * label), power - 1.0f);
  }
};

/// A model that does not name its arguments.
struct silent_hinge : power_hinge {
  static constexpr std::string_view name = "silent_hinge";
  static std::array<model_number, 0> numbers() { return {}; }
};

/// A general model whose groups are in another order than saved columns: a constant term, then a slope for each column,
/// then two numbers for each.
struct pairs {
  static constexpr std::string_view name = "pairs_of_numbers";
  using scalar_type = double;
  using example_type = sparse_row<float>;
  std::size_t features = 0;
  bool curved = false;
  static auto numbers() { return std::array{number<&pairs::curved>({.name = "curved"})}; }
  std::size_t dim() const { return 1 + 3 * features; }
  std::array<parameter_group, 3> groups() const {
    return {{{.name = "pairs", .offset = 1 + features, .rows = features, .width = 2},
             {.name = "constant", .offset = 0, .rows = 1, .hot_first = false},
             {.name = "slopes", .offset = 1, .rows = features}}};
  }
  float predict(const auto& w, const example_type& z) const {
    double sum = w[0];
    for (auto [j, x] : z) {
      const double value = static_cast<double>(x);
      sum += w[1 + j] * value + (w[1 + features + 2 * j] - w[2 + features + 2 * j]) * value * (curved ? value : 1.0);
    }
    return static_cast<float>(sum);
  }
  double loss(const auto& w, const example_type& z) const {
    const double r = static_cast<double>(predict(w, z) - z.label);
    return 0.5 * r * r;
  }
  void gradient(const auto& w, const example_type& z, const auto& emit) const {
    const double r = static_cast<double>(predict(w, z) - z.label);
    if (r == 0.0) return;
    emit(0, r);
    for (auto [j, x] : z) {
      const double value = static_cast<double>(x), bent = value * (curved ? value : 1.0);
      if (value == 0.0) continue;
      emit(1 + j, r * value);
      emit(1 + features + 2 * j, r * bent);
      emit(2 + features + 2 * j, -r * bent);
    }
  }
};

/// A general model of classes: scores of each column for each class.
struct class_sums {
  static constexpr std::string_view name = "class_sums";
  static constexpr label_kind labels = label_kind::classes;
  using scalar_type = float;
  using example_type = sparse_row<float>;
  std::size_t features = 0, classes = 2;
  std::size_t dim() const { return features * classes; }
  std::array<parameter_group, 1> groups() const { return {{{.rows = features, .width = classes}}}; }
  std::vector<float> sums(const auto& w, const example_type& z) const {
    std::vector<float> s(classes), row(classes);
    for (auto [j, x] : z) {
      w.block(j * classes, classes).copy_to(row);
      for (std::size_t c = 0; c < classes; ++c) s[c] += x * row[c];
    }
    return s;
  }
  float predict(const auto& w, const example_type& z) const {
    const std::vector<float> s = sums(w, z);
    return static_cast<float>(std::max_element(s.begin(), s.end()) - s.begin());
  }
  double loss(const auto& w, const example_type& z) const {
    const std::vector<float> s = sums(w, z);
    double all = 0.0;
    for (std::size_t c = 0; c < classes; ++c) all += std::pow(static_cast<double>(s[c]) - (z.label == float(c)), 2);
    return 0.5 * all;
  }
  void gradient(const auto& w, const example_type& z, const auto& emit) const {
    std::vector<float> s = sums(w, z), g(classes);
    for (std::size_t c = 0; c < classes; ++c) s[c] -= z.label == static_cast<float>(c) ? 1.0f : 0.0f;
    for (auto [j, x] : z) {
      for (std::size_t c = 0; c < classes; ++c) g[c] = x * s[c];
      emit.block(j * classes, g);
    }
  }
};

/// General models without groups: a parameter for each column, or some more.
template <std::size_t More>
struct plain_squares {
  static constexpr std::string_view name = "plain_squares";
  using scalar_type = float;
  using example_type = sparse_row<float>;
  std::size_t features = 0;
  float scale = 1.0f;  // which nobody names
  std::size_t dim() const { return features + More; }
  float predict(const auto& w, const example_type& z) const { return scale * dot(w, z); }
  double loss(const auto& w, const example_type& z) const {
    return 0.5 * std::pow(static_cast<double>(predict(w, z) - z.label), 2.0);
  }
  void gradient(const auto& w, const example_type& z, const auto& emit) const {
    const float r = scale * (predict(w, z) - z.label);
    for (auto [j, x] : z)
      if (r * x != 0.0f) emit(j, r * x);
  }
};
static_assert(conforms<power_hinge>() && conforms<pairs>() && conforms<class_sums>() &&
              conforms<test::dense_squares>());

/// Columns have gaps, and their frequency does not follow their numbers, so that positions differ. `label` makes a
/// label of a row's number and its three columns.
template <class Label>
std::string text_of(std::size_t rows, const Label& label) {
  std::string text;
  for (std::size_t r = 0; r < rows; ++r) {
    const std::size_t a = 5 - 2 * (r % 7 == 0), b = 10 + r * r % 4, c = 30 + r % 11;
    text += std::to_string(label(r, a, b, c)) + " " + std::to_string(a) + ":0.5 " + std::to_string(b) + ":1 " +
            std::to_string(c) + ":-0.75\n";
  }
  return text;
}
std::string numbers_text() {
  return text_of(600, [](std::size_t, std::size_t a, std::size_t b, std::size_t c) {
    return static_cast<int>(a + b) - static_cast<int>(c);
  });
}
std::string signs_text() {
  return text_of(600, [](std::size_t, std::size_t, std::size_t b, std::size_t c) { return (b + c) % 3 == 0 ? 7 : 3; });
}
std::string classes_text() {
  return text_of(
      600, [](std::size_t, std::size_t, std::size_t b, std::size_t c) { return 10 * static_cast<int>((b + c) % 3); });
}

struct trained_models : testing::Test {
  test::scratch_folder folder;
  scoring_options two{.workers = 2, .team = thread_team_kind::std, .batch = 7};
  scoring_options one{.workers = 1, .team = thread_team_kind::std, .batch = 1};

  sparse_dataset open(const std::string& text, const column_numbering* numbering = nullptr) const {
    open_options options{.cache = open_options::cache_use::none};
    options.numbering = numbering;
    return open_libsvm(folder.write("rows.svm", text), options);
  }

  /// Trains, saves in both formats and loads again. The loaded model must predict the rows of the file, in its order,
  /// and have the run's losses on them, to the bit except for `rounding`.
  template <model M>
  trained_model<M> expect_whole(const std::string& text, const auto& make, train_options options = {},
                                double rounding = 0.0) const {
    const sparse_dataset data = open(text);
    const M m = make(data);
    options.epochs = 3;
    options.test = data.view();
    const train_result run = train(m, data, serial_engine{}, options);
    for (const char* const file : {"model.txt", "model.bin"}) {
      save(folder / file, run, data, m);
      const trained_model<M> again = load<M>(folder / file);
      EXPECT_TRUE(std::ranges::is_sorted(again.columns));
      EXPECT_EQ(again.labels, run.labels);
      const column_numbering numbering = again.numbering();
      const sparse_dataset same = open(text, &numbering);
      const measurement measured = evaluate(again, same, two);
      EXPECT_NEAR(measured.loss, run.test->loss, rounding + 1e-6 * run.test->loss);
      EXPECT_EQ(measured.accuracy.has_value(), run.test->accuracy.has_value());
      EXPECT_EQ(measured.accuracy.value_or(0.0), run.test->accuracy.value_or(0.0));
      EXPECT_EQ(predict(again, same, two), predict(again, same, one));
      // In the run's own numbering rows have another order, and so have the sums.
      const trained_model<M> at_once = trained(run, data, m);
      EXPECT_NEAR(evaluate(at_once, data, one).loss, measured.loss, 1e-5 * (1.0 + measured.loss));
      save(folder / "again.bin", again);
      EXPECT_EQ(load<M>(folder / "again.bin").parameters, again.parameters);
      EXPECT_NE(again.columns, at_once.columns);
    }
    return load<M>(folder / "model.bin");
  }
};

TEST_F(trained_models, are_whole_where_they_have_a_margin) {
  for (const bool bias : {false, true}) {
    const trained_model<power_hinge> again = expect_whole<power_hinge>(
        signs_text(), [](const auto&) { return power_hinge{2.5f}; }, {.step = {.initial = 0.1}, .bias = bias});
    EXPECT_EQ(again.model.power, 2.5f);
    EXPECT_EQ(again.parameters.size(), again.columns.size() + (bias ? 1 : 0));
    EXPECT_TRUE(predict(again, sparse_view{}, one).empty());
  }
}

TEST_F(trained_models, are_whole_where_groups_lie_in_any_order) {
  const trained_model<pairs> again = expect_whole<pairs>(
      numbers_text(),
      [](const auto& data) {
        return pairs{data.features(), true};
      },
      {.step = {.initial = 0.01}}, 1e-5);
  EXPECT_TRUE(again.model.curved);
  const saved_model file = load_model(folder / "model.txt");
  EXPECT_EQ(file.width, 3u);
  EXPECT_EQ(file.bias.size(), 1u);
  EXPECT_EQ(file.bias.front(), again.parameters.front());
}

TEST_F(trained_models, are_whole_where_labels_are_classes) {
  const trained_model<class_sums> again = expect_whole<class_sums>(classes_text(),
                                                                   [](const auto& data) {
                                                                     return class_sums{data.features(), 3};
                                                                   },
                                                                   {.step = {.initial = 0.1}});
  EXPECT_EQ(again.model.classes, 3u);
  const column_numbering numbering = again.numbering();
  for (const double label : predict(again, open(classes_text(), &numbering)))
    EXPECT_TRUE(label == 0.0 || label == 10.0 || label == 20.0) << label;
}

TEST_F(trained_models, are_whole_where_they_have_a_workspace) {
  expect_whole<test::dense_squares>(numbers_text(),
                                    [](const auto& data) { return test::dense_squares{data.features()}; });
}

TEST_F(trained_models, of_the_library_are_saved_as_the_command_saves_them) {
  const auto expect = [&](const auto& m, const std::string& text, const train_options& options) {
    const sparse_dataset data = open(text);
    const train_result run = train(m, data, serial_engine{}, options);
    save(folder / "own.bin", run, data, m);
    save_model(folder / "command.bin", to_saved(m, run.parameters, run.labels, data.numbering().original()),
               model_format::binary);
    EXPECT_EQ(load_model(folder / "own.bin"), load_model(folder / "command.bin"));
    EXPECT_EQ(evaluate(trained(run, data, m), data, one).loss, evaluate(trained(run, data, m), data, two).loss);
    using M = std::decay_t<decltype(m)>;
    const trained_model<M> again = load<M>(folder / "command.bin");
    const column_numbering numbering = again.numbering();
    const sparse_dataset same = open(text, &numbering);
    const predictor by_name(load_model(folder / "command.bin"));
    row_cursor cursor(same.view());
    const std::vector<float> said = scores(again, same, two);
    for (std::size_t r = 0; r < same.rows(); ++r) EXPECT_EQ(said[r], by_name.score(cursor.row(r)));
  };
  const train_options options{.epochs = 2, .step = {.initial = 0.1}, .bias = true};
  expect(logistic{}, signs_text(), options);
  expect(huber{2.5f}, numbers_text(), options);
  const std::size_t features = open(classes_text()).features();
  expect(softmax{.features = features, .classes = 3, .bias = true}, classes_text(),
         {.epochs = 2, .step = {.initial = 0.1}});
  expect(factorization_machine{.features = features, .factors = 3}, signs_text(),
         {.epochs = 2, .step = {.initial = 0.1}});
}

TEST_F(trained_models, mind_rows_in_memory) {
  const test::kept_rows rows = test::planted_classification({.rows = 300, .columns = 12, .per_row = 3});
  const train_result run = train(power_hinge{}, rows, serial_engine{}, {.epochs = 3, .step = {.initial = 0.1}});
  save(folder / "model.bin", run, rows, power_hinge{});
  const trained_model<power_hinge> again = load<power_hinge>(folder / "model.bin");
  EXPECT_EQ(again.parameters, run.parameters);
  EXPECT_EQ(evaluate(again, rows, two).loss, evaluate(again, rows, one).loss);
  EXPECT_NEAR(evaluate(again, rows, two).loss, run.train_loss, 1e-6);  // which is of weights before they were rounded
}

TEST_F(trained_models, count_rows_by_their_weights_and_add_offsets_to_margins) {
  const test::toy_rows toy = test::planted_classification({.rows = 300, .columns = 12, .per_row = 3});
  const std::vector<float> weights = test::numbers_in_turn(300, {4.0f, 0.0f, 1.0f});
  const std::vector<float> offsets = test::numbers_in_turn(300, {0.5f, -1.0f});
  csr_rows rows = toy.csr();
  rows.set_weights(weights);
  rows.set_offsets(offsets);
  const train_result run = train(power_hinge{}, rows, serial_engine{}, {.epochs = 3, .step = {.initial = 0.01}});
  const auto model = trained(run, rows, power_hinge{});
  EXPECT_NEAR(evaluate(model, rows, two).loss, run.train_loss, 1e-6);
  EXPECT_GT(std::abs(evaluate(model, toy.csr(), two).loss - run.train_loss), 1e-3);
  const std::vector<float> with = scores(model, rows, two), without = scores(model, toy.csr(), {.batch = 0});
  for (std::size_t r = 0; r < with.size(); ++r) EXPECT_FLOAT_EQ(with[r], without[r] + offsets[r]);
}

/// The message of a refusal.
template <class Refusal, class F>
std::string refusal(const F& f) {
  return test::refusal_of<Refusal>([&] { f(); }, "nothing was refused");
}

TEST_F(trained_models, refuse_files_of_other_models) {
  const std::string path = (folder / "model.txt").string();
  const saved_model good{.model = "power_hinge",
                         .model_options = {{"power", 3.0}},
                         .labels = label_map(label_kind::binary, {3.0, 7.0}),
                         .columns = {1, 4},
                         .weights = {0.5f, 1.0f}};
  const auto loaded = [&](const auto& change) {
    saved_model m = good;
    change(m);
    save_model(path, m, model_format::text);
    return refusal<input_error>([&] { load<power_hinge>(path); });
  };
  EXPECT_EQ(loaded([](saved_model&) {}), "nothing was refused");
  EXPECT_EQ(loaded([](saved_model& m) { m.model = "logistic"; }),
            path + ": it holds a logistic model, not a power_hinge");
  EXPECT_THAT(loaded([](saved_model& m) { m.calibrated = {.kind = calibration_kind::platt, .slope = -1}; }),
              HasSubstr("the model is calibrated"));
  EXPECT_THAT(loaded([](saved_model& m) { m.model_options.clear(); }), HasSubstr("'power' of the saved power_hinge"));
  EXPECT_THAT(loaded([](saved_model& m) { m.model_options[0].second = 1.0; }), HasSubstr("it should be above 1"));
  EXPECT_THAT(loaded([](saved_model& m) { m.model_options[0].second = 1e300; }), HasSubstr("it should be above 1"));
  EXPECT_THAT(loaded([](saved_model& m) { m.model_options.emplace_back("delta", 1.0); }),
              HasSubstr("has an option 'delta', which this program's model of that name has not"));
  EXPECT_THAT(loaded([](saved_model& m) { m.labels = label_map(); }), HasSubstr("do not suit the model power_hinge"));
  EXPECT_THAT(loaded([](saved_model& m) { m.width = 2, m.weights.resize(4); }),
              HasSubstr("do not suit the model power_hinge"));
}

TEST_F(trained_models, refuse_to_be_saved_where_they_would_not_come_back) {
  const sparse_dataset data = open(numbers_text()), two_labels = open(signs_text());
  const auto said = [&](const auto& m, const sparse_dataset& rows) {
    const train_result run = train(m, rows, serial_engine{}, {.epochs = 1, .step = {.initial = 0.01}});
    return refusal<config_error>([&] { save(folder / "model.bin", run, rows, m); });
  };
  EXPECT_EQ(
      said(silent_hinge{{4.0f}}, two_labels),
      "the model silent_hinge would be another one when it is loaded: name the members that it is made with in its "
      "numbers()");
  EXPECT_EQ(said(silent_hinge{}, two_labels), "nothing was refused");  // it can be made without arguments
  EXPECT_THAT(said(plain_squares<0>{data.features(), 2.0f}, data), HasSubstr("would be another one"));
  EXPECT_EQ(said(plain_squares<0>{data.features()}, data), "nothing was refused");
  EXPECT_EQ(said(plain_squares<1>{data.features()}, data), "nothing was refused");
  EXPECT_THAT(said(plain_squares<2>{data.features()}, data), HasSubstr("and no groups()"));
  const trained_model<power_hinge> short_of_one{
      .parameters = {1.0f}, .labels = label_map(label_kind::binary, {0.0, 1.0}), .columns = {1, 2}};
  EXPECT_THAT(refusal<config_error>([&] { save(folder / "short.bin", short_of_one); }),
              HasSubstr("of 2 columns cannot have 1 parameters"));
  EXPECT_FALSE(std::filesystem::exists(folder / "short.bin"));
}

TEST_F(trained_models, refuse_rows_that_are_numbered_otherwise) {
  const sparse_dataset data = open(signs_text());
  const train_result run = train(power_hinge{}, data, serial_engine{}, {.epochs = 1, .step = {.initial = 0.001}});
  save(folder / "model.bin", run, data, power_hinge{});
  const trained_model<power_hinge> again = load<power_hinge>(folder / "model.bin");
  EXPECT_THAT(refusal<config_error>([&] { predict(again, data); }), HasSubstr("numbered otherwise"));
  const test::toy_rows wide = test::planted_classification({.rows = 10, .columns = 400, .per_row = 3});
  EXPECT_THAT(refusal<input_error>([&] { evaluate(again, wide.csr()); }), HasSubstr("the rows"));  // labelled 1 and -1
  EXPECT_THAT(refusal<config_error>([&] { predict(again, wide.csr()); }), HasSubstr("the rows have 400 columns"));
}

TEST_F(trained_models, refuse_rows_that_they_would_read_beside_their_parameters_for) {
  test::toy_rows toy = test::planted_classification({.rows = 30, .columns = 12, .per_row = 3});
  const train_result run = train(power_hinge{}, toy.csr(), serial_engine{}, {.epochs = 1, .step = {.initial = 0.1}});
  const auto model = trained(run, toy.csr(), power_hinge{});
  toy.index[4] = 12;
  EXPECT_THAT(refusal<input_error>([&] { predict(model, toy.csr(), two); }),
              HasSubstr("row 2 has column 12, but there are only 12 columns"));
  const softmax classes{.features = 12, .classes = 2};
  const test::toy_rows plain = test::planted_classes({.rows = 30, .columns = 12, .per_row = 3}, 2);
  const train_result by_class = train(classes, plain.csr(), serial_engine{}, {.epochs = 1, .step = {.initial = 0.1}});
  const std::vector<float> offsets(30, 1.0f);
  csr_rows moved = plain.csr();
  moved.set_offsets(offsets);
  EXPECT_THAT(refusal<config_error>([&] { predict(trained(by_class, plain.csr(), classes), moved, two); }),
              HasSubstr("the rows have offsets"));
}

}  // namespace
