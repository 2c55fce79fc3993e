// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <hogwild/detail/data/quantised_rows.hpp>

namespace hogwild {

/// How rows are quantised.
struct quantisation {
  std::size_t part = 2;                                    ///< numbers of a part, 1 to quantised_rows::longest_part
  std::size_t centroids = quantised_rows::most_centroids;  ///< of a part at most
  bool lengths = false;    ///< whether the lengths of rows are quantised apart from their directions
  std::uint64_t seed = 1;  ///< of the rows whose parts the centroids begin with
};

/// Quantises rows of `width` numbers, at least one: the centroids of a part are those of k-means (Lloyd, Least squares
/// quantization in PCM, 1982) on a sample of the rows. The same rows and seed make the same bytes for any number of
/// threads, those of oneTBB here.
quantised_rows quantised(std::span<const float> rows, std::size_t width, const quantisation& how);

}  // namespace hogwild
