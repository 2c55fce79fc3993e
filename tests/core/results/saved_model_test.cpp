// SPDX-License-Identifier: Apache-2.0
#include <hogwild/saved_model.hpp>

#include <limits>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <hogwild/error.hpp>

#include "support/scratch_folder.hpp"

namespace {

using hogwild::input_error;
using hogwild::label_kind;
using hogwild::label_map;
using hogwild::model_bytes;
using hogwild::model_format;
using hogwild::parse_model;
using hogwild::saved_model;
using hogwild::test::read_text;
using hogwild::test::scratch_folder;
using ::testing::HasSubstr;

saved_model binary_model() {
  return {.model = "huber",
          .model_options = {{"delta", 1.5}},
          .labels = label_map(label_kind::binary, {-1, 1}),
          .columns = {1, 7, 4'294'967'294u},
          .weights = {0.5f, 0.0f, -1.25e-30f},
          .bias = {0.1f}};
}

saved_model softmax_model() {
  return {.model = "softmax",
          .labels = label_map(label_kind::classes, {0, 3, 4}),
          .width = 3,
          .columns = {2, 9},
          .weights = {1, 2, 3, 4, 5, 6}};
}

saved_model named_model() {
  return {.model = "matrix_factorization",
          .labels = label_map(label_kind::real, {}),
          .width = 2,
          .columns = {1, 2},
          .weights = {1, 2, 3, 4},
          .names = {"ann", "film:2"}};
}

std::string text_of(const saved_model& model) {
  const auto bytes = model_bytes(model, model_format::text);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(saved_model, names_of_columns_are_one_for_each_without_control_characters) {
  EXPECT_THAT(text_of(named_model()), HasSubstr("columns 2 named\n1 ann 1 2\n2 film:2 3 4\nend\n"));
  for (const auto& names : {std::vector<std::string>{"ann"}, std::vector<std::string>{"ann", "a tab\t"},
                            std::vector<std::string>{"ann", ""}}) {
    saved_model wrong = named_model();
    wrong.names = names;
    EXPECT_THROW(model_bytes(wrong, model_format::binary), hogwild::config_error);
  }
}

TEST(saved_model, names_with_blanks_are_quoted_in_text) {
  saved_model named = named_model();
  named.names = {"ann", "the \"fine\" back\\slash "};
  for (const auto format : {model_format::text, model_format::binary})
    EXPECT_EQ(parse_model(model_bytes(named, format), "m").names, named.names);
  const std::string text = text_of(named);
  EXPECT_THAT(text, HasSubstr("columns 2 quoted\n1 \"ann\" 1 2\n2 \"the \\\"fine\\\" back\\\\slash \" 3 4\nend\n"));
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"\"ann\"", "ann"},
                                 {"\"ann\"", "\"ann"},
                                 {"\"ann\"", "\"\""},
                                 {"\"ann\" 1", "\"ann\"1"}}) {
    std::string wrong = text;
    wrong.replace(wrong.find(from), from.size(), to);
    EXPECT_THROW(parse_model(std::as_bytes(std::span(wrong)), "m"), input_error) << wrong;
  }
}

TEST(saved_model, calibrations_are_kept_in_both_formats) {
  const std::string plain = text_of(binary_model());
  saved_model sigmoid = binary_model(), steps = binary_model();
  sigmoid.calibrated = {.kind = hogwild::calibration_kind::platt, .slope = -1.5, .intercept = 0.1};
  steps.calibrated = {
      .kind = hogwild::calibration_kind::isotonic, .margins = {-2.5, 0, 1e-30}, .probabilities = {0, 0.25, 1}};
  for (const auto format : {model_format::text, model_format::binary})
    for (const saved_model& m : {sigmoid, steps}) EXPECT_EQ(parse_model(model_bytes(m, format), "m"), m);
  EXPECT_THAT(text_of(sigmoid), HasSubstr("hogwild model 4\n"));
  EXPECT_THAT(text_of(sigmoid), HasSubstr("schema 0\ncalibration platt -1.5 0.1\nwidth 1\n"));
  EXPECT_THAT(text_of(steps), HasSubstr("calibration isotonic 3\n-2.5 0\n0 0.25\n1e-30 1\nwidth 1\n"));
  EXPECT_THAT(plain, HasSubstr("hogwild model 1\n")) << "a model without one is as it was";
}

