// SPDX-License-Identifier: Apache-2.0
// Models that a form cannot hold are refused, and texts that another program reads are byte for byte right.
#include <hogwild/model_exports.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/models/scoring_form.hpp>
#include <hogwild/detail/results/saved_options.hpp>
#include <hogwild/detail/words/subword_vectors.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/tables.hpp>

#include "support/refusal.hpp"
#include "support/scratch_folder.hpp"

namespace hogwild::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

/// A model of the columns 1 to 3, in rows that count them from 1.
saved_model of_two_labels(const std::string& name, std::vector<double> labels = {-1.0, 1.0}) {
  saved_model saved{.model = name, .columns = {1, 3}, .weights = {0.5f, -2.0f}, .bias = {0.25f}};
  saved.labels = label_map(label_kind::binary, std::move(labels));
  detail::say_first_column(saved, 1);
  return saved;
}

struct model_exports : testing::Test {
  std::string text_of(const saved_model& saved, const char* form, const std::string& file = "model") const {
    export_model(folder / file, saved, export_form_named(form), "m.bin");
    return read_text(folder / file);
  }
  std::string refusal(const saved_model& saved, const char* form) const {
    return refusal_of<config_error>([&] { (void)text_of(saved, form); });
  }
  scratch_folder folder;
};

TEST_F(model_exports, have_columns_of_liblinear_up_to_the_last) {
  EXPECT_EQ(text_of(of_two_labels("logistic"), "liblinear"),
            "solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 3\nbias 1\nw\n0.5 \n0 \n-2 \n0.25 \n");
  saved_model from_0 = of_two_labels("hinge_svm");
  from_0.model_options.clear();
  from_0.bias.clear();
  EXPECT_EQ(text_of(from_0, "liblinear"),
            "solver_type L2R_L2LOSS_SVC\nnr_class 2\nlabel 1 -1\nnr_feature 4\nbias -1\nw\n0 \n0.5 \n0 \n-2 \n");
}

TEST_F(model_exports, quote_names_as_a_table_does) {
  saved_model saved = of_two_labels("logistic");
  saved.names = {"say \"a, b\"", " plain"};
  EXPECT_EQ(text_of(saved, "csv"), "name,weight\r\n(intercept),0.25\r\n\"say \"\"a, b\"\"\",0.5\r\n\" plain\",-2\r\n");
  const std::string json = text_of(saved, "json");
  EXPECT_THAT(json, HasSubstr("\"name\": \"say \\\"a, b\\\"\", \"weights\": [0.5]}"));
}

TEST_F(model_exports, are_in_a_namespace_that_the_name_of_the_file_makes) {
  const saved_model saved = of_two_labels("logistic");
  for (const auto& [file, name] :
       {std::pair{"click-log.v2.hpp", "click_log_v2_model"}, {"9 lives.h", "m9_lives_model"}, {"_.h", "model"}})
    EXPECT_THAT(text_of(saved, "cpp", file), HasSubstr(std::string("namespace ") + name + " {\n")) << file;
}

