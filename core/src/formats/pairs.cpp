// SPDX-License-Identifier: Apache-2.0
#include <hogwild/formats/pairs.hpp>

#include <tbb/parallel_sort.h>

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include <hogwild/detail/platform/checksum.hpp>
#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>
#include <hogwild/notes.hpp>

#include "data/dataset_mapping.hpp"
#include "data/parsed_text.hpp"
#include "data/row_format.hpp"
#include "ratings_parser.hpp"
#include "text/input_stream.hpp"
#include "text/known_kinds.hpp"
#include "text/text_fields.hpp"

namespace hogwild {
namespace {

using detail::parsed_text;
using detail::ratings_layout;

/// The form of a text, and why, as a sentence.
struct found_form {
  bool lists;
  std::string why;
  bool doubtful = false;  ///< they may be lists of equal length
};

/// Looks at all lines.
found_form form_of(std::string_view text, const ratings_layout& layout, bool named) {
  const auto counted = [](std::size_t line, std::size_t fields) {
    return "line " + std::to_string(line) + " has " + std::to_string(fields) + (fields == 1 ? " field" : " fields");
  };
  const auto lists = [](const std::string& why) {
    return found_form{true, "each line is a user and the user's items, because " + why +
                                "; where that is wrong, have it read as lines"};
  };
  std::size_t number = 0, first = 0, count = 0;
  std::vector<detail::text_field> fields;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == line.npos || line[begin] == '#') continue;
    if (!named) line = line.substr(0, line.find('#'));
    detail::cut_fields(line, layout.by, fields);
    while (fields.size() > 1 && fields.back().text.empty()) fields.pop_back();
    if (first == 0) first = number, count = fields.size();
    if (fields.size() != count) return lists(counted(first, count) + " and " + counted(number, fields.size()));
    if (count < 2 || count > 4) return lists(counted(number, count));
    if (count > 2 && !detail::is_number(detail::without_comment(fields[2])))
      return lists("the third field of line " + std::to_string(number) + " is no number");
  }
  if (count < 3) return {false, {}};  // a list of one item is a line
  return {false,
          std::string("each line is a user, an item") + (count == 3 ? " and a weight" : ", a weight and a time") +
              ", because all lines have as many fields; where that is wrong, have it read as lists",
          true};
}

class pairs_reading {
 public:
  pairs_reading(const std::string& path, const pair_options& how, const open_options& options)
      : name_(path == "-" ? "standard input" : path),
        how_(how),
        options_(options),
        text_(detail::read_unpacked(path, detail::text_look(name_))) {}

  std::unique_ptr<parsed_text> read(rating_names* names) {
    look(names != nullptr);
    auto found = names == nullptr ? parse(nullptr)
                                  : detail::parse_by_names(names->users, names->items, detail::most_rating_names(),
                                                           [&](auto& numbers) { return parse(&numbers); });
    if (how_.positive_from) leave_out_low(*found);
    tell_repeated(*found);
    return found;
  }

 private:
  void look(bool named) {
    detail::require_kind(text_, "pairs", name_);
    layout_ = detail::look_at_ratings(
        text_, {.named = named, .labels_optional = !how_.positive_from, .times = true, .weights = !how_.positive_from},
        name_);
    layout_.lists = how_.form == pair_form::lists;
    if (how_.form == pair_form::automatic && !how_.positive_from && layout_.header_line == 0) {
      found_form form = form_of(text_, layout_, named);
      if (form.doubtful && !how_.like.empty() && how_.like != "-") form = form_like(named);
      layout_.lists = form.lists;
      if (!form.why.empty()) note(form.why);
    }
    if (layout_.lists)
      layout_.header_line = 0;
    else if (!layout_.note.empty())
      note(layout_.note);
  }

  found_form form_like(bool named) const {
    open_options quiet = options_;
    quiet.note = [](std::string_view) {};
    const pair_options how;
    pairs_reading other(how_.like, how, quiet);
    other.look(named);
    return {other.layout_.lists, std::string("each line is a user and ") +
                                     (other.layout_.lists ? "the user's items" : "an item") + ", as in " + how_.like +
                                     "; where that is wrong, have it read as " +
                                     (other.layout_.lists ? "lines" : "lists")};
  }

