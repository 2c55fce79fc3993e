// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>

#include <hogwild/detail/data/item_iterator.hpp>

namespace hogwild {

/// The labels as read, one a row: numbers, or one-byte codes into a table of the at most 256 numbers that occur.
/// Borrows them.
class label_column {
 public:
  using value_type = double;
  using iterator = item_iterator<label_column>;
  using const_iterator = iterator;

  label_column() = default;
  label_column(std::span<const double> labels) : numbers_(labels), size_(labels.size()) {}
  /// Every code is below table.size().
  label_column(std::span<const std::uint8_t> codes, std::span<const double> table)
      : numbers_(table), codes_(codes.data()), size_(codes.size()) {}
  /// From a vector or an array, which must outlive this.
  template <range_other_than<label_column> Labels>
  label_column(const Labels& labels)
      : label_column(std::span<const double>(std::ranges::data(labels), std::ranges::size(labels))) {}

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  double operator[](std::size_t r) const { return numbers_[codes_ != nullptr ? codes_[r] : r]; }
  iterator begin() const { return {*this, 0}; }
  iterator end() const { return {*this, size_}; }

  label_column subspan(std::size_t first, std::size_t count) const {
    if (codes_ == nullptr) return numbers_.subspan(first, count);
    return {std::span(codes_ + first, count), numbers_};
  }

  bool coded() const { return codes_ != nullptr; }
  std::span<const std::uint8_t> codes() const { return {codes_, codes_ != nullptr ? size_ : 0}; }
  /// The numbers behind the codes, in ascending order; those of other rows too where this is a part of a column. Empty
  /// where nothing is coded.
  std::span<const double> table() const { return codes_ != nullptr ? numbers_ : std::span<const double>{}; }
  /// The labels where they are stored as numbers; else empty.
  std::span<const double> numbers() const { return codes_ != nullptr ? std::span<const double>{} : numbers_; }

 private:
  std::span<const double> numbers_{};  ///< the labels, or the table
  const std::uint8_t* codes_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace hogwild
