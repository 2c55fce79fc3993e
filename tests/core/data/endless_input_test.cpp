// SPDX-License-Identifier: Apache-2.0
// Input that cannot be data is refused by its first megabytes, not when memory is full: a device or a pipe may have no
// end, and a few compressed bytes may become any number.
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/formats/libsvm.hpp>
#include <hogwild/detail/words/analogies.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/corpus.hpp>
#include <hogwild/formats/graphs.hpp>
#include <hogwild/formats/images.hpp>
#include <hogwild/formats/libffm.hpp>
#include <hogwild/formats/ratings.hpp>
#include <hogwild/word_vectors.hpp>

#include "../archives.hpp"
#include "data/input_stream.hpp"
#include "support/scratch_folder.hpp"

namespace hogwild::detail {
namespace {

using hogwild::test::scratch_folder;
using ::testing::HasSubstr;

struct reader {
  const char* name;
  std::function<void(const std::string& path)> read;
  const char* of_zeros;  ///< what is said of bytes 0
};

std::vector<reader> readers() {
  static const open_options uncached{.cache = open_options::cache_use::none};
  constexpr const char *no_text = "a byte 0", *no_vectors = "word vectors begin with a line";
  return {{"libsvm", [](const std::string& p) { open_libsvm(p, uncached); }, no_text},
          {"ffm", [](const std::string& p) { open_libffm(p, uncached); }, no_text},
          {"ratings", [](const std::string& p) { open_ratings(p, uncached); }, no_text},
          {"graph", [](const std::string& p) { open_graph(p, {}, uncached); }, no_text},
          {"dimacs", [](const std::string& p) { open_graph(p, {.format = graph_format::dimacs}, uncached); }, no_text},
          {"corpus", [](const std::string& p) { open_corpus(p); }, no_text},
          {"analogies", [](const std::string& p) { load_analogies(p); }, no_text},
          {"vectors", [](const std::string& p) { load_word_vectors(p); }, no_vectors},
          {"idx", [](const std::string& p) { open_idx(p, p, uncached); }, "the file begins with 0"},
          {"cifar", [](const std::string& p) { open_cifar(p, uncached); }, "images are black"}};
}

std::string refusal(const reader& r, const std::string& path) {
  try {
    r.read(path);
  } catch (const input_error& e) {
    return e.what();
  }
  return "accepted";
}

TEST(endless_input, of_zeros_is_refused_at_once) {
  for (const reader& r : readers()) EXPECT_THAT(refusal(r, "/dev/zero"), HasSubstr(r.of_zeros)) << r.name;
}

TEST(endless_input, that_was_compressed_is_refused_by_its_beginning) {
  const scratch_folder folder;
  const std::string zeros(std::size_t{1} << 23, '\0'), letters(std::size_t{1} << 23, 'x');
  const std::string packed = folder.write("zeros", test::pack_zstd(zeros)),
                    word = folder.write("x", test::pack_gzip(letters));
  for (const reader& r : readers()) {
    EXPECT_THAT(refusal(r, packed), HasSubstr(r.of_zeros)) << r.name;
    EXPECT_NE(refusal(r, word), "accepted") << r.name;
  }
  for (const reader& r : readers()) {
    const bool of_fields = r.of_zeros == std::string("a byte 0") && r.name != std::string("corpus");
    if (of_fields) {
      EXPECT_THAT(refusal(r, word), HasSubstr("a field of more than 1048576 bytes")) << r.name;
    }
  }
}

/// Bytes without end, all alike; counts those that were taken.
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
  try {
    open_idx(folder.write("images", test::pack_zstd(images)), of_images);
    FAIL();
  } catch (const input_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("the header speaks of 2 images, which are 8 bytes, but more follow"));
  }
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