TEST(saved_model, calibrations_that_are_none_are_refused) {
  saved_model steps = binary_model();
  steps.calibrated = {.kind = hogwild::calibration_kind::isotonic, .margins = {-2.5, 3}, .probabilities = {0, 1}};
  const std::string text = text_of(steps);
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"isotonic 2", "isotonic 3"},
                                 {"isotonic 2", "isotonic 1"},
                                 {"isotonic 2", "isotonic 0"},
                                 {"isotonic 2", "sigmoid 2"},
                                 {"isotonic 2", "none"},
                                 {"isotonic 2", "platt 1"},
                                 {"-2.5 0", "4 0"},
                                 {"-2.5 0", "-2.5 1.5"},
                                 {"-2.5 0", "-2.5 nan"},
                                 {"-2.5 0", "-2.5"},
                                 {"labels binary -1 1", "labels real"}}) {
    std::string wrong = text;
    wrong.replace(wrong.find(from), from.size(), to);
    EXPECT_THROW(parse_model(std::as_bytes(std::span(wrong)), "m"), input_error) << wrong;
  }
  steps.calibrated.probabilities = {1, 0};
  EXPECT_THROW(model_bytes(steps, model_format::binary), hogwild::config_error);
  saved_model classes = softmax_model();
  classes.calibrated = {.kind = hogwild::calibration_kind::platt, .slope = -1};
  EXPECT_THROW(model_bytes(classes, model_format::text), hogwild::config_error);
}

TEST(saved_model, text_is_what_people_can_read) {
  EXPECT_EQ(text_of(binary_model()),
            "hogwild model 1\nmodel huber\noption delta 1.5\nlabels binary -1 1\nwidth 1\nbias 0.1\ncolumns 3\n"
            "1 0.5\n7 0\n4294967294 -1.25e-30\nend\n");
}

TEST(saved_model, labels_come_back_as_the_data_have_them_written) {
  saved_model model = softmax_model();
  hogwild::label_spelling spelling;
  spelling.add(3, "+3");
  spelling.add(4, "004");
  spelling.add(5, "5.0");
  model.spell_labels(spelling);
  EXPECT_EQ(model.label_texts, (std::vector<std::string>{"", "+3", "004"}));
  for (const model_format format : {model_format::binary, model_format::text}) {
    const saved_model back = parse_model(model_bytes(model, format), "m");
    EXPECT_EQ(back, model);
    EXPECT_EQ(back.text_of_label(0), "0");
    EXPECT_EQ(back.text_of_label(3), "+3");
    EXPECT_EQ(back.text_of_label(100000), "100000");
  }
  EXPECT_THAT(text_of(model), HasSubstr("hogwild model 2\nmodel softmax\nlabels classes 0 +3 004\n"));
  // Plain labels give the same files as before.
  model.spell_labels({});
  EXPECT_TRUE(model.label_texts.empty());
  EXPECT_EQ(model_bytes(model, model_format::binary), model_bytes(softmax_model(), model_format::binary));
  for (const auto& texts : {std::vector<std::string>{"", "+3"}, {"", "+4", ""}, {"", "3", ""}, {"", "+\t3", ""}}) {
    model.label_texts = texts;
    EXPECT_THROW(model_bytes(model, model_format::binary), hogwild::config_error);
  }
}

TEST(saved_model, words_of_labels_are_known_by_their_numbers) {
  saved_model model = softmax_model();  // of the labels 0, 3 and 4
  EXPECT_TRUE(model.label_words().empty());
  hogwild::label_spelling spelling;
  spelling.set_words({"10", "b", "c", "3", "spam"});
  model.spell_labels(spelling);
  EXPECT_EQ(model.label_words(), (std::vector<std::string>{"10", "", "", "3", "spam"}));
  for (const model_format format : {model_format::binary, model_format::text})
    EXPECT_EQ(parse_model(model_bytes(model, format), "m").label_words(), model.label_words());
  model.labels = hogwild::label_map(hogwild::label_kind::classes, {0, 3, 1e15});
  EXPECT_TRUE(model.label_words().empty());
}

/// A model of a table, whose labels are words.
saved_model schema_model() {
  saved_model model = softmax_model();
  model.label_texts = {"", "New \"York\"", "spam"};
  model.schema = "table comma header quoted 0 26\ncolumn label y\ncolumn numeric 1024 price\n";
  return model;
}

