// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/detail/data/item_iterator.hpp>

namespace hogwild {

/// The labels as read, one a row: numbers, or one-byte codes into a table of the at most 256 numbers that occur; or a
/// list of labels for each row (label_lists). Borrows them.
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
  /// Row r has the labels table[list[k]] for start[r] <= k < start[r + 1]: at least one, ascending and distinct.
  label_column(std::span<const std::uint32_t> start, std::span<const std::uint32_t> list, std::span<const double> table)
      : numbers_(table), list_start_(start.data()), list_(list.data()), size_(start.size() - 1) {}
  /// From a vector or an array, which must outlive this.
  template <range_other_than<label_column> Labels>
  label_column(const Labels& labels)
      : label_column(std::span<const double>(std::ranges::data(labels), std::ranges::size(labels))) {}

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// The row's label; with lists the first, which is the least.
  double operator[](std::size_t r) const {
    if (list_start_ != nullptr) return numbers_[list_[list_start_[r]]];
    return numbers_[codes_ != nullptr ? codes_[r] : r];
  }
  iterator begin() const { return {*this, 0}; }
  iterator end() const { return {*this, size_}; }

  label_column subspan(std::size_t first, std::size_t count) const {
    label_column part = *this;
    part.size_ = count;
    if (lists())
      part.list_start_ += first;
    else if (coded())
      part.codes_ += first;
    else
      part.numbers_ = numbers_.subspan(first, count);
    return part;
  }

  /// Whether rows have lists of labels.
  bool lists() const { return list_start_ != nullptr; }
  /// For lists: the places of row r's labels in table().
  std::span<const std::uint32_t> list(std::size_t r) const {
    return {list_ + list_start_[r], list_start_[r + 1] - list_start_[r]};
  }

  /// The text of a label in the file that double precision rounds (label_spelling::rounded()); empty if there is none.
  std::string_view rounded() const { return rounded_; }
  /// The same labels, with such a text, which outlives them.
  label_column with_rounded(std::string_view text) const {
    label_column same = *this;
    same.rounded_ = text;
    return same;
  }

  /// The words of labels that are words: label k is words()[k]; empty if labels are numbers.
  std::span<const std::string> words() const { return words_; }
  /// The same labels, with such words, which outlive them.
  label_column with_words(std::span<const std::string> words) const {
    label_column same = *this;
    same.words_ = words;
    return same;
  }
  /// A label for messages: its word in quotation marks, or the number.
  std::string name_of(double label) const;

  bool coded() const { return codes_ != nullptr; }
  std::span<const std::uint8_t> codes() const { return {codes_, codes_ != nullptr ? size_ : 0}; }
  /// The numbers behind codes or lists, in ascending order. If this is a part of a column, those of other rows are
  /// included. Empty without codes or lists.
  std::span<const double> table() const { return coded() || lists() ? numbers_ : std::span<const double>{}; }
  /// The labels if they are stored as numbers; else empty.
  std::span<const double> numbers() const { return coded() || lists() ? std::span<const double>{} : numbers_; }

 private:
  std::span<const double> numbers_{};  ///< the labels, or the table
  const std::uint8_t* codes_ = nullptr;
  const std::uint32_t* list_start_ = nullptr;
  const std::uint32_t* list_ = nullptr;
  std::size_t size_ = 0;
  std::string_view rounded_{};
  std::span<const std::string> words_{};
};

/// Rows with several labels each, as a label_column shows them: row r has table[code[k]] for start[r] <= k < start[r +
/// 1], ascending.
struct label_lists {
  std::vector<std::uint32_t> start{0};
  std::vector<std::uint32_t> code;
  std::vector<double> table{};  ///< ascending and distinct

  label_lists() = default;
  /// Row r has labels[first[r] .. first[r + 1]), in any order; `first` ascends from 0 to labels.size(), which is below
  /// 2^32. Labels of a row are distinct.
  label_lists(std::span<const std::uint32_t> first, std::span<const double> labels);

  bool empty() const { return start.size() == 1; }
  /// Valid as long as this object is neither changed nor destroyed.
  label_column column() const { return {start, code, table}; }
};

}  // namespace hogwild
