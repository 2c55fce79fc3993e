// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/collectives/agreement.hpp>

namespace hogwild {

/// The rows of one rank, read through columns that all ranks have in common: the columns that occur in any rank's rows,
/// by falling frequency over all of them. For ranks that each opened a file of their own and so number their columns
/// differently.
class common_columns {
 public:
  /// All ranks call this at the same point. `mine` outlives this; its entries are copied, the rest is not. Throws what
  /// collective throws.
  common_columns(const sparse_dataset& mine, const agreement& ranks);

  /// Rows in the order of the rank's own dataset.
  sparse_view view() const { return view_; }
  /// The same on all ranks.
  const column_numbering& numbering() const { return numbering_; }

 private:
  column_numbering numbering_;
  std::vector<std::uint32_t> original_, degree_, index_;
  std::vector<std::uint16_t> index16_;
  sparse_view view_{};
};

}  // namespace hogwild
