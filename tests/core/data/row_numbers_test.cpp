// SPDX-License-Identifier: Apache-2.0
// Weights, offsets and numbers of rows: their sources, their order, and refused ones.
#include <hogwild/dataset.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/error.hpp>

#include "support/refusals.hpp"
#include "support/scratch_folder.hpp"
#include "support/toy_data.hpp"

namespace hogwild {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr auto refusal_of = [](const auto& call) { return test::message_of<input_error>(call); };

struct row_numbers : testing::Test {
  test::scratch_folder folder;
  std::string numbers = (folder / "numbers.txt").string();

  std::vector<float> read(const std::string& text, std::size_t rows) const {
    return read_row_numbers(folder.write("numbers.txt", text), rows);
  }
  std::string refused(const std::string& text, std::size_t rows) const {
    return refusal_of([&] { read(text, rows); });
  }
  /// Labels are the line numbers.
  std::string lines(std::size_t rows) const {
    std::string text;
    for (std::size_t r = 0; r < rows; ++r)
      text += std::to_string(r) + " " + std::to_string(1 + r % 7) + ":1 " + std::to_string(10 + r % 3) + ":2\n";
    return folder.write("rows.svm", text);
  }
};

TEST_F(row_numbers, are_read_one_a_line) {
  EXPECT_THAT(read("1\n0.5\n-3e2\n", 3), ElementsAre(1.0f, 0.5f, -300.0f));
  EXPECT_THAT(read(" +2 \r\n\t4", 2), ElementsAre(2.0f, 4.0f));
}

TEST_F(row_numbers, that_are_wrong_are_refused_with_their_place) {
  EXPECT_EQ(refused("1\n x\n", 2), numbers + ":2:2: 'x' is not a finite number that fits single precision");
  EXPECT_THAT(refused("1 2\n", 1), HasSubstr(":1:1: '1 2' is not a finite number"));
  EXPECT_THAT(refused("nan\n", 1), HasSubstr(":1:1: 'nan' is not a finite number"));
  EXPECT_THAT(refused("1e39\n", 1), HasSubstr("is not a finite number"));
  EXPECT_THAT(refused("+-1\n", 1), HasSubstr("is not a finite number"));
  EXPECT_THAT(refused("1\n\n2\n", 3), HasSubstr(":2:1: a number is missing"));
  EXPECT_THAT(refused("1\n2\n3\n", 2), HasSubstr(":3:1: there are more numbers than the 2 rows"));
  EXPECT_THAT(refused("1\n2\n", 3), HasSubstr("there are 2 numbers for the 3 rows"));
  EXPECT_THAT(refused("", 1), HasSubstr("there are 0 numbers for the 1 rows"));
  EXPECT_THAT(refusal_of([&] { read_row_numbers((folder / "none.txt").string(), 1); }), HasSubstr("none.txt"));
}

TEST_F(row_numbers, of_a_file_are_in_the_order_of_its_lines) {
  constexpr std::size_t rows = 500;
  std::vector<float> numbers_of_lines(rows);
  for (std::size_t r = 0; r < rows; ++r) numbers_of_lines[r] = static_cast<float>(r);
  const std::string path = lines(rows);
  const auto opened = [&](const open_options& options = {}) { return open_libsvm(path, options); };
  // Parsed, then from its cache; and read through a numbering, in the order of its lines.
  for (int time = 0; time < 3; ++time) {
    const sparse_dataset training = opened();
    sparse_dataset data = time < 2 ? training : opened({.numbering = &training.numbering()});
    EXPECT_EQ(data.from_cache(), time == 1);
    data.set_weights(numbers_of_lines);
    data.set_offsets(numbers_of_lines);
    data.number_rows();
    row_cursor cursor(data.view());
    bool shuffled = false;
    for (std::size_t r = 0; r < rows; ++r) {
      const sparse_row<float> z = cursor.row(r);
      ASSERT_EQ(z.weight, z.label);
      ASSERT_EQ(z.offset, z.label);
      ASSERT_EQ(static_cast<float>(z.id), z.label);
      shuffled = shuffled || z.id != r;
    }
    EXPECT_EQ(shuffled, time < 2);
    const sparse_view part = data.view().slice(100, 200);
    EXPECT_EQ(part.weight_of(5), cursor.row(105).weight);
    EXPECT_EQ(part.offset_of(5), cursor.row(105).offset);
    EXPECT_EQ(part.id_of(5), cursor.row(105).id);

    const sparse_dataset copy = sparse_dataset::copy_of(part);
    row_cursor copied(copy.view());
    for (std::size_t r = 0; r < part.rows(); ++r) {
      const sparse_row<float> z = copied.row(r);
      ASSERT_EQ(z.weight, z.label);
      ASSERT_EQ(z.offset, z.label);
      ASSERT_EQ(static_cast<float>(z.id), z.label);
    }
  }
}

TEST_F(row_numbers, are_of_the_handle_that_was_told_and_later_copies) {
  const sparse_dataset plain = open_libsvm(lines(3));
  sparse_dataset weighed = plain;
  weighed.set_weights(std::vector<float>{1, 2, 3});
  EXPECT_TRUE(plain.view().weight.empty());
  const sparse_dataset later = weighed;
  EXPECT_EQ(later.view().weight.size(), 3u);
}

TEST_F(row_numbers, without_any_rows_weigh_one_and_count_from_where_they_begin) {
  const test::toy_rows toy = test::planted_rows({.rows = 10});
  const csr_rows rows = toy.csr();
  const sparse_row<float> z = row_cursor(rows.view().slice(4, 8)).row(2);
  EXPECT_EQ(z.weight, 1.0f);
  EXPECT_EQ(z.offset, 0.0f);
  EXPECT_EQ(z.id, 6u);
}

TEST_F(row_numbers, that_no_rows_can_have_are_refused) {
  const float infinite = std::numeric_limits<float>::infinity();
  const test::toy_rows toy = test::planted_rows({.rows = 3});
  csr_rows in_memory = toy.csr();
  sparse_dataset of_file = open_libsvm(lines(3));
  const auto expect = [&](const std::vector<float>& weights, const std::string& sentence) {
    EXPECT_THAT(refusal_of([&] { in_memory.set_weights(weights); }), HasSubstr(sentence));
    EXPECT_THAT(refusal_of([&] { of_file.set_weights(weights); }), HasSubstr(sentence));
  };
  expect({1, 1}, "there are 2 weights for 3 rows");
  expect({1, 1, 1, 1}, "there are 4 weights for 3 rows");
  expect({1, -0.5f, 1}, "the weight of row 2 is -0.5; a weight is 0 or more");
  expect({1, 1, std::nanf("")}, "the weight of row 3 is not a finite number");
  expect({infinite, 1, 1}, "the weight of row 1 is not a finite number");
  expect({0, 0, 0}, "all weights are 0");
  const std::vector<float> few{1, 2}, wrong{0, infinite, 0}, sound{-1, 0, 5};
  EXPECT_THAT(refusal_of([&] { in_memory.set_offsets(few); }), HasSubstr("there are 2 offsets for 3 rows"));
  EXPECT_THAT(refusal_of([&] { of_file.set_offsets(wrong); }), HasSubstr("the offset of row 2 is not a finite number"));
  in_memory.set_offsets(sound);
  EXPECT_TRUE(in_memory.view().weight.empty()) << "what was refused has left something";
  EXPECT_TRUE(of_file.view().weight.empty() && of_file.view().offset.empty());
}

}  // namespace
}  // namespace hogwild
