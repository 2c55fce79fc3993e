// SPDX-License-Identifier: Apache-2.0
#include "formats/vw_parser.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <hogwild/detail/platform/printable.hpp>

#include "formats/label_words.hpp"
#include "formats/table_schema.hpp"
#include "formats/text_hashes.hpp"
#include "text/byte_search.hpp"
#include "text/decimal.hpp"

namespace hogwild::detail {
namespace {

constexpr bool is_blank_of_vw(char c) {
  return c == ' ' || c == '\t';
}
constexpr bool is_of_token(char c) {
  return !is_blank_of_vw(c);
}
/// The most entries of a line with runs or interactions.
constexpr std::size_t most_entries = std::size_t{1} << 24;
/// Vowpal Wabbit's multipliers of hashes: in n-grams and in interactions (the prime of FNV-1).
constexpr std::uint64_t ngram_multiplier = 27942141, interaction_multiplier = 16777619;

/// The group of a namespace: the first byte of its name; a blank if it has none.
unsigned char group_of(std::string_view name) {
  return static_cast<unsigned char>(name.empty() ? ' ' : name.front());
}

/// The places of the words of n-grams, relative to the first one: `length` further words, between which up to
/// `skips` words in all are passed over; `passed` were, before the next one.
void add_places(std::size_t length, std::size_t skips, std::size_t passed, std::vector<std::size_t>& places,
                std::vector<std::vector<std::size_t>>& all) {
  if (length == 0) {
    all.push_back(places);
    return;
  }
  places.push_back((places.empty() ? 0 : places.back()) + 1 + passed);
  add_places(length - 1, skips, 0, places, all);
  places.pop_back();
  if (skips > 0) add_places(length, skips - 1, passed + 1, places, all);
}

}  // namespace

/// The state of one block.
struct vw_parser::reading {
  const block_context& context;
  row_block& rows;
  std::array<std::vector<feature>, 256> groups{};  ///< of the line, by the first byte of their namespaces
  std::vector<unsigned char> used{};               ///< those that have been begun
  std::vector<feature> products{}, further{};
  std::vector<std::pair<std::uint32_t, float>> entries{};

  /// `at`: the byte in the line.
  bool refuse(std::size_t at, std::string message) {
    rows.fault = row_fault{rows.lines + 1, at + 1, std::move(message)};
    return false;
  }
};

vw_parser::vw_parser(const table_schema& schema) : mask_((std::uint64_t{1} << schema.hash_bits) - 1) {
  for (std::size_t length = 1; length < schema.word_ngrams; ++length) {
    std::vector<std::size_t> places;
    add_places(length, schema.word_skips, 0, places, grams_);
  }
  for (const table_column& column : schema.columns) {
    if (column.kind == table_kind::ignored) ignored_[group_of(column.name)] = true;
    if (column.kind != table_kind::interaction) continue;
    auto& groups = interactions_.emplace_back();
    for (const std::string& name : factors_of(column.name)) groups.push_back(group_of(name));
  }
}

std::size_t vw_parser::room_of(std::string_view line) const {
  const auto blanks_of = [](std::string_view part) { return count_byte(part, ' ') + count_byte(part, '\t'); };
  if (is_plain()) return blanks_of(line);
  // Behind a blank at most one feature begins.
  std::array<std::size_t, 256> features{};
  std::vector<unsigned char> used;
  for (std::size_t bar = line.find('|'); bar < line.size();) {
    const std::size_t next = std::min(line.find('|', bar + 1), line.size());
    const std::string_view part = line.substr(bar + 1, next - bar - 1);
    const unsigned char group =
        part.empty() || is_blank_of_vw(part.front()) ? group_of({}) : group_of(part.substr(0, part.find(':')));
    if (features[group] == 0) used.push_back(group);
    features[group] += blanks_of(part);
    bar = next;
  }
  std::uint64_t room = 0;
  for (const unsigned char group : used) {
    const std::size_t words = features[group];
    for (const std::vector<std::size_t>& places : grams_)
      features[group] += words > places.back() ? words - places.back() : 0;
    room += features[group];
  }
  for (const auto& factors : interactions_) {
    std::uint64_t combinations = 1;
    for (const unsigned char group : factors)
      combinations = std::min<std::uint64_t>(combinations * features[group], 2 * most_entries);
    room += combinations;
  }
  return std::min<std::uint64_t>(room, 2 * most_entries);
}

std::size_t vw_parser::capacity(std::string_view text) const {
  if (is_plain()) return room_of(text);
  std::size_t room = 0;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() + 1);
    const std::size_t of_line = room_of(line);
    if (of_line <= most_entries) room += of_line;  // else it is refused
  }
  return room;
}

