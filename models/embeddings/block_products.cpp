// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/embeddings/block_products.hpp>

#include <algorithm>

namespace hogwild {
namespace {

/// The pairs of so many numbers; zeros follow up to a multiple of 16.
std::size_t pairs_of(std::size_t numbers) {
  return padded_to_lanes((numbers + 1) / 2);
}

/// The most room that so many rows of so many numbers take as pairs.
std::size_t room_for_pairs(std::size_t rows, std::size_t length) {
  return std::max(padded_to_lanes(rows) * pairs_of(length), pairs_of(rows) * length);
}

}  // namespace

std::string_view form_of(product_numbers numbers) {
  return numbers == product_numbers::floats ? "float" : bf16_kernels_here().name;
}

block_products::block_products(const embedding_kernels& kernels, product_numbers numbers, std::size_t width,
                               std::size_t sources, std::size_t targets)
    : kernels_(kernels), bf16_(numbers == product_numbers::bf16 ? &bf16_kernels_here() : nullptr), width_(width) {
  std::size_t room = std::max(sources, targets) * width;
  if (bf16_ != nullptr) {
    room = std::max(
        {room, room_for_pairs(sources, width), room_for_pairs(targets, width), room_for_pairs(sources, targets)});
    left_ = pairs_ = lined_floats(room);
    nothing_ = lined_floats(std::max(width, targets));
  }
  right_ = lined_floats(room);
}

void block_products::score(const float* sources, std::size_t n, const float* targets, std::size_t m, float* scores,
                           bool trained) {
  if (trained && bf16_ != nullptr) return score_in_bf16(sources, n, targets, m, scores);
  kernels_.columns_into_panels(targets, m, width_, right_.data());
  kernels_.product(n, m, width_, sources, width_, 1, right_.data(), scores, m, false);
}

void block_products::differentiate(const float* slopes, const float* sources, std::size_t n, const float* targets,
                                   std::size_t m, float* source_gradients, float* target_gradients) {
  if (bf16_ != nullptr)
    return differentiate_in_bf16(slopes, sources, n, targets, m, source_gradients, target_gradients);
  for (std::size_t j = 0; j < m; ++j) kernels_.into_panels(targets + j * width_, width_, j, m, right_.data());
  kernels_.product(n, width_, m, slopes, m, 1, right_.data(), source_gradients, width_, false);
  for (std::size_t i = 0; i < n; ++i) kernels_.into_panels(sources + i * width_, width_, i, n, right_.data());
  kernels_.product(m, width_, n, slopes, 1, m, right_.data(), target_gradients, width_, false);
}

void block_products::pair_numbers(const float* rows, std::size_t n, std::size_t length) {
  const std::size_t pairs = pairs_of(length), own = length / 2;
  for (std::size_t i = 0; i < n; ++i) {
    float* const to = pairs_.data() + i * pairs;
    kernels_.pairs_of_row(rows + i * length, length, to);
    std::fill_n(to + own, pairs - own, 0.0f);
  }
}

void block_products::pair_rows(const float* rows, std::size_t n, std::size_t length) {
  const auto row = [&](std::size_t i) { return i < n ? rows + i * length : nothing_.data(); };
  for (std::size_t p = 0; p < pairs_of(n); ++p)
    kernels_.pairs_of_rows(row(2 * p), row(2 * p + 1), length, pairs_.data() + p * length);
}

void block_products::into_panels(std::size_t n, std::size_t length, std::size_t rows, lined_floats& to) const {
  for (std::size_t i = 0; i < n; ++i) kernels_.into_panels(pairs_.data() + i * length, length, i, rows, to.data());
}

void block_products::score_in_bf16(const float* sources, std::size_t n, const float* targets, std::size_t m,
                                   float* scores) {
  const std::size_t pairs = pairs_of(width_);
  pair_numbers(targets, m, width_);
  kernels_.columns_into_panels(pairs_.data(), m, pairs, right_.data());
  pair_numbers(sources, n, width_);
  into_panels(n, pairs, padded_to_lanes(n), left_);
  bf16_->product(n, m, pairs, left_.data(), right_.data(), scores, m);
}

void block_products::differentiate_in_bf16(const float* slopes, const float* sources, std::size_t n,
                                           const float* targets, std::size_t m, float* source_gradients,
                                           float* target_gradients) {
  pair_numbers(slopes, n, m);
  into_panels(n, pairs_of(m), padded_to_lanes(n), left_);
  pair_rows(targets, m, width_);
  into_panels(pairs_of(m), width_, pairs_of(m), right_);
  bf16_->product(n, width_, pairs_of(m), left_.data(), right_.data(), source_gradients, width_);
  // Pairs of two sources' slopes are, column by column, those of the transposed slopes' rows.
  pair_rows(slopes, n, m);
  kernels_.columns_into_panels(pairs_.data(), pairs_of(n), m, left_.data());
  pair_rows(sources, n, width_);
  into_panels(pairs_of(n), width_, pairs_of(n), right_);
  bf16_->product(m, width_, pairs_of(n), left_.data(), right_.data(), target_gradients, width_);
}

}  // namespace hogwild
