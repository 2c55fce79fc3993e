// SPDX-License-Identifier: Apache-2.0
#include <hogwild/formats/libffm.hpp>

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/detail/platform/printable.hpp>

#include "formats/word_labels.hpp"
#include "label_words.hpp"
#include "libffm_parser.hpp"
#include "text/decimal.hpp"

namespace hogwild {
namespace detail {
namespace {

/// Reads a block line by line. Every line ends with a newline, so no length is checked.
class libffm_parser {
 public:
  libffm_parser(std::string_view text, const block_context& context, row_block& block, word_labels* words)
      : p_(text.data()), end_(p_ + text.size()), context_(context), block_(block), words_(words) {}

  void read_all() {
    while (p_ != end_) {
      line_ = p_;
      skip_blanks();
      if (at_end() ? stray_return() : !read_row()) return;
      while (*p_ != '\n') ++p_;
      ++p_;
      ++block_.lines;
    }
  }

 private:
  bool read_row() {
    double label = 0;
    if (!read_label(label)) return false;
    const std::size_t before = block_.entries;
    const char* const entries = p_;
    bool ascending = true;
    for (skip_blanks(); !at_end(); skip_blanks()) {
      std::uint32_t column = 0;
      if (!read_entry(column)) return take_back(before);
      ascending = ascending && (block_.entries == before || block_.index[block_.entries - 1] < column - 1);
      block_.index[block_.entries++] = column - 1;
      block_.columns = std::max(block_.columns, column);
    }
    if (stray_return() || (!ascending && !require_distinct(before, entries))) return take_back(before);
    block_.row_end.push_back(static_cast<std::uint32_t>(block_.entries));
    block_.label.push_back(label);
    return true;
  }

  bool read_label(double& label) {
    if (const char* const next = words_ == nullptr ? read_short_label(p_, label) : nullptr) {
      keep_spelling(p_, next, label, block_.spelling);
      p_ = next;
      return true;
    }
    const char* const last = token_end(p_);
    if (std::find(p_, last, ':') != last) {
      if (context_.labels_optional) return true;
      return refuse(
          p_, "the line begins with " + quote(p_, last) + " and not with a label; write 'label field:index:value ...'");
    }
    if (words_ != nullptr) return read_word(last, label);
    if (!read_number(last, "label", label)) return false;
    std::string fault = rounded_label_fault({p_, static_cast<std::size_t>(last - p_)}, label);
    if (!fault.empty()) return refuse(p_, std::move(fault));
    keep_spelling(p_, last, label, block_.spelling);
    p_ = last;
    return true;
  }

  bool read_word(const char* last, double& label) {
    std::string fault = words_->read(p_, last, label);
    if (!fault.empty() && !context_.labels_optional) return refuse(p_, std::move(fault));
    p_ = last;
    return true;
  }

  bool read_entry(std::uint32_t& column) {
    const char* const last = token_end(p_);
    const char* const first_colon = std::find(p_, last, ':');
    const char* const second_colon = first_colon == last ? last : std::find(first_colon + 1, last, ':');
    if (second_colon == last) return refuse(p_, quote(p_, last) + " is not 'field:index:value'");
    std::uint32_t field = 0, index = 0;
    if (!read_whole(p_, first_colon, "field", largest_field, field)) return false;
    if (!read_whole(first_colon + 1, second_colon, "index", largest_field_index, index)) return false;
    column = field_column(field, index);
    p_ = second_colon + 1;
    float& value = block_.value[block_.entries];
    if (const char* const next = read_short_decimal(p_, value)) {
      p_ = next;
      return true;
    }
    if (!read_number(last, "value", value)) return false;
    p_ = last;
    return true;
  }