void vw_parser::parse(std::string_view text, const block_context& context, row_block& rows) const {
  reading in{.context = context, .rows = rows};
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (find_byte(line, 0, is_of_token) < line.size() && !read_line(in, line)) return;
    ++rows.lines;
  }
}

bool vw_parser::read_line(reading& in, std::string_view line) const {
  const std::size_t bar = line.find('|');
  if (bar == line.npos) return in.refuse(0, "the line has no '|'; write 'label |namespace feature:value ...'");
  if ((line.size() > most_entries || !is_plain()) && room_of(line) > most_entries)
    return in.refuse(bar, "the runs and interactions of the line have more than " + std::to_string(most_entries) +
                              " entries; ask for fewer, or cut the line");
  if (!read_head(in, line.substr(0, bar))) return false;
  in.entries.clear();
  for (const unsigned char group : std::exchange(in.used, {})) in.groups[group].clear();
  if (!read_namespaces(in, line, bar)) return false;
  for (const unsigned char group : in.used) {
    std::vector<feature>& features = in.groups[group];
    add_ngrams(features);
    for (const auto& [hash, value] : features) in.entries.emplace_back(static_cast<std::uint32_t>(hash & mask_), value);
  }
  if (!add_interactions(in)) return false;
  std::ranges::sort(in.entries);
  const std::size_t before = in.rows.entries;
  for (const auto& [index, value] : in.entries) {
    if (in.rows.entries > before && in.rows.index[in.rows.entries - 1] == index) {
      in.rows.value[in.rows.entries - 1] += value;
      if (!std::isfinite(in.rows.value[in.rows.entries - 1]))
        return in.refuse(bar, "the values of one column add up to more than single precision holds");
      continue;
    }
    in.rows.index[in.rows.entries] = index;
    in.rows.value[in.rows.entries++] = value;
    in.rows.columns = std::max(in.rows.columns, index + 1);
  }
  in.rows.row_end.push_back(static_cast<std::uint32_t>(in.rows.entries));
  return true;
}

/// "[label [importance [base]]] [tag]" before the first bar. A tag stands at the bar, or begins with an apostrophe.
bool vw_parser::read_head(reading& in, std::string_view head) const {
  double label_number = 0.0;
  float numbers[3] = {0.0f, 1.0f, 0.0f};  // importance and base are its last two
  std::size_t count = 0;
  std::string_view label;
  for (std::size_t at = find_byte(head, 0, is_of_token); at < head.size();) {
    const std::size_t end = find_byte(head, at, is_blank_of_vw);
    const std::string_view token = head.substr(at, end - at);
    const bool is_tag = token.front() == '\'' || end == head.size();
    if (!is_tag) {
      constexpr std::string_view what[] = {"label", "importance", "base"};
      if (token == "shared") return in.refuse(at, "'shared' begins an example of several lines, which are not read");
      if (count == 3)
        return in.refuse(at, quote(token) + " follows label, importance and base; a tag has an apostrophe before it");
      const char *const first = token.data(), *const last = first + token.size();
      const number_fault fault =
          count == 0 ? read_decimal(first, last, label_number) : read_decimal(first, last, numbers[count]);
      if (fault == number_fault::not_finite)
        return in.refuse(at, "the " + std::string(what[count]) + " " + quote(token) + " is not finite");
      if (fault != number_fault::none)
        return in.refuse(at, "the " + std::string(what[count]) + " " + quote(token) +
                                 " is not a number; labels with costs or actions are not read");
      if (count == 0) label = token;
      if (count == 1 && numbers[1] < 0.0f) return in.refuse(at, "the importance " + quote(token) + " is negative");
      ++count;
    }
    at = find_byte(head, end, is_of_token);
  }
  row_block& rows = in.rows;
  if (count == 0) {
    if (in.context.labels_optional)
      rows.unlabelled = true;
    else if (!rows.no_label)
      rows.no_label = row_fault{rows.lines + 1, 1, "the line has no label before '|'"};
  } else {
    if (std::string fault = rounded_label_fault(label, label_number); !fault.empty())
      return in.refuse(0, std::move(fault));
    keep_spelling(label.data(), label.data() + label.size(), label_number, rows.spelling);
  }
  rows.label.push_back(label_number);
  stated_numbers stated;
  if (count > 1) stated.weight.push_back(numbers[1]);
  if (count > 2) stated.offset.push_back(numbers[2]);
  rows.stated.append(stated, rows.label.size() - 1, 1);
  return true;
}

