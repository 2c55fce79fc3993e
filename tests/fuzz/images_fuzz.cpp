// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <span>

#include <hogwild/error.hpp>

#include "formats/image_bytes.hpp"

namespace {

using namespace hogwild;

void check(const detail::image_bytes& images, std::span<const std::byte> labels, std::size_t stride) {
  if (images.images == 0) return;
  const auto rows = detail::rows_of(images, labels, stride);
  std::size_t nonzeros = 0, image = 0;
  for (const detail::row_block& block : rows->blocks) {
    if (block.row_end.size() != block.label.size() || block.row_end.back() != block.entries) std::abort();
    for (std::size_t k = 0; k < block.entries; ++k)
      if (block.index[k] >= images.shape.size() || !(block.value[k] >= 1 && block.value[k] <= 255)) std::abort();
    image += block.label.size();
    nonzeros += block.entries;
  }
  if (image != images.images || rows->rows != image || rows->nonzeros != nonzeros ||
      rows->columns > images.shape.size())
    std::abort();
}

}  // namespace

// Any bytes: refused with a byte inside them, or images that lie inside them.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  try {
    const detail::image_bytes images = detail::decode_idx_images(bytes, "fuzz");
    // Images of few bytes would take a row's memory for every byte; real ones do not.
    if (images.images <= 4096) check(images, {}, 0);
  } catch (const input_error&) {
  }
  try {
    if (detail::decode_idx_labels(bytes, "fuzz").size() + 8 != size) std::abort();
  } catch (const input_error&) {
  }
  try {
    const detail::image_bytes images = detail::decode_cifar(bytes, "fuzz");
    check(images, bytes, images.stride);
  } catch (const input_error&) {
  }
  return 0;
}
