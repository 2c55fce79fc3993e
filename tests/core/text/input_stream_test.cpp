// SPDX-License-Identifier: Apache-2.0
#include "text/input_stream.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include <hogwild/detail/math/random.hpp>
#include <hogwild/error.hpp>

#include "../archives.hpp"
#include "support/refusals.hpp"
#include "support/scratch_folder.hpp"

namespace hogwild::detail {
namespace {

using hogwild::test::scratch_folder;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// Reads to the end and checks the promises about every block on the way.
std::string read_all(input_stream& input) {
  std::string all;
  while (auto block = input.next()) {
    EXPECT_FALSE(block->text.empty());
    EXPECT_EQ(block->text.back(), '\n');
    all += block->text;
  }
  return all;
}

std::string numbered_lines(std::size_t count) {
  std::string text;
  for (std::size_t n = 0; n < count; ++n) text += "line " + std::to_string(n * 7919) + "\n";
  return text;
}

struct packer {
  const char* name;
  std::string (*pack)(const std::string&);
};
void PrintTo(const packer& kind, std::ostream* out) {
  *out << kind.name;
}

class archive : public ::testing::TestWithParam<packer> {
 protected:
  std::string pack(const std::string& text) const { return GetParam().pack(text); }
};

TEST_P(archive, is_told_by_its_first_bytes_and_unpacked) {
  const scratch_folder folder;
  const std::string text = numbered_lines(5000);
  for (const std::size_t block_bytes : {std::size_t{1}, std::size_t{100}, std::size_t{1} << 20})
    EXPECT_EQ(read_all(*open_input(folder.write("any.name", pack(text)), block_bytes)), text);
}

TEST_P(archive, concatenated_members_are_read_to_the_end) {
  const std::string one = numbered_lines(300), other = "the last line stands in a member of its own";
  const std::string packed = pack(one) + pack(other);
  EXPECT_EQ(read_all(*open_input_memory(packed, "two")), one + other + "\n");
  EXPECT_EQ(read_all(*open_input_memory(pack("") + packed, "three")), one + other + "\n");
}

TEST_P(archive, truncated_anywhere_is_refused_with_name_and_offset) {
  const std::string packed = pack(numbered_lines(40));
  for (std::size_t length = 8; length < packed.size(); ++length) {
    const std::string torn = packed.substr(0, length);
    EXPECT_THAT(test::message_of<input_error>([&] { read_all(*open_input_memory(torn, "torn.archive")); }),
                AllOf(HasSubstr("torn.archive: "), HasSubstr("at byte ")))
        << length << " of " << packed.size() << " bytes";
  }
}

TEST_P(archive, a_second_member_that_is_torn_is_refused) {
  const std::string first = pack("1 1:1\n"), packed = first + pack(numbered_lines(40));
  for (std::size_t length = first.size() + 1; length < packed.size(); length += 3)
    EXPECT_THROW(read_all(*open_input_memory(packed.substr(0, length), "torn")), input_error) << length;
}

TEST_P(archive, flipped_bytes_never_pass_as_other_text) {
  const std::string text = numbered_lines(200), packed = pack(text);
  std::size_t refused = 0;
  for (std::size_t place = 8; place < packed.size(); ++place) {
    std::string damaged = packed;
    damaged[place] = static_cast<char>(damaged[place] ^ 0x10);
    const std::string said = test::message_of<input_error>([&] {
      EXPECT_EQ(read_all(*open_input_memory(damaged, "flipped")), text) << place;  // some header bits mean nothing
    });
    refused += said != "accepted";
  }
  EXPECT_GT(refused, (packed.size() - 8) / 2);
}

TEST_P(archive, zeros_behind_it_are_padding_and_anything_else_is_refused) {
  EXPECT_EQ(read_all(*open_input_memory(pack("1 1:1\n") + std::string(512, '\0'), "padded")), "1 1:1\n");
  EXPECT_THROW(read_all(*open_input_memory(pack("1 1:1\n") + "rubbish after it", "longer")), input_error);
}

INSTANTIATE_TEST_SUITE_P(kinds, archive,
                         ::testing::Values(packer{"gzip", test::pack_gzip}, packer{"xz", test::pack_xz},
                                           packer{"zstd", test::pack_zstd}, packer{"bzip2", test::pack_bzip2}),
                         [](const auto& kind) { return std::string(kind.param.name); });

struct input_stream_of : testing::Test {
  const scratch_folder folder;
};

TEST_F(input_stream_of, plain_text_is_cut_at_lines_whatever_the_sizes) {
  const counter_random random(3, 0);
  for (std::uint64_t n = 0; n < 200; ++n) {
    std::string text;
    const std::uint64_t lines = random.below(n * 100, 40);
    for (std::uint64_t k = 0; k < lines; ++k) text += std::string(random.below(n * 100 + k + 1, 90), 'x') + "\n";
    const bool complete = n % 2 == 0;
    if (!complete) text += "last";
    const std::string path = folder.write("text", text), expected = complete ? text : text + "\n";
    for (const std::size_t block_bytes : {std::size_t{1}, std::size_t{64}, std::size_t{1000}}) {
      EXPECT_EQ(read_all(*open_input(path, block_bytes)), expected);
      EXPECT_EQ(read_all(*open_input_memory(text, "memory", block_bytes)), expected);
    }
  }
}

TEST_F(input_stream_of, blocks_have_about_the_size_asked_for) {
  const auto input = open_input(folder.write("text", numbered_lines(20000)), 4096);
  std::size_t blocks = 0;
  while (const auto block = input->next()) {
    EXPECT_LE(block->text.size(), 4096u + 32 + 64);
    ++blocks;
  }
  EXPECT_GT(blocks, 50u);
}

TEST_F(input_stream_of, lines_are_taken_up_to_the_longest_and_no_further) {
  constexpr std::size_t longest = 1000;
  const std::string before = numbered_lines(70), fits = std::string(longest - 1, 'x') + "\n";
  for (const std::size_t block_bytes : {std::size_t{1}, std::size_t{64}, longest, 10 * longest}) {
    for (const std::string& text : {fits, before + fits + fits + before, before + fits.substr(0, longest - 1)}) {
      const std::string expected = text.ends_with('\n') ? text : text + "\n";
      EXPECT_EQ(read_all(*open_input_memory(text, "memory", block_bytes, longest)), expected) << block_bytes;
      EXPECT_EQ(read_all(*open_input(folder.write("text", text), block_bytes, longest)), expected) << block_bytes;
    }
    for (const std::string& text : {"x" + fits, before + "x" + fits + before, before + "x" + fits.substr(0, 999)}) {
      const std::string path = folder.write("text", text);
      EXPECT_THAT(test::message_of<input_error>([&] { read_all(*open_input(path, block_bytes, longest)); }),
                  HasSubstr("text: there is a line of more than 1000 bytes"))
          << block_bytes;
    }
  }
}

TEST_F(input_stream_of, a_pipe_is_read_and_has_no_stamp) {
  const std::string pipe = (folder.path() / "pipe").string(), text = numbered_lines(30000);
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::jthread writer([&] { std::ofstream(pipe) << text; });
  const auto input = open_input(pipe);
  EXPECT_FALSE(input->stamp());
  EXPECT_EQ(read_all(*input), text);
}

TEST_F(input_stream_of, stamps_tell_size_and_time) {
  const std::string path = folder.write("text", "1 1:1\n");
  const auto before = stamp_of(path);
  ASSERT_TRUE(before);
  EXPECT_EQ(before->bytes, 6u);
  EXPECT_EQ(open_input(path)->stamp(), before);
  std::filesystem::last_write_time(path, std::filesystem::last_write_time(path) + std::chrono::nanoseconds(1));
  EXPECT_NE(stamp_of(path), before);
}

TEST_F(input_stream_of, a_file_that_is_written_to_while_it_is_read_is_refused) {
  const std::string text = numbered_lines(100000);
  for (const std::uintmax_t bytes : {std::uintmax_t{0}, std::uintmax_t{4096}, std::uintmax_t{text.size() + 5}}) {
    const std::string path = folder.write("text", text);
    const auto input = open_input(path, 4096);
    ASSERT_TRUE(input->next());
    std::filesystem::resize_file(path, bytes);
    EXPECT_THROW(read_all(*input), input_error) << bytes;
  }
}

TEST_F(input_stream_of, what_cannot_be_read_is_an_input_error) {
  EXPECT_THROW(open_input((folder.path() / "missing").string()), input_error);
  EXPECT_THROW(open_input(folder.path().string()), input_error);
  EXPECT_THROW(stamp_of(folder.path().string()), input_error);
  EXPECT_FALSE(open_input(folder.write("empty", ""))->next());
}

}  // namespace
}  // namespace hogwild::detail
