// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>

#include <hogwild/detail/data/item_iterator.hpp>

namespace hogwild {

/// Where each row begins among the entries: 64-bit numbers, or 32-bit ones if they suffice; or rows of equal length,
/// whose starts are computed. Borrows the numbers.
class row_starts {
 public:
  using value_type = std::uint64_t;
  using iterator = item_iterator<row_starts>;
  using const_iterator = iterator;

  row_starts() = default;
  row_starts(std::span<const std::uint64_t> wide) : wide_(wide.data()), size_(wide.size()) {}
  row_starts(std::span<const std::uint32_t> narrow) : narrow_(narrow.data()), size_(narrow.size()) {}
  /// Signed numbers, which must not be negative: a negative one would count as a very large one.
  row_starts(std::span<const std::int64_t> wide)
      : wide_(reinterpret_cast<const std::uint64_t*>(wide.data())), size_(wide.size()) {}
  row_starts(std::span<const std::int32_t> narrow)
      : narrow_(reinterpret_cast<const std::uint32_t*>(narrow.data())), size_(narrow.size()) {}
  /// `rows` rows of `length` entries each.
  static row_starts regular(std::size_t rows, std::size_t length) {
    row_starts all;
    all.length_ = length;
    all.size_ = rows + 1;
    return all;
  }
  /// From a vector or an array, which must outlive this.
  template <range_other_than<row_starts> Numbers>
  row_starts(const Numbers& numbers) : row_starts(std::span(std::ranges::data(numbers), std::ranges::size(numbers))) {}

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::uint64_t operator[](std::size_t r) const {
    if (narrow_ != nullptr) return narrow_[r];
    return wide_ != nullptr ? wide_[r] : (first_ + r) * length_;
  }
  std::uint64_t front() const { return (*this)[0]; }
  std::uint64_t back() const { return (*this)[size_ - 1]; }
  iterator begin() const { return {*this, 0}; }
  iterator end() const { return {*this, size_}; }

  row_starts subspan(std::size_t first, std::size_t count) const {
    row_starts part = *this;
    if (narrow_ != nullptr)
      part.narrow_ += first;
    else if (wide_ != nullptr)
      part.wide_ += first;
    else
      part.first_ += first;
    part.size_ = count;
    return part;
  }

  /// The numbers as they are stored; the other one is empty, and both are if rows have equal length.
  std::span<const std::uint64_t> wide() const { return {wide_, wide_ != nullptr ? size_ : 0}; }
  std::span<const std::uint32_t> narrow() const { return {narrow_, narrow_ != nullptr ? size_ : 0}; }

 private:
  const std::uint64_t* wide_ = nullptr;
  const std::uint32_t* narrow_ = nullptr;
  std::size_t first_ = 0, length_ = 0;  ///< for rows of equal length
  std::size_t size_ = 0;
};

}  // namespace hogwild
