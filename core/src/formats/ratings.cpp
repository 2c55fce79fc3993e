// SPDX-License-Identifier: Apache-2.0
#include <hogwild/formats/ratings.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/detail/platform/printable.hpp>

#include "data/parsed_text.hpp"
#include "ratings_parser.hpp"
#include "text/decimal.hpp"

namespace hogwild {
namespace detail {
namespace {

/// Reads a block line by line.
class ratings_parser {
 public:
  ratings_parser(std::string_view text, const block_context& context, const ratings_layout& layout, row_block& block,
                 rating_numbers* names)
      : text_(text), context_(context), layout_(layout), block_(block), names_(names) {}

  void read_all() {
    while (!text_.empty()) {
      const std::size_t end = text_.find('\n');
      line_ = text_.substr(0, end);
      text_.remove_prefix(end + 1);
      if (line_.ends_with('\r')) line_.remove_suffix(1);
      const bool header = context_.first && layout_.header_line == block_.lines + 1;
      if (!header && !read_line()) return;
      ++block_.lines;
    }
  }

 private:
  /// Reads a rating, a comment or nothing.
  bool read_line() {
    const std::size_t begin = line_.find_first_not_of(" \t");
    // Numbers do not contain '#', but a name may.
    if (names_ == nullptr) line_ = line_.substr(0, line_.find('#'));
    if (begin >= line_.size()) return true;
    const bool marked = line_[begin] == '#';
    if (const field_fault fault = cut_fields(line_, separator_here(), fields_); fault.what != nullptr)
      return marked || refuse(fault.at, fault.what);
    if (!marked) return layout_.lists ? read_list() : read_rating();
    if (fields_.size() != layout_.fields || layout_.rating >= fields_.size() ||
        !is_number(fields_[layout_.rating].text))
      return true;
    return refuse(begin,
                  "the line could be a comment, or a rating whose name begins with '#'; write the name in quotation "
                  "marks, or delete the line");
  }

  /// A text separated by blanks may have tabs in some lines.
  separator separator_here() const {
    return layout_.by == separator::blanks && line_.find('\t') != line_.npos ? separator::tab : layout_.by;
  }

  bool read_rating() {
    std::uint32_t user = 0, item = 0;
    double label = 0;
    // User and item are checked before the number of fields: "1:2:3" is one field, and not a user.
    if (!read_id("user", names_ ? &names_->users : nullptr, layout_.user, user) ||
        !read_id("item", names_ ? &names_->items : nullptr, layout_.item, item) || !has_fields())
      return false;
    const bool rated = layout_.rating < fields_.size() &&
                       !(context_.labels_optional && !layout_.weights && fields_[layout_.rating].text.empty());
    if (rated && !read_label(fields_[layout_.rating], label)) return false;
    if (layout_.weights && !rated) label = 1;
    if (layout_.time < fields_.size() && !read_time(fields_[layout_.time])) return false;
    add(user, item, label);
    return true;
  }

  /// A user and any number of items.
  bool read_list() {
    std::uint32_t user = 0, item = 0;
    while (fields_.size() > 1 && fields_.back().text.empty()) fields_.pop_back();
    if (!read_id("user", names_ ? &names_->users : nullptr, 0, user)) return false;
    for (std::size_t f = 1; f < fields_.size(); ++f) {
      if (!read_id("item", names_ ? &names_->items : nullptr, f, item)) return false;
      add(user, item, 1);
    }
    return true;
  }

  void add(std::uint32_t user, std::uint32_t item, double label) {
    block_.index[block_.entries] = user_column(user) - 1;
    block_.index[block_.entries + 1] = item_column(item) - 1;
    block_.value[block_.entries] = block_.value[block_.entries + 1] = 1.0f;
    block_.entries += 2;
    block_.columns = std::max({block_.columns, user_column(user), item_column(item)});
    block_.row_end.push_back(static_cast<std::uint32_t>(block_.entries));
    block_.label.push_back(label);
  }

