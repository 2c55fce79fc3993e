// SPDX-License-Identifier: Apache-2.0
// Models that fastText's program writes, as vectors of words and of their parts.
#include "words/fasttext_file.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/error.hpp>

#include "formats/text_hashes.hpp"

namespace {

using namespace hogwild;
using testing::ElementsAre;
using testing::HasSubstr;

template <class T>
void put_number(std::string& to, T value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// What a file says.
struct told_model {
  std::int32_t magic = 793712314, version = 12, dimension = 2, buckets = 10, least = 2, most = 2;
  std::vector<std::string> words{"</s>", "ab"};
  bool quantised = false;
  std::int64_t columns = 2, missing_rows = 0;
  float first = 0.5f;

  /// The numbers of row r are first + r and 10 r.
  std::string bytes() const {
    std::string all;
    for (const std::int32_t n : {magic, version, dimension, 5, 1, 1, 5, 1, 2, 2, buckets, least, most, 100})
      put_number(all, n);
    put_number(all, 1e-4);
    put_number(all, static_cast<std::int32_t>(words.size() + 1)),
        put_number(all, static_cast<std::int32_t>(words.size()));
    put_number(all, std::int32_t{1}), put_number(all, std::int64_t{99}), put_number(all, std::int64_t{-1});
    for (std::size_t k = 0; k <= words.size(); ++k) {
      all += k < words.size() ? words[k] : "__label__x";
      all += '\0';
      put_number(all, std::int64_t{3}), put_number(all, static_cast<std::int8_t>(k < words.size() ? 0 : 1));
    }
    put_number(all, static_cast<std::uint8_t>(quantised));
    const std::int64_t rows = static_cast<std::int64_t>(words.size()) + buckets - missing_rows;
    put_number(all, rows), put_number(all, columns);
    for (std::int64_t r = 0; r < rows; ++r)
      put_number(all, first + static_cast<float>(r)), put_number(all, 10.0f * static_cast<float>(r));
    return all + "outputs";
  }
};

std::string fasttext_refusal(const std::string& bytes) {
  try {
    (void)detail::parse_fasttext(bytes, "m.bin");
  } catch (const input_error& e) {
    return e.what();
  }
  return "accepted";
}

TEST(fasttext_file, words_have_the_means_of_their_rows) {
  const std::string bytes = told_model().bytes();
  EXPECT_TRUE(detail::begins_as_fasttext(bytes));
  const known_words read = detail::parse_fasttext(bytes, "m.bin");
  EXPECT_THAT(read.vectors.words, ElementsAre("</s>", "ab"));
  EXPECT_THAT(read.vectors.row(0), ElementsAre(0.5f, 0.0f)) << "the end of a line has no parts";
  float sum = 1.0f;  // the word's own row, and then those of "<a", "ab" and "b>"
  for (const char* const part : {"<a", "ab", "b>"}) sum += static_cast<float>(2 + detail::fasttext_hash(part) % 10);
  EXPECT_FLOAT_EQ(read.vectors.row(1)[0], 0.5f + sum / 4);
  EXPECT_FLOAT_EQ(read.vectors.row(1)[1], 10.0f * sum / 4);
  EXPECT_TRUE(read.unseen("xab"));
}

TEST(fasttext_file, words_may_have_no_parts) {
  told_model plain;
  plain.buckets = 0, plain.most = 0;
  const known_words read = detail::parse_fasttext(plain.bytes(), "m.bin");
  EXPECT_THAT(read.vectors.row(1), ElementsAre(1.5f, 10.0f));
  EXPECT_FALSE(read.unseen("xab"));
}

TEST(fasttext_file, others_are_refused) {
  const auto refused = [](auto change) {
    told_model m;
    change(m);
    return fasttext_refusal(m.bytes());
  };
  EXPECT_THAT(refused([](told_model& m) { m.magic = 7; }), HasSubstr("m.bin: this is no model of fastText"));
  EXPECT_THAT(refused([](told_model& m) { m.version = 11; }), HasSubstr("version 11"));
  EXPECT_THAT(refused([](told_model& m) { m.quantised = true; }), HasSubstr("quantised"));
  EXPECT_THAT(refused([](told_model& m) { m.dimension = 0; }), HasSubstr("not sound"));
  EXPECT_THAT(refused([](told_model& m) { m.columns = 3; }), HasSubstr("do not fit"));
  EXPECT_THAT(refused([](told_model& m) { m.missing_rows = 1; }), HasSubstr("do not fit"));
  EXPECT_THAT(refused([](told_model& m) { m.words = {"a", "a"}; }), HasSubstr("'a' is there twice"));
  EXPECT_THAT(refused([](told_model& m) { m.buckets = 2'000'000'000, m.missing_rows = m.buckets; }),
              HasSubstr("buckets"));
  EXPECT_THAT(refused([](told_model& m) { m.first = std::numeric_limits<float>::infinity(); }), HasSubstr("finite"));
}

TEST(fasttext_file, a_file_that_is_cut_off_is_refused) {
  const std::string bytes = told_model().bytes();
  const std::size_t end = bytes.size() - std::string_view("outputs").size();
  for (std::size_t n = 0; n < end; ++n) EXPECT_THAT(fasttext_refusal(bytes.substr(0, n)), HasSubstr("m.bin: ")) << n;
  EXPECT_EQ(fasttext_refusal(bytes.substr(0, end)), "accepted");
}

// Buckets between the filled ones have zeros, and outputs stand behind them.
TEST(fasttext_file, what_is_written_is_read) {
  const std::vector<float> part{3.0f, 5.0f};
  detail::fasttext_model made{.dimension = 2, .least_count = 3, .buckets = 10, .least = 2, .most = 2};
  made.words = {"</s>", "ab"}, made.labels = {"__label__x"};
  made.rows = {1.0f, 2.0f, 7.0f, 8.0f}, made.outputs = {9.0f, 9.0f};
  made.filled = {{detail::fasttext_hash("ab") % 10, part}};
  std::string bytes;
  detail::write_fasttext(made, [&](std::span<const std::byte> some) {
    bytes.append(reinterpret_cast<const char*>(some.data()), some.size());
  });
  const known_words read = detail::parse_fasttext(bytes, "m.bin");
  EXPECT_EQ(read.vectors.words, made.words);
  EXPECT_THAT(read.vectors.row(0), ElementsAre(1.0f, 2.0f));
  const float times = 1.0f + static_cast<float>(detail::fasttext_hash("<a") % 10 == made.filled[0].first) +
                      static_cast<float>(detail::fasttext_hash("b>") % 10 == made.filled[0].first);
  EXPECT_THAT(read.vectors.row(1), ElementsAre((7.0f + 3.0f * times) / 4, (8.0f + 5.0f * times) / 4));
  const std::size_t head = 4 * 14 + 8, entries = (5 + 9) + (3 + 9) + (11 + 9), rows = 17 + 8 * (2 + 10);
  EXPECT_EQ(bytes.size(), head + 28 + entries + rows + 17 + 8);
}

}  // namespace
