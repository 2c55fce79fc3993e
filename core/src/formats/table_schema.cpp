// SPDX-License-Identifier: Apache-2.0
#include "formats/table_schema.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>

#include "formats/field_values.hpp"
#include "text/byte_cursor.hpp"

namespace hogwild {
namespace {

using detail::escaped;

/// In the order of the kinds.
constexpr std::array<std::pair<table_kind, std::string_view>, 9> kinds = {{{table_kind::ignored, "ignored"},
                                                                           {table_kind::label, "label"},
                                                                           {table_kind::numeric, "numeric"},
                                                                           {table_kind::categorical, "categorical"},
                                                                           {table_kind::list, "list"},
                                                                           {table_kind::text, "text"},
                                                                           {table_kind::date, "date"},
                                                                           {table_kind::interaction, "interaction"},
                                                                           {table_kind::weight, "weight"}}};
constexpr std::array<std::pair<named_text, std::string_view>, 3> texts = {
    {{named_text::table, "table"}, {named_text::labelled_text, "labelled_text"}, {named_text::vowpal_wabbit, "vw"}}};
constexpr std::string_view missing_name = "missing";

std::optional<unsigned> hexadecimal(char c) {
  const std::size_t digit = std::string_view("0123456789abcdef").find(c);
  return digit == std::string_view::npos ? std::nullopt : std::optional(static_cast<unsigned>(digit));
}

/// A separator as a word.
constexpr std::array<std::pair<char, std::string_view>, 4> separators = {
    {{',', "comma"}, {';', "semicolon"}, {'\t', "tab"}, {'|', "bar"}}};

/// The words of one line.
class line_words {
 public:
  line_words(std::string_view line, std::size_t number, const std::string& name)
      : line_(line), number_(number), name_(name) {}

  [[noreturn]] void fail(const std::string& why) const {
    throw input_error(name_ + ": its schema, line " + std::to_string(number_) + ": " + why);
  }
  std::string_view word() {
    const std::string_view found = line_.substr(0, line_.find(' '));
    line_.remove_prefix(std::min(line_.size(), found.size() + 1));
    return found;
  }
  std::string_view rest() { return std::exchange(line_, {}); }
  unsigned number(unsigned most) {
    const std::string_view text = word();
    unsigned value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (fault != std::errc() || end != text.data() + text.size() || value > most)
      fail("a number up to " + std::to_string(most) + " should stand here, not " + quote(text));
    return value;
  }
  float power_of_two() {
    const std::string_view text = word();
    float value = 0.0f;
    int exponent = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool holds = fault == std::errc() && end == text.data() + text.size() && value > 0.0f && std::isfinite(value);
    if (!holds || std::frexp(value, &exponent) != 0.5f) fail("a power of two should stand here, not " + quote(text));
    return value;
  }
  template <class Value, std::size_t N>
  Value one_of(const std::array<std::pair<Value, std::string_view>, N>& words) {
    const std::string_view text = word();
    for (const auto& [value, known] : words)
      if (known == text) return value;
    fail(quote(text) + " is not known here");
  }

