// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "support/random_libsvm.hpp"

// The parser reads the same rows and finds the same faults whatever the instruction set.
namespace hogwild::test {
namespace {

void expect_twins(const std::string& text, bool labels_optional) {
  for (const bool from_0 : {false, true}) {
    const parsed_block expected = parse_with(isa::scalar, text, labels_optional, from_0);
    for (const isa set : isas_here())
      ASSERT_EQ(parse_with(set, text, labels_optional, from_0), expected) << name_of(set) << " on\n" << text;
  }
}

TEST(libsvm_twins, read_valid_texts_alike) {
  for (std::uint64_t n = 0; n < 400; ++n) {
    draws draw(1, n);
    const text_shape shape{.rows = 1 + draw.below(60), .longest_row = draw.below(40), .odd = 2 + draw.below(400)};
    const std::string text = random_text(shape, draw);
    ASSERT_FALSE(parse_with(isa::scalar, text, false).fault) << text;
    ASSERT_NO_FATAL_FAILURE(expect_twins(text, n % 2 == 0));
  }
}

TEST(libsvm_twins, indices_from_0_are_the_numbers_of_the_text) {
  const parsed_block rows = parse_with(isa::automatic, "1 1:1 2:0.5 3:17\n1 0:4\n-1 0:2 7:1\n1\n", false, true);
  EXPECT_EQ(rows.index, (std::vector<std::uint32_t>{1, 2, 3, 0, 0, 7}));
  EXPECT_EQ(rows.columns, 8u);
  EXPECT_FALSE(rows.fault);
  EXPECT_EQ(parse_with(isa::automatic, "1 0:4\n", false, true).columns, 1u);
  for (const char* const twice : {"1 0:1 0:2\n", "1 1:1 0:2\n"}) {
    const parsed_block refused = parse_with(isa::automatic, twice, false, true);
    ASSERT_TRUE(refused.fault) << twice;
    EXPECT_EQ(std::get<2>(*refused.fault).find("the index is 0"), std::string::npos);
  }
}

TEST(libsvm_twins, read_lists_of_labels_alike) {
  std::size_t with_lists = 0;
  for (std::uint64_t n = 0; n < 400; ++n) {
    draws draw(5, n);
    const text_shape shape{
        .rows = 1 + draw.below(60), .longest_row = draw.below(40), .odd = 2 + draw.below(100), .lists = true};
    std::string text = random_text(shape, draw);
    if (n % 4 == 0) damage(text, 1 + draw.below(3), draw);
    ASSERT_NO_FATAL_FAILURE(expect_twins(text, n % 2 == 0));
    with_lists += parse_with(isa::scalar, text, false).list.empty() ? 0 : 1;
  }
  EXPECT_GT(with_lists, 100u);
}

TEST(libsvm_twins, find_the_same_faults_in_damaged_texts) {
  std::size_t faulty = 0;
  for (std::uint64_t n = 0; n < 4000; ++n) {
    draws draw(2, n);
    const text_shape shape{.rows = 1 + draw.below(12), .longest_row = draw.below(24), .odd = 2 + draw.below(400)};
    std::string text = random_text(shape, draw);
    damage(text, 1 + draw.below(3), draw);
    ASSERT_NO_FATAL_FAILURE(expect_twins(text, n % 2 == 0));
    faulty += parse_with(isa::scalar, text, n % 2 == 0).fault ? 1 : 0;
  }
  EXPECT_GT(faulty, 1000u);
}

TEST(libsvm_twins, read_any_bytes_alike) {
  constexpr std::string_view bytes("  \n\r\t#::..+-eE0123456789");
  for (std::uint64_t n = 0; n < 4000; ++n) {
    draws draw(3, n);
    std::string text = "1 1:1 2:0.5 3:17\n";  // the vectors read no rows before
                                              // the sixteenth byte
    for (std::uint64_t k = draw.below(120); k > 0; --k) text += bytes[draw.below(bytes.size())];
    ASSERT_NO_FATAL_FAILURE(expect_twins(text, n % 2 == 0));
  }
}

/// Every way in which one entry among others can be odd, at every place of a row of several vectors; @ is its index.
TEST(libsvm_twins, agree_on_every_odd_entry_at_every_place) {
  std::istringstream entries(
      "0:1 00:1 @0:1 1000000000:1 4294967295:1 12345678:1 123456789:1 0000000@:1 x:1 -@:1 +@:1 @x:1 "
      ":1 @ @: @:1:1 @::1 @:. @:- @:-. @:.5 @:5. @:-.5 @:-0 @:0. @:-0. @:0..5 @:0.5.5 @:5.5.5 @:5.0. "
      "@:--1 @:16777216 @:16777217 @:99999999 @:0.16777217 @:0.99999999 @:-0.000000001 "
      "@:0.123456789012345 @:0.1234567890123456 @:0.1234x67890 @:1.2345678 @:12345678.9 @:1e3 @:0.5e3 "
      "@:1e39 @:nan @:+1 @:0.500000029802322387695");
  for (std::string odd; entries >> odd;) {
    for (std::size_t place = 0; place < 36; ++place) {
      std::string text = "1 1:0.25 2:0.75\n-1";
      for (std::size_t k = 0; k < 36; ++k) {
        std::string entry = k == place ? odd : "@:0.5";
        const std::size_t index = k <= place ? k + 1 : 20'000'000 + k;
        if (const std::size_t at = entry.find('@'); at != entry.npos) entry.replace(at, 1, std::to_string(index));
        text += ' ' + entry;
      }
      ASSERT_NO_FATAL_FAILURE(expect_twins(text + "\n1 1:1\n", false));
    }
  }
}

TEST(libsvm_twins, rows_longer_than_a_window_of_marks_and_windows_that_cut_rows) {
  for (const std::uint64_t entries : {1500u, 3000u, 12000u}) {
    draws draw(4, entries);
    std::string text;
    for (int r = 0; r < 5; ++r) text += random_text({.rows = 1, .longest_row = entries, .odd = 5000}, draw);
    ASSERT_NO_FATAL_FAILURE(expect_twins(text, false));
    damage(text, 1, draw);
    ASSERT_NO_FATAL_FAILURE(expect_twins(text, false));
  }
}

// Decimals so near to the middle of two floats that their quotients in double are that middle: rounding twice, to the
// even of the two, gives the wrong one.
TEST(libsvm_twins, quotients_that_double_precision_rounds_to_a_middle_are_read_anew) {
  const std::vector<std::string> near_middle{"0.500737339258194", "0.500738114118576", "0.500739187002182",
                                             "0.500739723443985", "0.500741571187973", "0.500743180513382"};
  std::string text = "1 1:0.25 2:0.75\n1";
  for (std::size_t k = 0; k < near_middle.size(); ++k) text += ' ' + std::to_string(k + 1) + ':' + near_middle[k];
  for (const isa set : isas_here()) {
    const parsed_block block = parse_with(set, text, false);
    ASSERT_EQ(block.value.size(), 2 + near_middle.size());
    for (std::size_t k = 0; k < near_middle.size(); ++k) {
      float expected = 0;
      std::from_chars(near_middle[k].data(), near_middle[k].data() + near_middle[k].size(), expected);
      EXPECT_NE(static_cast<float>(std::stod(near_middle[k])), expected);
      EXPECT_EQ(block.value[2 + k], std::bit_cast<std::uint32_t>(expected)) << name_of(set) << ' ' << near_middle[k];
    }
  }
}

}  // namespace
}  // namespace hogwild::test
