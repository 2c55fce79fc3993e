// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <hogwild/detail/data/label_column.hpp>
#include <hogwild/detail/data/row_starts.hpp>

#include "data/cache_format.hpp"

namespace hogwild::detail {

/// The starts of rows, and the codes of their labels, or lists of codes, in memory of this process. Files hold lengths
/// instead of starts, and pack lengths and codes into as few bits as possible.
class row_table {
 public:
  row_table() = default;
  /// Room for rows of these sizes, to be written; with codes if labels are coded.
  explicit row_table(const cache_header& sizes);
  /// Unpacks the file's rows. Nothing if the rows do not end with the last entry, or a code is beyond the table of
  /// labels.
  static std::optional<row_table> unpack(const cache_arrays& file);

  row_starts starts() const;
  /// For rows with lists, whose codes are places in `table`.
  label_column lists(std::span<const double> table) const { return {lists_.start, lists_.code, table}; }
  void set_lists(std::vector<std::uint32_t> start, std::vector<std::uint32_t> code) {
    lists_.start = std::move(start), lists_.code = std::move(code);
    pad_lists();
  }
  std::span<const std::uint8_t> codes() const { return {code_.get(), code_ != nullptr ? rows_ : 0}; }

  std::vector<std::uint64_t> pack_lengths() const;
  std::vector<std::uint64_t> pack_codes() const;
  std::vector<std::uint64_t> pack_lists(std::uint64_t labels) const;

 private:
  /// Appends a label after the last list, so that an empty last list has a readable place (label_column).
  void pad_lists() {
    if (lists_.start.back() == lists_.code.size()) lists_.code.push_back(0);
  }

  template <class Start>
  bool unpack_lengths(std::span<const std::byte> packed, std::uint64_t nonzeros, Start* start) const;
  bool unpack_codes(std::span<const std::byte> packed, std::uint64_t labels) const;
  bool unpack_lists(std::span<const std::byte> packed, std::uint64_t labels);

  std::size_t rows_ = 0;
  std::unique_ptr<std::uint32_t[]> start32_;  ///< rows + 1 elements, if 32 bits suffice
  std::unique_ptr<std::uint64_t[]> start64_;
  std::unique_ptr<std::uint8_t[]> code_;
  label_lists lists_;  ///< without their table
};

}  // namespace hogwild::detail
