// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/data/label_spelling.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include <hogwild/dataset.hpp>

#include "formats/label_words.hpp"
#include "support/scratch_folder.hpp"

namespace hogwild {
namespace {

using ::testing::HasSubstr;

TEST(label_spelling, of_numbers_is_what_people_write) {
  const std::pair<double, const char*> texts[] = {{100000, "100000"},
                                                  {1e6, "1000000"},
                                                  {-0.0, "0"},
                                                  {0.00001, "0.00001"},
                                                  {1e-8, "0.00000001"},
                                                  {-2.5, "-2.5"},
                                                  {0x1p53, "9007199254740992"},
                                                  {1e20, "100000000000000000000"},
                                                  {1e21, "1e+21"},
                                                  {1e-9, "1e-09"}};
  for (const auto& [number, text] : texts) EXPECT_EQ(label_text(number), text);
}

TEST(label_spelling, keeps_what_is_not_plain) {
  label_spelling spelling;
  for (const char* const plain : {"1", "100000", "-7", "2.5", "0.00001", "-0"})
    spelling.add(std::strtod(plain, nullptr), plain);
  EXPECT_TRUE(spelling.empty());
  for (const char* const own : {"+1", "1e5", "007", "2.50", ".25", "+0"}) spelling.add(std::strtod(own, nullptr), own);
  EXPECT_EQ(spelling.size(), 6u);
  EXPECT_EQ(spelling.find(1), "+1");
  EXPECT_EQ(spelling.find(100000), "1e5");
  EXPECT_EQ(spelling.find(-0.0), "+0");
  EXPECT_EQ(spelling.find(8), "");
}

TEST(label_spelling, of_several_texts_is_the_shortest_whoever_reads_them) {
  const std::vector<std::string> texts = {"01.0", "+1", "1.0", "01", "1.00"};
  for (std::size_t first = 0; first < texts.size(); ++first) {
    label_spelling one, other;
    for (std::size_t k = 0; k < texts.size(); ++k)
      (k % 2 == 0 ? one : other).add(1.0, texts[(first + k) % texts.size()]);
    one.add(other);
    EXPECT_EQ(one.find(1.0), "+1") << first;
    EXPECT_EQ(one.size(), 1u);
  }
}

TEST(label_spelling, forgets_numbers_that_are_too_many_for_classes) {
  label_spelling spelling, other;
  spelling.add(1, "+1");
  for (std::size_t k = 0; k <= label_spelling::most_broken; ++k)
    spelling.add(0.5 + static_cast<double>(k), "+" + std::to_string(k) + ".5");
  EXPECT_EQ(spelling.size(), 1u);
  EXPECT_EQ(spelling.find(1), "+1");
  other.add(0.5, "0.50"), other.add(2, "+2");
  other.add(spelling);
  EXPECT_EQ(other.find(0.5), "");
  EXPECT_EQ(other.find(1), "+1");
  EXPECT_EQ(other.find(2), "+2");
}

TEST(label_spelling, goes_to_words_and_back) {
  EXPECT_TRUE(label_spelling().encode().empty());
  label_spelling spelling;
  for (const char* const own : {"+1", "1e5", "00000000000000000000000000017", "2.50"})
    spelling.add(std::strtod(own, nullptr), own);
  const std::vector<std::uint64_t> words = spelling.encode();
  const auto bytes = std::as_bytes(std::span(words));
  const auto back = label_spelling::decode(bytes);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->encode(), words);
  EXPECT_EQ(back->find(17), "00000000000000000000000000017");
  for (std::size_t part = 8; part < bytes.size(); part += 8) EXPECT_FALSE(label_spelling::decode(bytes.first(part)));
  // Each bit matters, except in zeros behind a text.
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    std::vector<std::byte> changed(bytes.begin(), bytes.end());
    changed[k] ^= std::byte{0x10};
    const auto read = label_spelling::decode(changed);
    EXPECT_TRUE(!read || read->encode() == words) << k;
  }
}

