// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/results/checkpoint.hpp>

#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <hogwild/error.hpp>

#include "support/refusals.hpp"
#include "support/scratch_folder.hpp"

namespace {

using hogwild::checkpoint;
using hogwild::checkpoint_bytes;
using hogwild::parse_checkpoint;
using hogwild::read_checkpoint;
using hogwild::write_checkpoint;
using hogwild::test::scratch_folder;
using hogwild::test::write_bytes;
using ::testing::AllOf;
using ::testing::HasSubstr;

checkpoint example(std::uint64_t done) {
  checkpoint state{.epoch = done};
  std::vector<float> parameters(300);
  for (std::size_t k = 0; k < parameters.size(); ++k) parameters[k] = static_cast<float>(k * done);
  state.put_span("parameters", std::span<const float>(parameters));
  state.put("step", 0.125);
  state.put_bytes("empty", {});
  return state;
}

TEST(checkpoint, typed_values_come_back) {
  checkpoint state = example(3);
  EXPECT_EQ(state.get<double>("step"), 0.125);
  EXPECT_EQ(state.get_vector<float>("parameters").at(299), 897.0f);
  EXPECT_TRUE(state.get_vector<int>("empty").empty());
  std::vector<float> place(300);
  state.get_into("parameters", std::span(place));
  EXPECT_EQ(place.at(2), 6.0f);
  state.put("step", 0.5);
  EXPECT_EQ(state.get<double>("step"), 0.5);
  EXPECT_EQ(state.sections.size(), 3u);
}

TEST(checkpoint, a_section_that_is_missing_or_of_another_size_is_named) {
  const checkpoint state = example(3);
  EXPECT_EQ(state.find("momentum"), nullptr);
  EXPECT_THROW(state.get<double>("momentum"), hogwild::input_error);
  EXPECT_THROW(state.get_vector<double>("momentum"), hogwild::input_error);
  EXPECT_THROW(state.get<float>("step"), hogwild::input_error);
  struct three_bytes {
    char c[3];
  };
  EXPECT_THROW(state.get_vector<three_bytes>("step"), hogwild::input_error);
  std::vector<float> place(299);
  EXPECT_THROW(state.get_into("parameters", std::span(place)), hogwild::input_error);
}

RC_GTEST_PROP(checkpoint, comes_back_whole, ()) {
  checkpoint state{.epoch = *rc::gen::arbitrary<std::uint64_t>()};
  for (const auto& [name, text] : *rc::gen::arbitrary<std::map<std::string, std::string>>()) {
    state.put_span(name, std::span(text.data(), text.size()));
  }
  RC_ASSERT(parse_checkpoint(checkpoint_bytes(state), "c") == state);
}

TEST(checkpoint, keeps_two_generations) {
  const scratch_folder folder;
  for (std::uint64_t done = 1; done <= 3; ++done) write_checkpoint(folder / "c", example(done));
  EXPECT_EQ(folder.entries(), 2u);
  std::string said;
  const auto note = [&](std::string_view text) { said = text; };
  EXPECT_EQ(read_checkpoint(folder / "c", note), example(3));
  EXPECT_EQ(said, "");

  std::filesystem::remove(folder / "c");
  EXPECT_EQ(read_checkpoint(folder / "c", note), example(2));
  EXPECT_THAT(said, HasSubstr("c.previous (epoch 2)"));
  EXPECT_EQ(read_checkpoint(folder / "c"), example(2));
}

/// Checks that a reader gets the previous generation if the current file has these bytes.
void expect_the_previous_one(const scratch_folder& folder, std::span<const std::byte> damaged, std::size_t which) {
  write_bytes(folder / "c", damaged);
  int notes = 0;
  EXPECT_EQ(read_checkpoint(folder / "c", [&](std::string_view) { ++notes; }).epoch, 1u) << which;
  EXPECT_EQ(notes, 1) << which;
}

TEST(checkpoint, a_torn_file_gives_way_to_the_previous_generation) {
  const scratch_folder folder;
  write_checkpoint(folder / "c.previous", example(1));
  const auto bytes = checkpoint_bytes(example(2));
  for (std::size_t size = 0; size < bytes.size(); size += 64) {
    expect_the_previous_one(folder, std::span(bytes).first(size), size);
  }
  expect_the_previous_one(folder, std::span(bytes).first(bytes.size() - 1), bytes.size() - 1);
}

TEST(checkpoint, a_flipped_bit_gives_way_to_the_previous_generation) {
  const scratch_folder folder;
  write_checkpoint(folder / "c.previous", example(1));
  auto bytes = checkpoint_bytes(example(2));
  constexpr std::size_t header_bits = 8 * 48;
  std::mt19937 random(7);
  for (std::size_t k = 0; k < header_bits + 200; ++k) {
    const std::size_t bit =
        k < header_bits ? k : std::uniform_int_distribution<std::size_t>(header_bits, 8 * bytes.size() - 1)(random);
    const std::byte mask{static_cast<unsigned char>(1u << (bit % 8))};
    bytes[bit / 8] ^= mask;
    expect_the_previous_one(folder, bytes, bit);
    bytes[bit / 8] ^= mask;
  }
  write_bytes(folder / "c", bytes);
  EXPECT_EQ(read_checkpoint(folder / "c").epoch, 2u);
}

TEST(checkpoint, a_torn_file_never_replaces_a_good_previous_one_before_the_new_one_stands) {
  const scratch_folder folder;
  write_checkpoint(folder / "c.previous", example(1));
  const auto bytes = checkpoint_bytes(example(2));
  write_bytes(folder / "c", std::span(bytes).first(100));
  write_checkpoint(folder / "c", example(3));
  EXPECT_EQ(read_checkpoint(folder / "c").epoch, 3u);
  EXPECT_EQ(folder.entries(), 2u);
}

TEST(checkpoint, where_neither_is_whole_both_reasons_are_told) {
  const scratch_folder folder;
  EXPECT_THROW(read_checkpoint(folder / "c"), hogwild::input_error);
  const auto bytes = checkpoint_bytes(example(2));
  write_bytes(folder / "c", std::span(bytes).first(100));
  EXPECT_THAT(hogwild::test::message_of<hogwild::input_error>([&] { read_checkpoint(folder / "c"); }),
              AllOf(HasSubstr("c: byte 24: the file was cut"), HasSubstr("cannot be read"), HasSubstr("c.previous")));
}

TEST(checkpoint, a_section_that_says_too_much_is_refused) {
  // The checksums hold but the count is wrong: no accident makes such a file.
  checkpoint state{.epoch = 1};
  state.sections = {{"twice", {}}, {"twice", {}}};
  EXPECT_THROW(parse_checkpoint(checkpoint_bytes(state), "c"), hogwild::input_error);
}

TEST(checkpoint, a_bad_path_changes_nothing) {
  const scratch_folder folder;
  EXPECT_THROW(write_checkpoint(folder / "missing/c", example(1)), hogwild::input_error);
  EXPECT_EQ(folder.entries(), 0u);
}

}  // namespace
