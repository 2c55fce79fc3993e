// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/kernels/factor_kernels.hpp>

namespace hogwild {

/// Ratings as kernels take them: one for each row of data, which is one user and one item.
struct rating_list {
  std::vector<rating> ratings;
  /// Where blocks begin, bands * bands + 1 of them; empty if the ratings are in the order of the rows.
  std::vector<std::uint32_t> starts;
  std::uint32_t bands = 0;
};

/// The most bands that have locks.
inline constexpr std::uint32_t most_bands = 64;

/// The number of bands into which users and items are cut: blocks have about ten thousand ratings, so that their rows
/// fit into a core's cache and do not change cores too often, and each worker has four bands, so that a free block is
/// found quickly. A power of two from 4 to most_bands.
std::uint32_t bands_for(std::size_t ratings, std::size_t workers);

/// The ratings in the order of the rows. Makes a pass over all rows. Throws input_error for a row that is no rating.
rating_list ratings_of(const sparse_view& rows, std::size_t users, std::size_t items);

/// The same by blocks. Users and items, each by popularity, are cut into `bands` runs of about equally many ratings;
/// `bands` is at most most_bands. Block (a, b), number a * bands + b, holds the ratings of users in run a and items in
/// run b, in the order of the rows. Blocks that differ in both a and b have no user or item in common.
rating_list blocks_of(const sparse_view& rows, std::size_t users, std::size_t items, std::uint32_t bands);

}  // namespace hogwild