 private:
  std::string_view line_;
  std::size_t number_;
  const std::string& name_;
};

}  // namespace

std::string_view name_of(table_kind kind) {
  return kinds[static_cast<std::size_t>(kind)].second;
}

std::optional<char> separator_named(std::string_view word) {
  const auto found = std::ranges::find(separators, word, &std::pair<char, std::string_view>::second);
  return found == separators.end() ? std::nullopt : std::optional(found->first);
}

std::string table_schema::name_of_input(std::uint32_t number) const {
  const std::uint32_t place = number - 1, value = place & ((1u << value_bits) - 1);
  const std::size_t column = place >> value_bits;
  if (column >= columns.size()) return std::to_string(number);
  std::string name = escaped(columns[column].name, "=");
  const table_kind kind = columns[column].kind;
  if (kind == table_kind::numeric || kind == table_kind::date) {
    if (value == detail::missing_number) return name.append("=").append(missing_name);
    return kind == table_kind::numeric ? name : name + "=" + detail::date_category_name(value);
  }
  if (hash_bits > 0 || kind == table_kind::interaction) return name + "=#" + std::to_string(value);
  if (value == detail::rare_value) return name + "=(rare)";
  if (column >= values.size() || value > values[column].size()) return name + "=?";
  return name + "=" + escaped(values[column][value - 1], "(");
}

namespace detail {

std::string escaped(std::string_view text, std::string_view also) {
  std::string made;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') {
      constexpr std::string_view digits = "0123456789abcdef";
      made += {'\\', 'x', digits[static_cast<unsigned char>(c) >> 4], digits[static_cast<unsigned char>(c) & 15]};
      continue;
    }
    if (c == '\\' || also.find(c) != also.npos) made += '\\';
    made += c;
  }
  return made;
}

std::string unescaped(std::string_view text) {
  std::string made;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\' || at + 1 == text.size()) {
      made += text[at];
      continue;
    }
    ++at;
    const auto high = at + 2 < text.size() && text[at] == 'x' ? hexadecimal(text[at + 1]) : std::nullopt;
    const auto low = high ? hexadecimal(text[at + 2]) : std::nullopt;
    made += low ? static_cast<char>(*high << 4 | *low) : text[at];
    if (low) at += 2;
  }
  return made;
}

std::vector<std::string> factors_of(std::string_view interaction) {
  std::vector<std::string> factors;
  for (std::size_t at = 0; at <= interaction.size();) {
    const std::size_t end = std::min(interaction.find('*', at), interaction.size());
    std::string_view factor = interaction.substr(at, end - at);
    factor.remove_prefix(std::min(factor.find_first_not_of(' '), factor.size()));
    factors.emplace_back(factor.substr(0, factor.find_last_not_of(' ') + 1));
    at = end + 1;
  }
  return factors;
}

bool combines_some(std::string_view interaction, bool namespaces) {
  std::vector<std::string> factors = factors_of(interaction);
  if (factors.size() < 2 || factors.size() > 4) return false;
  if (namespaces)
    for (std::string& factor : factors) factor.resize(std::min<std::size_t>(factor.size(), 1));
  std::ranges::sort(factors);
  return !factors.front().empty() && std::ranges::adjacent_find(factors) == factors.end();
}

std::vector<table_interaction> interactions_of(const table_schema& schema, const std::string& source) {
  constexpr std::size_t most_factors = 4;
  std::vector<table_interaction> all;
  if (schema.text != named_text::table) return all;
  for (std::size_t c = 0; c < schema.columns.size(); ++c) {
    if (schema.columns[c].kind != table_kind::interaction) continue;
    const std::string& name = schema.columns[c].name;
    const auto fail = [&](const std::string& why) {
      throw config_error(source + ": the interaction " + quote(name) + ": " + why);
    };
    table_interaction one{.column = c, .factors = {}};
    std::size_t many = 0;
    for (const std::string& factor : factors_of(name)) {
      const auto found = std::ranges::find(schema.columns, factor, &table_column::name);
      if (found == schema.columns.end()) fail("there is no column " + quote(factor));
      const table_kind kind = found->kind;
      if (kind == table_kind::ignored || kind == table_kind::label || kind == table_kind::weight ||
          kind == table_kind::interaction)
        fail("the column " + quote(factor) + " is " + std::string(name_of(kind)) + " and has no entries");
      if ((kind == table_kind::list || kind == table_kind::text) && ++many > 1)
        fail("one column at most may be a list or a text");
      const auto place = static_cast<std::size_t>(found - schema.columns.begin());
      if (std::ranges::find(one.factors, place) != one.factors.end()) fail("a column is there twice");
      one.factors.push_back(place);
    }
    if (one.factors.size() < 2 || one.factors.size() > most_factors) fail("it combines two to four columns");
    all.push_back(std::move(one));
  }
  return all;
}

