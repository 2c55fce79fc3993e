// SPDX-License-Identifier: Apache-2.0
#include "formats/table_parser.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <hogwild/detail/platform/printable.hpp>

#include "formats/label_words.hpp"
#include "formats/table_layout.hpp"
#include "formats/table_schema.hpp"
#include "text/byte_search.hpp"
#include "text/decimal.hpp"

namespace hogwild::detail {
namespace {

/// A whole number of at most seven digits, as most numbers of tables are; single precision holds them all.
bool read_digits(std::string_view text, float& value) {
  if (text.empty() || text.size() > 7) return false;
  const std::uint64_t word = load_eight(text.data());
  if (leading_digits(word) < text.size()) return false;
  value = static_cast<float>(digits_to_number(word, static_cast<unsigned>(text.size())));
  return true;
}

std::string no_label_here(const table_schema& schema) {
  const std::size_t label = label_place(schema);
  if (label == no_column) return "none of the table's columns is the label; say which one it is";
  return "the table has no column " + quote(schema.columns[label].name) + ", which has the labels";
}

}  // namespace

/// The state of one block.
struct table_parser::reading {
  std::string_view text;
  const block_context& context;
  row_block& rows;
  std::vector<text_field> fields{};
  std::string unquoted{};
  const std::vector<bool>& interacts;
  value_numbers number_of;
  std::vector<number_sizes> sizes{};
  field_cutter cutter{};
  /// An entry of a row for interactions.
  struct item {
    std::uint64_t hash;
    double value;
  };
  std::vector<std::vector<item>> items{};  ///< for each column of the schema; of the present record
  std::vector<item> combined{}, further{};
  std::vector<std::pair<std::uint32_t, float>> entries{};

