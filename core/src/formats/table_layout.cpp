// SPDX-License-Identifier: Apache-2.0
#include "formats/table_layout.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>

#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>

#include "formats/table_fields.hpp"
#include "formats/table_schema.hpp"
#include "text/decimal.hpp"

namespace hogwild::detail {
namespace {

constexpr std::size_t records_for_separator = 100, records_for_kinds = 1000;

using record = std::vector<std::string>;

/// The first records, at most so many, without blank lines. A record that cannot be cut ends them: its fault and its
/// place in the text become `end`, and the parser refuses it.
std::vector<record> first_records(std::string_view text, char separator, bool quotes, std::size_t most,
                                  field_fault* end = nullptr) {
  const std::size_t size = text.size();
  const record_cutter cutter(separator, quotes);
  std::vector<record> records;
  std::vector<text_field> fields;
  while (!text.empty() && records.size() < most) {
    const auto [bytes, lines, fault] = cutter.cut(text, fields);
    if (fault.what != nullptr) {
      if (end != nullptr) *end = {fault.what, size - text.size() + fault.at};
      break;
    }
    text.remove_prefix(bytes);
    if (fields.size() == 1 && fields.front().text.empty() && !fields.front().quoted) continue;
    record& one = records.emplace_back();
    for (const text_field& field : fields) one.push_back(content_of(field));
  }
  return records;
}

/// The same, of which there is one at least. Throws format_error.
std::vector<record> some_records(std::string_view text, char separator, bool quotes, std::size_t most,
                                 const std::string& source) {
  field_fault end;
  std::vector<record> records = first_records(text, separator, quotes, most, &end);
  if (!records.empty()) return records;
  if (end.what == nullptr) throw format_error(source, 1, 1, "there are no rows; the file is empty");
  const text_position place = position_of(end.at, text);
  throw format_error(source, place.line, place.column, end.what);
}

/// The names in a header; a column without a name is called by its number.
record names_in(const record& header) {
  record names = header;
  for (std::size_t c = 0; c < names.size(); ++c)
    if (names[c].empty()) names[c] = std::to_string(c + 1);
  return names;
}

/// The separator by which most of the first records have the same number of fields, and of several the one with the
/// most fields; a comma if none parts them.
char separator_of(std::string_view text, bool quotes) {
  char best = ',';
  std::pair<std::size_t, std::size_t> most{0, 1};
  for (const char separator : {'\t', ',', ';', '|'}) {
    const auto records = first_records(text, separator, quotes, records_for_separator);
    std::map<std::size_t, std::size_t> records_with;
    for (const record& one : records) ++records_with[one.size()];
    for (const auto& [fields, count] : records_with)
      if (fields > 1 && std::pair{count, fields} > most) most = {count, fields}, best = separator;
  }
  return best;
}

/// A record that has the name of the label, or no number.
bool is_header(const record& first, const std::string& label) {
  if (!label.empty() && std::ranges::find(first, label) != first.end() && !is_number(label)) return true;
  return std::ranges::none_of(first, [](const std::string& field) { return is_number(field); });
}

/// Whether a name fits a pattern, in which '*' stands for any text.
bool fits(std::string_view pattern, std::string_view name) {
  const std::size_t star = pattern.find('*');
  if (star == pattern.npos) return pattern == name;
  if (!name.starts_with(pattern.substr(0, star))) return false;
  pattern.remove_prefix(star + 1), name.remove_prefix(star);
  for (std::size_t skipped = 0; skipped <= name.size(); ++skipped)
    if (fits(pattern, name.substr(skipped))) return true;
  return false;
}

std::string names_of(const table_schema& schema) {
  std::string all;
  for (const table_column& column : schema.columns) all += (all.empty() ? "" : ", ") + printable(column.name);
  return all;
}

std::string no_such_column(const table_schema& schema, const std::string& name, const std::string& source) {
  return source + ": the table has no column " + quote(name) + "; it has " + names_of(schema) +
         (schema.header ? "" : ", because its first line has a number and so is no header (--header)");
}

/// Gives kinds to the columns that the request names.
class named_kinds {
 public:
  named_kinds(table_schema& schema, const std::string& source) : schema_(schema), source_(source) {}

