// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <vector>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/platform/checksum.hpp>

namespace hogwild {
namespace {

struct lookup_table {
  std::vector<std::uint32_t> original;
  std::vector<std::uint32_t> dense;                             ///< number -> position; empty if numbers are far apart
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sorted;  ///< (number, position), used if `dense` is empty
};

}  // namespace

column_numbering::column_numbering(std::span<const std::uint32_t> original) {
  auto table = std::make_shared<lookup_table>();
  table->original.assign(original.begin(), original.end());
  const std::size_t range = original.empty() ? 0 : std::size_t{*std::max_element(original.begin(), original.end())} + 1;
  // The dense table may take a few times the memory of the numbers themselves, but not as much as a single large number
  // would require.
  if (range <= 8 * original.size() + 65536) {
    table->dense.assign(range, unknown);
    for (std::uint32_t position = 0; position < original.size(); ++position)
      table->dense[original[position]] = position;
  } else {
    table->sorted.reserve(original.size());
    for (std::uint32_t position = 0; position < original.size(); ++position)
      table->sorted.emplace_back(original[position], position);
    std::sort(table->sorted.begin(), table->sorted.end());
  }
  original_ = table->original;
  digest_ = detail::checksum(original_);
  lookup_ = std::move(table);
}

std::uint32_t column_numbering::position(std::uint32_t original) const {
  if (lookup_ == nullptr) return unknown;
  const auto& table = *static_cast<const lookup_table*>(lookup_.get());
  if (!table.dense.empty()) return original < table.dense.size() ? table.dense[original] : unknown;
  const auto found = std::lower_bound(table.sorted.begin(), table.sorted.end(), std::pair{original, std::uint32_t{0}});
  return found != table.sorted.end() && found->first == original ? found->second : unknown;
}

}  // namespace hogwild