  /// Whether the line has as many fields as the first one: otherwise it is unknown which field is which.
  bool has_fields() {
    std::size_t filled = fields_.size();
    while (filled > layout_.fields && fields_[filled - 1].text.empty()) --filled;
    const bool rating_may_lack = context_.labels_optional && layout_.header_line == 0 && !layout_.weights;
    if (rating_may_lack && std::min(filled, layout_.fields) == 2 && std::max(filled, layout_.fields) == 3) return true;
    // A first line with too few fields means that all lines have too few.
    const std::size_t rating = context_.labels_optional ? 0 : layout_.rating;
    const std::size_t needed = std::max({layout_.user, layout_.item, rating}) + 1;
    if (filled == layout_.fields && filled >= needed) return true;
    const text_field& last = fields_.back();
    const std::size_t behind = last.at + last.text.size() + (last.quoted ? 2 : 0);
    if (filled < needed || (filled < 3 && filled < layout_.fields))
      return refuse(behind, std::string("the line ends where ") +
                                (filled < 2 ? "an item" : "a " + std::string(layout_.number_name())) +
                                " is expected; fields are separated by " + std::string(separator_name(layout_.by)));
    return refuse(filled < layout_.fields ? behind : fields_[layout_.fields].at,
                  "the line has " + std::to_string(filled) + " fields between " +
                      std::string(separator_name(layout_.by)) + ", but line " + std::to_string(layout_.first_line) +
                      " has " + std::to_string(layout_.fields) + "; a name with " +
                      std::string(separator_name(layout_.by)) + " in it is written in quotation marks");
  }

  bool read_id(const char* what, name_numbers* names, std::size_t which, std::uint32_t& id) {
    if (which >= fields_.size()) return true;  // has_fields() refuses it
    const text_field& field = fields_[which];
    if (field.text.empty()) return refuse(field.at, "the " + std::string(what) + " is missing: the field is empty");
    if (names != nullptr) return read_name(what, *names, field, id);
    std::uint64_t sum = 0;
    for (const char c : field.text) {
      if (!is_digit(c))
        return refuse(field.at, "the " + std::string(what) + " " + quote(field.text) +
                                    " is not a whole number; write '" +
                                    (layout_.lists     ? "user item item ..."
                                     : layout_.weights ? "user item"
                                                       : "user item rating") +
                                    "', or have ids read as names");
      if (sum <= largest_rating_id) sum = sum * 10 + static_cast<std::uint64_t>(c - '0');
    }
    if (sum > largest_rating_id)
      return refuse(field.at, "the " + std::string(what) + " " + quote(field.text) + " is too large; the largest is " +
                                  std::to_string(largest_rating_id));
    id = static_cast<std::uint32_t>(sum);
    return true;
  }

  bool read_name(const char* what, name_numbers& names, const text_field& field, std::uint32_t& id) {
    std::string_view name = field.text;
    if (field.quoted) name = content_ = content_of(field);
    constexpr std::size_t longest = 255;
    if (name.size() > longest)
      return refuse(field.at, "the name of the " + std::string(what) + " has " + std::to_string(name.size()) +
                                  " bytes; it needs 1 to " + std::to_string(longest));
    if (!std::ranges::all_of(name, is_printed))
      return refuse(field.at,
                    "there is a control character in the name of the " + std::string(what) + " " + quote(name));
    id = names.number_of(name);
    return true;
  }

  bool read_label(const text_field& field, double& label) {
    const std::string_view text = without_comment(field);
    const std::string what(layout_.number_name());
    if (!read_number(what, field, label)) return false;
    if (!std::isfinite(static_cast<float>(label)))
      return refuse(field.at, "the " + what + " " + quote(text) + " is not finite in single precision");
    if (layout_.weights && !(static_cast<float>(label) > 0.0f))
      return refuse(field.at, "the weight " + quote(text) + " is not above 0");
    return true;
  }

  bool read_time(const text_field& field) {
    double time = 0;
    if (!read_number("time", field, time)) return false;
    block_.stated.time.push_back(time);
    return true;
  }

  bool read_number(const std::string& what, const text_field& field, double& number) {
    const std::string_view text = without_comment(field);
    if (text.empty()) return refuse(field.at, "the " + what + " is missing: the field is empty");
    switch (read_decimal(text.data(), text.data() + text.size(), number)) {
      case number_fault::not_a_number:
        return refuse(field.at, "the " + what + " " + quote(text) + " is not a number");
      case number_fault::not_finite:
        return refuse(field.at, "the " + what + " " + quote(text) + " is not finite");
      case number_fault::none:
        break;
    }
    return true;
  }

