// SPDX-License-Identifier: Apache-2.0
// Saved models whose numbers are quantised rows.
#include <hogwild/saved_model.hpp>

#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/error.hpp>
#include <hogwild/formats/tables.hpp>

namespace {

using namespace hogwild;
using testing::ElementsAre;
using testing::HasSubstr;

/// Two rows of two numbers and one, whose second is three times as long as its centroids say.
quantised_rows two_rows() {
  return {.width = 3,
          .part = 2,
          .centroids = {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f},
          .codes = {1, 0, 0, 1},
          .lengths = {1.0f, 3.0f},
          .length_codes = {0, 1}};
}

quantised_rows without_lengths() {
  quantised_rows rows = two_rows();
  rows.lengths.clear(), rows.length_codes.clear();
  return rows;
}

/// Of a word and of a run of words, whose column has its name by its number.
saved_model quantised_model() {
  table_schema schema{.text = named_text::labelled_text, .value_bits = 30};
  schema.word_ngrams = 2;
  schema.columns = {{.name = "word", .kind = table_kind::text},
                    {.name = "ngram", .kind = table_kind::interaction},
                    {.name = "subword", .kind = table_kind::interaction}};
  schema.values = {{"soup"}, {}, {}}, schema.labels = {"cold", "warm"};
  saved_model m{.model = "text_classifier", .width = 3, .columns = {2, (1u << 30) + 12'346}};
  m.labels = label_map(label_kind::classes, {0.0, 1.0});
  m.quantised_weights = two_rows();
  m.weights = m.quantised_weights.decoded();
  m.bias = {1, 2, 3, 4, 5, 6};
  keep_schema(schema, m);
  return m;
}

TEST(saved_quantised, rows_are_their_centroids_times_their_lengths) {
  EXPECT_THAT(two_rows().decoded(), ElementsAre(3.0f, 4.0f, 5.0f, 3.0f, 6.0f, 18.0f));
  EXPECT_THAT(without_lengths().decoded(), ElementsAre(3.0f, 4.0f, 5.0f, 1.0f, 2.0f, 6.0f));
}

TEST(saved_quantised, models_come_back_from_binary_files) {
  const saved_model weights = quantised_model();
  saved_model both = weights, nameless = weights;
  both.quantised_bias = without_lengths(), both.bias = without_lengths().decoded();
  nameless.names.clear();
  for (const saved_model& m : {weights, both, nameless}) {
    const std::vector<std::byte> bytes = model_bytes(m, model_format::binary);
    EXPECT_EQ(parse_model(bytes, "m"), m);
    for (std::size_t size = 0; size < bytes.size(); ++size)
      EXPECT_THROW(parse_model(std::span(bytes).first(size), "m"), input_error) << size;
  }
  const std::vector<std::byte> bytes = model_bytes(weights, model_format::binary);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  EXPECT_EQ(weights.names[1], "ngram=#12345");
  EXPECT_THAT(text, HasSubstr("word=soup\n\n"));
}

// An empty line would stand for all of a long name otherwise.
TEST(saved_quantised, long_names_are_written) {
  for (const auto& [size, is_written] : {std::pair(255u, false), std::pair(256u, true)}) {
    saved_model m = quantised_model();
    const std::string name(size, 'n');
    m.schema.replace(m.schema.find(" ngram\n") + 1, 5, name);
    m.names[1] = name + "=#12345";
    const std::vector<std::byte> bytes = model_bytes(m, model_format::binary);
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    EXPECT_EQ(text.find(m.names[1]) != text.npos, is_written) << size;
    EXPECT_EQ(parse_model(bytes, "m"), m);
  }
}

TEST(saved_quantised, models_that_do_not_hold_together_are_not_saved) {
  EXPECT_THROW(model_bytes(quantised_model(), model_format::text), config_error);
  saved_model changed = quantised_model();
  changed.weights[0] += 1.0f;
  EXPECT_THROW(model_bytes(changed, model_format::binary), config_error);
  saved_model changed_bias = quantised_model();
  changed_bias.quantised_bias = two_rows();
  EXPECT_THROW(model_bytes(changed_bias, model_format::binary), config_error);
  saved_model without_parts = quantised_model();
  without_parts.quantised_weights.part = 0;
  EXPECT_THROW(model_bytes(without_parts, model_format::binary), config_error);
  saved_model with_state = quantised_model();
  with_state.state = {.optimizer = "adagrad"};
  EXPECT_THROW(model_bytes(with_state, model_format::binary), config_error);
}

TEST(saved_quantised, what_is_wrong_with_rows_is_told) {
  EXPECT_EQ(two_rows().fault(2), "");
  EXPECT_THAT(two_rows().fault(3), HasSubstr("a row has"));
  const std::pair<const char*, std::function<void(quantised_rows&)>> wrong[] = {
      {"1 to 16 numbers", [](auto& r) { r.part = 0; }},
      {"1 to 16 numbers", [](auto& r) { r.part = 17; }},
      {"1 to 256 centroids", [](auto& r) { r.centroids.pop_back(); }},
      {"1 to 256 centroids", [](auto& r) { r.centroids.clear(); }},
      {"1 to 256 centroids", [](auto& r) { r.centroids.resize(3 * 257); }},
      {"number of a centroid", [](auto& r) { r.codes[3] = 2; }},
      {"number of a centroid", [](auto& r) { r.codes.pop_back(); }},
      {"256 lengths", [](auto& r) { r.length_codes[1] = 2; }},
      {"256 lengths", [](auto& r) { r.lengths.clear(); }},
      {"no moderate number", [](auto& r) { r.centroids[5] = std::numeric_limits<float>::quiet_NaN(); }},
      {"no moderate number", [](auto& r) { r.lengths[0] = 1e30f; }},
  };
  for (const auto& [says, change] : wrong) {
    quantised_rows rows = two_rows();
    change(rows);
    EXPECT_THAT(rows.fault(2), HasSubstr(says));
  }
}

}  // namespace
