// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/parsed_text.hpp"
#include "data/row_place.hpp"

namespace hogwild::detail {

/// Gives the columns that occur in one row only, the last ones in the order of columns, positions in the order of those
/// rows, and within a row in the order of its entries. Such columns are two thirds of some texts' columns and the
/// rarest; a row's own then stand side by side in the model, in one or two cache lines instead of one each, and a run
/// of rows has a run of lines that no other row reads or writes.
class singleton_order {
 public:
  /// `before`: the numbers of the columns as they are ordered so far, from position `first` on.
  singleton_order(std::uint32_t first, std::vector<std::uint32_t> before)
      : before_(std::move(before)), next_(first), first_(first) {}

  /// The next rows, in this order: their columns take the next positions in `original`. Where the entries hold
  /// positions, those are changed; else `position` is, which has the positions of all columns.
  void number(parsed_text& text, std::span<const row_place> order, std::span<std::uint32_t> original,
              std::span<std::uint32_t> position);

 private:
  std::vector<std::uint32_t> before_;
  std::uint32_t next_, first_;
};

}  // namespace hogwild::detail
