// SPDX-License-Identifier: Apache-2.0
#include <hogwild/formats/images.hpp>

#include <algorithm>
#include <filesystem>
#include <span>
#include <string_view>

#include <hogwild/error.hpp>
#include <hogwild/formats/file_kind.hpp>

#include "data/row_format.hpp"
#include "image_bytes.hpp"
#include "label_file.hpp"
#include "text/input_stream.hpp"
#include "text/known_kinds.hpp"

namespace hogwild {
namespace {

std::string shown(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

bool replace(std::string& text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  if (at != text.npos) text.replace(at, from.size(), to);
  return at != text.npos;
}

/// The label file beside images; empty if there is none.
std::string labels_beside(const std::string& images) {
  std::string name = std::filesystem::path(images).filename().string();
  if (!replace(name, "images", "labels")) return {};
  replace(name, "idx3", "idx1");
  return detail::file_beside(images, name);
}

std::string labels_of(const std::string& images, const std::string& named, bool optional) {
  if (!named.empty() || optional) return named.empty() ? labels_beside(images) : named;
  const std::string found = labels_beside(images);
  if (found.empty())
    throw input_error(shown(images) +
                      ": there is no file of labels beside the images (the same name with 'labels' for 'images'); "
                      "name it");
  return found;
}

void require_images(const detail::image_bytes& images, const std::string& path) {
  if (images.images == 0) throw input_error(shown(path) + ": there are no images in it");
}

constexpr std::string_view idx_mark("\0\0\x08", 3);

std::span<const std::byte> bytes_of(const std::string& file) {
  return std::as_bytes(std::span(file));
}

/// Reads an IDX file to the end that its header announces, and one more byte if there is one. `told` returns that
/// length. Throws what `told` throws for a bad header, and input_error if the file is known to be of another kind than
/// `wanted`.
template <class Told>
std::string read_idx_file(const std::string& path, file_kind wanted, std::size_t header, const Told& told) {
  const auto input = detail::open_bytes(path);
  std::string file;
  detail::read_on(*input, file, header);
  if (!file.starts_with(idx_mark)) {
    detail::read_on(*input, file, looked_at_bytes);
    detail::require_bytes(file, wanted, wanted == file_kind::idx_images ? "IDX images" : "IDX labels", shown(path));
    file.resize(std::min(file.size(), header));
  }
  if (file.size() == header) detail::read_on(*input, file, header + told(bytes_of(file), shown(path)) + 1);
  return file;
}

std::unique_ptr<detail::parsed_text> read_idx(const std::string& path, const std::string& labels_path) {
  const std::string file =
      read_idx_file(path, file_kind::idx_images, detail::idx_images_header, detail::idx_image_bytes);
  const detail::image_bytes images = detail::decode_idx_images(bytes_of(file), shown(path));
  require_images(images, path);
  if (labels_path.empty()) return detail::rows_of(images, {}, 0);
  const std::string label_file =
      read_idx_file(labels_path, file_kind::idx_labels, detail::idx_labels_header, detail::idx_label_bytes);
  const std::span<const std::byte> labels = detail::decode_idx_labels(bytes_of(label_file), shown(labels_path));
  if (labels.size() != images.images)
    throw input_error(labels_path + ": there are " + std::to_string(labels.size()) + " labels for the " +
                      std::to_string(images.images) + " images of " + shown(path));
  return detail::rows_of(images, labels, 1);
}

std::unique_ptr<detail::parsed_text> read_cifar(const std::string& path) {
  const auto require_images_in = [&](std::string_view all) {
    detail::require_bytes(all, file_kind::cifar, "CIFAR-10 images", shown(path));
  };
  const auto look = [&](std::string_view all, std::size_t from) {
    if (from == 0) require_images_in(all);
    if (from == 0 && all.find_first_not_of('\0') == all.npos)
      throw input_error(shown(path) + ": the first " + std::to_string(all.size() / detail::cifar_record) +
                        " images are black; is this the right file?");
    const std::size_t records = all.size() / detail::cifar_record;
    detail::decode_cifar(std::as_bytes(std::span(all)).first(records * detail::cifar_record), shown(path));
  };
  const std::string all = detail::read_unpacked(path, look, detail::content::bytes);
  require_images_in(all);
  const std::span<const std::byte> file = bytes_of(all);
  const detail::image_bytes images = detail::decode_cifar(file, shown(path));
  require_images(images, path);
  return detail::rows_of(images, file, images.stride);
}

/// Layout version for the cache of images: since version 1 it stores height and width.
constexpr std::uint64_t images_layout = 1;

}  // namespace

sparse_dataset open_idx(const std::string& path, const std::string& labels_path, const open_options& options) {
  if (path == "-" && labels_path == "-")
    throw config_error("images and labels cannot both come from standard input; name a file for one of them");
  const std::string labels = labels_of(path, labels_path, options.labels_optional);
  return detail::open_rows(path, options,
                           {.kind = detail::input_format::idx,
                            .whole = [&](const std::string& images) { return read_idx(images, labels); },
                            .companions = detail::label_file_digest(labels, images_layout)});
}

sparse_dataset open_cifar(const std::string& path, const open_options& options) {
  return detail::open_rows(path, options,
                           {.kind = detail::input_format::cifar, .whole = read_cifar, .companions = images_layout});
}

std::optional<image_format> detect_image_format(const std::string& path) {
  switch (look_at_file(path).kind) {
    case file_kind::idx_images:
    case file_kind::idx_labels:  // refused as what they are, rather than as text
      return image_format::idx;
    case file_kind::cifar:
      return image_format::cifar;
    default:
      return std::nullopt;
  }
}

}  // namespace hogwild
