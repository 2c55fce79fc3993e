// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/loop/rating_blocks.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <string>
#include <utility>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/error.hpp>

namespace hogwild {
namespace {

rating rating_of(row_cursor& cursor, std::size_t r, std::size_t users, std::size_t items) {
  const sparse_row<float> row = cursor.row(r);
  std::uint32_t user = 0, item = 0;
  std::size_t users_found = 0, items_found = 0;
  for (const std::uint32_t column : row.index) {
    if (column < users)
      user = column, ++users_found;
    else if (column - users < items)
      item = static_cast<std::uint32_t>(column - users), ++items_found;
  }
  if (users_found != 1 || items_found != 1 || row.size() != 2) {
    throw input_error("row " + std::to_string(r + 1) + " of the data is no rating: it has " +
                      std::to_string(users_found) + " users and " + std::to_string(items_found) +
                      " items; open ratings with open_ratings, or --format ratings");
  }
  return {user, item, row.label};
}

/// The band of each member (user or item), such that all bands have about equally many ratings.
std::vector<std::uint8_t> bands_of(std::span<const std::uint32_t> counts, std::size_t ratings, std::uint32_t bands) {
  std::vector<std::uint8_t> band(counts.size());
  std::uint64_t before = 0;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    // The middle of its ratings decides: a member with more than a band's share then does not displace the others.
    const std::uint64_t middle = before + counts[k] / 2;
    band[k] = static_cast<std::uint8_t>(
        std::min<std::uint64_t>(middle * bands / std::max<std::size_t>(ratings, 1), bands - 1));
    before += counts[k];
  }
  return band;
}

}  // namespace

std::uint32_t bands_for(std::size_t ratings, std::size_t workers) {
  constexpr double wanted = 8000.0;  // ratings in a block
  const double by_size = std::min(std::sqrt(static_cast<double>(ratings) / wanted), double{most_bands});
  const std::size_t by_workers = workers > 1 ? 4 * std::min<std::size_t>(workers, most_bands) : 1;
  return static_cast<std::uint32_t>(std::clamp<std::size_t>(
      std::max(std::bit_floor(static_cast<std::size_t>(by_size)), std::bit_ceil(by_workers)), 4, most_bands));
}

rating_list ratings_of(const sparse_view& rows, std::size_t users, std::size_t items) {
  rows.ensure(0, rows.rows());
  rating_list list;
  list.ratings.reserve(rows.rows());
  row_cursor cursor(rows);
  for (std::size_t r = 0; r < rows.rows(); ++r) list.ratings.push_back(rating_of(cursor, r, users, items));
  return list;
}

rating_list blocks_of(const sparse_view& rows, std::size_t users, std::size_t items, std::uint32_t bands) {
  rating_list list = ratings_of(rows, users, items);
  std::vector<std::uint32_t> of_users(users), of_items(items);
  for (const rating& r : list.ratings) ++of_users[r.user], ++of_items[r.item];
  const std::vector<std::uint8_t> user_band = bands_of(of_users, rows.rows(), bands);
  const std::vector<std::uint8_t> item_band = bands_of(of_items, rows.rows(), bands);
  const auto block = [&](const rating& r) { return std::size_t{user_band[r.user]} * bands + item_band[r.item]; };
  list.bands = bands;
  list.starts.assign(std::size_t{bands} * bands + 1, 0);
  for (const rating& r : list.ratings) ++list.starts[block(r) + 1];
  for (std::size_t b = 1; b < list.starts.size(); ++b) list.starts[b] += list.starts[b - 1];
  std::vector<std::uint32_t> next(list.starts.begin(), list.starts.end() - 1);
  std::vector<rating> sorted(list.ratings.size());
  for (const rating& r : list.ratings) sorted[next[block(r)]++] = r;
  list.ratings = std::move(sorted);
  return list;
}

}  // namespace hogwild
