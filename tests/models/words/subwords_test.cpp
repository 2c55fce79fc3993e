// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/words/subwords.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/data/column_parts.hpp>
#include <hogwild/detail/models/warm_start.hpp>
#include <hogwild/detail/words/subword_vectors.hpp>
#include <hogwild/detail/words/word_model.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/corpus.hpp>
#include <hogwild/registry.hpp>

#include "formats/text_hashes.hpp"
#include "support/toy_data.hpp"

namespace {

using namespace hogwild;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr subword_shape parts_of_walks{.least = 2, .most = 3, .buckets = 1000};
constexpr const char* text_of_walks = "walk walked talk talked walk talk\nwalk stalk balk\ntalk walk chalk walked";

corpus read_walks(const subword_shape& shape = parts_of_walks) {
  return read_corpus(text_of_walks, "text", {.min_count = 1, .subwords = shape});
}

/// With parameters that are anything.
struct trained_on_walks {
  corpus text = read_walks();
  skip_gram model = made();
  std::vector<float> parameters = test::noise_vector(model.dim(), 3, -1.0, 1.0);

  skip_gram made() const {
    model_options options{{"subwords", "2-3"}, {"buckets", "1000"}, {"dimension", "16"}};
    return std::get<skip_gram>(make_model("skip_gram", {.rows = text.rows.view()}, options));
  }
};

// By fastText's own get_subwords() with so many buckets.
TEST(subwords, have_fasttexts_hashes) {
  for (const auto& [part, bucket] : {std::pair<std::string_view, std::uint32_t>{"<wh", 164'508},
                                     {"whe", 418'277},
                                     {"here", 539'140},
                                     {"ere>", 561'698},
                                     {"<a>", 80'523},
                                     {"n't>", 165'815},
                                     {"na\xc3\xaf", 580'799},
                                     {"\xc3\xafve", 706'131},
                                     {"\xc3\xa4ngs", 445'756},
                                     {"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", 34'635},
                                     {"<\xce\xa9m", 703'159}})
    EXPECT_EQ(detail::fasttext_hash(part) % 1'000'003, bucket) << part;
}

TEST(subwords, lengths_are_read) {
  for (const auto& [text, least, most] : {std::tuple{"3-6", 3u, 6u}, {"1-1", 1u, 1u}, {"2-16", 2u, 16u}}) {
    subword_shape shape;
    EXPECT_EQ(read_subwords(text, shape), "") << text;
    EXPECT_EQ(shape, (subword_shape{.least = least, .most = most})) << text;
  }
  subword_shape without{.least = 3, .most = 6};
  EXPECT_EQ(read_subwords("none", without), "");
  EXPECT_FALSE(without.any());
  for (const char* const text : {"", "3", "3-", "-6", "6-3", "0-3", "3-17", "3-6x", "3--6", "99999999999-3"}) {
    subword_shape shape;
    EXPECT_THAT(read_subwords(text, shape), HasSubstr("MIN-MAX")) << text;
    EXPECT_FALSE(shape.any());
  }
}

// "<ab>" and "<abab>": "<a", "ab" and "b>" of two characters, and then "ba".
TEST(subwords, are_numbered_in_the_order_in_which_words_have_them) {
  const corpus text = read_corpus("ab ab abab", "text", {.min_count = 1});
  const subword_table table(text.words, {.least = 2, .most = 2, .buckets = 1'000'000});
  const column_parts parts = table.parts();
  const auto numbers = [](std::span<const std::uint32_t> of) {
    return std::vector<std::uint32_t>(of.begin(), of.end());
  };
  EXPECT_EQ(parts.parts, 4u);
  EXPECT_THAT(numbers(parts.of(0)), ElementsAre(0, 1, 2));
  EXPECT_THAT(numbers(parts.of(1)), ElementsAre(0, 1, 3, 1, 2));
  EXPECT_THAT(table.of("bab"), ElementsAre(3, 1, 2)) << "no word begins with b";
  EXPECT_THAT(table.of("xyz"), ElementsAre());
  const subword_table one(text.words, {.least = 2, .most = 2, .buckets = 1});
  EXPECT_THAT(numbers(one.parts().of(1)), ElementsAre(0, 0, 0, 0, 0));
}

TEST(subwords, lie_beside_the_rows_and_their_copies) {
  const corpus text = read_walks();
  const subword_table table(text.words, parts_of_walks);
  const sparse_view rows = text.rows.view();
  const sparse_dataset copied = sparse_dataset::copy_of(rows.slice(1, 3));
  const sparse_dataset mapped = sparse_dataset::map(copied.shared_path());
  for (const sparse_view& view : {rows, rows.slice(1, 2), copied.view(), mapped.view()}) {
    EXPECT_TRUE(std::ranges::equal(parts_of(view).start, table.parts().start));
    EXPECT_TRUE(std::ranges::equal(parts_of(view).number, table.parts().number));
    EXPECT_EQ(parts_of(view).parts, table.size());
  }
  EXPECT_TRUE(parts_of(read_walks({}).rows.view()).start.empty());
}

TEST(subwords, broken_numbers_are_none) {
  const corpus text = read_walks();
  const std::vector<std::uint64_t> sound = detail::encode_parts(subword_table(text.words, parts_of_walks).parts());
  const std::size_t columns = text.words.size();
  EXPECT_TRUE(detail::decode_parts(sound, columns));
  for (const std::uint64_t wrong : {std::uint64_t{0}, ~std::uint64_t{0}})
    for (std::size_t k = 0; k < sound.size(); ++k) {
      std::vector<std::uint64_t> broken = sound;
      broken[k] = wrong;
      if (const auto parts = detail::decode_parts(broken, columns)) {
        for (std::size_t j = 0; j < columns; ++j)
          for (const std::uint32_t n : parts->of(j)) EXPECT_LT(n, parts->parts);
      }
    }
  EXPECT_FALSE(detail::decode_parts(std::span(sound).first(sound.size() - 1), columns));
  EXPECT_FALSE(detail::decode_parts({}, columns));
}

TEST(subwords, models_are_made_for_rows_that_have_them) {
  const corpus plain = read_walks({});
  EXPECT_THROW(make_model("cbow", {.rows = plain.rows.view()}, {{"subwords", "3-6"}}), config_error);
  const trained_on_walks w;
  EXPECT_EQ(w.model.parts, subword_table(w.text.words, parts_of_walks).size());
  EXPECT_THROW(w.model.make_workspace(plain.rows.view(), isa::scalar, 1), config_error);
}

// A saved model gives each word the vector that training made, and unseen words the vectors of their parts.
TEST(subwords, a_saved_model_has_the_vectors_of_words_and_parts) {
  const trained_on_walks w;
  const word_vectors vectors = vectors_of(w.model, w.parameters, w.text.words);
  const saved_model saved = word_model_of(w.model, w.parameters, w.text.words, 1);
  const known_words read = words_in(parse_model(model_bytes(saved, model_format::binary), "model"), "model");
  EXPECT_EQ(read.vectors, vectors);
  // The sum of n vectors, divided by the square root of n.
  const subword_table table(w.text.words, parts_of_walks);
  const std::vector<std::uint32_t> parts = table.of("walking");
  const auto unseen = read.unseen("walking");
  ASSERT_TRUE(unseen);
  ASSERT_GT(parts.size(), 3u);
  for (std::size_t k = 0; k < w.model.dimension; ++k) {
    float sum = 0.0f;
    for (const std::uint32_t part : parts) sum += w.parameters[w.model.part_at(part) + k];
    EXPECT_NEAR((*unseen)[k], sum / std::sqrt(static_cast<float>(parts.size())), 1e-5);
  }
  EXPECT_FALSE(read.unseen("xyz"));
  // A run that goes on with the model has the parameters that made it: each sum of some 10 numbers is rounded twice.
  const std::vector<float> again = parameters_of_words(saved, w.model, w.text.words, "text");
  for (std::size_t j = 0; j < again.size(); ++j) EXPECT_NEAR(again[j], w.parameters[j], 1e-5) << j;
  saved_model broken = saved;
  broken.bias.pop_back();
  EXPECT_THROW(words_in(broken, "model"), input_error);
  broken = saved;
  broken.names[1] = broken.names[0];
  EXPECT_THROW(words_in(broken, "model"), input_error);
  for (const double number : {0.0, 0.5, 1e9, -1.0}) {
    broken = saved;
    std::ranges::find(broken.model_options, "buckets", [](const auto& o) { return o.first; })->second = number;
    EXPECT_THROW(words_in(broken, "model"), input_error) << number;
  }
}

TEST(subwords, a_run_begins_with_saved_vectors_of_words) {
  trained_on_walks w;
  const word_vectors wanted{.dimension = 16, .words = {"talk", "none"}, .values = test::noise_vector(32, 8, -1.0, 1.0)};
  EXPECT_EQ(warm_start(wanted, w.model, w.text.words, w.parameters), 16u);
  const word_vectors made = vectors_of(w.model, w.parameters, w.text.words);
  const auto talk = static_cast<std::size_t>(std::ranges::find(made.words, "talk") - made.words.begin());
  for (std::size_t k = 0; k < 16; ++k) EXPECT_NEAR(made.row(talk)[k], wanted.row(0)[k], 1e-5);
}

}  // namespace
