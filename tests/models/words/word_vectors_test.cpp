// SPDX-License-Identifier: Apache-2.0
#include <hogwild/word_vectors.hpp>

#include <cstring>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include <hogwild/error.hpp>

#include "support/scratch_folder.hpp"

namespace {

using namespace hogwild;

word_vectors sample() {
  constexpr float least = std::numeric_limits<float>::denorm_min(), most = std::numeric_limits<float>::max();
  return {
      .dimension = 3, .words = {"the", "\xc3\xa4rger", "x"}, .values = {1, -2.5f, 0.1f, least, most, -0.0f, 3, 4, 5}};
}

std::string refusal_of_vectors(std::string_view bytes) {
  try {
    parse_word_vectors(bytes, "file");
  } catch (const input_error& e) {
    return e.what();
  }
  return "accepted";
}

TEST(word_vectors, both_formats_come_back_bit_by_bit) {
  const test::scratch_folder folder;
  for (const char* const name : {"vectors.txt", "vectors.bin"}) {
    const auto path = folder / name;
    save_word_vectors(path, sample(), vector_format_for(path));
    const word_vectors again = load_word_vectors(path.string());
    EXPECT_EQ(again, sample());
    EXPECT_EQ(std::memcmp(again.values.data(), sample().values.data(), sizeof(float) * 9), 0);
  }
}

TEST(word_vectors, are_written_as_other_programs_expect) {
  const word_vectors two{.dimension = 2, .words = {"a", "b"}, .values = {1.5f, -2, 0, 0.25f}};
  EXPECT_EQ(word_vector_bytes(two, vector_format::text), "2 2\na 1.5 -2\nb 0 0.25\n");
  std::string binary = "2 2\na 12345678\nb 12345678\n";
  std::memcpy(&binary[6], &two.values[0], 8);
  std::memcpy(&binary[17], &two.values[2], 8);
  EXPECT_EQ(word_vector_bytes(two, vector_format::binary), binary);
  EXPECT_EQ(parse_word_vectors(binary, "file"), two);
  // Some programs leave out the newlines, some write a blank behind the last number.
  binary.erase(14, 1);
  EXPECT_EQ(parse_word_vectors(binary.substr(0, binary.size() - 1), "file"), two);
  EXPECT_EQ(parse_word_vectors("2 2 \r\na 1.5 -2.0 \r\nb 0 +.25 \n\n", "file"), two);
}

TEST(word_vectors, may_begin_without_a_head_line_as_glove_writes_them) {
  const word_vectors two{.dimension = 2, .words = {"a", "7"}, .values = {1.5f, -2, 0, 0.25f}};
  EXPECT_EQ(parse_word_vectors("a 1.5 -2\n7 0 0.25\n", "file"), two);
  EXPECT_EQ(parse_word_vectors("  a 1.5 -2 \r\n7 0 .25\n\n", "file"), two);
  EXPECT_EQ(parse_word_vectors("7 0.5 1", "file").words, (std::vector<std::string>{"7"}));
  EXPECT_EQ(refusal_of_vectors("a 1.5 -2\nb 1\n"), "file:2:4: number 2 of 2 should stand here, finite, but this is ''");
  EXPECT_TRUE(refusal_of_vectors("a 1.5 -2\nb 1 2 3\n").starts_with("file:2:7: the line should end here"));
  EXPECT_TRUE(refusal_of_vectors("1 1:0.5 3:1\n").starts_with("file:1:3: word vectors begin with a line"));
  const test::scratch_folder folder;
  EXPECT_TRUE(begins_as_word_vectors(folder.write("glove.txt", "a 1.5 -2\n7 0 0.25\n")));
  EXPECT_FALSE(begins_as_word_vectors(folder.write("rows.svm", "1 1:0.5 3:1\n")));
}

TEST(word_vectors, faults_are_told_with_their_place) {
  EXPECT_TRUE(refusal_of_vectors("").starts_with("file:1:1: word vectors begin with a line of two numbers"));
  EXPECT_TRUE(refusal_of_vectors("3 x\n").starts_with("file:1:3: "));
  EXPECT_TRUE(refusal_of_vectors("0 3\n").starts_with("file:1:1: "));
  EXPECT_TRUE(refusal_of_vectors("1 2 3\na 1 2\n").starts_with("file:1:5: the first line should end"));
  EXPECT_TRUE(refusal_of_vectors("99999999999 99999999999\na 1 2\n").starts_with("file:2:1: the file is too short"));
  EXPECT_EQ(refusal_of_vectors("2 2\na 1 2\nb 1 y\n"),
            "file:3:5: number 2 of 2 should stand here, finite, but this is 'y'");
  EXPECT_TRUE(refusal_of_vectors("2 2\na 1 2\nb 1 inf\n").starts_with("file:3:5: number 2 of 2"));
  EXPECT_TRUE(refusal_of_vectors("2 2\na 1 2\nb 1 2 3\n").starts_with("file:3:7: the line should end here"));
  EXPECT_TRUE(refusal_of_vectors("2 2\na 1 2\n").starts_with("file:"));
  EXPECT_TRUE(refusal_of_vectors("1 2\na 1 2\nb 1 2\n").starts_with("file:3:1: the words end here"));
  const std::string binary = word_vector_bytes(sample(), vector_format::binary);
  EXPECT_TRUE(refusal_of_vectors(binary.substr(0, binary.size() - 5)).starts_with("file: byte "));
  EXPECT_TRUE(refusal_of_vectors(binary + "more").ends_with("the words end here, but the file does not"));
  std::string endless = binary;
  constexpr float infinity = std::numeric_limits<float>::infinity();
  std::memcpy(&endless[8 + sizeof(float)], &infinity, sizeof infinity);
  EXPECT_EQ(refusal_of_vectors(endless), "file: byte 12: a number is not finite");
}

TEST(word_vectors, what_no_file_can_hold_is_refused) {
  word_vectors v = sample();
  v.words[1] = "two words";
  EXPECT_THROW(word_vector_bytes(v, vector_format::text), config_error);
  v = sample();
  v.values.pop_back();
  EXPECT_THROW(word_vector_bytes(v, vector_format::binary), config_error);
  v = sample();
  v.values[4] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(word_vector_bytes(v, vector_format::text), config_error);
  EXPECT_THROW(word_vector_bytes({}, vector_format::text), config_error);
}

}  // namespace
