// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <hogwild/dataset.hpp>

namespace hogwild {

// Images in binary files. As a row of data, an image has an entry for each byte that is not 0, with the byte as its
// value; its class is the label. In the input's numbering (sparse_view::original), byte b of an image, counted from 0,
// plane by plane and row by row, is column first_pixel + b. sparse_view::image holds the number of planes, the height
// and the width.

/// The input number of the column of an image's first byte.
inline constexpr std::uint32_t first_pixel = 1;

/// Opens images of the IDX format of MNIST: a big-endian header (magic number 2051, number of images, their height and
/// width, each below 2^16), then their bytes; plain or compressed. Their labels are in a second IDX file (magic number
/// 2049): `labels_path` or, if that is empty, the file beside the images whose name has "labels" for "images" and
/// "idx1" for "idx3", compressed or not. Throws what open_libsvm throws; input_error names file and byte. With
/// labels_optional a missing label file gives labels 0.
sparse_dataset open_idx(const std::string& path, const std::string& labels_path = {}, const open_options& options = {});

/// Opens images of CIFAR-10's binary format: records of a label, 0 to 9, and 3072 bytes: three planes (red, green,
/// blue) of 32 x 32.
sparse_dataset open_cifar(const std::string& path, const open_options& options = {});

/// The formats of image files.
enum class image_format {
  idx,   ///< IDX, the format of MNIST
  cifar  ///< CIFAR-10's binary format
};

/// Recognises the format of a file by its first bytes, decompressed; nothing if it is neither (text, say). A file of
/// labels counts as idx, and open_idx then refuses it. CIFAR-10 has no magic number: the function looks at the labels
/// of the records, and for bytes that text does not contain. Throws input_error if the file cannot be read. Not for
/// standard input, whose bytes would be consumed.
std::optional<image_format> detect_image_format(const std::string& path);

}  // namespace hogwild
