// SPDX-License-Identifier: Apache-2.0
#include <hogwild/formats/triples.hpp>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/notes.hpp>

#include "ratings_parser.hpp"
#include "text/input_stream.hpp"
#include "text/known_kinds.hpp"
#include "triples_parser.hpp"

namespace hogwild {
namespace detail {
namespace {

constexpr std::size_t fields_of_triple = 3, longest_name = 255;

/// Reads a block line by line.
class triples_parser {
 public:
  triples_parser(std::string_view text, const block_context& context, const triples_layout& layout, row_block& block,
                 rating_numbers& names)
      : text_(text), context_(context), layout_(layout), block_(block), names_(names) {}

  void read_all() {
    while (!text_.empty()) {
      const std::size_t end = text_.find('\n');
      line_ = text_.substr(0, end);
      text_.remove_prefix(end + 1);
      if (line_.ends_with('\r')) line_.remove_suffix(1);
      const bool header = context_.first && layout_.header_line == block_.lines + 1;
      if (!header && line_.find_first_not_of(" \t") != line_.npos && !read_triple()) return;
      ++block_.lines;
    }
  }

 private:
  bool read_triple() {
    const std::vector<text_field> fields = cut_triple(line_, layout_.tabs);
    static constexpr const char* const roles[] = {"head", "relation", "tail"};
    for (std::size_t f = 0; f < std::min(fields.size(), fields_of_triple); ++f)
      if (!check(fields[f], roles[f])) return false;
    if (fields.size() != fields_of_triple)
      return refuse(fields.size() < fields_of_triple ? line_.size() : fields[fields_of_triple].at,
                    "the line has " + std::to_string(fields.size()) + (fields.size() == 1 ? " field" : " fields") +
                        " between " + (layout_.tabs ? "tabs" : "blanks") +
                        ", but a triple has three: head, relation and tail");
    for (std::size_t f = 0; f < fields_of_triple; ++f) {
      const bool relation = f == 1;
      const std::uint32_t id = (relation ? names_.items : names_.users).number_of(fields[f].text);
      const std::uint32_t column = relation ? relation_column(id) : entity_column(id);
      block_.index[block_.entries] = column - 1;
      block_.value[block_.entries++] = 1.0f;
      block_.columns = std::max(block_.columns, column);
    }
    block_.row_end.push_back(static_cast<std::uint32_t>(block_.entries));
    block_.label.push_back(0.0);
    return true;
  }

  bool check(const text_field& field, const char* role) {
    if (field.text.empty()) return refuse(field.at, "the " + std::string(role) + " is missing: the field is empty");
    if (field.text.size() > longest_name)
      return refuse(field.at, "the name of the " + std::string(role) + " has " + std::to_string(field.text.size()) +
                                  " bytes; it needs 1 to " + std::to_string(longest_name));
    const auto printed = [](char c) { return static_cast<unsigned char>(c) >= ' ' && c != '\x7f'; };
    if (!std::ranges::all_of(field.text, printed))
      return refuse(field.at,
                    "there is a control character in the name of the " + std::string(role) + " " + quote(field.text));
    return true;
  }

  /// Refuses a place in the line, in bytes from 0.
  bool refuse(std::size_t at, std::string message) {
    block_.fault = row_fault{block_.lines + 1, at + 1, std::move(message)};
    return false;
  }

  std::string_view text_, line_{};
  block_context context_;
  const triples_layout& layout_;
  row_block& block_;
  rating_numbers& names_;
};

/// The triples of which an entry is of no known column.
std::size_t count_unknown(const parsed_text& text, const column_numbering& known) {
  std::size_t count = 0;
  for (const row_block& block : text.blocks)
    for (std::size_t k = 0; k < block.entries; k += fields_of_triple)
      count += std::any_of(block.index + k, block.index + k + fields_of_triple,
                           [&](std::uint32_t index) { return known.position(index + 1) == column_numbering::unknown; });
  return count;
}

std::unique_ptr<parsed_text> read_triples(const std::string& path, triple_names& names, const open_options& options) {
  const std::string name = path == "-" ? "standard input" : path;
  const auto note = [&](const std::string& sentence) {
    const std::string told = printable(name + ": " + sentence);
    options.note ? options.note(told) : note_by_default(told);
  };
  const std::string all = read_unpacked(path, text_look(name));
  const triples_layout layout = look_at_triples(all);
  if (!layout.looks_right) require_kind(all, "triples", name);
  if (layout.header_line > 0) note("line " + std::to_string(layout.header_line) + " is a header, and no triple");
  const std::string most =
      "triples may have at most " + std::to_string(largest_rating_id) + " entities, and as many relations";
  auto text = parse_by_names(names.entities, names.relations, most, [&](rating_numbers& numbers) {
    return parse_all(*open_input_memory(all, name),
                     {.capacity = [](std::string_view block) { return triples_capacity(block.size()); },
                      .parse = [&](std::string_view block, const block_context& context,
                                   row_block& rows) { parse_triples_block(block, context, layout, rows, numbers); }},
                     {.set = options.isa});
  });
  if (options.numbering != nullptr)
    if (const std::size_t unknown = count_unknown(*text, *options.numbering); unknown > 0)
      note(std::to_string(unknown) + " of " + std::to_string(text->rows) +
           " triples have an entity or a relation that the training data do not have");
  return text;
}

}  // namespace

std::vector<text_field> cut_triple(std::string_view line, bool tabs) {
  std::vector<text_field> fields;
  for (std::size_t at = 0; at <= line.size();) {
    if (!tabs) at = std::min(line.find_first_not_of(' ', at), line.size());
    if (!tabs && at == line.size()) break;
    const std::size_t end = std::min(line.find(tabs ? '\t' : ' ', at), line.size());
    fields.push_back({.text = line.substr(at, end - at), .at = at});
    at = end + 1;
  }
  return fields;
}

triples_layout look_at_triples(std::string_view text) {
  triples_layout layout{.tabs = text.find('\t') != text.npos};
  for (std::size_t line = 1; !text.empty(); ++line) {
    std::string_view first = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(first.size() + 1, text.size()));
    if (first.ends_with('\r')) first.remove_suffix(1);
    if (first.find_first_not_of(" \t") == first.npos) continue;
    std::string words;
    const std::vector<text_field> fields = cut_triple(first, layout.tabs);
    layout.looks_right = layout.tabs && fields.size() == fields_of_triple;
    for (const text_field& field : fields) words += std::string(field.text) + ' ';
    std::ranges::transform(words, words.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
    if (words == "head relation tail " || words == "subject predicate object ") layout.header_line = line;
    break;
  }
  return layout;
}

void parse_triples_block(std::string_view text, const block_context& context, const triples_layout& layout,
                         row_block& rows, rating_numbers& names) {
  triples_parser(text, context, layout, rows, names).read_all();
}

}  // namespace detail

sparse_dataset open_triples(const std::string& path, triple_names& names, const open_options& options) {
  open_options uncached = options;
  uncached.cache = open_options::cache_use::none;
  return detail::open_rows(
      path, uncached,
      {.kind = detail::input_format::triples,
       .by_kind = true,
       .keep_entry_order = true,
       .whole = [&](const std::string& triples) { return detail::read_triples(triples, names, uncached); }});
}

}  // namespace hogwild
