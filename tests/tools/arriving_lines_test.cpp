// SPDX-License-Identifier: Apache-2.0
#include "hogwild/arriving_lines.hpp"

#include <unistd.h>

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hogwild::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> records(std::string_view text, const record_rule& rule) {
  std::vector<std::string> all;
  std::size_t begin = 0;
  for (const std::size_t end : record_ends(text, rule)) {
    all.emplace_back(text.substr(begin, end - begin));
    begin = end;
  }
  return all;
}

TEST(records, end_at_newlines_outside_of_quoted_fields) {
  const record_rule plain, quoted{.quoted = true}, semicolons{.quoted = true, .separator = ';'};
  EXPECT_THAT(records("a,\"b\nc\"\nd\n", plain), ElementsAre("a,\"b\n", "c\"\n", "d\n"));
  EXPECT_THAT(records("a,\"b\nc\"\nd\n", quoted), ElementsAre("a,\"b\nc\"\n", "d\n"));
  EXPECT_THAT(records("a, \"b\"\"\n\"\" c\"\r\nd\n", quoted), ElementsAre("a, \"b\"\"\n\"\" c\"\r\n", "d\n"));
  EXPECT_THAT(records("\"a\n\"\n\n\"\"\n", quoted), ElementsAre("\"a\n\"\n", "\n", "\"\"\n"));
  // A quotation mark within a field opens nothing.
  EXPECT_THAT(records("5\" pipe\nb\n", quoted), ElementsAre("5\" pipe\n", "b\n"));
  EXPECT_THAT(records("a;\"b\n\"\n", semicolons), ElementsAre("a;\"b\n\"\n"));
  EXPECT_THAT(records("a,\"b\n", quoted), IsEmpty());
  EXPECT_THAT(records("", quoted), IsEmpty());
}

TEST(records, are_found_by_their_lines) {
  const record_rule quoted{.quoted = true};
  const std::string text = "a\n\"b\n\nc\"\nd";
  const auto record = [&](std::size_t line) {
    const auto [begin, end] = record_at(text, line, quoted);
    return text.substr(begin, end - begin);
  };
  EXPECT_EQ(record(1), "a\n");
  for (const std::size_t line : {2u, 3u, 4u}) EXPECT_EQ(record(line), "\"b\n\nc\"\n");
  EXPECT_EQ(record(5), "d");
  EXPECT_EQ(record(99), "d");
}

TEST(records, have_fields_between_separators_outside_of_quotation_marks) {
  const record_rule quoted{.quoted = true}, plain;
  EXPECT_EQ(fields_in("a,b,c\n", quoted), 3u);
  EXPECT_EQ(fields_in("a,\"b,\"\",\",c\n", quoted), 3u);
  EXPECT_EQ(fields_in("a,\"b,c\"\n", plain), 3u);
  EXPECT_EQ(fields_in(",\n", quoted), 2u);
  EXPECT_EQ(fields_in("\n", quoted), 1u);
}

/// Both ends of a pipe.
struct text_pipe {
  text_pipe() { EXPECT_EQ(::pipe(ends), 0); }
  ~text_pipe() {
    ::close(ends[0]);
    close_writer();
  }
  void write(std::string_view text) const { EXPECT_EQ(::write(ends[1], text.data(), text.size()), std::ssize(text)); }
  void close_writer() {
    if (open) ::close(ends[1]);
    open = false;
  }

  int ends[2]{};
  bool open = true;
};

TEST(arriving_lines, are_returned_as_far_as_records_have_ended) {
  text_pipe pipe;
  arriving_lines lines(pipe.ends[0], "text", {.quoted = true});
  pipe.write("a\nb\n\"c");
  EXPECT_FALSE(lines.compressed());
  EXPECT_EQ(lines.next(), "a\nb\n");
  pipe.write("\nd\"\n");
  EXPECT_EQ(lines.next(), "\"c\nd\"\n");
  pipe.write("end");
  pipe.close_writer();
  EXPECT_EQ(lines.next(), "end");
  EXPECT_EQ(lines.next(), std::nullopt);
}

TEST(arriving_lines, that_are_compressed_come_whole) {
  text_pipe pipe;
  arriving_lines lines(pipe.ends[0], "text", {});
  pipe.write("\x1f\x8b\n12\n3");
  pipe.close_writer();
  EXPECT_TRUE(lines.compressed());
  EXPECT_EQ(lines.next(), "\x1f\x8b\n12\n3");
  EXPECT_EQ(lines.next(), std::nullopt);
}

TEST(arriving_lines, that_begin_almost_like_compressed_text_do_not_wait_for_its_end) {
  text_pipe pipe;
  arriving_lines lines(pipe.ends[0], "text", {});
  pipe.write("BZhello\n");
  EXPECT_FALSE(lines.compressed());
  EXPECT_EQ(lines.next(), "BZhello\n");
}

}  // namespace
}  // namespace hogwild::cli
