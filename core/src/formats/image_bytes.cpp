// SPDX-License-Identifier: Apache-2.0
#include "image_bytes.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <string>

#include "text/byte_cursor.hpp"

namespace hogwild::detail {
namespace {

constexpr std::uint32_t images_magic = 2051, labels_magic = 2049;
constexpr image_shape cifar_shape = {3, 32, 32};
constexpr std::size_t cifar_classes = 10;

std::uint32_t take_big_endian(byte_cursor& file, const char* what) {
  return __builtin_bswap32(file.take<std::uint32_t>(what));
}

void require_magic(byte_cursor& file, std::uint32_t wanted, const char* what) {
  const auto magic = take_big_endian(file, "the magic number");
  if (magic == wanted) return;
  file.fail(0, "the file begins with " + std::to_string(magic) + ", but IDX " + what + " with " +
                   std::to_string(wanted) + "; is this the right file?");
}

/// Checks that the bytes announced by the header follow, and nothing else.
std::span<const std::byte> take_rest(byte_cursor& file, std::uint64_t bytes, const std::string& count) {
  if (bytes != file.left())
    file.fail(file.offset(), "the header speaks of " + count + ", which are " + std::to_string(bytes) + " bytes, but " +
                                 (file.left() > bytes ? "more" : std::to_string(file.left())) + " follow");
  return file.take_bytes(bytes, "the data");
}

std::size_t pixels_of(const std::byte* image, std::size_t size, std::uint32_t* index, float* value) {
  std::size_t n = 0;
  for (std::size_t b = 0; b < size; ++b) {
    if (image[b] == std::byte{0}) continue;
    index[n] = static_cast<std::uint32_t>(b);
    value[n++] = static_cast<float>(image[b]);
  }
  return n;
}

/// The result has no pixels yet.
image_bytes take_images_header(byte_cursor& file) {
  require_magic(file, images_magic, "images");
  const std::size_t images = take_big_endian(file, "the number of images");
  const std::uint32_t height = take_big_endian(file, "the height"), width = take_big_endian(file, "the width");
  const image_shape shape{1, height, width};
  if (std::min(height, width) == 0 || std::max(height, width) > longest_side || shape.size() > largest_image)
    file.fail(8, "images of " + std::to_string(height) + " x " + std::to_string(width) + " bytes are not supported");
  return {.images = images, .shape = shape, .stride = shape.size()};
}

std::uint64_t bytes_of(const image_bytes& images) {
  return std::uint64_t{images.images} * images.stride;  // both factors are below 2^32
}

std::size_t take_labels_header(byte_cursor& file) {
  require_magic(file, labels_magic, "labels");
  return take_big_endian(file, "the number of labels");
}

}  // namespace

std::uint64_t idx_image_bytes(std::span<const std::byte> header, std::string_view name) {
  byte_cursor file(header, name);
  return bytes_of(take_images_header(file));
}

std::uint64_t idx_label_bytes(std::span<const std::byte> header, std::string_view name) {
  byte_cursor file(header, name);
  return take_labels_header(file);
}

image_bytes decode_idx_images(std::span<const std::byte> bytes, std::string_view name) {
  byte_cursor file(bytes, name);
  image_bytes images = take_images_header(file);
  images.pixels = take_rest(file, bytes_of(images), std::to_string(images.images) + " images");
  return images;
}

std::span<const std::byte> decode_idx_labels(std::span<const std::byte> bytes, std::string_view name) {
  byte_cursor file(bytes, name);
  const std::size_t labels = take_labels_header(file);
  return take_rest(file, labels, std::to_string(labels) + " labels");
}

image_bytes decode_cifar(std::span<const std::byte> bytes, std::string_view name) {
  constexpr std::size_t record = cifar_record;
  const byte_cursor file(bytes, name);
  const std::size_t images = bytes.size() / record;
  for (std::size_t i = 0; i < images; ++i) {
    const auto label = static_cast<std::size_t>(bytes[i * record]);
    if (label >= cifar_classes)
      file.fail(i * record, "image " + std::to_string(i + 1) + " has the label " + std::to_string(label) +
                                ", but CIFAR-10's are 0 to 9; is this the right file?");
  }
  if (bytes.size() % record != 0)
    file.fail(images * record, "the file ends within image " + std::to_string(images + 1) + ": " +
                                   std::to_string(bytes.size() % record) + " of " + std::to_string(record) +
                                   " bytes are there");
  return {images, cifar_shape, record, bytes.empty() ? bytes : bytes.subspan(1)};
}

std::unique_ptr<parsed_text> rows_of(const image_bytes& images, std::span<const std::byte> labels,
                                     std::size_t label_stride) {
  constexpr std::size_t block_bytes = std::size_t{1} << 22;
  const std::size_t size = images.shape.size(), rows = std::max<std::size_t>(block_bytes / size, 1);
  auto text = std::make_unique<parsed_text>();
  text->image = images.shape;
  text->blocks.resize((images.images + rows - 1) / rows);
  tbb::parallel_for(std::size_t{0}, text->blocks.size(), [&](std::size_t b) {
    const std::size_t first = b * rows, last = std::min(first + rows, images.images);
    const auto entries =
        std::ranges::count_if(images.pixels.subspan(first * images.stride, (last - first - 1) * images.stride + size),
                              [](std::byte pixel) { return pixel != std::byte{0}; });
    row_block& block = text->blocks[b];
    entry_piece(static_cast<std::size_t>(entries)).lend(block);
    for (std::size_t i = first; i < last; ++i) {
      block.entries +=
          pixels_of(&images.pixels[i * images.stride], size, block.index + block.entries, block.value + block.entries);
      block.row_end.push_back(static_cast<std::uint32_t>(block.entries));
      block.label.push_back(labels.empty() ? 0.0 : static_cast<double>(labels[i * label_stride]));
    }
    for (std::size_t k = 0; k < block.entries; ++k) block.columns = std::max(block.columns, block.index[k] + 1);
  });
  for (const row_block& block : text->blocks) {
    text->rows += block.label.size();
    text->nonzeros += block.entries;
    text->columns = std::max<std::size_t>(text->columns, block.columns);
  }
  return text;
}

}  // namespace hogwild::detail