bool dates_fit(const table_schema& schema) {
  return date_categories_end <= 1u << schema.value_bits ||
         std::ranges::find(schema.columns, table_kind::date, &table_column::kind) == schema.columns.end();
}

std::size_t columns_in_files(const table_schema& schema) {
  return schema.columns.size() -
         static_cast<std::size_t>(std::ranges::count(schema.columns, table_kind::interaction, &table_column::kind));
}

unsigned bits_of_interactions(const table_schema& schema) {
  return schema.hash_bits > 0 ? schema.hash_bits : std::min(interaction_bits, schema.value_bits);
}

std::string schema_text(const table_schema& schema) {
  std::string text = std::string(texts[static_cast<std::size_t>(schema.text)].second) + " ";
  if (schema.text == named_text::table) {
    for (const auto& [c, word] : separators)
      if (c == schema.separator) text += word;
    text += schema.header ? " header" : " plain";
    text += schema.quotes ? " quoted " : " unquoted ";
  }
  text += std::to_string(schema.hash_bits) + " " + std::to_string(schema.value_bits) + "\n";
  for (const schema_number& each : schema_numbers)
    if (schema.*each.member != each.otherwise)
      text += std::string(each.word) + " " + std::to_string(schema.*each.member) + "\n";
  if (!schema.group.empty()) text += "group " + escaped(schema.group) + "\n";
  for (const std::string& label : schema.labels) text += "word " + escaped(label) + "\n";
  for (const table_column& column : schema.columns) {
    text.append("column ").append(name_of(column.kind)).append(" ");
    if (column.kind == table_kind::numeric) text.append(to_text(column.divisor)).append(" ");
    text.append(escaped(column.name)).append("\n");
  }
  return text;
}

namespace {

/// The reason why a schema cannot be used, as the end of a sentence; empty if it can.
std::string fault_of(const table_schema& schema) {
  if (schema.columns.empty()) return "has no columns";
  if (schema.word_ngrams == 0 || schema.min_rows == 0) return "has a number that is 0";
  const bool has_parts = schema.most_characters > 0;
  if (has_parts ? schema.least_characters == 0 || schema.least_characters > schema.most_characters
                : schema.least_characters > 0)
    return "has parts of words of impossible lengths";
  const auto kind_of = [&](std::size_t c) { return schema.columns[c].kind; };
  if (schema.text == named_text::table) {
    if (schema.columns.size() >= std::size_t{1} << (32 - schema.value_bits)) return "has too many columns";
    if (schema.hash_bits > most_hash_bits) return "has too many bits";
    if (!dates_fit(schema)) return "has too many columns for dates";
    return {};
  }
  if (schema.value_bits != most_vw_hash_bits) return "has other bits than such texts";
  if (schema.text == named_text::labelled_text) {
    const bool has_columns = schema.columns.size() == 3 && kind_of(0) == table_kind::text &&
                             kind_of(1) == table_kind::interaction && kind_of(2) == table_kind::interaction;
    if (!has_columns) return "has other columns than labelled text";
    return schema.labels.empty() ? "has no labels" : "";
  }
  if (schema.hash_bits == 0 || kind_of(0) != table_kind::categorical) return "has no columns by hash";
  for (std::size_t c = 1; c < schema.columns.size(); ++c)
    if (kind_of(c) != table_kind::ignored &&
        (kind_of(c) != table_kind::interaction || !combines_some(schema.columns[c].name, true)))
      return "has a namespace that is neither ignored nor combined";
  return {};
}

}  // namespace

