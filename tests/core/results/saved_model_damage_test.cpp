// SPDX-License-Identifier: Apache-2.0
// Damaged saved models: each is refused, and the message names the place of the fault.
#include <hogwild/saved_model.hpp>

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/error.hpp>

#include "support/refusals.hpp"

namespace {

using hogwild::label_kind;
using hogwild::model_format;
using hogwild::parse_model;
using hogwild::saved_model;
using ::testing::HasSubstr;

saved_model example() {
  return {.model = "huber",
          .model_options = {{"delta", 1.5}},
          .labels = hogwild::label_map(label_kind::binary, {-1, 1}),
          .columns = {1, 7, 12},
          .weights = {0.5f, 0.0f, -2.0f},
          .bias = {0.25f}};
}

std::string refusal(std::span<const std::byte> bytes) {
  return hogwild::test::message_of<hogwild::input_error>([&] { parse_model(bytes, "m"); });
}

std::string refusal(const std::string& text) {
  return refusal(std::as_bytes(std::span(text.data(), text.size())));
}

std::string text_with(const std::string& line, const std::string& instead) {
  const auto bytes = model_bytes(example(), model_format::text);
  std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return text.replace(text.find(line), line.size(), instead);
}

TEST(saved_model_damage, text_names_line_and_column) {
  const auto expect = [](const std::string& line, const std::string& instead, const std::string& message) {
    EXPECT_THAT(refusal(text_with(line, instead)), HasSubstr(message)) << line << " -> " << instead;
  };
  expect("hogwild model 1", "hogwild model 6", "m:1:15: this is a model of version 6");
  expect("hogwild model 1", "something else", "m:1:1: this is not a saved model");
  expect("model huber", "model", "m:2:6: the model's name");
  expect("option delta 1.5", "option delta x", "m:3:14: the option's value should stand here, but this is 'x'");
  expect("option delta 1.5", "option delta inf", "m:3:14: the option's value is not finite");
  expect("option delta 1.5", "option delta 1\noption delta 2", "m:4:8: the option 'delta' is there twice");
  expect("labels binary -1 1", "labels binary 1 -1", "m:4:17: the labels of a label map are not in ascending order");
  expect("labels binary -1 1", "labels ternary -1 1", "m:4:8: ");
  expect("width 1", "width 2", "m:8:6: a weight should stand here");
  expect("width 1", "width 0", "m:5:7: ");
  expect("bias 0.25", "bias nan", "m:6:6: a bias is not finite");
  expect("bias 0.25", "bias 1 2", "m:6:8: the line should end here");
  expect("columns 3", "columns 4", "m:11:1: a column should stand here, but this is 'end'");
  expect("columns 3", "columns 2", "m:10:1: \"end\" should stand here");
  expect("7 0", "7 inf", "m:9:3: a weight is not finite");
  expect("7 0", "7 1e99", "m:9:3: ");
  expect("7 0", "7", "m:9:2: a weight should stand here");
  expect("7 0", "1 0", "m:9:1: column 1 follows column 1");
  expect("7 0", "0 0", "m:9:1: column 0 follows column 1");
  expect("7 0", "4294967296 0", "m:9:1: a column");
  expect("12 -2\nend\n", "12 -2\nend\nmore", "m:12:1: nothing should follow");
}

TEST(saved_model_damage, text_cut_anywhere_is_refused) {
  const auto bytes = model_bytes(example(), model_format::text);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW(parse_model(std::span(bytes).first(size), "m"), hogwild::format_error) << size;
  }
}

TEST(saved_model_damage, text_with_carriage_returns_is_accepted) {
  const auto bytes = model_bytes(example(), model_format::text);
  std::string text;
  for (const std::byte b : bytes) text += b == std::byte{'\n'} ? "\r\n" : std::string(1, static_cast<char>(b));
  EXPECT_EQ(parse_model(std::as_bytes(std::span(text.data(), text.size())), "m"), example());
}

TEST(saved_model_damage, binary_cut_anywhere_or_longer_is_refused) {
  auto bytes = model_bytes(example(), model_format::binary);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW(parse_model(std::span(bytes).first(size), "m"), hogwild::input_error) << size;
  }
  EXPECT_THAT(refusal(std::span(bytes).first(40)), HasSubstr("m: byte 40: the file ends here"));
  bytes.push_back(std::byte{0});
  EXPECT_THROW(parse_model(bytes, "m"), hogwild::input_error);
}

TEST(saved_model_damage, binary_with_any_bit_flipped_is_refused) {
  auto bytes = model_bytes(example(), model_format::binary);
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    const std::byte mask{static_cast<unsigned char>(1u << (bit % 8))};
    bytes[bit / 8] ^= mask;
    EXPECT_THROW(parse_model(bytes, "m"), hogwild::input_error) << bit;
    bytes[bit / 8] ^= mask;
  }
  EXPECT_EQ(parse_model(bytes, "m"), example());
}

TEST(saved_model_damage, binary_names_the_byte) {
  auto bytes = model_bytes(example(), model_format::binary);
  bytes[8] = std::byte{9};
  EXPECT_THAT(refusal(bytes), HasSubstr("m: byte 8: this is a model of version 9"));
  bytes[8] = std::byte{1};
  bytes[3] = std::byte{'X'};
  EXPECT_THAT(refusal(bytes), HasSubstr("m: byte 0: this is not a saved model"));
  bytes[3] = std::byte{'M'};
  bytes.back() ^= std::byte{1};
  EXPECT_THAT(refusal(bytes), HasSubstr("m: byte 24: the contents do not match their checksum"));
}

}  // namespace
