// SPDX-License-Identifier: Apache-2.0
// Input that cannot be data is refused by its first megabytes, not when memory is full: a device or a pipe may have no
// end, and a few compressed bytes may expand without limit.
#include <limits>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../archives.hpp"
#include "../readers.hpp"
#include "support/scratch_folder.hpp"
#include "text/input_stream.hpp"

namespace hogwild::detail {
namespace {

using hogwild::test::refusal_as;
using hogwild::test::scratch_folder;
using ::testing::HasSubstr;

/// Readers, and their errors for bytes 0.
constexpr const char* no_text = "a byte 0";
constexpr std::pair<const char*, const char*> readers[] = {{"libsvm", no_text},
                                                           {"ffm", no_text},
                                                           {"ratings", no_text},
                                                           {"pairs", no_text},
                                                           {"triples", no_text},
                                                           {"graph", no_text},
                                                           {"dimacs", no_text},
                                                           {"mtx", no_text},
                                                           {"corpus", no_text},
                                                           {"analogies", no_text},
                                                           {"vectors", "word vectors begin with a line"},
                                                           {"idx", "the file begins with 0"},
                                                           {"cifar", "images are black"}};

TEST(endless_input, of_zeros_is_refused_at_once) {
  for (const auto& [reader, said] : readers) EXPECT_THAT(refusal_as(reader, "/dev/zero"), HasSubstr(said)) << reader;
}

TEST(endless_input, that_was_compressed_is_refused_by_its_beginning) {
  const scratch_folder folder;
  const std::string zeros(std::size_t{1} << 23, '\0'), letters(std::size_t{1} << 23, 'x');
  const std::string packed = folder.write("zeros", test::pack_zstd(zeros)),
                    word = folder.write("x", test::pack_gzip(letters));
  for (const auto& [reader, said] : readers) {
    EXPECT_THAT(refusal_as(reader, packed), HasSubstr(said)) << reader;
    EXPECT_NE(refusal_as(reader, word), "accepted") << reader;
    const bool of_fields = said == no_text && reader != std::string("corpus");
    if (of_fields) {
      EXPECT_THAT(refusal_as(reader, word), HasSubstr("a field of more than 1048576 bytes")) << reader;
    }
  }
}

/// Endless equal bytes; counts those that were read.
class endless final : public byte_reader {
 public:
  explicit endless(char byte) : byte_(byte) {}
  std::size_t read(std::span<char> room) override {
    std::ranges::fill(room, byte_);
    taken += room.size();
    return room.size();
  }
  std::size_t taken = 0;

 private:
  char byte_;
};

TEST(endless_input, is_not_read_further_than_it_is_looked_at) {
  for (const char byte : {'\0', 'x'}) {
    endless input(byte);
    std::string all;
    EXPECT_THROW(read_on(input, all, std::numeric_limits<std::size_t>::max(), text_look("it")), input_error);
    EXPECT_LE(input.taken, std::size_t{4} << 20);
  }
}

TEST(endless_input, an_idx_file_is_read_as_far_as_its_header_says) {
  const scratch_folder folder;
  std::string images("\0\0\x08\x03\0\0\0\x02\0\0\0\x02\0\0\0\x02", 16), labels("\0\0\x08\x01\0\0\0\x02\0\1", 10);
  const std::string of_images = folder.write("labels", labels);
  images += std::string(8, '\1') + std::string(std::size_t{1} << 23, '\1');
  const std::string packed = folder.write("images", test::pack_zstd(images));
  EXPECT_THAT(test::message_of<input_error>([&] { open_idx(packed, of_images); }),
              HasSubstr("the header speaks of 2 images, which are 8 bytes, but more follow"));
}

TEST(long_lines, of_data_are_read) {
  const scratch_folder folder;
  std::string row = "1";
  for (std::size_t j = 1; j <= 400'000; ++j) row += " " + std::to_string(j) + ":1";
  ASSERT_GT(row.size(), std::size_t{3} << 20);
  const sparse_dataset data =
      open_libsvm(folder.write("rows", row + "\n-1 1:1\n"), {.cache = open_options::cache_use::none});
  EXPECT_EQ(data.rows(), 2u);
  EXPECT_EQ(data.nonzeros(), 400'001u);
}

}  // namespace
}  // namespace hogwild::detail