table_schema parse_schema(std::string_view text, const std::string& name) {
  table_schema schema;
  constexpr std::array<std::pair<bool, std::string_view>, 2> headers = {{{true, "header"}, {false, "plain"}}};
  constexpr std::array<std::pair<bool, std::string_view>, 2> quoting = {{{true, "quoted"}, {false, "unquoted"}}};
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    line_words line(text.substr(0, end), number, name);
    text.remove_prefix(std::min(text.size(), end + 1));
    const std::string_view what = line.word();
    if (number == 1) {
      const auto known = std::ranges::find(texts, what, &std::pair<named_text, std::string_view>::second);
      if (known == texts.end()) line.fail("it should begin with 'table', not with " + quote(what));
      schema.text = known->first;
      if (schema.text == named_text::table) {
        schema.separator = line.one_of(separators);
        schema.header = line.one_of(headers);
        schema.quotes = line.one_of(quoting);
      }
      schema.hash_bits = line.number(most_vw_hash_bits);
      schema.value_bits = line.number(31);
      if (schema.value_bits < 2 || schema.value_bits < schema.hash_bits) line.fail("the bits do not fit together");
    } else if (const auto known = std::ranges::find(schema_numbers, what, &schema_number::word);
               known != std::end(schema_numbers)) {
      schema.*known->member = line.number(known->most);
    } else if (what == "group") {
      schema.group = unescaped(line.rest());
    } else if (what == "word") {
      schema.labels.push_back(unescaped(line.rest()));
    } else if (what == "column") {
      const table_kind kind = line.one_of(kinds);
      const float divisor = kind == table_kind::numeric ? line.power_of_two() : 1.0f;
      schema.columns.push_back({unescaped(line.rest()), kind, divisor});
    } else {
      line.fail(quote(what) + " is not known here");
    }
  }
  if (const std::string fault = fault_of(schema); !fault.empty()) throw input_error(name + ": its schema " + fault);
  schema.values.resize(schema.columns.size());
  try {
    (void)interactions_of(schema, name);
  } catch (const config_error& fault) {
    throw input_error(fault.what());
  }
  return schema;
}

std::vector<std::byte> schema_bytes(const table_schema& schema) {
  byte_builder bytes;
  bytes.put_text(schema_text(schema));
  for (const auto& values : schema.values) {
    bytes.put(static_cast<std::uint32_t>(values.size()));
    for (const std::string& value : values) bytes.put_text(value);
  }
  return std::move(bytes).take();
}

table_schema parse_schema_bytes(std::span<const std::byte> bytes, const std::string& name) {
  byte_cursor in(bytes, name);
  table_schema schema = parse_schema(in.take_text("the schema"), name);
  for (auto& values : schema.values) {
    const auto count = in.take<std::uint32_t>("the values of a column");
    for (std::uint32_t k = 0; k < count; ++k) values.push_back(in.take_text("a value of a column"));
  }
  return schema;
}

void take_values(table_schema& schema, std::span<const std::uint32_t> numbers, std::span<const std::string> names,
                 const std::string& model) {
  const auto fail = [&](std::size_t k) {
    throw input_error(model + ": the name of column " + std::to_string(numbers[k]) + ", " + quote(names[k]) +
                      ", does not suit the schema");
  };
  const std::size_t most_gaps = 2 * names.size() + (std::size_t{1} << 16);
  std::size_t gaps = 0;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const std::uint32_t place = numbers[k] - 1, value = place & ((1u << schema.value_bits) - 1);
    const std::size_t column = place >> schema.value_bits;
    if (numbers[k] == 0 || column >= schema.columns.size()) fail(k);
    if (!has_values(schema.columns[column].kind) || value == rare_value) continue;
    const std::string begin = escaped(schema.columns[column].name, "=") + "=";
    if (!names[k].starts_with(begin)) fail(k);
    auto& values = schema.values[column];
    // Values that only other rows had have left gaps, which are filled with what no text has.
    if (value > values.size()) {
      gaps += value - values.size() - 1;
      if (gaps > most_gaps) fail(k);
      values.resize(value, std::string(1, '\0'));
    }
    values[value - 1] = unescaped(std::string_view(names[k]).substr(begin.size()));
  }
}

}  // namespace detail
}  // namespace hogwild
