// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "data/parsed_text.hpp"
#include "text/known_kinds.hpp"

namespace hogwild::detail {

/// Images in a file's bytes: image i begins at pixels[i * stride].
struct image_bytes {
  std::size_t images = 0;
  image_shape shape{};
  std::size_t stride = 0;
  std::span<const std::byte> pixels{};
};

/// The most bytes of an image, and the longest side: no net of this library takes larger ones.
inline constexpr std::size_t largest_image = std::size_t{1} << 24, longest_side = 0xffff;

/// The size of an IDX header of images and of labels, and the number of bytes that follow it according to the header.
/// Throws as decoding does.
inline constexpr std::size_t idx_images_header = 16, idx_labels_header = 8;
std::uint64_t idx_image_bytes(std::span<const std::byte> header, std::string_view name);
std::uint64_t idx_label_bytes(std::span<const std::byte> header, std::string_view name);

/// Reads the header and checks that the announced number of bytes follow. Throws input_error with `name` and the byte.
image_bytes decode_idx_images(std::span<const std::byte> file, std::string_view name);
/// One byte an image.
std::span<const std::byte> decode_idx_labels(std::span<const std::byte> file, std::string_view name);
/// Reads whole records with labels of 0 to 9; the label of image i precedes it, at file[i * stride].
image_bytes decode_cifar(std::span<const std::byte> file, std::string_view name);

/// Rows of all images. labels[i * label_stride] is the class of image i; without labels it is 0.
std::unique_ptr<parsed_text> rows_of(const image_bytes& images, std::span<const std::byte> labels,
                                     std::size_t label_stride);

}  // namespace hogwild::detail
