// SPDX-License-Identifier: Apache-2.0
#include <hogwild/formats/ratings.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include <hogwild/detail/platform/printable.hpp>

#include "data/parsed_text.hpp"
#include "decimal.hpp"
#include "ratings_parser.hpp"

namespace hogwild {
namespace detail {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}
bool ends_line(char c) {
  return c == '\n' || c == '#';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
/// Also of infinity and of what is no number, which are refused rather than taken for a name.
bool begins_number(const char* p) {
  const auto is_word = [&](std::string_view word) {
    return std::ranges::equal(word, std::string_view(p, word.size()), [](char a, char b) { return a == (b | 0x20); });
  };
  return is_digit(*p) || *p == '-' || *p == '+' || *p == '.' || is_word("inf") || is_word("nan");
}

/// Reads a block line by line. Every line ends with a newline, so that no length is checked.
class ratings_parser {
 public:
  ratings_parser(std::string_view text, const block_context& context, libsvm_block& block, rating_numbers* names)
      : p_(text.data()), end_(p_ + text.size()), context_(context), block_(block), names_(names) {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (context_.first && text.starts_with(byte_order_mark)) p_ += byte_order_mark.size();
  }

  void read_all() {
    bool before_rows = context_.first;
    while (p_ != end_) {
      line_ = p_;
      skip_blanks();
      const bool names = before_rows && names_fields();
      if (!at_end()) before_rows = false;
      if (!names && !at_end() && !read_rating()) return;
      while (*p_ != '\n') ++p_;
      ++p_;
      ++block_.lines;
    }
  }

 private:
  bool read_rating() {
    std::uint32_t user = 0, item = 0;
    double label = 0;
    separator_ = '\0';
    if (!read_id("user", names_ ? &names_->users : nullptr, user) || !next_field("an item") ||
        !read_id("item", names_ ? &names_->items : nullptr, item))
      return false;
    const char* const behind = p_;
    skip_blanks();
    if (!(context_.labels_optional && at_end())) {
      p_ = behind;
      if (!next_field("a rating") || !read_label(label)) return false;
      const bool separated = at_end() || is_blank(*p_) || *p_ == ',' || (p_[0] == ':' && p_[1] == ':');
      if (!separated) return refuse(p_, "there is something behind the rating that separates no field");
    }
    block_.index[block_.entries] = user_column(user) - 1;
    block_.index[block_.entries + 1] = item_column(item) - 1;
    block_.value[block_.entries] = block_.value[block_.entries + 1] = 1.0f;
    block_.entries += 2;
    block_.columns = std::max({block_.columns, user_column(user), item_column(item)});
    block_.row_end.push_back(static_cast<std::uint32_t>(block_.entries));
    block_.label.push_back(label);
    return true;
  }

  /// Whether this line, the first one, says what the fields are: what stands in the place of the rating tells. Where
  /// users are numbers, the first word is one of letters then.
  bool names_fields() {
    if (!names_ && !is_letter(*p_) && *p_ != '"') return false;
    const char* const first = p_;
    bool told = false;
    for (int field = 0; field < 2 && !told; ++field) {
      p_ = field_end(p_);
      const char* const last = p_;
      skip_blanks();
      if (*p_ == ',')
        ++p_;
      else if (p_[0] == ':' && p_[1] == ':')
        p_ += 2;
      skip_blanks();
      told = p_ == last;  // two fields at most: a rating that may be missing
    }
    told = told || at_end() || begins_number(p_);
    p_ = first;
    return !told;
  }

  bool read_id(const char* what, name_numbers* names, std::uint32_t& id) {
    if (names != nullptr) return read_name(what, *names, id);
    const char* const first = p_;
    std::uint64_t sum = 0;
    while (is_digit(*p_) && sum <= largest_rating_id) sum = sum * 10 + static_cast<std::uint64_t>(*p_++ - '0');
    const char* const last = field_end(first);
    if (first == last || !std::all_of(first, last, is_digit))
      return refuse(first, "the " + std::string(what) + " " + quote(first, last) +
                               " is not a whole number; write 'user item rating', or have ids read as names");
    if (sum > largest_rating_id)
      return refuse(first, "the " + std::string(what) + " " + quote(first, last) + " is too large; the largest is " +
                               std::to_string(largest_rating_id));
    id = static_cast<std::uint32_t>(sum);
    p_ = last;
    return true;
  }

  bool read_name(const char* what, name_numbers& names, std::uint32_t& id) {
    const char* const last = field_end(p_);
    const std::string_view name(p_, static_cast<std::size_t>(last - p_));
    constexpr std::size_t longest = 255;
    if (name.empty() || name.size() > longest)
      return refuse(p_, "the name of the " + std::string(what) + " has " + std::to_string(name.size()) +
                            " bytes; it needs 1 to " + std::to_string(longest));
    if (!std::ranges::all_of(name, is_printed))
      return refuse(p_, "there is a control character in the name of the " + std::string(what) + " " + quote(p_, last));
    id = names.number_of(name);
    p_ = last;
    return true;
  }

  bool read_label(double& label) {
    const char* const last = field_end(p_);
    switch (read_decimal(p_, last, label)) {
      case number_fault::not_a_number:
        return refuse(p_, "the rating " + quote(p_, last) + " is not a number");
      case number_fault::not_finite:
        return refuse(p_, "the rating " + quote(p_, last) + " is not finite");
      case number_fault::none:
        break;
    }
    if (!std::isfinite(static_cast<float>(label)))
      return refuse(p_, "the rating " + quote(p_, last) + " is not finite in single precision");
    p_ = last;
    return true;
  }

  /// To the begin of the next field. The first separator of a line says what the others are.
  bool next_field(const char* what) {
    const char* const before = p_;
    skip_blanks();
    const bool blank = p_ != before;
    char found = blank ? ' ' : '\0';
    if (*p_ == ',') {
      found = *p_++;
    } else if (p_[0] == ':' && p_[1] == ':') {
      found = ':';
      p_ += 2;
    }
    if (found == '\0' && *p_ == ':') return refuse(p_, "fields are separated by '::', not by one ':'");
    if (found == '\0' || at_end())
      return refuse(before, "the line ends where " + std::string(what) + " is expected; write 'user item rating'");
    if (separator_ != '\0' && found != separator_)
      return refuse(before, "the fields of this line are not all separated in the same way");
    separator_ = found;
    skip_blanks();
    return true;
  }

  void skip_blanks() {
    while (is_blank(*p_)) ++p_;
  }
  bool at_end() const { return ends_line(*p_) || (*p_ == '\r' && p_[1] == '\n'); }
  /// A colon alone is part of a name, but of no number.
  bool ends_field(const char* p) const {
    return is_blank(*p) || ends_line(*p) || *p == '\r' || *p == ',' || (*p == ':' && (!names_ || p[1] == ':'));
  }
  const char* field_end(const char* p) const {
    while (!ends_field(p)) ++p;
    return p;
  }
  static bool is_printed(char c) { return static_cast<unsigned char>(c) > ' ' && c != '\x7f'; }

  bool refuse(const char* place, std::string message) {
    block_.fault = libsvm_fault{block_.lines + 1, static_cast<std::size_t>(place - line_) + 1, std::move(message)};
    return false;
  }

  const char* p_;
  const char* end_;
  const char* line_ = nullptr;
  char separator_ = '\0';  ///< of this line, once it is known; ' ' stands for blanks and tabs
  block_context context_;
  libsvm_block& block_;
  rating_numbers* names_;  ///< null: ids are numbers
};

/// Ratings by names, all of them; new names are appended to `names`.
std::unique_ptr<parsed_text> read_named(const std::string& path, const open_options& options, rating_names& names) {
  rating_numbers numbers{.users = name_numbers(names.users), .items = name_numbers(names.items)};
  const row_format lines{.capacity = ratings_capacity,
                         .parse = [&](std::string_view text, const block_context& context, libsvm_block& rows) {
                           parse_ratings_block(text, context, rows, &numbers);
                         }};
  auto text =
      parse_all(*open_input(path), {.labels_optional = options.labels_optional, .set = options.isa, .format = &lines});
  const std::vector<std::uint32_t> users = numbers.users.settle(names.users), items = numbers.items.settle(names.items);
  text->columns = 0;
  for (libsvm_block& block : text->blocks) {
    block.columns = 0;
    for (std::size_t k = 0; k < block.entries; k += 2) {
      block.index[k] = user_column(users[rating_id(block.index[k] + 1)]) - 1;
      block.index[k + 1] = item_column(items[rating_id(block.index[k + 1] + 1)]) - 1;
      block.columns = std::max({block.columns, block.index[k] + 1, block.index[k + 1] + 1});
    }
    text->columns = std::max<std::size_t>(text->columns, block.columns);
  }
  return text;
}

}  // namespace

void parse_ratings_block(std::string_view text, const block_context& context, libsvm_block& rows,
                         rating_numbers* names) {
  ratings_parser(text, context, rows, names).read_all();
}

}  // namespace detail

std::size_t count_users(std::span<const std::uint32_t> original) {
  return static_cast<std::size_t>(std::ranges::partition_point(original, is_user_column) - original.begin());
}

sparse_dataset open_ratings(const std::string& path, const open_options& options) {
  static const detail::row_format format{
      .kind = detail::row_kind::ratings,
      .capacity = detail::ratings_capacity,
      .parse = [](std::string_view text, const detail::block_context& context,
                  detail::libsvm_block& rows) { detail::parse_ratings_block(text, context, rows); },
      .by_kind = true};
  return detail::open_rows(path, options, format);
}

sparse_dataset open_ratings(const std::string& path, const open_options& options, rating_names& names) {
  open_options uncached = options;
  uncached.cache = open_options::cache_use::none;
  return detail::open_rows(
      path, uncached, {.kind = detail::row_kind::ratings, .by_kind = true, .whole = [&](const std::string& ratings) {
                         return detail::read_named(ratings, uncached, names);
                       }});
}

}  // namespace hogwild