  std::unique_ptr<parsed_text> parse(detail::rating_numbers* numbers) const {
    const auto capacity = layout_.lists ? detail::lists_capacity : detail::ratings_capacity;
    return parse_all(
        *detail::open_input_memory(text_, name_),
        {.capacity = [=](std::string_view text) { return capacity(text.size()); },
         .parse = [&](std::string_view text, const detail::block_context& context,
                      detail::row_block& rows) { detail::parse_ratings_block(text, context, layout_, rows, numbers); }},
        {.labels_optional = !how_.positive_from, .set = options_.isa});
  }

  /// Keeps the ratings that are high enough, as pairs of weight 1.
  void leave_out_low(parsed_text& text) const {
    std::size_t row = 0, kept_rows = 0;
    for (detail::row_block& block : text.blocks) {
      std::size_t kept = 0;
      for (std::size_t r = 0; r < block.label.size(); ++r, ++row) {
        if (!(block.label[r] >= *how_.positive_from)) continue;
        std::copy_n(block.index + 2 * r, 2, block.index + 2 * kept++);
        if (!text.stated.time.empty()) text.stated.time[kept_rows] = text.stated.time[row];
        ++kept_rows;
      }
      block.label.assign(kept, 1.0);
      block.row_end.resize(kept);
      block.entries = 2 * kept;
      block.columns = 0;
      for (std::size_t k = 0; k < block.entries; ++k) block.columns = std::max(block.columns, block.index[k] + 1);
    }
    const std::string bound = detail::to_text(*how_.positive_from);
    if (kept_rows == 0) throw input_error(name_ + ": no rating is " + bound + " or more, so there are no pairs");
    if (kept_rows < row) note(std::to_string(row - kept_rows) + " ratings below " + bound + " are left out");
    std::erase_if(text.blocks, [](const detail::row_block& block) { return block.label.empty(); });
    if (!text.stated.time.empty()) text.stated.time.resize(kept_rows);
    text.rows = kept_rows;
    text.nonzeros = 2 * kept_rows;
    text.columns = 0;
    for (const detail::row_block& block : text.blocks)
      text.columns = std::max<std::size_t>(text.columns, block.columns);
  }

  void tell_repeated(const parsed_text& text) const {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> all;
    all.reserve(text.rows);
    for (const detail::row_block& block : text.blocks)
      for (std::size_t k = 0; k < block.entries; k += 2) all.emplace_back(block.index[k], block.index[k + 1]);
    tbb::parallel_sort(all.begin(), all.end());
    const auto distinct = static_cast<std::size_t>(std::unique(all.begin(), all.end()) - all.begin());
    if (distinct < text.rows)
      note(std::to_string(text.rows - distinct) + " of " + std::to_string(text.rows) +
           " pairs repeat others, and are kept");
  }

  void note(const std::string& sentence) const {
    const std::string told = printable(name_ + ": " + sentence);
    options_.note ? options_.note(told) : note_by_default(told);
  }

  std::string name_;
  const pair_options& how_;
  const open_options& options_;
  std::string text_;
  ratings_layout layout_{};
};

sparse_dataset open(const std::string& path, const pair_options& how, const open_options& options,
                    rating_names* names) {
  if (how.positive_from && how.form == pair_form::lists)
    throw config_error("lists of items have no ratings, of which high ones are pairs: leave out one of the two");
  // The columns of the other file are part of the key, so its name need not be.
  const std::array<std::uint64_t, 3> digested{static_cast<std::uint64_t>(how.form) + (how.like.empty() ? 0 : 16),
                                              how.positive_from.has_value(),
                                              std::bit_cast<std::uint64_t>(how.positive_from.value_or(0.0))};
  return detail::open_rows(path, options,
                           {.kind = detail::input_format::pairs,
                            .by_kind = true,
                            .whole = [&](const std::string& p) { return pairs_reading(p, how, options).read(names); },
                            .companions = detail::checksum(std::span<const std::uint64_t>(digested))});
}

}  // namespace

sparse_dataset open_pairs(const std::string& path, const pair_options& pairs, const open_options& options) {
  return open(path, pairs, options, nullptr);
}

sparse_dataset open_pairs(const std::string& path, const pair_options& pairs, const open_options& options,
                          rating_names& names) {
  open_options uncached = options;
  uncached.cache = open_options::cache_use::none;
  return open(path, pairs, uncached, &names);
}

std::vector<double> pair_times(const sparse_dataset& pairs) {
  return dataset_access::times_of(pairs);
}

}  // namespace hogwild