TEST_F(model_exports, refuse_what_a_form_cannot_hold) {
  const saved_model halves = of_two_labels("logistic", {0.5, 1.5});
  EXPECT_THAT(refusal(halves, "liblinear"), AllOf(HasSubstr("whole numbers below 2^31"), HasSubstr("1.5")));
  EXPECT_THAT(refusal(of_two_labels("logistic", {0.0, 2147483648.0}), "liblinear"), HasSubstr("2147483648"));
  saved_model counts{.model = "poisson", .columns = {1}, .weights = {0.5f}};
  EXPECT_THAT(refusal(counts, "liblinear"), HasSubstr("this poisson model exp(margin)"));
  saved_model machine = of_two_labels("factorization_machine");
  machine.model_options = {{"rank", 1.0}};
  machine.width = 2;
  machine.weights = {0.5f, 1.0f, -2.0f, 1.0f};
  for (const char* form : {"liblinear", "vw"})
    EXPECT_THAT(refusal(machine, form), HasSubstr("holds no factors of columns, which a factorization_machine has"));
  saved_model votes = of_two_labels("hinge_svm");
  votes.model_options.emplace_back("ensemble.vote", 1.0);
  votes.width = 2;
  votes.weights = {0.5f, 1.0f, -2.0f, 1.0f};
  votes.bias = {0.0f, 1.0f};
  for (const char* form : {"liblinear", "vw", "cpp"})
    EXPECT_THAT(refusal(votes, form), HasSubstr("holds no ensemble of models")) << form;
  saved_model far = of_two_labels("logistic");
  far.columns = {1, 4'000'000'000u};
  EXPECT_THAT(refusal(far, "liblinear"), HasSubstr("4000000000 lines of 1 weights"));
}

TEST_F(model_exports, have_platts_map_in_their_weights) {
  saved_model saved = of_two_labels("hinge_svm");
  saved.calibrated = {.kind = calibration_kind::platt, .slope = -2.0, .intercept = 3.0};
  EXPECT_EQ(text_of(saved, "liblinear"),
            "solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 3\nbias 1\nw\n1 \n0 \n-4 \n-2.5 \n");
  EXPECT_THAT(text_of(saved, "json"), HasSubstr("\"link\": \"logistic\""));
  saved.bias.clear();
  EXPECT_EQ(text_of(saved, "csv"), "name,weight\r\n(intercept),-3\r\n1,1\r\n3,-4\r\n");
  saved_model machine = of_two_labels("factorization_machine");
  machine.model_options = {{"rank", 1.0}};
  machine.width = 2;
  machine.weights = {0.5f, 1.0f, -2.0f, 3.0f};
  machine.calibrated = {.kind = calibration_kind::platt, .slope = -4.0, .intercept = 0.5};
  EXPECT_THAT(text_of(machine, "json"),
              AllOf(HasSubstr("\"weights\": [2], \"factors\": [2]"), HasSubstr("\"weights\": [-8], \"factors\": [6]")));
}

TEST_F(model_exports, refuse_maps_that_no_weights_hold) {
  saved_model saved = of_two_labels("logistic");
  saved.calibrated = {.kind = calibration_kind::isotonic, .margins = {-1, 1}, .probabilities = {0.1, 0.4}};
  EXPECT_THAT(refusal(saved, "json"), HasSubstr("no isotonic calibration"));
  saved.calibrated = {.kind = calibration_kind::platt, .slope = 2.0, .intercept = 0.0};
  EXPECT_THAT(refusal(saved, "csv"), HasSubstr("no calibration that falls with the margin"));
}

TEST_F(model_exports, refuse_headers_that_compilers_take_long_for) {
  saved_model large = of_two_labels("logistic");
  large.columns.resize(most_header_numbers / 2 + 1);
  for (std::size_t k = 0; k < large.columns.size(); ++k) large.columns[k] = static_cast<std::uint32_t>(k + 1);
  large.weights.assign(large.columns.size(), 1.0f);
  EXPECT_THAT(refusal(large, "cpp"), HasSubstr("and this model has 1048578"));
  saved_model classes{.model = "softmax", .width = most_header_outputs + 1};
  std::vector<double> labels(classes.width);
  std::iota(labels.begin(), labels.end(), 0.0);
  classes.labels = label_map(label_kind::classes, std::move(labels));
  EXPECT_THAT(refusal(classes, "cpp"), HasSubstr("at most 16384 of them, and this model has 16385"));
}

TEST_F(model_exports, give_each_column_an_index_of_its_own_in_vowpal_wabbit) {
  saved_model saved = of_two_labels("logistic");
  const std::string constant = "Constant:116060:0.25\n";
  EXPECT_THAT(text_of(saved, "vw"), AllOf(StartsWith("Version 9."), HasSubstr("\nbits:18\n"),
                                          HasSubstr("\noptions: --link logistic\n:0\n1:1:0.5\n3:3:-2\n" + constant)));
  saved.columns = {3, 3 + (1u << 18)};
  EXPECT_THAT(text_of(saved, "vw"),
              AllOf(HasSubstr("\nbits:19\n"), HasSubstr("\n3:3:0.5\n" + constant + "262147:262147:-2\n")));
  saved.columns = {3, 11650396};
  EXPECT_THAT(refusal(saved, "vw"), HasSubstr("the same hash in Vowpal Wabbit"));
  saved.bias.clear();
  EXPECT_THAT(text_of(saved, "vw"), AllOf(HasSubstr("--noconstant"), HasSubstr("11650396:")));
  saved_model classes{.model = "softmax", .width = 3, .columns = {2}, .weights = {1.0f, 2.0f, 3.0f}};
  classes.labels = label_map(label_kind::classes, {0.0, 1.0, 2.0});
  classes.label_texts = {"a b", "c", "a,c"};
  EXPECT_THAT(text_of(classes, "vw"), AllOf(HasSubstr("--noconstant --named_labels a_b,c,a_c --oaa 3\n"),
                                            HasSubstr("\n2:8:1\n2[1]:9:2\n2[2]:10:3\n")));
  classes.label_texts = {"a b", "c", "a:b"};
  EXPECT_THAT(refusal(classes, "vw"), HasSubstr("two labels of this model would be called 'a_b'"));
}

TEST_F(model_exports, go_by_the_extension_or_the_name) {
  EXPECT_EQ(export_form_for("a.b/model.h")->name, "cpp");
  EXPECT_EQ(export_form_for("model.hpp")->name, "cpp");
  EXPECT_EQ(export_form_for("model.json")->name, "json");
  for (const char* other : {"model.bin", "model", "json", ".hpp", "model.hp", "model."})
    EXPECT_EQ(export_form_for(other), nullptr) << other;
  EXPECT_THAT(refusal_of<config_error>([] { (void)export_form_named("svm"); }),
              HasSubstr("liblinear, vw, json, csv, cpp"));
}

TEST(link_like, knows_formulas_by_their_values) {
  EXPECT_EQ(detail::link_like([](float m) { return static_cast<double>(m); }), link_kind::identity);
  EXPECT_EQ(detail::link_like([](float m) { return 0.5 * (1.0 + std::tanh(0.5 * static_cast<double>(m))); }),
            std::nullopt)
      << "tanh loses the digits of small probabilities";
  EXPECT_EQ(detail::link_like([](float m) { return 1.0 / (1.0 + std::exp(-static_cast<double>(m))); }),
            link_kind::logistic);
  EXPECT_EQ(detail::link_like([](float m) { return std::exp(static_cast<double>(m)); }), std::nullopt)
      << "not beyond 30";
}

/// The words "</s>", "ab" and "abab" with vectors of two numbers, and of their parts.
saved_model of_words(bool parts) {
  saved_model saved{.model = "cbow", .width = 4, .columns = {0, 1, 2}, .names = {"</s>", "ab", "abab"}};
  saved.model_options = {{"dimension", 2.0}, {"min-count", 2.0}};
  for (int k = 0; k < 12; ++k) saved.weights.push_back(0.5f * static_cast<float>(k - 5));
  if (!parts) return saved;
  const std::vector<vocabulary::counted_word> counted{{"</s>", 1}, {"ab", 1}, {"abab", 1}};
  const vocabulary words = vocabulary::in_order(counted);
  const std::size_t numbers = 2 * subword_table(words, {.least = 2, .most = 3, .buckets = 20}).size();
  for (const auto& [name, value] : {std::pair{"least-characters", 2},
                                    {"most-characters", 3},
                                    {"buckets", 20},
                                    {"parts", static_cast<int>(numbers)}})
    saved.model_options.emplace_back(name, value);
  for (std::size_t k = 0; k < numbers; ++k) saved.bias.push_back(0.25f * static_cast<float>(k) - 1.0f);
  return saved;
}

TEST_F(model_exports, of_words_are_read_again_from_fasttexts_form) {
  for (const bool parts : {false, true}) {
    const saved_model saved = of_words(parts);
    export_to_fasttext(folder / "m.bin", saved, "m.bin");
    const known_words wanted = words_in(saved, "m.bin"), read = load_words(folder / "m.bin", {});
    EXPECT_EQ(read.vectors.words, saved.names);
    ASSERT_EQ(read.vectors.values.size(), 6u);
    for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(read.vectors.values[k], wanted.vectors.values[k], 1e-5);
    EXPECT_EQ(read.unseen("babab").has_value(), parts);
    EXPECT_EQ(read.unseen("babab"), wanted.unseen("babab"));
  }
}

/// A text_classifier of labelled text with words, and as the schema says with runs or parts of words.
saved_model of_texts(const auto& change, std::vector<std::uint32_t> more = {}) {
  table_schema schema{
      .text = named_text::labelled_text,
      .value_bits = 30,
      .columns = {
          {"word", table_kind::text}, {"ngram", table_kind::interaction}, {"subword", table_kind::interaction}}};
  schema.values = {{"one", "two"}, {}, {}}, schema.labels = {"a", "b"};
  change(schema);
  saved_model saved{.model = "text_classifier", .model_options = {{"one_vs_rest", 0.0}}, .width = 2, .columns = {2, 3}};
  saved.labels = label_map(label_kind::classes, {0.0, 1.0});
  saved.columns.insert(saved.columns.end(), more.begin(), more.end());
  std::ranges::sort(saved.columns);
  saved.weights.assign(2 * saved.columns.size(), 0.5f), saved.bias = {1.0f, 2.0f, 3.0f, 4.0f};
  keep_schema(schema, saved);
  return saved;
}

TEST_F(model_exports, of_texts_are_in_fasttexts_form_or_refused) {
  const auto refused = [&](const saved_model& saved) {
    return refusal_of<config_error>([&] { export_to_fasttext(folder / "t.bin", saved, "m.bin"); });
  };
  const auto plain = [](table_schema&) {};
  std::string told;
  export_to_fasttext(folder / "t.bin", of_texts(plain), "m.bin", [&](std::string_view note) { told = note; });
  EXPECT_EQ(told, "");
  EXPECT_EQ(load_words(folder / "t.bin", {}).vectors.words, (std::vector<std::string>{"one", "two"}));
  export_to_fasttext(folder / "r.bin", of_texts([](table_schema& s) { s.word_ngrams = 2; }, {(1u << 30) + 6}), "m.bin",
                     [&](std::string_view note) { told = note; });
  EXPECT_THAT(told, HasSubstr("as zeros"));
  EXPECT_EQ(read_text(folder / "r.bin").size() - read_text(folder / "t.bin").size(), std::size_t{8} << 20);
  saved_model empty = of_texts(plain);
  empty.width = 0, empty.weights.clear(), empty.bias.clear();
  EXPECT_THROW(export_to_fasttext(folder / "empty.bin", empty, "m.bin"), input_error);
  EXPECT_THAT(refused(of_texts([](table_schema& s) { s.word_ngrams = 2, s.least_characters = s.most_characters = 3; })),
              HasSubstr("leave out --word-ngrams or --char-ngrams"));
  EXPECT_THAT(refused(of_texts([](table_schema& s) { s.hash_bits = 10; })), HasSubstr("by hash"));
  EXPECT_THAT(refused(of_texts(plain, {1})), HasSubstr("--min-rows"));
  for (const std::string& word : {std::string("</s>"), std::string("t\0o", 3)})
    EXPECT_THAT(refused(of_texts([&](table_schema& s) { s.values[0][1] = word; })), HasSubstr("leave it out"));
  saved_model rows = of_texts(plain);
  rows.schema.clear();
  EXPECT_THAT(refused(rows), HasSubstr("labelled text"));
  saved_model tree = of_words(false);
  tree.model_options.emplace_back("hierarchical", 1.0);
  EXPECT_THAT(refused(tree), HasSubstr("ends in .vec"));
  EXPECT_THAT(refused(of_two_labels("logistic")), HasSubstr("fastText has no logistic"));
}

}  // namespace
}  // namespace hogwild::test
