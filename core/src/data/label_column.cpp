// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/data/label_column.hpp>

#include <algorithm>

namespace hogwild {

label_lists::label_lists(std::span<const std::uint32_t> first, std::span<const double> labels)
    : start(first.begin(), first.end()), table(labels.begin(), labels.end()) {
  for (double& label : table) label += 0.0;  // -0 and 0 are one label
  std::ranges::sort(table);
  table.erase(std::unique(table.begin(), table.end()), table.end());
  code.reserve(labels.size());
  for (const double label : labels)
    code.push_back(static_cast<std::uint32_t>(std::ranges::lower_bound(table, label) - table.begin()));
  code.push_back(0);  // follows the last list, so that an empty last list has a readable place
  for (std::size_t r = 0; r + 1 < start.size(); ++r) std::sort(code.begin() + start[r], code.begin() + start[r + 1]);
}

}  // namespace hogwild
