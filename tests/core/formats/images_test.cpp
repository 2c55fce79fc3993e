// SPDX-License-Identifier: Apache-2.0
#include <hogwild/formats/images.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/error.hpp>

#include "core/archives.hpp"
#include "support/refusals.hpp"
#include "support/scratch_folder.hpp"

namespace hogwild {
namespace {

using ::testing::HasSubstr;

std::string big_endian(std::uint32_t n) {
  return {static_cast<char>(n >> 24), static_cast<char>(n >> 16), static_cast<char>(n >> 8), static_cast<char>(n)};
}
std::string idx_images(std::uint32_t count, std::uint32_t height, std::uint32_t width, const std::string& pixels) {
  return big_endian(2051) + big_endian(count) + big_endian(height) + big_endian(width) + pixels;
}
std::string idx_labels(const std::string& labels) {
  return big_endian(2049) + big_endian(static_cast<std::uint32_t>(labels.size())) + labels;
}
// Three images of 2 x 2 bytes.
const std::string pixels("\x00\x01\xff\x00\x00\x00\x00\x00\x10\x20\x30\x40", 12), three_labels("\x07\x00\x09", 3);

using image = std::map<std::uint32_t, float>;

/// The contents of a dataset: each row's bytes, at their numbers in the input, by label.
std::multimap<double, image> contents(const sparse_dataset& data) {
  std::multimap<double, image> rows;
  row_cursor cursor(data.view());
  for (std::size_t r = 0; r < data.rows(); ++r) {
    image bytes;
    for (auto [column, byte] : cursor.row(r)) bytes[data.view().original[column]] = byte;
    rows.emplace(cursor.label(r), bytes);
  }
  return rows;
}
const std::multimap<double, image> expected = {
    {7, {{2, 1.0f}, {3, 255.0f}}}, {0, {}}, {9, {{1, 16.0f}, {2, 32.0f}, {3, 48.0f}, {4, 64.0f}}}};

constexpr auto refusal = [](const auto& call) { return test::message_of<input_error>(call); };

class images : public testing::Test {
 protected:
  test::scratch_folder folder;
  std::string data = folder.write("train-images-idx3-ubyte", idx_images(3, 2, 2, pixels));
  std::string write_labels() const { return folder.write("train-labels-idx1-ubyte", idx_labels(three_labels)); }
};

TEST_F(images, of_idx_files_lie_beside_their_labels_packed_or_not) {
  write_labels();
  EXPECT_EQ(contents(open_idx(data)), expected);
  const std::string gz = folder.write("train-images-idx3-ubyte.gz", test::pack_gzip(idx_images(3, 2, 2, pixels)));
  EXPECT_EQ(contents(open_idx(gz)), expected);
  EXPECT_EQ(detect_image_format(gz), image_format::idx);
  EXPECT_EQ(detect_image_format(data), image_format::idx);

  // Dots in the names, as in other collections; packed labels beside plain images.
  const std::string dots = folder.write("t10k-images.idx3-ubyte", idx_images(3, 2, 2, pixels));
  folder.write("t10k-labels.idx1-ubyte.gz", test::pack_gzip(idx_labels(three_labels)));
  EXPECT_EQ(contents(open_idx(dots)), expected);
}

TEST_F(images, are_kept_in_a_cache_that_notices_other_labels) {
  const std::string labels = write_labels();
  EXPECT_FALSE(open_idx(data).from_cache());
  const sparse_dataset again = open_idx(data);
  EXPECT_TRUE(again.from_cache());
  EXPECT_EQ(contents(again), expected);
  folder.write("others", idx_labels("\x01\x02\x03"));
  const sparse_dataset other = open_idx(data, folder / "others");
  EXPECT_FALSE(other.from_cache());
  EXPECT_EQ(contents(other).count(2), 1u);
}

TEST_F(images, have_a_shape_in_files_caches_and_memory) {
  write_labels();
  const image_shape shape{1, 2, 2};
  EXPECT_EQ(open_idx(data).view().image, shape);
  const sparse_dataset cached = open_idx(data);
  EXPECT_TRUE(cached.from_cache());
  EXPECT_EQ(cached.view().image, shape);
  EXPECT_EQ(cached.view().slice(1, 3).image, shape);
  sparse_view rows = cached.view();
  EXPECT_EQ(sparse_dataset::copy_of(rows).view().image, shape);
  rows.image = {3, 65'535, 65'535};
  EXPECT_EQ(sparse_dataset::map(sparse_dataset::copy_of(rows).shared_path()).view().image, rows.image);
  rows.image = {};
  EXPECT_FALSE(sparse_dataset::copy_of(rows).view().image.known());
  for (const image_shape wrong : {image_shape{0, 2, 2}, {1, 2, 0}, {256, 1, 1}, {1, 65'536, 1}, {1, 1, 65'536}}) {
    rows.image = wrong;
    EXPECT_THAT(refusal([&] { sparse_dataset::copy_of(rows); }), HasSubstr("no images of " + name_of(wrong)));
  }
}

TEST_F(images, are_read_through_the_numbers_of_the_training_data) {
  write_labels();
  const sparse_dataset train = open_idx(data);
  EXPECT_EQ(train.features(), 4u);
  const std::string test =
      folder.write("t10k-images-idx3-ubyte", idx_images(2, 1, 5, "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a"));
  folder.write("t10k-labels-idx1-ubyte", idx_labels("\x09\x07"));
  const sparse_dataset read = open_idx(test, {}, {.numbering = &train.numbering()});
  EXPECT_EQ(read.unknown_entries(), 2u) << "the fifth byte of each";
  ASSERT_EQ(read.view().original.size(), 4u);
  EXPECT_EQ(contents(read).find(7)->second, (image{{1, 6.0f}, {2, 7.0f}, {3, 8.0f}, {4, 9.0f}}));
  EXPECT_EQ(read.view().label[0], 9.0) << "in their own order";
}

TEST_F(images, without_labels_are_for_prediction_alone) {
  EXPECT_THAT(refusal([&] { open_idx(data); }), HasSubstr("no file of labels beside the images"));
  const sparse_dataset read = open_idx(data, {}, {.labels_optional = true});
  EXPECT_EQ(read.rows(), 3u);
  EXPECT_EQ(read.view().label[0], 0.0);
  EXPECT_THAT(test::message_of<config_error>([] { open_idx("-", "-"); }),
              HasSubstr("cannot both come from standard input"));
}

TEST_F(images, that_are_damaged_are_refused_with_the_byte) {
  const std::string labels = folder.write("l", idx_labels(three_labels));
  const std::string good = idx_images(3, 2, 2, pixels);
  for (const auto& [bytes, said] : std::vector<std::pair<std::string, std::string>>{
           {"", "x: byte 0: the file ends within the magic number"},
           {idx_labels("abc"), "x: byte 0: the file begins with 2049, but IDX images with 2051"},
           {good.substr(0, 10), "x: byte 8: the file ends within the height"},
           {good.substr(0, 27), "x: byte 16: the header speaks of 3 images, which are 12 bytes, but 11 follow"},
           {good + "x", "but more follow"},
           {idx_images(3, 0, 2, ""), "x: byte 8: images of 0 x 2 bytes"},
           {idx_images(1, 1, 65'536, std::string(65'536, 'x')),
            "x: byte 8: images of 1 x 65536 bytes are not supported"},
           {idx_images(0xffffffffu, 0xffffffffu, 0xffffffffu, ""), "x: byte 8: images of"},
           {idx_images(0, 2, 2, ""), "there are no images"}})
    EXPECT_THAT(refusal([&, &bytes = bytes] { open_idx(folder.write("x", bytes), labels); }), HasSubstr(said));
  EXPECT_THAT(refusal([&] { open_idx(data, folder.write("few", idx_labels("ab"))); }),
              HasSubstr("there are 2 labels for the 3 images"));
  EXPECT_THAT(refusal([&] { open_idx(data, data); }), HasSubstr("IDX labels with 2049"));
  EXPECT_THAT(refusal([&] { open_idx(data, folder / "nowhere"); }), HasSubstr("nowhere"));
  EXPECT_THAT(refusal([&] { open_idx(folder / "nowhere", labels); }), HasSubstr("nowhere"));
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    EXPECT_NE(entry.path().extension(), ".hogwild") << "no cache stays behind";
}

std::string cifar_record(char label, char first, char last) {
  std::string record(3073, '\0');
  record.front() = label, record[1] = first, record.back() = last;
  return record;
}

TEST_F(images, of_cifar_files_are_records) {
  const std::string path = folder.write("batch.bin", cifar_record(3, 10, 20) + cifar_record(9, 0, 7));
  EXPECT_EQ(detect_image_format(path), image_format::cifar);
  const std::multimap<double, image> found = {{3, {{1, 10.0f}, {3072, 20.0f}}}, {9, {{3072, 7.0f}}}};
  EXPECT_EQ(contents(open_cifar(path)), found);
  EXPECT_EQ(open_cifar(path).view().image, (image_shape{3, 32, 32}));
  for (const auto& [bytes, said] : std::vector<std::pair<std::string, std::string>>{
           {cifar_record(3, 1, 1) + cifar_record(10, 1, 1), "y: byte 3073: image 2 has the label 10"},
           {cifar_record(3, 1, 1) + "\x01more", "y: byte 3073: the file ends within image 2: 5 of 3073"},
           {"", "there are no images"}})
    EXPECT_THAT(refusal([&, &bytes = bytes] { open_cifar(folder.write("y", bytes)); }), HasSubstr(said));
}

// A label of 9 is a tab, and pixels of 32 and more are letters: text begins like that, but goes on differently.
TEST_F(images, of_cifar_files_are_told_from_text_where_the_first_ones_look_like_it) {
  const auto bright = [](char label, char pixel) {
    std::string record(3073, pixel);
    record.front() = label;
    return record;
  };
  const auto format = [&](const std::string& bytes) { return detect_image_format(folder.write("z", bytes)); };
  EXPECT_EQ(format(bright(9, ' ') + bright(9, 'a') + bright(3, 'a')), image_format::cifar) << "a label of 3";
  EXPECT_EQ(format(bright(9, 'a') + cifar_record(9, '\x01', 'a')), image_format::cifar) << "a dark pixel";
  EXPECT_EQ(format(bright(9, '\xf0')), image_format::cifar) << "whole, and no ASCII";
  std::string many;
  for (int i = 0; i < 20; ++i) many += bright(9, '\xf0');
  EXPECT_EQ(format(many + "x"), image_format::cifar) << "longer than what is looked at";
  EXPECT_EQ(detect_image_format(folder.write("z.gz", test::pack_gzip(bright(9, 'a') + bright(0, 'b')))),
            image_format::cifar);
  EXPECT_EQ(format(cifar_record(9, 1, 1) + cifar_record(9, 1, 1).substr(0, 100)), image_format::cifar)
      << "cut off, which reading then says";

  EXPECT_EQ(format(bright(9, '\xf0') + "9"), std::nullopt) << "no whole records";
  EXPECT_EQ(format(bright(9, '1')), std::nullopt) << "ASCII alone";
  EXPECT_EQ(format(cifar_record(3, 1, 1) + bright(10, 1)), std::nullopt) << "no such label";
  EXPECT_EQ(format("\t1 1:2 # gr\xc3\xb6\xc3\x9f"
                   "er\n"),
            std::nullopt);
  EXPECT_EQ(format(idx_labels("\x01\x02\x03")), image_format::idx) << "whose reader says what they are";
}

TEST_F(images, are_not_seen_in_text) {
  for (const char* text : {"1 1:0.5\n", "", "9\n", "# comment\n", "\t1 2:3\n", "5 1:1 2:1 3:1 4:1\r\n"})
    EXPECT_EQ(detect_image_format(folder.write("t", text)), std::nullopt) << text;
  EXPECT_THROW(detect_image_format(folder / "nowhere"), input_error);
}

}  // namespace
}  // namespace hogwild