  void name(const std::vector<std::string>& patterns, table_kind kind) {
    for (const std::string& pattern : patterns) {
      bool any = false;
      for (std::size_t c = 0; c < schema_.columns.size(); ++c) {
        if (!fits(pattern, schema_.columns[c].name)) continue;
        any = true;
        give(c, kind, pattern.find('*') == pattern.npos);
      }
      if (!any && pattern.find('*') == pattern.npos) throw config_error(no_such_column(schema_, pattern, source_));
    }
  }
  bool is_named(std::size_t c) const { return named_.contains(c); }

 private:
  /// A whole name takes precedence over a pattern.
  void give(std::size_t c, table_kind kind, bool whole) {
    const auto [known, first] = named_.emplace(c, std::pair{kind, whole});
    if (!first && known->second.second == whole && known->second.first != kind)
      throw config_error(source_ + ": the column " + quote(schema_.columns[c].name) + " is named as " +
                         std::string(name_of(known->second.first)) + " and as " + std::string(name_of(kind)));
    if (!first && known->second.second) return;
    known->second = {kind, whole};
    schema_.columns[c].kind = kind;
  }

  table_schema& schema_;
  const std::string& source_;
  std::map<std::size_t, std::pair<table_kind, bool>> named_;
};

void require_distinct(const table_schema& schema, const std::string& source) {
  std::set<std::string_view> names;
  for (const table_column& column : schema.columns)
    if (!names.insert(column.name).second)
      throw format_error(source, 1, 1, "the header has the name " + quote(column.name) + " twice");
}

/// Bits for the values of a column.
unsigned bits_for_values(std::size_t columns, const table_request& how, const std::string& source) {
  const unsigned bits = how.as_fields ? 22 : std::min(28u, 32u - static_cast<unsigned>(std::bit_width(columns)));
  if (columns >= std::size_t{1} << (32 - bits))
    throw config_error(source + ": the table has " + std::to_string(columns) +
                       " columns with interactions; a model of fields has at most " +
                       std::to_string((1u << (32 - bits)) - 1));
  if (how.hash_bits > bits)
    throw config_error(source + ": a table of " + std::to_string(columns) + " columns leaves " + std::to_string(bits) +
                       " bits for the values of each; give fewer --hash-bits");
  return bits;
}

/// Counts the values of each column in the records, and guesses the kinds that the request does not name.
void look_at_fields(std::span<const record> records, const named_kinds& named, table_look& look) {
  for (std::size_t c = 0; c < look.schema.columns.size(); ++c) {
    std::unordered_set<std::string_view> values;
    std::size_t numbers = 0, missing = 0;
    std::optional<std::pair<double, std::string>> least, most;
    for (const record& one : records) {
      if (c >= one.size()) continue;
      values.insert(one[c]);
      missing += is_missing(one[c]) ? 1 : 0;
      if (!is_number(one[c])) continue;
      ++numbers;
      const std::pair number{std::strtod(one[c].c_str(), nullptr), one[c]};
      if (!least || number.first < least->first) least = number;
      if (!most || number.first > most->first) most = number;
    }
    table_column& column = look.schema.columns[c];
    const bool numeric = numbers > 0 && numbers + missing >= records.size();
    look.named.push_back(named.is_named(c));
    if (!named.is_named(c)) column.kind = numeric ? table_kind::numeric : table_kind::categorical;
    look.distinct.push_back(values.size());
    look.missing.push_back(missing);
    look.least.push_back(numeric ? least->second : "");
    look.most.push_back(numeric ? most->second : "");
  }
}

/// The end of a message about a column that the file lacks.
std::string where_it_may_be(std::string_view text, const table_schema& schema, const std::string& name) {
  for (const auto& [other, kind] :
       {std::pair{',', separator::comma}, {';', separator::semicolon}, {'\t', separator::tab}, {'|', separator::bar}}) {
    if (other == schema.separator) continue;
    const auto records = first_records(text, other, schema.quotes, 1);
    if (!records.empty() && std::ranges::find(records.front(), name) != records.front().end())
      return std::string("; the fields of this file are separated by ").append(separator_name(kind)) +
             ", those of the model's tables otherwise";
  }
  return "; the first line should have its name";
}

}  // namespace

bool is_missing(std::string_view text) {
  constexpr std::string_view words[] = {"", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "\\N", "?"};
  return std::ranges::find(words, text) != std::end(words);
}

table_look look_at_records(std::string_view text, const table_request& how, const std::string& source) {
  table_look look;
  table_schema& schema = look.schema;
  schema.quotes = how.quotes;
  schema.separator = how.separator ? *how.separator : separator_of(text, how.quotes);
  schema.hash_bits = how.hash_bits;
  for (const schema_number& each : schema_numbers) schema.*each.member = how.*each.requested;
  const std::vector<record> records = some_records(text, schema.separator, how.quotes, records_for_kinds + 1, source);
  schema.header = how.header.value_or(is_header(records.front(), how.label));
  const record names = names_in(records.front());
  for (std::size_t c = 0; c < names.size(); ++c)
    schema.columns.push_back({.name = schema.header ? names[c] : std::to_string(c + 1)});
  schema.value_bits = bits_for_values(schema.columns.size() + how.interactions.size(), how, source);
  require_distinct(schema, source);
  named_kinds named(schema, source);
  for (const auto& [kind, name] : {std::pair{table_kind::label, &how.label}, {table_kind::weight, &how.weight}}) {
    if (name->empty()) continue;
    named.name({*name}, kind);
    if (const auto fits_so_many = std::ranges::count(schema.columns, kind, &table_column::kind); fits_so_many != 1)
      throw config_error(source + ": a table has one " + std::string(name_of(kind)) + "; " + quote(*name) + " fits " +
                         (fits_so_many == 0 ? "no column" : "several columns"));
  }
  for (const auto& [kind, patterns] : columns_by_kind) named.name(how.*patterns, kind);
  const std::span rows = std::span(records).subspan(schema.header ? 1 : 0);
  look_at_fields(rows, named, look);
  schema.group = how.group;
  if (!how.group.empty()) {
    const auto column = std::ranges::find(schema.columns, how.group, &table_column::name);
    if (column == schema.columns.end()) throw config_error(no_such_column(schema, how.group, source));
    const auto place = static_cast<std::size_t>(column - schema.columns.begin());
    if (!look.named[place]) column->kind = table_kind::ignored;
    look.named[place] = true;
  }
  look.rows = rows.size();
  if (!dates_fit(schema))
    throw config_error(source + ": the table has too many columns for dates; leave out --date, or some columns");
  for (const std::string& name : how.interactions) {
    if (std::ranges::find(schema.columns, name, &table_column::name) != schema.columns.end())
      throw config_error(source + ": the interaction " + quote(name) + " has the name of a column");
    schema.columns.push_back({.name = name, .kind = table_kind::interaction});
    look.named.push_back(true), look.distinct.push_back(0), look.missing.push_back(0);
    look.least.emplace_back(), look.most.emplace_back();
  }
  schema.values.resize(schema.columns.size());
  (void)interactions_of(schema, source);
  return look;
}

std::size_t label_place(const table_schema& schema) {
  const auto label = std::ranges::find(schema.columns, table_kind::label, &table_column::kind);
  return label == schema.columns.end() ? no_column : static_cast<std::size_t>(label - schema.columns.begin());
}

bool has_word_labels(std::string_view text, const table_schema& schema) {
  const std::size_t label = label_place(schema);
  const auto is_word = [](const std::string& field) {
    double number = 0;
    return !is_missing(field) &&
           read_decimal(field.data(), field.data() + field.size(), number) == number_fault::not_a_number;
  };
  const std::vector<record> records = first_records(text, schema.separator, schema.quotes, text.size());
  const std::size_t first = schema.header ? 1 : 0;
  return label != no_column &&
         std::any_of(records.begin() + static_cast<std::ptrdiff_t>(std::min(first, records.size())), records.end(),
                     [&](const record& one) { return label < one.size() && is_word(one[label]); });
}

file_columns columns_of(const table_schema& schema) {
  file_columns columns;
  columns.places.resize(columns_in_files(schema));
  std::iota(columns.places.begin(), columns.places.end(), std::size_t{0});
  const auto group = std::ranges::find(schema.columns, schema.group, &table_column::name);
  if (!schema.group.empty() && group != schema.columns.end())
    columns.group = static_cast<std::size_t>(group - schema.columns.begin());
  return columns;
}

file_columns match_columns(std::string_view text, const table_schema& schema, const std::string& source,
                           bool for_prediction) {
  const record first = some_records(text, schema.separator, schema.quotes, 1, source).front();
  const record names = names_in(first);
  std::vector<std::size_t> places(first.size(), no_column);
  std::vector<bool> found(schema.columns.size());
  if (schema.header) {
    for (std::size_t f = 0; f < first.size(); ++f) {
      const auto column = std::ranges::find(schema.columns, names[f], &table_column::name);
      if (column == schema.columns.end()) continue;
      places[f] = static_cast<std::size_t>(column - schema.columns.begin());
      if (found[places[f]]) throw format_error(source, 1, 1, "the header has the name " + quote(names[f]) + " twice");
      found[places[f]] = true;
    }
  } else {
    // Rows to be predicted may lack the label, and with it the weight.
    const std::size_t label = label_place(schema);
    const std::size_t weight = static_cast<std::size_t>(
        std::ranges::find(schema.columns, table_kind::weight, &table_column::kind) - schema.columns.begin());
    const bool has_weight = weight < schema.columns.size();
    const std::size_t expected = columns_in_files(schema);
    const bool lacks_label =
        label != no_column && (!has_weight || for_prediction) && first.size() + (has_weight ? 2 : 1) == expected;
    if (!lacks_label && first.size() != expected)
      throw format_error(source, 1, 1,
                         "the table has " + std::to_string(first.size()) +
                             " columns and no header, but the model's has " + std::to_string(expected));
    for (std::size_t f = 0, c = 0; f < first.size(); ++f, ++c) {
      while (lacks_label && (c == label || c == weight)) ++c;
      places[f] = c;
      found[c] = true;
    }
  }
  for (std::size_t c = 0; c < schema.columns.size(); ++c) {
    const table_column& column = schema.columns[c];
    if (found[c] || column.kind == table_kind::ignored || column.kind == table_kind::label ||
        column.kind == table_kind::interaction || (column.kind == table_kind::weight && for_prediction))
      continue;
    throw input_error(source + ": there is no column " + quote(column.name) + ", which the model reads as " +
                      std::string(name_of(column.kind)) + where_it_may_be(text, schema, column.name));
  }
  std::size_t group = no_column;
  for (std::size_t f = 0; f < first.size() && !schema.group.empty(); ++f) {
    const bool is_here = schema.header ? names[f] == schema.group
                                       : places[f] != no_column && schema.columns[places[f]].name == schema.group;
    if (is_here) group = f;
  }
  if (group == no_column && !schema.group.empty() && !for_prediction)
    throw input_error(source + ": there is no column " + quote(schema.group) + ", which has the groups of the rows" +
                      where_it_may_be(text, schema, schema.group));
  return {std::move(places), group};
}

}  // namespace hogwild::detail