TEST(saved_model, a_schema_and_names_of_classes_make_the_third_version) {
  const std::string text = text_of(schema_model());
  EXPECT_THAT(text, HasSubstr("hogwild model 3\nmodel softmax\nlabels classes 0 3 4\n"
                              "label 3 \"New \\\"York\\\"\"\nlabel 4 \"spam\"\nschema 3\ntable comma header "));
  EXPECT_EQ(schema_model().text_of_label(3), "New \"York\"");
  EXPECT_EQ(schema_model().text_of_label(0), "0");
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"schema 3", "schema 2"},
                                 {"schema 3", "schema 4"},
                                 {"schema 3\n", ""},
                                 {"label 4", "label 5"},
                                 {"\"spam\"", "spam"},
                                 {"column label y\n", "\n"},
                                 {"column label y\n", "column\tlabel y\n"}}) {
    std::string wrong = text;
    wrong.replace(wrong.find(from), from.size(), to);
    EXPECT_THROW(parse_model(std::as_bytes(std::span(wrong)), "m"), input_error) << wrong;
  }
  for (const char* const schema : {"no end", "\nempty\n", "a\n\nb\n", "a\tb\n"}) {
    saved_model wrong = schema_model();
    wrong.schema = schema;
    EXPECT_THROW(model_bytes(wrong, model_format::text), hogwild::config_error);
  }
}

TEST(saved_model, comes_back_from_both_formats_told_by_content) {
  const scratch_folder folder;
  for (const auto& model :
       {binary_model(), softmax_model(), named_model(), schema_model(), saved_model{.model = "least_squares"}}) {
    for (const auto format : {model_format::binary, model_format::text}) {
      hogwild::save_model(folder / "m", model, format);
      EXPECT_EQ(hogwild::load_model(folder / "m"), model);
    }
  }
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(saved_model, the_format_follows_the_name) {
  EXPECT_EQ(hogwild::model_format_for("a/model.txt"), model_format::text);
  EXPECT_EQ(hogwild::model_format_for("a.txt/model"), model_format::binary);
  EXPECT_EQ(hogwild::model_format_for("model.bin"), model_format::binary);
}

/// Any bits that are a finite float: denormals, both zeros and the largest included.
float any_finite() {
  for (;;) {
    const float number = std::bit_cast<float>(*rc::gen::arbitrary<std::uint32_t>());
    if (std::isfinite(number)) return number;
  }
}

RC_GTEST_PROP(saved_model, every_bit_comes_back_and_equal_models_make_equal_bytes, ()) {
  saved_model model = *rc::gen::arbitrary<bool>() ? binary_model() : softmax_model();
  const auto columns = *rc::gen::arbitrary<std::set<std::uint32_t>>();
  model.columns.assign(columns.begin(), columns.end());
  model.weights.clear();
  for (std::size_t k = 0; k < columns.size() * model.width; ++k) model.weights.push_back(any_finite());
  for (const auto format : {model_format::binary, model_format::text}) {
    const auto bytes = model_bytes(model, format);
    const saved_model back = parse_model(bytes, "m");
    RC_ASSERT(back == model);
    RC_ASSERT(model_bytes(back, format) == bytes);  // tells -0 from 0, which == does not
  }
}

TEST(saved_model, refuses_what_does_not_fit_together) {
  const auto refused = [](auto change) {
    saved_model model = binary_model();
    change(model);
    EXPECT_THROW(model_bytes(model, model_format::binary), hogwild::config_error);
  };
  refused([](saved_model& m) { m.columns = {7, 1, 9}; });
  refused([](saved_model& m) { m.columns = {1, 1, 9}; });
  refused([](saved_model& m) { m.weights.pop_back(); });
  refused([](saved_model& m) { m.width = 0; });
  refused([](saved_model& m) { m.width = 3; });
  refused([](saved_model& m) { m.bias = {1, 2}; });
  refused([](saved_model& m) { m.model = ""; });
  refused([](saved_model& m) { m.model = "two words"; });
  refused([](saved_model& m) { m.model_options = {{"a\nb", 1}}; });
  refused([](saved_model& m) { m.model_options = {{"a", 1}, {"a", 2}}; });
}

TEST(saved_model, a_number_that_is_not_finite_is_not_saved_and_the_old_model_stays) {
  const scratch_folder folder;
  hogwild::save_model(folder / "m", binary_model(), model_format::text);
  saved_model lost = binary_model();
  lost.weights[1] = std::numeric_limits<float>::quiet_NaN();
  try {
    hogwild::save_model(folder / "m", lost, model_format::text);
    FAIL() << "nothing was thrown";
  } catch (const hogwild::error& e) {
    EXPECT_EQ(e.code(), hogwild::exit_code::diverged);
  }
  EXPECT_EQ(hogwild::load_model(folder / "m"), binary_model());
}

TEST(saved_model, a_missing_file_is_named) {
  const scratch_folder folder;
  EXPECT_THROW(hogwild::load_model(folder / "missing"), hogwild::input_error);
  EXPECT_THROW(hogwild::load_model(folder.path()), hogwild::input_error);
  EXPECT_THROW(hogwild::save_model(folder / "missing/m", binary_model(), model_format::text), hogwild::input_error);
}

}  // namespace
