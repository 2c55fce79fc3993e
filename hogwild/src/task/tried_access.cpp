// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/task/tried_access.hpp>

#include <algorithm>
#include <string>

#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>

namespace hogwild {

std::vector<std::size_t> rows_to_try(const sparse_view& data) {
  constexpr std::size_t first_ones = 8;
  std::vector<std::size_t> rows;
  std::size_t longest = 0;
  std::uint64_t most = 0;
  for (std::size_t r = 0; r < data.rows(); ++r) {
    const std::uint64_t length = data.row_start[r + 1] - data.row_start[r];
    if (length > most) longest = r, most = length;
    if (r < first_ones) rows.push_back(r);
  }
  if (longest >= first_ones) rows.push_back(longest);
  return rows;
}

void tried_bounds::require_whole() const {
  for (const group& g : whole) {
    if (g.emitted == 0 || (g.emitted == g.size && g.said_rarer == 0)) continue;
    throw config_error(
        "the model " + std::string(model) + " emits " + std::to_string(g.emitted + g.said_rarer) + " partials of the " +
        std::to_string(g.size) + " parameters of its group " + quote(std::string(g.name)) + " for row " +
        std::to_string(row + 1) +
        ", and l2 is taken with each that is emitted: emit every one once a batch, or runs of columns by "
        "sparse_block, or say l2 = false in groups(), or leave out the l2");
  }
}

void tried_bounds::refuse(std::string_view does, std::size_t offset, std::size_t n) const {
  throw config_error("the model " + std::string(model) + " " + std::string(does) + " parameter " +
                     std::to_string(std::max(offset, std::min(parameters, offset + n - 1))) + " for row " +
                     std::to_string(row + 1) + ", but its dim() says that it has " + std::to_string(parameters) +
                     ", counted from 0: look at its gradient, and at dim()");
}

}  // namespace hogwild
