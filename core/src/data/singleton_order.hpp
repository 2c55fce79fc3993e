// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/parsed_text.hpp"
#include "data/row_place.hpp"

namespace hogwild::detail {

/// Orders the columns that occur in a single row, which come last in the order of columns, by their rows, and within a
/// row by its entries. Such columns are two thirds of some texts' columns, and the rarest. A row's own columns are then
/// adjacent in the model, in one or two cache lines instead of one each, and a run of rows has a run of cache lines
/// that no other row reads or writes.
class singleton_order {
 public:
  /// `before`: the numbers of the columns in their previous order, from position `first` on.
  singleton_order(std::uint32_t first, std::vector<std::uint32_t> before)
      : before_(std::move(before)), next_(first), first_(first) {}

  /// Takes the next rows, in this order: their columns get the next positions in `original`. If entries hold positions,
  /// these are changed; otherwise `position`, which has the positions of all columns, is.
  void number(parsed_text& text, std::span<const row_place> order, std::span<std::uint32_t> original,
              std::span<std::uint32_t> position);

 private:
  std::vector<std::uint32_t> before_;
  std::uint32_t next_, first_;
};

}  // namespace hogwild::detail
