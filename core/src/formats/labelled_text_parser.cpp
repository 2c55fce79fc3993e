// SPDX-License-Identifier: Apache-2.0
#include "formats/labelled_text_parser.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <hogwild/detail/platform/printable.hpp>

#include "formats/subwords.hpp"
#include "formats/table_schema.hpp"
#include "formats/text_hashes.hpp"
#include "text/byte_search.hpp"

namespace hogwild::detail {
namespace {

constexpr std::string_view label_mark = "__label__";
constexpr bool is_gap(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r' && c != '\n');
}
constexpr bool is_no_gap(char c) {
  return !is_gap(c);
}
/// fastText's multiplier of hashes in runs of words.
constexpr std::uint64_t run_multiplier = 116049371;

/// A hash as fastText adds it up: signed.
std::uint64_t as_signed(std::uint32_t hash) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(hash)));
}

/// Words are this many ahead when their places in the table of names are fetched.
constexpr std::size_t ahead = 8;

}  // namespace

/// The state of one block.
struct labelled_text_parser::reading {
  const block_context& context;
  row_block& rows;
  value_numbers number_of;
  std::vector<double> labels{};
  std::size_t unknown = 0, unknown_at = 0;                 ///< labels of the line that have no number, and where one is
  std::vector<std::uint32_t> hashes{};                     ///< of the words of the line, if there are runs of words
  std::vector<std::string_view> words{};                   ///< of the line
  std::vector<field_value> counted{};                      ///< its different words
  std::string marked{};                                    ///< "<word>"
  std::vector<std::pair<std::uint32_t, float>> entries{};  ///< index and count

  /// `at`: the byte in the line.
  bool refuse(std::size_t at, std::string message) {
    rows.fault = row_fault{rows.lines + 1, at + 1, std::move(message)};
    return false;
  }
  /// Unites entries of one index.
  void unite() {
    std::ranges::sort(entries);
    std::size_t kept = 0;
    for (const auto& entry : entries) {
      if (kept > 0 && entries[kept - 1].first == entry.first)
        entries[kept - 1].second += entry.second;
      else
        entries[kept++] = entry;
    }
    entries.resize(kept);
  }
};

labelled_text_parser::labelled_text_parser(const table_schema& schema, bool learns, table_findings& found)
    : schema_(schema), learns_(learns), found_(found) {}

std::size_t labelled_text_parser::capacity(std::string_view text) const {
  // A word takes two bytes at least, and is the first of so many runs; a part of a word begins at each byte, or before
  // the first, and has one of these lengths.
  const std::size_t lengths = schema_.most_characters == 0 ? 0 : schema_.most_characters - schema_.least_characters + 1;
  return text.size() / 2 * schema_.word_ngrams + (text.size() + text.size() / 2) * lengths;
}

void labelled_text_parser::parse(std::string_view text, const block_context& context, row_block& rows) const {
  reading in{.context = context, .rows = rows, .number_of = {schema_, learns_, found_}};
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() + 1);
    if (find_byte(line, 0, is_no_gap) < line.size() && !read_line(in, line)) return;
    ++rows.lines;
  }
}

bool labelled_text_parser::read_line(reading& in, std::string_view line) const {
  in.labels.clear(), in.words.clear(), in.unknown = 0;
  for (std::size_t at = find_byte(line, 0, is_no_gap); at < line.size();) {
    const std::size_t end = find_byte(line, at, is_gap);
    const std::string_view token = line.substr(at, end - at);
    if (token.size() > longest_value) return in.refuse(at, too_long(token, "the word"));
    if (token.starts_with(label_mark)) {
      if (!read_label(in, at, token.substr(label_mark.size()))) return false;
    } else {
      in.words.push_back(token);
    }
    at = find_byte(line, end, is_no_gap);
  }
  if (in.unknown > 0 && !in.context.labels_optional) {
    const std::string_view label = line.substr(in.unknown_at, find_byte(line, in.unknown_at, is_gap) - in.unknown_at);
    if (in.labels.empty())
      return in.refuse(in.unknown_at,
                       "the label " + quote(label.substr(label_mark.size())) + " is none of the model's");
    in.rows.stated.left_out += in.unknown;
  }
  finish_labels(in);
  add_entries(in);
  in.rows.row_end.push_back(static_cast<std::uint32_t>(in.rows.entries));
  return true;
}