  static bool is_printed(char c) { return static_cast<unsigned char>(c) >= ' ' && c != '\x7f'; }

  /// Refuses a place in the line, in bytes from 0.
  bool refuse(std::size_t at, std::string message) {
    block_.fault = row_fault{block_.lines + 1, at + 1, std::move(message)};
    return false;
  }

  std::string_view text_, line_{};
  block_context context_;
  const ratings_layout& layout_;
  row_block& block_;
  rating_numbers* names_;  ///< null: ids are numbers
  std::vector<text_field> fields_{};
  std::string content_{};
};

/// The format of lines of ratings. Their layout is known once the first block has been looked at.
row_format ratings_lines(bool named, bool labels_optional, rating_numbers* names) {
  const auto layout = std::make_shared<ratings_layout>();
  return {.name = "ratings",
          .capacity = [](std::string_view text) { return ratings_capacity(text.size()); },
          .parse = [layout, names](std::string_view text, const block_context& context,
                                   row_block& rows) { parse_ratings_block(text, context, *layout, rows, names); },
          .begin =
              [=](std::string_view text, const block_context&, const std::string& source) {
                *layout = look_at_ratings(text, {.named = named, .labels_optional = labels_optional}, source);
                return layout->note;
              },
          .by_kind = true};
}

/// Reads all ratings by names; new names are appended to `names`.
std::unique_ptr<parsed_text> read_named(const std::string& path, const open_options& options, rating_names& names) {
  return parse_by_names(names.users, names.items, most_rating_names(), [&](rating_numbers& numbers) {
    return parse_all(
        *open_input(path), ratings_lines(true, options.labels_optional, &numbers),
        {.labels_optional = options.labels_optional, .set = options.isa, .note = [&](const std::string& sentence) {
           if (options.note) options.note(printable(sentence));
         }});
  });
}

}  // namespace

std::unique_ptr<parsed_text> parse_by_names(
    std::vector<std::string>& users, std::vector<std::string>& items, const std::string& what,
    const std::function<std::unique_ptr<parsed_text>(rating_numbers& numbers)>& parse) {
  const std::string too_many = "there are too many names: " + what;
  rating_numbers numbers{.users = name_numbers(users, largest_rating_id, too_many),
                         .items = name_numbers(items, largest_rating_id, too_many)};
  auto text = parse(numbers);
  const std::vector<std::uint32_t> user_ids = numbers.users.settle(users), item_ids = numbers.items.settle(items);
  text->columns = 0;
  for (row_block& block : text->blocks) {
    block.columns = 0;
    for (std::size_t k = 0; k < block.entries; ++k) {
      const std::uint32_t column = block.index[k] + 1, id = rating_id(column);
      block.index[k] = (is_user_column(column) ? user_column(user_ids[id]) : item_column(item_ids[id])) - 1;
      block.columns = std::max(block.columns, block.index[k] + 1);
    }
    text->columns = std::max<std::size_t>(text->columns, block.columns);
  }
  return text;
}

void parse_ratings_block(std::string_view text, const block_context& context, const ratings_layout& layout,
                         row_block& rows, rating_numbers* names) {
  ratings_parser(text, context, layout, rows, names).read_all();
}

}  // namespace detail

std::size_t count_users(std::span<const std::uint32_t> original) {
  return static_cast<std::size_t>(std::ranges::partition_point(original, is_user_column) - original.begin());
}

sparse_dataset open_ratings(const std::string& path, const open_options& options) {
  detail::row_format format = detail::ratings_lines(false, options.labels_optional, nullptr);
  format.kind = detail::input_format::ratings;
  return detail::open_rows(path, options, format);
}

sparse_dataset open_ratings(const std::string& path, const open_options& options, rating_names& names) {
  open_options uncached = options;
  uncached.cache = open_options::cache_use::none;
  return detail::open_rows(
      path, uncached,
      {.kind = detail::input_format::ratings, .by_kind = true, .whole = [&](const std::string& ratings) {
         return detail::read_named(ratings, uncached, names);
       }});
}

}  // namespace hogwild
