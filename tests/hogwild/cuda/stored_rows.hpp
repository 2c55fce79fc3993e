// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hogwild::test {

/// Columns of rows, one row behind the other, and where each begins, in numbers of 32 or of 64 bits.
template <class Index>
class stored_rows {
 public:
  explicit stored_rows(bool wide_starts) : wide_starts_(wide_starts) {}

  void push(std::size_t column) { index_.push_back(static_cast<Index>(column)); }
  void end_row() {
    start32_.push_back(static_cast<std::uint32_t>(index_.size()));
    start64_.push_back(index_.size());
  }

  std::size_t rows() const { return start32_.size() - 1; }
  /// Row r has the entries from begin(r) up to begin(r + 1).
  std::size_t begin(std::size_t r) const { return start32_[r]; }
  std::size_t column(std::size_t entry) const { return index_[entry]; }

  /// Makes all of them the rows of the work, which must not outlive this.
  template <class Work>
  void name_in(Work& work) const {
    if (wide_starts_)
      work.start64 = start64_.data();
    else
      work.start32 = start32_.data();
    if constexpr (sizeof(Index) == sizeof(std::uint16_t))
      work.index16 = index_.data();
    else
      work.index32 = index_.data();
    work.count = rows();
  }

 private:
  bool wide_starts_;
  std::vector<std::uint32_t> start32_{0};
  std::vector<std::uint64_t> start64_{0};
  std::vector<Index> index_;
};

}  // namespace hogwild::test