bool vw_parser::read_namespaces(reading& in, std::string_view line, std::size_t bar) const {
  while (bar < line.size()) {
    const std::size_t next = std::min(line.find('|', bar + 1), line.size());
    std::size_t at = bar + 1;
    name_space of{};
    if (at < next && is_of_token(line[at])) {
      const std::size_t end = find_byte(line.substr(0, next), at, is_blank_of_vw);
      const std::string_view token = line.substr(at, end - at);
      of.name = token.substr(0, token.find(':'));
      of.hash = vowpal_wabbit_hash(of.name, 0);
      if (of.name.size() < token.size()) {
        const std::string_view weight = token.substr(of.name.size() + 1);
        if (read_decimal(weight.data(), weight.data() + weight.size(), of.weight) != number_fault::none)
          return in.refuse(at + of.name.size() + 1, "the weight of the namespace " + quote(of.name) + ", " +
                                                        quote(weight) + ", is not a number");
      }
      at = end;
    }
    const unsigned char group = group_of(of.name);
    std::vector<feature>& features = in.groups[group];
    if (!ignored_[group] && std::ranges::find(in.used, group) == in.used.end()) in.used.push_back(group);
    for (at = find_byte(line, at, is_of_token); at < next; at = find_byte(line, at, is_of_token)) {
      const std::size_t end = find_byte(line.substr(0, next), at, is_blank_of_vw);
      if (!read_feature(in, of, line, at, end)) return false;
      at = end;
    }
    if (ignored_[group]) features.clear();
    bar = next;
  }
  return true;
}

/// "name", "name:value", ":value", or "name:text", whose column is that of both texts.
bool vw_parser::read_feature(reading& in, name_space& of, std::string_view line, std::size_t begin,
                             std::size_t end) const {
  const std::string_view token = line.substr(begin, end - begin);
  const std::string_view name = token.substr(0, token.find(':'));
  std::uint64_t hash = name.empty() ? of.hash + of.without_name++ : vowpal_wabbit_hash(name, of.hash);
  float value = 1.0f;
  if (name.size() < token.size()) {
    const std::string_view given = token.substr(name.size() + 1);
    const std::size_t at = begin + name.size() + 1;
    switch (read_decimal(given.data(), given.data() + given.size(), value)) {
      case number_fault::none:
        break;
      case number_fault::not_finite:
        return in.refuse(at, "the value " + quote(given) + " is not finite");
      case number_fault::not_a_number:
        if (given.empty() || name.empty() || std::string_view("+-.0123456789").find(given.front()) != given.npos)
          return in.refuse(at, "the value " + quote(given) + " is not a number");
        hash = vowpal_wabbit_hash(given, hash);
        value = 1.0f;
    }
  }
  value *= of.weight;
  if (!std::isfinite(value))
    return in.refuse(begin, "the value of " + quote(token) + " times the weight of its namespace is too large");
  if (value != 0.0f) in.groups[group_of(of.name)].push_back({hash & mask_, value});
  return true;
}

void vw_parser::add_ngrams(std::vector<feature>& features) const {
  const std::size_t words = features.size();
  for (const std::vector<std::size_t>& places : grams_)
    for (std::size_t first = 0; first + places.back() < words; ++first) {
      std::uint64_t hash = features[first].hash;
      for (const std::size_t place : places) hash = hash * ngram_multiplier + features[first + place].hash;
      features.push_back({hash, 1.0f});
    }
}

bool vw_parser::add_interactions(reading& in) const {
  for (const std::vector<unsigned char>& factors : interactions_) {
    in.products = in.groups[factors.front()];
    for (std::size_t k = 1; k < factors.size(); ++k) {
      in.further.clear();
      for (const auto& [hash, value] : in.products)
        for (const auto& [other, times] : in.groups[factors[k]])
          in.further.push_back({(hash * interaction_multiplier) ^ other, value * times});
      in.products.swap(in.further);
    }
    for (const auto& [hash, value] : in.products) {
      if (!std::isfinite(value)) return in.refuse(0, "the values of an interaction have a product that is too large");
      in.entries.emplace_back(static_cast<std::uint32_t>(hash & mask_), value);
    }
  }
  return true;
}

}  // namespace hogwild::detail
