// SPDX-License-Identifier: Apache-2.0
#include "formats/table_parser.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <hogwild/detail/platform/checksum.hpp>
#include <hogwild/detail/platform/printable.hpp>

#include "formats/label_words.hpp"
#include "formats/table_layout.hpp"
#include "formats/table_schema.hpp"
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

/// Bytes of a value or label that has a name: with the name of its column, escaped, it is the name of a model's column.
constexpr std::size_t longest_value = 16'000;

std::string no_label_here(const table_schema& schema) {
  const std::size_t label = label_place(schema);
  if (label == no_column) return "none of the table's columns is the label; say which one it is";
  return "the table has no column " + quote(schema.columns[label].name) + ", which has the labels";
}

std::string too_long(std::string_view text, const char* what) {
  return std::string(what) + " has " + std::to_string(text.size()) + " bytes; at most " +
         std::to_string(longest_value) + " have a name";
}

}  // namespace

std::uint32_t recent_values::number_of(std::string_view value, name_numbers& all) {
  if (recent_.empty()) recent_.resize(slots);
  name_numbers::numbered& slot = recent_[checksum(std::as_bytes(std::span(value))) % slots];
  if (slot.name.data() == nullptr || slot.name != value) slot = all.entry_of(value);
  return slot.number;
}

void number_sizes::add(const number_sizes& others) {
  for (std::size_t e = 0; e < count_.size(); ++e) count_[e] += others.count_[e];
}

float number_sizes::typical() const {
  // A size between 2^e and 2^(e+1) counts as 1.5 2^e; exponent 0 has zeros, and what is smaller than all normal
  // numbers.
  constexpr int bias = 127;
  double squares = 0.0, numbers = 0.0;
  for (std::size_t e = 1; e < count_.size() - 1; ++e) {
    squares += static_cast<double>(count_[e]) * std::ldexp(2.25, 2 * (static_cast<int>(e) - bias));
    numbers += static_cast<double>(count_[e]);
  }
  return numbers == 0.0 ? 1.0f : std::ldexp(1.0f, std::clamp(std::ilogb(std::sqrt(squares / numbers)), -126, 126));
}

/// The state of one block.
struct table_parser::reading {
  std::string_view text;
  const block_context& context;
  row_block& rows;
  std::vector<text_field> fields{};
  std::string unquoted{};
  std::vector<number_sizes> sizes{};
  std::span<recent_values> recent{};

  bool refuse(std::size_t at, std::string message) {
    const text_position place = position_of(at, text);
    rows.fault = row_fault{rows.lines + place.line, place.column, std::move(message)};
    return false;
  }
  /// Valid until the next call.
  std::string_view content(const text_field& field) {
    if (!field.quoted || field.text.find('"') == field.text.npos) return field.text;
    return unquoted = content_of(field);
  }
  void add(std::uint32_t index, float value) {
    rows.index[rows.entries] = index;
    rows.value[rows.entries++] = value;
    rows.columns = std::max(rows.columns, index + 1);
  }
};

table_parser::table_parser(const table_schema& schema, std::vector<std::size_t> places, bool learns,
                           table_findings& found)
    : schema_(schema),
      places_(std::move(places)),
      cutter_(schema.separator, schema.quotes),
      learns_(learns),
      found_(found) {
  const std::size_t label = label_place(schema);
  has_label_ = label != no_column && std::ranges::find(places_, label) != places_.end();
}

void table_parser::parse(std::string_view text, const block_context& context, row_block& rows) const {
  reading in{.text = text, .context = context, .rows = rows};
  in.sizes.resize(found_.sizes.size());
  std::vector<recent_values>& recent = found_.recent.local();
  recent.resize(schema_.columns.size());
  in.recent = recent;
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
  if (!has_label_) in.rows.unlabelled = true;
  if (!has_label_ && !in.context.labels_optional && !in.rows.no_label)
    in.rows.no_label = row_fault{in.rows.lines + 1, 1, no_label_here(schema_)};
  for (std::size_t f = 0; f < places_.size(); ++f) {
    const std::size_t column = places_[f];
    if (column == no_column) continue;
    switch (schema_.columns[column].kind) {
      case table_kind::ignored:
        break;
      case table_kind::label:
        if (!read_label(in, in.fields[f])) return false;
        break;
      case table_kind::numeric:
        if (!read_number(in, column, in.fields[f])) return false;
        break;
      case table_kind::categorical:
        if (!read_value(in, column, in.fields[f])) return false;
        break;
    }
  }
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
  return true;
}

bool table_parser::read_value(reading& in, std::size_t column, const text_field& field) const {
  const auto index = static_cast<std::uint32_t>(column << schema_.value_bits);
  const std::string_view text = in.content(field);
  std::uint32_t value = 0;
  if (schema_.hash_bits > 0) {
    value = static_cast<std::uint32_t>(checksum(std::as_bytes(std::span(text)))) & ((1u << schema_.hash_bits) - 1);
  } else {
    name_numbers& names = *found_.values[column];
    if (text.size() > longest_value)
      return in.refuse(field.at, too_long(text, "the value") + "; ignore the column, or give --hash-bits");
    const auto known = learns_ ? std::optional(in.recent[column].number_of(text, names)) : names.find(text);
    value = known ? *known + 1 : (1u << schema_.value_bits) - 1;
  }
  in.add(index + value, 1.0f);
  return true;
}

}  // namespace hogwild::detail