TEST(label_spelling, of_labels_that_are_words_goes_to_words_and_back) {
  label_spelling spelling;
  spelling.add(1, "+1");
  spelling.set_words({"10", "", "spam", "Z\xc3\xbcrich"});
  EXPECT_EQ(spelling.find(0), "10");
  EXPECT_EQ(spelling.find(2), "spam");
  for (const double none : {-1.0, 0.5, 1.0, 4.0, 1e300}) EXPECT_EQ(spelling.find(none), "") << none;
  const std::vector<std::uint64_t> encoded = spelling.encode();
  const auto bytes = std::as_bytes(std::span(encoded));
  const auto back = label_spelling::decode(bytes);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->encode(), encoded);
  EXPECT_EQ(back->find(3), "Z\xc3\xbcrich");
  for (std::size_t part = 8; part < bytes.size(); part += 8) EXPECT_FALSE(label_spelling::decode(bytes.first(part)));
  for (const std::string bad : {"a b", "a,b", "a:b", "c#", "\x7f", "\n"}) {
    spelling.set_words({bad});
    const std::vector<std::uint64_t> words = spelling.encode();
    EXPECT_FALSE(label_spelling::decode(std::as_bytes(std::span(words)))) << bad;
    EXPECT_THAT(detail::label_word_fault(bad), HasSubstr("has a blank"));
  }
  EXPECT_THAT(detail::label_word_fault(std::string(256, 'x')), HasSubstr("256 bytes; at most 255"));
  EXPECT_EQ(detail::label_word_fault(std::string(255, 'x')), "");
}

TEST(label_spelling, of_a_plain_label_is_told_by_one_look) {
  for (const std::string plain : {"1", "-1", "0", "12345678", "0.5", "-2.25", "0.00000001"})
    EXPECT_TRUE(detail::is_short_plain(plain.data(), plain.data() + plain.size())) << plain;
  for (const std::string other : {"+1", "01", "1.0", "1.", ".5", "1e5", "0.000000001", "1.5.2", "-+1"})
    EXPECT_FALSE(detail::is_short_plain(other.data(), other.data() + other.size())) << other;
}

TEST(label_spelling, refuses_whole_numbers_that_were_rounded) {
  const auto fault = [](const char* text) { return detail::rounded_label_fault(text, std::strtod(text, nullptr)); };
  for (const char* const exact : {"9007199254740992", "72048431380967008", "-9007199254740994.0", "1e300",
                                  "9007199254740993e0", "0.1", "123456789012345678e3"})
    EXPECT_EQ(fault(exact), "") << exact;
  for (const char* const rounded :
       {"9007199254740993", "-72048431380967004", "+018446744073709551617", "9007199254740993.00"})
    EXPECT_THAT(fault(rounded), HasSubstr("double precision cannot tell from")) << rounded;
}

TEST(label_spelling, tells_of_numbers_that_were_rounded) {
  const auto rounded = [](std::initializer_list<const char*> texts) {
    label_spelling spelling;
    for (const char* const text : texts) spelling.add(std::strtod(text, nullptr), text);
    const std::vector<std::uint64_t> words = spelling.encode();
    const auto again = label_spelling::decode(std::as_bytes(std::span(words)));
    EXPECT_EQ(again ? again->rounded() : "no", spelling.rounded());
    return std::string(spelling.rounded());
  };
  for (const char* const own :
       {"0.1", "0.10000000000000001", "1.000000000000000056e-01", "+0.50", "1e5", "1e23", "99999999999999991611392",
        "0e7", "-0.0", "7.2048431380967008e16", "3.", ".25", "2.2250738585072014e-308", "1E+3"})
    EXPECT_EQ(rounded({own}), "") << own;
  for (const char* const text : {"0.123456789012345678901", "7.2048431380967004e16", "1e-400", "-720484313809670.04e2"})
    EXPECT_EQ(rounded({text}), text);
  // Whichever comes first, and however short the other is.
  EXPECT_EQ(rounded({"0.50", "0.50000000000000000001"}), "0.50000000000000000001");
  EXPECT_EQ(rounded({"0.50000000000000000001", "0.50"}), "0.50000000000000000001");
}

TEST(label_spelling, of_a_text_is_the_same_from_its_cache_and_with_little_memory) {
  const test::scratch_folder folder;
  std::string text;
  for (int k = 0; k < 300; ++k) text += (k % 2 == 0 ? "+" : "0") + std::to_string(k) + " 1:1\n";
  const std::string source = folder.write("a.svm", text);
  for (int opened = 0; opened < 2; ++opened) {
    const sparse_dataset data = open_libsvm(source, {.threads = 2});
    EXPECT_EQ(data.from_cache(), opened == 1);
    const label_spelling& spelling = detail::spelling_of(data);
    EXPECT_EQ(spelling.size(), 300u);
    EXPECT_EQ(spelling.find(8), "+8");
    EXPECT_EQ(spelling.find(9), "09");
  }
}

}  // namespace
}  // namespace hogwild
