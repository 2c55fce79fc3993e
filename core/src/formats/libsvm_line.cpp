// SPDX-License-Identifier: Apache-2.0
#include "libsvm_line.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include <hogwild/detail/platform/printable.hpp>

#include "label_words.hpp"
#include "text/decimal.hpp"
#include "text/known_kinds.hpp"

namespace hogwild::detail {
namespace {

constexpr std::uint64_t largest_index = 4294967294u;

const char* token_end(const char* p) {
  while (!ends_token(*p)) ++p;
  return p;
}

/// Whether an entry begins after `end`.
bool entry_follows(const char* end) {
  while (*end == ' ' || *end == '\t') ++end;
  const char* const digits = end;
  while (is_digit(*end)) ++end;
  return end != digits && *end == ':';
}

}  // namespace

bool line_parser::read_line(const char* line) {
  line_ = p_ = line;
  if (!read_row()) return false;
  ++block_.lines;
  return true;
}

bool line_parser::read_row() {
  skip_blanks();
  if (at_line_end()) {
    if (*p_ != '#' && block_.blank_line == 0)
      block_.blank_line = block_.lines + 1, block_.rows_before_blank = block_.label.size();
    return finish_line();
  }
  double label = 0;
  if (!read_label(label)) return false;
  const std::size_t before = block_.entries;
  if (!read_group() || !read_entries()) {
    block_.entries = before;
    return false;
  }
  block_.label.push_back(label);
  if (!list_.empty() && block_.list_line == 0) block_.list_line = block_.lines + 1;
  if (!list_.empty() || unlabelled_) block_.add_list(list_);
  block_.row_end.push_back(static_cast<std::uint32_t>(block_.entries));
  return true;
}

bool line_parser::read_label(double& label) {
  list_.clear();
  unlabelled_ = false;
  if (const char* const next = words_ == nullptr ? read_short_label(p_, label) : nullptr) {
    keep_spelling(p_, next, label, block_.spelling);
    p_ = next;
    return true;
  }
  const char* const end = token_end(p_);
  if (const char* const colon = std::find(p_, end, ':'); colon != end) {
    if (labels_optional_) return block_.unlabelled = true;
    if (!std::all_of(p_, colon, is_digit))
      return refuse(p_,
                    "the line begins with " + quote(p_, end) + " and not with a label; write 'label index:value ...'");
    note_unlabelled(end);
    return true;
  }
  if (std::find(p_, end, ',') != end) return read_list(end, label);
  if (words_ != nullptr) {
    std::string fault = words_->read(p_, end, label);
    if (!fault.empty() && !passes_over(end, label)) return refuse(p_, std::move(fault));
  } else if (!read_number(end, label)) {
    return false;
  }
  p_ = end;
  return true;
}

/// Reads the number that ends at `end`.
bool line_parser::read_number(const char* end, double& label) {
  switch (read_decimal(p_, end, label)) {
    case number_fault::not_a_number:
      return passes_over(end, label) ||
             refuse(p_, "the label " + quote(p_, end) +
                            " is not a number; where labels are words, the first row of the training data has one, "
                            "with an entry behind it");
    case number_fault::not_finite:
      return refuse(p_, "the label " + quote(p_, end) + " is not finite");
    case number_fault::none:
      break;
  }
  return keep_label(p_, end, label);
}

/// Whether what ends at `end` need not be a label: if labels are optional, a row's name or '?' may be in their place.
bool line_parser::passes_over(const char* end, double& label) {
  if (!labels_optional_ || !entry_follows(end)) return false;
  list_.clear();
  label = 0;
  return true;
}

/// Records the spelling of a label; refuses a number that several labels would round to.
bool line_parser::keep_label(const char* first, const char* last, double label) {
  std::string fault = rounded_label_fault({first, static_cast<std::size_t>(last - first)}, label);
  if (!fault.empty()) return refuse(first, std::move(fault));
  keep_spelling(first, last, label, block_.spelling);
  return true;
}

/// If other rows have lists, a row without a label has an empty list; otherwise it is a fault.
void line_parser::note_unlabelled(const char* end) {
  unlabelled_ = true;
  if (block_.no_label) return;
  block_.no_label = row_fault{block_.lines + 1, static_cast<std::size_t>(p_ - line_) + 1,
                              "the line begins with " + quote(p_, end) +
                                  " and not with a label; write 'label index:value ...'. Only in files with lists "
                                  "of labels ('3,17') may a row have no label, and this file has none"};
}

/// Reads labels with commas between them; `label` is the least.
bool line_parser::read_list(const char* end, double& label) {
  for (const char* item = p_;;) {
    const char* const comma = std::find(item, end, ',');
    if (comma == item)
      return refuse(item, "the list of labels " + quote(p_, end) +
                              " has an empty item; write '3,17,5', with one comma and no blank between labels");
    double value = 0;
    if (words_ != nullptr) {
      std::string fault = words_->read(item, comma, value);
      if (!fault.empty() && passes_over(end, label)) return p_ = end, true;
      if (!fault.empty()) return refuse(item, std::move(fault));
    } else if (!read_item(item, comma, value)) {
      return false;
    }
    list_.push_back(value + 0.0);
    if (comma == end) break;
    item = comma + 1;
  }
  if (!require_distinct(end)) return false;
  label = list_.front();
  p_ = end;
  return true;
}

/// Reads a number in a list.
bool line_parser::read_item(const char* first, const char* last, double& label) {
  if (read_decimal(first, last, label) != number_fault::none || std::trunc(label) != label)
    return refuse(first, "the label " + quote(first, last) +
                             " stands in a list, whose labels are classes; write them as whole numbers");
  return keep_label(first, last, label);
}

/// Sorts the list that ends at `end`. Refuses the second of two equal labels, at its place.
bool line_parser::require_distinct(const char* end) {
  std::vector<std::pair<double, std::size_t>> labels;
  for (const double label : list_) labels.emplace_back(label, labels.size());
  std::ranges::sort(labels);
  const auto twice = std::ranges::adjacent_find(labels, {}, &std::pair<double, std::size_t>::first);
  if (twice != labels.end()) {
    const char* item = p_;
    for (std::size_t k = 0; k < twice[1].second; ++k) item = std::find(item, end, ',') + 1;
    return refuse(item,
                  "the label " + quote(item, std::find(item, end, ',')) + " stands twice in this list; once is enough");
  }
  std::ranges::sort(list_);
  return true;
}

/// Reads "qid:N" before the entries, if it is there.
bool line_parser::read_group() {
  skip_blanks();
  const char* const end = token_end(p_);
  const std::string_view token(p_, static_cast<std::size_t>(end - p_));
  if (!token.starts_with("qid:")) return true;
  const std::string_view number = token.substr(4);
  if (number.empty() || !std::ranges::all_of(number, is_digit))
    return refuse(p_, quote(token) + " has no whole number: write 'label qid:7 index:value ...'");
  block_.stated.groups.state(block_.label.size(), number);
  p_ = end;
  return true;
}

/// Reads the entries up to the line's end. The loop keeps its position in registers; unusual cases use p_.
bool line_parser::read_entries() {
  skip_blanks();
  if (at_line_end()) return finish_line();
  const char* p = p_;
  std::uint32_t* index = block_.index + block_.entries;
  float* value = block_.value + block_.entries;
  std::uint32_t last = 0;
  for (;;) {
    const char* const token = p;
    const unsigned digits = leading_digits(load_eight(p));
    std::uint32_t number;
    if (digits - 1 < 7 && p[digits] == ':') [[likely]] {
      number = digits_to_number(load_eight(p), digits);
      p += digits + 1;
    } else {
      p_ = p;
      if (!read_long_index(number)) return false;
      p = p_;
    }
    if (number <= last) [[unlikely]] {
      const bool is_first = index == block_.index + block_.entries;
      if (!from_0_ || number != 0 || !is_first) return refuse_order(token, number, last);
    }
    last = number;
    if (const char* const next = read_short_decimal(p, *value)) [[likely]] {
      p = next;
    } else {
      p_ = p;
      if (!read_value(*value)) return false;
      p = p_;
    }
    *index++ = number - 1;
    ++value;
    if (*p == ' ' && is_digit(p[1])) [[likely]] {
      ++p;
      continue;
    }
    p_ = p;
    skip_blanks();
    if (at_line_end()) break;
    p = p_;
  }
  block_.entries = static_cast<std::size_t>(index - block_.index);
  block_.columns = std::max(block_.columns, last);
  return finish_line();
}

bool line_parser::read_long_index(std::uint32_t& number) {
  const char* const end = token_end(p_);
  const char* const colon = std::find(p_, end, ':');
  if (colon == end) return refuse(p_, quote(p_, end) + " has no ':'; write 'index:value'");
  if (colon == p_ || !std::all_of(p_, colon, is_digit))
    return refuse(p_, "the index " + quote(p_, colon) + " is not a whole number");
  std::uint64_t sum = 0;
  for (const char* p = p_; p != colon && sum <= largest_index; ++p)
    sum = sum * 10 + static_cast<std::uint64_t>(*p - '0');
  if (sum > largest_index)
    return refuse(p_, "the index " + quote(p_, colon) + " is too large; the largest is 4294967294");
  number = static_cast<std::uint32_t>(sum);
  p_ = colon + 1;
  return true;
}

bool line_parser::read_value(float& value) {
  const char* const end = token_end(p_);
  switch (read_decimal(p_, end, value)) {
    case number_fault::not_a_number:
      return refuse(p_, "the value " + quote(p_, end) + " is not a number");
    case number_fault::not_finite:
      return refuse(p_, "the value " + quote(p_, end) + " is not finite in single precision");
    case number_fault::none:
      break;
  }
  p_ = end;
  return true;
}

bool line_parser::finish_line() {
  if (*p_ == '#') {
    p_ = static_cast<const char*>(std::memchr(p_, '\n', static_cast<std::size_t>(end_ - p_)));
  } else if (*p_ == '\r') {
    if (p_[1] != '\n') return refuse(p_, "a carriage return stands inside the line");
    ++p_;
  }
  ++p_;
  return true;
}

bool line_parser::refuse(const char* place, std::string message) {
  block_.fault = row_fault{block_.lines + 1, static_cast<std::size_t>(place - line_) + 1, std::move(message)};
  return false;
}

bool line_parser::refuse_order(const char* token, std::uint32_t number, std::uint32_t last) {
  if (number == 0 && !from_0_) return refuse(token, "the index is 0; " + std::string(columns_from_0));
  if (number == last) return refuse(token, "the index " + std::to_string(number) + " stands twice in this line");
  return refuse(token, "the index " + std::to_string(number) + " follows " + std::to_string(last) +
                           "; indices must ascend within a line");
}

}  // namespace hogwild::detail