  bool read_whole(const char* first, const char* last, const char* what, std::uint32_t largest, std::uint32_t& number) {
    if (first == last || !std::all_of(first, last, is_digit))
      return refuse(first, "the " + std::string(what) + " " + quote(first, last) + " is not a whole number");
    std::uint64_t sum = 0;
    for (const char* p = first; p != last && sum <= largest; ++p) sum = sum * 10 + static_cast<std::uint64_t>(*p - '0');
    if (sum > largest)
      return refuse(first, "the " + std::string(what) + " " + quote(first, last) + " is too large; the largest is " +
                               std::to_string(largest) + ", so number the " + what +
                               (what[0] == 'f' ? "s from 0 on" : "es of each field from 0 on, or hash them to fewer"));
    number = static_cast<std::uint32_t>(sum);
    return true;
  }

  /// The token from here to `last`.
  template <class T>
  bool read_number(const char* last, const char* what, T& number) {
    switch (read_decimal(p_, last, number)) {
      case number_fault::not_a_number:
        return refuse(p_, "the " + std::string(what) + " " + quote(p_, last) + " is not a number");
      case number_fault::not_finite:
        return refuse(p_, "the " + std::string(what) + " " + quote(p_, last) + " is not finite in " +
                              (sizeof(T) == sizeof(float) ? "single" : "double") + " precision");
      case number_fault::none:
        break;
    }
    return true;
  }

  /// Refuses the first entry from `entries` on whose column occurred earlier in the same line.
  bool require_distinct(std::size_t before, const char* entries) {
    const std::uint32_t* const index = block_.index + before;
    order_.resize(block_.entries - before);
    std::iota(order_.begin(), order_.end(), 0u);
    std::ranges::sort(
        order_, [&](std::uint32_t a, std::uint32_t b) { return index[a] != index[b] ? index[a] < index[b] : a < b; });
    std::uint32_t again = static_cast<std::uint32_t>(order_.size());
    for (std::size_t i = 1; i < order_.size(); ++i)
      if (index[order_[i]] == index[order_[i - 1]]) again = std::min(again, order_[i]);
    if (again == order_.size()) return true;
    p_ = entries;
    skip_blanks();
    for (; again > 0; --again) {
      p_ = token_end(p_);
      skip_blanks();
    }
    const char* const value = std::find(std::find(p_, token_end(p_), ':') + 1, token_end(p_), ':');
    return refuse(p_, quote(p_, value) + " stands twice in this line");
  }

  /// Refuses a carriage return without a newline after it.
  bool stray_return() {
    return *p_ == '\r' && p_[1] != '\n' && !refuse(p_, "a carriage return stands inside the line");
  }

  bool take_back(std::size_t before) {
    block_.entries = before;
    return false;
  }

  void skip_blanks() {
    while (*p_ == ' ' || *p_ == '\t') ++p_;
  }
  bool at_end() const { return *p_ == '\n' || *p_ == '#' || *p_ == '\r'; }
  static const char* token_end(const char* p) {
    while (!ends_token(*p)) ++p;
    return p;
  }

  bool refuse(const char* place, std::string message) {
    block_.fault = row_fault{block_.lines + 1, static_cast<std::size_t>(place - line_) + 1, std::move(message)};
    return false;
  }

  const char* p_;
  const char* end_;
  const char* line_ = nullptr;
  block_context context_;
  row_block& block_;
  word_labels* words_;  ///< null: labels are numbers
  std::vector<std::uint32_t> order_;
};

}  // namespace

void parse_libffm_block(std::string_view text, const block_context& context, row_block& rows, word_labels* words) {
  libffm_parser(text, context, rows, words).read_all();
}

}  // namespace detail

std::size_t count_fields(std::span<const std::uint32_t> original) {
  return original.empty() ? 0 : std::size_t{field_of(std::ranges::max(original))} + 1;
}

sparse_dataset open_libffm(const std::string& path, const open_options& options) {
  detail::row_format format{.kind = detail::input_format::libffm, .name = "ffm", .capacity = [](std::string_view text) {
                              return detail::libffm_capacity(text.size());
                            }};
  return detail::open_rows(path, options,
                           detail::with_word_labels(std::move(format), detail::parse_libffm_block, options, path));
}

}  // namespace hogwild
