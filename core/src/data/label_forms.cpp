// SPDX-License-Identifier: Apache-2.0
#include "data/label_forms.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>

#include "text/decimal.hpp"

namespace hogwild::detail {

void label_forms::add(const row_block& block, std::size_t lines) {
  if (list_line_ == 0 && block.list_line > 0) list_line_ = lines + block.list_line;
  if (blank_line_ == 0 && block.blank_line > 0)
    blank_line_ = lines + block.blank_line, rows_before_blank_ = rows_ + block.rows_before_blank;
  rows_ += block.parsed_rows;
  unlabelled_ = unlabelled_ || block.unlabelled;
  const auto keep = [lines](std::optional<row_fault>& first, const std::optional<row_fault>& found) {
    if (first || !found) return;
    first = found;
    first->line += lines;
  };
  keep(no_class_, block.no_class);
  keep(no_label_, block.no_label);
}

void label_forms::require_one(const std::string& source, std::size_t entries) const {
  if (list_line_ > 0 && entries == 0)
    throw format_error(
        source, list_line_, 1,
        "no row has an 'index:value', only numbers separated by commas, so this looks like a table, not lists of "
        "labels; write each row as 'label index:value ...', or give its columns to hogwild.Dataset in Python");
  if (unlabelled_ && blank_line_ > 0 && rows_before_blank_ < rows_)
    throw format_error(source, blank_line_, 1,
                       "the line is blank, and rows here have no labels, so it could be a row without entries; write "
                       "'0' for such a row, or delete the line");
  if (!has_lists() && no_label_) throw format_error(source, no_label_->line, no_label_->column, no_label_->message);
  if (!has_lists() || !no_class_) return;
  const std::string other = list_line_ > 0 ? std::to_string(list_line_) + " has a list of labels, which are classes"
                                           : std::to_string(no_label_->line) + " has no label, as for lists of classes";
  throw format_error(
      source, no_class_->line, no_class_->column,
      no_class_->message + " is no whole number, but line " + other + "; write classes in all lines, or numbers");
}

namespace {

/// Without std::trunc, which is a function call for most target CPUs.
bool is_whole(double x) {
  constexpr double all_whole = 0x1p53;
  return !(std::abs(x) < all_whole) || static_cast<double>(static_cast<std::int64_t>(x)) == x;
}

}  // namespace

std::optional<row_fault> find_no_class(std::string_view text, const row_block& block) {
  const auto found = std::ranges::find_if(block.label, [](double x) { return !is_whole(x); });
  if (found == block.label.end()) return std::nullopt;
  std::size_t line = 1;
  for (auto rows_before = found - block.label.begin();; ++line) {
    const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
    const char first = text[begin];
    if (!ends_token(first) && rows_before-- == 0) {
      const char* const token = text.data() + begin;
      const char* end = token;
      while (!ends_token(*end)) ++end;
      return row_fault{line, begin + 1, "the label " + quote(token, end)};
    }
    text.remove_prefix(text.find('\n') + 1);
  }
}

}  // namespace hogwild::detail