namespace hogwild {
namespace {

std::string describe_text(const table_schema& schema) {
  const auto number = [](unsigned n) { return std::to_string(n); };
  const bool is_vw = schema.text == named_text::vowpal_wabbit;
  std::string all = is_vw ? "text of Vowpal Wabbit, 2^" + number(schema.hash_bits) + " columns" : "labelled text";
  if (schema.word_ngrams > 1) all += "; runs of up to " + number(schema.word_ngrams) + (is_vw ? " features" : " words");
  if (schema.word_skips > 0) all += ", which pass over up to " + number(schema.word_skips);
  if (schema.most_characters > 0)
    all += "; parts of words of " + number(schema.least_characters) + " to " + number(schema.most_characters) +
           " characters";
  for (const table_kind kind : {table_kind::interaction, table_kind::ignored})
    for (const table_column& column : schema.columns)
      if (is_vw && column.kind == kind) all += "; " + std::string(name_of(kind)) + ": " + printable(column.name);
  return all;
}

}  // namespace

std::string describe(const table_schema& schema) {
  if (schema.text != named_text::table) return describe_text(schema);
  constexpr std::size_t most_named = 8;
  std::string all;
  for (const table_kind kind :
       {table_kind::label, table_kind::numeric, table_kind::categorical, table_kind::list, table_kind::text,
        table_kind::date, table_kind::interaction, table_kind::weight, table_kind::ignored}) {
    std::string names;
    std::size_t count = 0;
    for (const table_column& column : schema.columns) {
      if (column.kind != kind) continue;
      if (++count <= most_named) names += (count > 1 ? ", " : "") + printable(column.name);
    }
    if (count > most_named) names += " and " + std::to_string(count - most_named) + " more";
    if (count > 0) all += (all.empty() ? "" : "; ") + std::string(name_of(kind)) + ": " + names;
  }
  if (!schema.group.empty()) all += "; group: " + printable(schema.group);
  return all;
}

}  // namespace hogwild