bool labelled_text_parser::read_label(reading& in, std::size_t at, std::string_view label) const {
  if (label.empty()) return in.refuse(at, "'__label__' has no label behind it");
  const auto known = learns_ ? std::optional(found_.labels->number_of(label)) : found_.labels->find(label);
  if (known)
    in.labels.push_back(*known);
  else if (in.unknown++ == 0)
    in.unknown_at = at;
  return true;
}

void labelled_text_parser::finish_labels(reading& in) const {
  row_block& rows = in.rows;
  std::ranges::sort(in.labels);
  in.labels.erase(std::unique(in.labels.begin(), in.labels.end()), in.labels.end());
  rows.label.push_back(in.labels.empty() ? 0.0 : in.labels.front());
  if (in.labels.empty()) {
    if (in.context.labels_optional)
      rows.unlabelled = true;
    else if (!rows.no_label)
      rows.no_label = row_fault{rows.lines + 1, 1, "the line has no '__label__' before its words"};
  }
  if (in.labels.size() == 1) return;
  if (in.labels.empty() && in.context.labels_optional) return;
  rows.add_list(in.labels);
  if (in.labels.size() > 1 && rows.list_line == 0) rows.list_line = rows.lines + 1;
}

void labelled_text_parser::add_entries(reading& in) const {
  const auto index_of = [&](labelled_text_column column, std::uint64_t number) {
    return (static_cast<std::uint32_t>(column) << schema_.value_bits) + static_cast<std::uint32_t>(number);
  };
  const std::uint64_t mask = (std::uint64_t{1} << bits_of_interactions(schema_)) - 1;
  in.entries.clear(), in.hashes.clear();
  if (schema_.word_ngrams > 1)
    for (const std::string_view word : in.words) in.hashes.push_back(fasttext_hash(word));
  for (std::size_t first = 0; first < in.hashes.size(); ++first) {
    std::uint64_t hash = as_signed(in.hashes[first]);
    for (std::size_t last = first + 1; last < std::min(in.hashes.size(), first + schema_.word_ngrams); ++last) {
      hash = hash * run_multiplier + as_signed(in.hashes[last]);
      in.entries.emplace_back(index_of(labelled_text_column::ngram, hash & mask), 1.0f);
    }
  }
  if (schema_.most_characters > 0)
    for (const std::string_view word : in.words) {
      in.marked.assign("<").append(word).append(">");
      for_subwords(in.marked, schema_.least_characters, schema_.most_characters, [&](std::string_view part) {
        in.entries.emplace_back(index_of(labelled_text_column::subword, fasttext_hash(part) & mask), 1.0f);
      });
    }
  in.unite();
  in.counted.clear();
  for (const std::string_view word : in.words) in.counted.push_back({word, hash_of(word)});
  count_values(in.counted);
  double squares = 0.0;
  for (const field_value& word : in.counted) squares += static_cast<double>(word.weight) * word.weight;
  for (const auto& [index, count] : in.entries) squares += static_cast<double>(count) * count;
  for (std::size_t k = 0; k < in.counted.size(); ++k) {
    if (k + ahead < in.counted.size()) in.number_of.announce(0, in.counted[k + ahead]);
    in.entries.emplace_back(index_of(labelled_text_column::word, in.number_of(0, in.counted[k])), in.counted[k].weight);
  }
  // Words that have one column, by hash or as rare ones.
  if (schema_.hash_bits > 0 || !learns_) in.unite();
  const auto length = static_cast<float>(std::sqrt(squares));
  for (const auto& [index, count] : in.entries) {
    in.rows.index[in.rows.entries] = index;
    in.rows.value[in.rows.entries++] = count / length;
    in.rows.columns = std::max(in.rows.columns, index + 1);
  }
}

}  // namespace hogwild::detail