  bool refuse(std::size_t at, std::string message) {
    const text_position place = position_of(at, text);
    rows.fault = row_fault{rows.lines + place.line, place.column, std::move(message)};
    return false;
  }
  bool refuse_value(const text_field& field, std::string_view value) {
    return refuse(field.at, too_long(value, "the value") + "; ignore the column, or give --hash-bits");
  }
  /// Valid until the next call.
  std::string_view content(const text_field& field) {
    if (!field.quoted || field.text.find('"') == field.text.npos) return field.text;
    return unquoted = content_of(field);
  }
  /// Keeps an entry for the column's interactions, if it has any.
  void keep(std::size_t column, std::uint64_t hash, float value) {
    if (interacts[column]) items[column].push_back({hash, value});
  }
  void add(std::uint32_t index, float value) {
    rows.index[rows.entries] = index;
    rows.value[rows.entries++] = value;
    rows.columns = std::max(rows.columns, index + 1);
  }
  /// Adds the entries; those of one index, of which there are none if they are `distinct`, add up. False if a sum is
  /// not finite.
  bool add_united(bool distinct) {
    if (!distinct) std::ranges::sort(entries);
    for (std::size_t k = 0; k < entries.size(); ++k) {
      if (k > 0 && !distinct && entries[k].first == entries[k - 1].first)
        rows.value[rows.entries - 1] += entries[k].second;
      else
        add(entries[k].first, entries[k].second);
      if (!std::isfinite(rows.value[rows.entries - 1])) return false;
    }
    return true;
  }
};

table_parser::table_parser(const table_schema& schema, file_columns columns, bool learns, table_findings& found)
    : schema_(schema),
      places_(std::move(columns.places)),
      group_(columns.group),
      cutter_(schema.separator, schema.quotes),
      learns_(learns),
      found_(found) {
  const std::size_t label = label_place(schema);
  has_label_ = label != no_column && std::ranges::find(places_, label) != places_.end();
  interactions_ = interactions_of(schema, "the model");
  interacts_.resize(schema.columns.size());
  for (const table_interaction& one : interactions_)
    for (const std::size_t c : one.factors) interacts_[c] = true;
}

std::size_t table_parser::capacity(std::string_view text) const {
  const std::size_t lines = count_byte(text, '\n');
  const std::size_t separators = count_byte(text, schema_.separator);
  const std::size_t fields = places_.size();
  const std::size_t records = fields > 1 ? std::min(lines, separators / (fields - 1)) : lines;
  const auto is_long = [&](std::size_t c) {
    return schema_.columns[c].kind == table_kind::list || schema_.columns[c].kind == table_kind::text;
  };
  // A value of a list or text takes two bytes at least, and is the first of so many runs.
  const std::size_t values = text.size() / 2 * schema_.word_ngrams;
  std::size_t room = records * fields;
  for (const std::size_t c : places_) {
    if (c == no_column) continue;
    if (is_long(c)) room += values;
    if (schema_.columns[c].kind == table_kind::date) room += 3 * records;
  }
  for (const table_interaction& one : interactions_) {
    std::size_t combinations = std::ranges::any_of(one.factors, is_long) ? values : records;
    for (const std::size_t c : one.factors) combinations *= schema_.columns[c].kind == table_kind::date ? 4 : 1;
    room += combinations;
  }
  return room;
}

void table_parser::parse(std::string_view text, const block_context& context, row_block& rows) const {
  reading in{
      .text = text, .context = context, .rows = rows, .interacts = interacts_, .number_of = {schema_, learns_, found_}};
  in.sizes.resize(found_.sizes.size());
  if (!interactions_.empty()) in.items.resize(schema_.columns.size());
  bool header = context.first && schema_.header;
  while (!in.text.empty()) {
    const auto [bytes, lines, fault] = cutter_.cut(in.text, in.fields);
    if (fault.what != nullptr) {
      in.refuse(fault.at, fault.what);
      return;
    }
    const text_field& one = in.fields.front();
    const bool blank = in.fields.size() == 1 && (places_.size() > 1 || header) && one.text.empty() && !one.quoted;
    if (!blank && !std::exchange(header, false) && !read_record(in)) return;
    rows.lines += lines;
    in.text.remove_prefix(bytes);
  }
  const std::lock_guard only_one(found_.adding);
  for (std::size_t c = 0; c < in.sizes.size(); ++c) found_.sizes[c].add(in.sizes[c]);
}

bool table_parser::read_record(reading& in) const {
  if (in.fields.size() != places_.size()) {
    const bool few = in.fields.size() < places_.size();
    const text_field& at = few ? in.fields.back() : in.fields[places_.size()];
    return in.refuse(few ? at.at + at.text.size() : at.at,
                     "the record has " + std::to_string(in.fields.size()) + " fields, but the first one has " +
                         std::to_string(places_.size()) +
                         "; a field with separators in it is written in quotation marks");
  }
  in.rows.label.push_back(0.0);
  for (auto& items : in.items) items.clear();
  if (!has_label_) in.rows.unlabelled = true;
  if (!has_label_ && !in.context.labels_optional && !in.rows.no_label)
    in.rows.no_label = row_fault{in.rows.lines + 1, 1, no_label_here(schema_)};
  for (std::size_t f = 0; f < places_.size(); ++f) {
    const std::size_t column = places_[f];
    if (column == no_column) continue;
    const text_field& field = in.fields[f];
    bool taken = true;
    switch (schema_.columns[column].kind) {
      case table_kind::ignored:
      case table_kind::interaction:
        break;
      case table_kind::label:
        taken = read_label(in, field);
        break;
      case table_kind::weight:
        taken = read_weight(in, field);
        break;
      case table_kind::numeric:
        taken = read_number(in, column, field);
        break;
      case table_kind::categorical:
        taken = read_value(in, column, field);
        break;
      case table_kind::list:
      case table_kind::text:
        taken = read_values(in, column, field);
        break;
      case table_kind::date:
        taken = read_date_field(in, column, field);
        break;
    }
    if (!taken) return false;
  }
  if (!interactions_.empty() && !add_interactions(in)) return false;
  if (group_ != no_column) in.rows.stated.groups.state(in.rows.label.size() - 1, in.content(in.fields[group_]));
  in.rows.row_end.push_back(static_cast<std::uint32_t>(in.rows.entries));
  return true;
}

bool table_parser::is_label(std::string_view text) const {
  if (text.empty() || text.size() > longest_value) return false;
  if (found_.labels) return learns_ || found_.labels->find(text).has_value();
  double label = 0.0;
  return read_decimal(text.data(), text.data() + text.size(), label) == number_fault::none &&
         rounded_label_fault(text, label).empty();
}

bool table_parser::read_label(reading& in, const text_field& field) const {
  double& label = in.rows.label.back();
  const std::string_view text = in.content(field);
  // Where labels are not needed, a text that is none stands for a missing one.
  if (in.context.labels_optional && !is_label(text)) {
    in.rows.unlabelled = true;
    return true;
  }
  if (text.empty()) return in.refuse(field.at, "the label is missing: the field is empty");
  if (found_.labels && text.size() > longest_value) return in.refuse(field.at, too_long(text, "the label"));
  if (found_.labels) {
    if (const auto known = learns_ ? found_.labels->number_of(text) : found_.labels->find(text)) {
      label = *known;
      return true;
    }
    return in.refuse(field.at, "the label " + quote(text) + " is none of the model's");
  }
  const char *const first = text.data(), *const last = first + text.size();
  switch (read_decimal(first, last, label)) {
    case number_fault::not_a_number:
      return in.refuse(field.at, "the label " + quote(text) + " is not a number, as other labels are");
    case number_fault::not_finite:
      return in.refuse(field.at, "the label " + quote(text) + " is not finite");
    case number_fault::none:
      break;
  }
  if (std::string fault = rounded_label_fault(text, label); !fault.empty())
    return in.refuse(field.at, std::move(fault));
  keep_spelling(first, last, label, in.rows.spelling);
  return true;
}

bool table_parser::read_weight(reading& in, const text_field& field) const {
  if (in.context.labels_optional) return true;  // a prediction needs none
  float weight = 0.0f;
  const std::string_view text = in.content(field);
  if (read_decimal(text.data(), text.data() + text.size(), weight) != number_fault::none || weight < 0.0f)
    return in.refuse(field.at, "the weight " + quote(text) + " is not a number of at least 0");
  in.rows.stated.weight.push_back(weight);
  return true;
}

bool table_parser::read_number(reading& in, std::size_t column, const text_field& field) const {
  const auto index = static_cast<std::uint32_t>(column << schema_.value_bits);
  float value = 0.0f;
  if (!read_digits(field.text, value)) {
    const std::string_view text = field.text;
    if (is_missing(text)) {
      in.add(index + missing_number, 1.0f);
      return true;
    }
    if (const number_fault fault = read_decimal(text.data(), text.data() + text.size(), value);
        fault != number_fault::none)
      return in.refuse(field.at, quote(text) +
                                     (fault == number_fault::not_finite ? " is not finite" : " is not a number") +
                                     ", but the column " + quote(schema_.columns[column].name) +
                                     " is read as numeric; have it read as categorical, or mend the field");
  }
  if (!in.sizes.empty()) in.sizes[column].add(value);
  if (value == 0.0f) return true;
  value /= schema_.columns[column].divisor;
  if (!std::isfinite(value))
    return in.refuse(field.at, quote(field.text) +
                                   " is too large beside the numbers of the training data in the column " +
                                   quote(schema_.columns[column].name));
  in.add(index, value);
  in.keep(column, 0, value);
  return true;
}

bool table_parser::read_value(reading& in, std::size_t column, const text_field& field) const {
  const auto index = static_cast<std::uint32_t>(column << schema_.value_bits);
  const std::string_view text = in.content(field);
  const field_value value{text, hash_of(text)};
  if (schema_.hash_bits == 0 && text.size() > longest_value) return in.refuse_value(field, text);
  in.add(index + in.number_of(column, value), 1.0f);
  in.keep(column, value.hash, 1.0f);
  return true;
}

bool table_parser::read_values(reading& in, std::size_t column, const text_field& field) const {
  const auto index = static_cast<std::uint32_t>(column << schema_.value_bits);
  const std::string_view content = in.content(field);
  const std::span<const field_value> values = schema_.columns[column].kind == table_kind::text
                                                  ? in.cutter.text(content, schema_.word_ngrams)
                                                  : in.cutter.list(content, schema_.separator == '|' ? ',' : '|');
  in.entries.clear();
  for (const field_value& value : values) {
    if (schema_.hash_bits == 0 && value.text.size() > longest_value) return in.refuse_value(field, value.text);
    in.entries.emplace_back(index + in.number_of(column, value), value.weight);
    in.keep(column, value.hash, value.weight);
  }
  // Values that learn names have numbers of their own.
  return in.add_united(schema_.hash_bits == 0 && learns_);
}

bool table_parser::read_date_field(reading& in, std::size_t column, const text_field& field) const {
  const auto index = static_cast<std::uint32_t>(column << schema_.value_bits);
  const std::string_view text = in.content(field);
  if (is_missing(text)) {
    in.add(index + missing_number, 1.0f);
    return true;
  }
  const std::optional<date_categories> date = read_date(text);
  if (!date)
    return in.refuse(field.at, quote(text) + " is not a date, but the column " + quote(schema_.columns[column].name) +
                                   " is read as dates: 2026-11-30, with or without a time, or seconds since 1970");
  for (const std::uint32_t category : {date->year, date->month, date->weekday, date->hour.value_or(0)}) {
    if (category == 0) continue;
    in.add(index + category, 1.0f);
    in.keep(column, category, 1.0f);
  }
  return true;
}

bool table_parser::add_interactions(reading& in) const {
  const std::uint64_t mask = (1u << bits_of_interactions(schema_)) - 1;
  for (const table_interaction& one : interactions_) {
    in.combined.assign(1, {0, 1.0});
    for (const std::size_t factor : one.factors) {
      in.further.clear();
      for (const auto& [hash, value] : in.combined)
        for (const auto& [other, times] : in.items[factor]) {
          // Both multipliers are odd, so that no bit is lost; the last bits of a product depend on its last bits alone.
          const std::uint64_t mixed = (hash * 0x9e3779b97f4a7c15u + other) * 0xff51afd7ed558ccdu;
          in.further.push_back({mixed ^ mixed >> 32, value * times});
        }
      in.combined.swap(in.further);
    }
    in.entries.clear();
    const auto index = static_cast<std::uint32_t>(one.column << schema_.value_bits);
    const auto refuse = [&] {
      return in.refuse(in.fields[0].at,
                       "the numbers of the interaction " + quote(schema_.columns[one.column].name) +
                           " have a product that single precision does not hold; scale them, or leave it out");
    };
    for (const auto& [hash, product] : in.combined) {
      const auto value = static_cast<float>(product);
      // Training data are divided later, which must not change their digits.
      if (learns_ ? !std::isnormal(value) : !std::isfinite(value)) return refuse();
      if (value != 0.0f) in.entries.emplace_back(index + static_cast<std::uint32_t>(hash & mask), value);
    }
    if (!in.add_united(in.entries.size() < 2)) return refuse();
  }
  return true;
}

}  // namespace hogwild::detail
