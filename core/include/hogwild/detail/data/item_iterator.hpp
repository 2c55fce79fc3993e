// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <ranges>

namespace hogwild {

/// A range from which a column can be made: contiguous items, as in a vector; not the column itself, which is copied.
template <class Range, class Column>
concept range_other_than = !std::same_as<Range, Column> && std::ranges::contiguous_range<Range>;

/// Iterates over the items that `Column` returns by operator[]. Items are computed, so there are no references to them.
template <class Column>
class item_iterator {
 public:
  using value_type = typename Column::value_type;
  using difference_type = std::ptrdiff_t;
  using reference = value_type;
  using pointer = void;
  using iterator_category = std::random_access_iterator_tag;

  item_iterator() = default;
  item_iterator(const Column& column, std::size_t at) : column_(column), at_(static_cast<difference_type>(at)) {}

  value_type operator*() const { return column_[static_cast<std::size_t>(at_)]; }
  value_type operator[](difference_type n) const { return *(*this + n); }
  item_iterator& operator+=(difference_type n) { return at_ += n, *this; }
  item_iterator& operator-=(difference_type n) { return at_ -= n, *this; }
  item_iterator& operator++() { return *this += 1; }
  item_iterator& operator--() { return *this -= 1; }
  item_iterator operator++(int) { return *this += 1, *this - 1; }
  item_iterator operator--(int) { return *this -= 1, *this + 1; }
  friend item_iterator operator+(item_iterator i, difference_type n) { return i += n; }
  friend item_iterator operator+(difference_type n, item_iterator i) { return i += n; }
  friend item_iterator operator-(item_iterator i, difference_type n) { return i -= n; }
  friend difference_type operator-(const item_iterator& a, const item_iterator& b) { return a.at_ - b.at_; }
  friend bool operator==(const item_iterator& a, const item_iterator& b) { return a.at_ == b.at_; }
  friend auto operator<=>(const item_iterator& a, const item_iterator& b) { return a.at_ <=> b.at_; }

 private:
  Column column_{};
  difference_type at_ = 0;
};

}  // namespace hogwild
