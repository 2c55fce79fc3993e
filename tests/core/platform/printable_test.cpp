// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/platform/printable.hpp>

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/error.hpp>

#include "support/messages.hpp"

namespace {

using namespace hogwild;
using test::is_harmless;
using ::testing::HasSubstr;

TEST(printable, leaves_text_as_it_is) {
  for (const char* text : {"", "a file: it's 100 % \\x1b",
                           "Gr\xc3\xb6\xc3\x9f"
                           "e",
                           "\xe6\x97\xa5\xe6\x9c\xac", "\xf0\x9f\x98\x80"})
    EXPECT_EQ(printable(text), text);
}

TEST(printable, escapes_what_a_terminal_acts_on) {
  EXPECT_EQ(printable("\x1b[2J\r\n\t\a\x7f"), "\\x1b[2J\\r\\n\\t\\x07\\x7f");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\xc2\\x9b31m");                               // C1: another escape
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\xe2\\x80\\xae");  // reverses the direction of the text behind it
}

TEST(printable, escapes_bytes_that_are_no_utf8) {
  EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");                    // an overlong encoding
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // half a pair of UTF-16
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond the last character
  EXPECT_EQ(printable("\xe6\x97x"), "\\xe6\\x97x");
}

TEST(printable, shortens_in_the_middle_and_says_by_how_much) {
  const std::string text = "begin " + std::string(100'000, 'x') + " end";
  const std::string shown = printable(text);
  EXPECT_LE(shown.size(), longest_message);
  EXPECT_TRUE(shown.starts_with("begin xxx") && shown.ends_with("xxx end")) << shown;
  const std::size_t kept = shown.size() - shown.find(" bytes left out) ... ") - 21 + shown.find(" ... (");
  EXPECT_THAT(shown, HasSubstr(" ... (" + std::to_string(text.size() - kept) + " bytes left out) ... "));
}

TEST(printable, is_bounded_and_harmless_for_any_bytes_and_does_not_change_twice) {
  for (const std::size_t length : {1u, 499u, 1999u, 2000u, 2001u, 7000u}) {
    for (int byte = 0; byte < 256; ++byte) {
      const std::string once = printable(std::string(length, static_cast<char>(byte)));
      EXPECT_LE(once.size(), longest_message);
      EXPECT_TRUE(is_harmless(once)) << byte;
      EXPECT_EQ(printable(once), once);
    }
    std::string accents;
    while (accents.size() < length) accents += "\xc3\xa4\xe6\x97\xa5";
    EXPECT_TRUE(is_harmless(printable(accents)));
    EXPECT_EQ(printable(accents).find("\\x"), std::string::npos) << "a character was cut";
  }
}

TEST(quote, shows_short_tokens_whole_and_long_ones_with_their_length) {
  EXPECT_EQ(quote("1:x"), "'1:x'");
  EXPECT_EQ(quote("\x1b"), "'\\x1b'");
  EXPECT_EQ(quote(std::string(40, 'a')), "'" + std::string(40, 'a') + "'");
  EXPECT_EQ(quote(std::string(5000, 'a')), "'" + std::string(40, 'a') + "...' (5000 bytes)");
  std::string accents;
  for (int k = 0; k < 30; ++k) accents += "\xe6\x97\xa5";
  EXPECT_EQ(quote(accents), "'" + accents.substr(0, 39) + "...' (90 bytes)");
}

TEST(errors, are_printable_whatever_is_put_into_them) {
  const std::string path = "a\x1b]0;title\x07\nb\xff" + std::string(10'000, 'x');
  for (const std::string& said :
       {std::string(input_error(path).what()), std::string(format_error(path, 3, 4, path).what()),
        std::string(cache_error(path, path).what()), std::string(segment_error::missing(path).what())}) {
    EXPECT_LE(said.size(), longest_message);
    EXPECT_TRUE(is_harmless(said)) << said;
  }
  EXPECT_EQ(cache_error(path, "").path(), path) << "the path itself stays what it is";
}

// A path that is cut cannot be opened.
TEST(quoted_path, is_whole_and_harmless) {
  const std::string long_one = "/" + std::string(400, 'a') + "/b";
  EXPECT_EQ(detail::quoted_path(long_one), "'" + long_one + "'");
  EXPECT_EQ(detail::quoted_path("a\nb"), "'a\\nb'");
}

}  // namespace
