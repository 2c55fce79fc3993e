// SPDX-License-Identifier: Apache-2.0
#include <hogwild/formats/tables.hpp>

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <hogwild/detail/platform/checksum.hpp>
#include <hogwild/error.hpp>
#include <hogwild/saved_model.hpp>

#include "data/dataset_mapping.hpp"
#include "data/parsed_text.hpp"
#include "formats/labelled_text_parser.hpp"
#include "formats/table_layout.hpp"
#include "formats/table_parser.hpp"
#include "formats/table_schema.hpp"
#include "formats/vw_parser.hpp"

namespace hogwild {
namespace {

using namespace detail;

/// A table that is being parsed: its schema as far as it is known, the findings and the parser.
struct table_reading {
  table_schema schema;
  table_findings found{};
  std::variant<std::monostate, table_parser, labelled_text_parser, vw_parser> parser{};

  /// Prepares names for the columns and labels that need them, and the parser. `places` are those of a table's fields.
  void begin(std::vector<std::size_t> places, bool learns, bool word_labels) {
    found.values.resize(schema.columns.size());
    for (std::size_t c = 0; c < schema.columns.size(); ++c) {
      if (schema.hash_bits > 0 || !has_values(schema.columns[c].kind)) continue;
      // The last number stands for unknown values.
      const std::uint32_t largest = (1u << schema.value_bits) - 3;
      found.values[c] = std::make_unique<name_numbers>(
          schema.values[c], largest,
          "the column " + quote(schema.columns[c].name) + " has more than " + std::to_string(largest + 1) +
              " values, which is the most that can have columns by name; give --hash-bits, or ignore the column");
    }
    if (word_labels)
      found.labels = std::make_unique<name_numbers>(schema.labels, 0xfffffffeu, "there are too many labels");
    found.counts_rows = learns && schema.min_rows > 1;
    if (schema.text == named_text::vowpal_wabbit)
      parser.emplace<vw_parser>(schema);
    else if (schema.text == named_text::labelled_text)
      parser.emplace<labelled_text_parser>(schema, learns, found);
    else
      parser.emplace<table_parser>(schema, std::move(places), learns, found);
  }

  std::size_t capacity(std::string_view text) const {
    return with_parser([&](const auto& by) { return by.capacity(text); });
  }
  void parse(std::string_view text, const block_context& context, row_block& rows) const {
    with_parser([&](const auto& by) { return by.parse(text, context, rows), std::size_t{0}; });
  }

  /// Gives values and labels their final numbers, and divides numbers.
  void settle(parsed_text& text, const std::string& source) {
    std::vector<final_column> final(schema.columns.size());
    for (std::size_t c = 0; c < final.size(); ++c) {
      if (found.values[c]) final[c].values = settle_values(c);
      if (c < found.sizes.size() && schema.columns[c].kind == table_kind::numeric)
        final[c].divisor = schema.columns[c].divisor = found.sizes[c].typical();
    }
    for (const table_interaction& one : interactions_of(schema, source))
      for (const std::size_t c : one.factors) final[one.column].divisor *= final[c].divisor;
    const std::vector<std::uint32_t> labels =
        found.labels ? found.labels->settle(schema.labels) : std::vector<std::uint32_t>{};
    change_rows(text, source, [&](row_block& block) {
      change_entries(block, final, source);
      if (!labels.empty()) change_labels(block, labels);
    });
    text.schema = schema_bytes(schema);
  }

 private:
  std::size_t with_parser(const auto& call) const {
    return std::visit(
        [&]<class Parser>(const Parser& by) {
          if constexpr (std::same_as<Parser, std::monostate>)
            return std::size_t{0};
          else
            return call(by);
        },
        parser);
  }

  static void change_labels(row_block& block, const std::vector<std::uint32_t>& final) {
    const auto change = [&](double& label) { label = final[static_cast<std::size_t>(label)]; };
    if (block.list_end.empty()) {
      std::ranges::for_each(block.label, change);
      return;
    }
    std::ranges::for_each(block.list, change);
    for (std::size_t r = 0, begin = 0; r < block.list_end.size(); begin = block.list_end[r++]) {
      const std::span list = std::span(block.list).subspan(begin, block.list_end[r] - begin);
      std::ranges::sort(list);
      block.label[r] = list.empty() ? 0.0 : list.front();
    }
  }

  /// The change of a column's entries.
  struct final_column {
    std::vector<std::uint32_t> values{};  ///< the numbers of its values; empty: they stay
    double divisor = 1.0;                 ///< a power of two
  };

  /// The numbers in the column's entries for the values of a column, by their provisional numbers.
  std::vector<std::uint32_t> settle_values(std::size_t column) {
    table_findings::value_counts rows;
    for (const auto& of_thread : found.rows_with) {
      if (of_thread.size() <= column) continue;
      rows.resize(std::max(rows.size(), of_thread[column].size()));
      for (std::size_t k = 0; k < of_thread[column].size(); ++k) rows[k] += of_thread[column][k];
    }
    const auto keeps = [&](std::uint32_t number) {
      return !found.counts_rows || (number < rows.size() && rows[number] >= schema.min_rows);
    };
    std::vector<std::uint32_t> numbers = found.values[column]->settle(schema.values[column], keeps);
    for (std::uint32_t& number : numbers) number = number == name_numbers::dropped ? rare_value : number + 1;
    return numbers;
  }

  /// Entries of a row that become entries of one column, that of rare values, are added up.
  void change_entries(row_block& block, const std::vector<final_column>& final, const std::string& source) const {
    const std::uint32_t mask = (1u << schema.value_bits) - 1;
    constexpr std::size_t none = static_cast<std::size_t>(-1);
    std::vector<std::size_t> rare(final.size(), none);
    std::size_t kept = 0, k = 0;
    block.columns = 0;
    for (std::uint32_t& row_end : block.row_end) {
      const std::size_t first = kept;
      for (; k < row_end; ++k) {
        std::uint32_t index = block.index[k];
        float value = block.value[k];
        const std::size_t c = index >> schema.value_bits;
        const final_column& column = final[c];
        if (!column.values.empty()) index = (index & ~mask) + column.values[(index & mask) - 1];
        const bool is_missing = schema.columns[c].kind == table_kind::numeric && (index & mask) == missing_number;
        if (!is_missing) value = static_cast<float>(value / column.divisor);
        if (!std::isfinite(value))
          throw input_error(source + ": the numbers of the column " + quote(schema.columns[c].name) +
                            " are too far apart for single precision; scale them, or leave it out");
        if (!column.values.empty() && (index & mask) == rare_value) {
          if (rare[c] != none && rare[c] >= first) {
            block.value[rare[c]] += value;
            continue;
          }
          rare[c] = kept;
        }
        block.index[kept] = index;
        block.value[kept++] = value;
        block.columns = std::max(block.columns, index + 1);
      }
      row_end = static_cast<std::uint32_t>(kept);
    }
    block.entries = kept;
  }
};

std::uint64_t digest_of(const table_request& how) {
  std::string all = how.label + '\n' + how.weight + '\n' + (how.separator ? *how.separator : ' ') +
                    (how.header ? (*how.header ? 'h' : 'p') : ' ') + (how.quotes ? 'q' : ' ') +
                    (how.as_fields ? 'f' : ' ') + (how.scaled ? 's' : ' ') + std::to_string(how.hash_bits) + ' ' +
                    std::to_string(static_cast<unsigned>(how.text));
  const auto add = [&all](const std::vector<std::string>& names) {
    all += '\n';
    for (const std::string& name : names) all += '\0' + name;
  };
  for (const auto& [kind, names] : columns_by_kind) add(how.*names);
  add(how.interactions);
  for (const schema_number& each : schema_numbers) all += ' ' + std::to_string(how.*each.requested);
  return checksum(std::as_bytes(std::span(all)));
}

row_format format_of(const std::shared_ptr<table_reading>& reading, named_text text, bool quotes) {
  constexpr std::string_view names[] = {"", "labelled_text", "vw"};
  return {.kind = input_format::table,
          .name = names[static_cast<std::size_t>(text)],
          .capacity = [reading](std::string_view block) { return reading->capacity(block); },
          .parse = [reading](std::string_view block, const block_context& context,
                             row_block& rows) { reading->parse(block, context, rows); },
          .quoted = quotes && text == named_text::table};
}

/// The schema of a text that is no table.
table_schema schema_of_text(const table_request& how) {
  table_schema schema;
  schema.text = how.text;
  schema.hash_bits = how.hash_bits;
  schema.value_bits = most_vw_hash_bits;
  for (const schema_number& each : schema_numbers) schema.*each.member = how.*each.requested;
  if (how.text == named_text::labelled_text) {
    schema.columns = {{.name = "word", .kind = table_kind::text},
                      {.name = "ngram", .kind = table_kind::interaction},
                      {.name = "subword", .kind = table_kind::interaction}};
  } else {
    if (schema.hash_bits == 0) schema.hash_bits = vw_hash_bits;
    schema.columns = {{.name = "feature", .kind = table_kind::categorical}};
    for (const std::string& name : how.ignored) schema.columns.push_back({.name = name, .kind = table_kind::ignored});
    for (const std::string& name : how.interactions)
      schema.columns.push_back({.name = name, .kind = table_kind::interaction});
  }
  schema.values.resize(schema.columns.size());
  return schema;
}

/// For another file, whose columns are found by the schema.
row_format format_by_schema(const std::shared_ptr<table_reading>& reading, const table_schema& schema, bool learns) {
  reading->schema = schema;
  row_format format = format_of(reading, schema.text, schema.quotes);
  format.begin = [reading, learns](std::string_view text, const block_context& context, const std::string& source) {
    const bool is_table = reading->schema.text == named_text::table;
    reading->begin(
        is_table ? match_columns(text, reading->schema, source, context.labels_optional) : std::vector<std::size_t>{},
        learns, !reading->schema.labels.empty());
    return std::string();
  };
  format.companions = checksum(std::span<const std::byte>(schema_bytes(schema)));
  return format;
}

table with_schema(sparse_dataset rows) {
  auto schema = std::make_shared<const table_schema>(
      parse_schema_bytes(dataset_access::mapping_of(rows).schema(), rows.shared_path()));
  return {std::move(rows), std::move(schema)};
}

void require_request(const table_request& how) {
  const bool hashes_all = how.text == named_text::vowpal_wabbit;
  const unsigned least = hashes_all ? 1 : least_hash_bits, most = hashes_all ? most_vw_hash_bits : most_hash_bits;
  const auto require_range = [](const char* option, unsigned value, unsigned least_value, unsigned most_value) {
    if (value < least_value || value > most_value)
      throw config_error(std::string(option) + " " + std::to_string(value) + ": it should be " +
                         std::to_string(least_value) + " to " + std::to_string(most_value));
  };
  if (how.hash_bits != 0) require_range("--hash-bits", how.hash_bits, least, most);
  if (how.min_rows == 0) throw config_error("--min-rows 0: a value is in one row at least");
  if (how.min_rows > 1 && (how.hash_bits > 0 || hashes_all))
    throw config_error("--min-rows is for values by name, and these have columns by hash: leave it out");
  require_range("--word-ngrams", how.word_ngrams, 1, most_word_ngrams);
  require_range("--word-skips", how.word_skips, 0, most_word_skips);
  if (how.most_characters > 0) {
    require_range("--char-ngrams", how.most_characters, 1, longest_subword);
    require_range("--char-ngrams", how.least_characters, 1, how.most_characters);
  }
  std::set<std::set<std::string>> interactions;
  for (const std::string& name : how.interactions) {
    const auto fail = [&](const char* why) { throw config_error("the interaction " + quote(name) + ": " + why); };
    if (!combines_some(name, hashes_all))
      fail(hashes_all ? "it combines two to four namespaces, as in 'a*b', whose names begin with different letters"
                      : "it combines two to four different columns, as in 'a*b'");
    std::vector<std::string> factors = factors_of(name);
    if (hashes_all)
      for (std::string& factor : factors) factor.resize(1);
    if (!interactions.insert({factors.begin(), factors.end()}).second) fail("the same columns are combined twice");
  }
  if (how.separator && std::string_view(",;\t|").find(*how.separator) == std::string_view::npos)
    throw config_error("the separator of a table is a comma, a semicolon, a tab or a bar");
}

}  // namespace

table open_table(const std::string& path, const table_request& how, const open_options& options) {
  require_request(how);
  const auto reading = std::make_shared<table_reading>();
  row_format format = format_of(reading, how.text, how.quotes);
  format.begin = [&](std::string_view text, const block_context&, const std::string& source) {
    if (how.text != named_text::table) {
      reading->schema = schema_of_text(how);
      reading->begin({}, true, how.text == named_text::labelled_text);
      return std::string();
    }
    reading->schema = look_at_records(text, how, source).schema;
    std::vector<std::size_t> places(columns_in_files(reading->schema));
    for (std::size_t f = 0; f < places.size(); ++f) places[f] = f;
    if (how.scaled) reading->found.sizes.resize(reading->schema.columns.size());
    reading->begin(std::move(places), true, has_word_labels(text, reading->schema));
    return std::string();
  };
  format.settle = [&](parsed_text& text) { reading->settle(text, path); };
  format.companions = digest_of(how);
  return with_schema(open_rows(path, options, format));
}

table open_more_of_table(const std::string& path, const table_schema& schema, const open_options& options) {
  const auto reading = std::make_shared<table_reading>();
  row_format format = format_by_schema(reading, schema, true);
  format.settle = [&](parsed_text& text) { reading->settle(text, path); };
  format.companions = ~format.companions;
  return with_schema(open_rows(path, options, format));
}

sparse_dataset open_table(const std::string& path, const table_schema& schema, const open_options& options) {
  const auto reading = std::make_shared<table_reading>();
  row_format format = format_by_schema(reading, schema, false);
  if (options.numbering == nullptr) format.settle = [&](parsed_text& text) { text.schema = schema_bytes(schema); };
  return open_rows(path, options, format);
}

std::optional<table_schema> schema_of(const saved_model& model, const std::string& name) {
  if (model.schema.empty()) return std::nullopt;
  table_schema schema = parse_schema(model.schema, name);
  take_values(schema, model.columns, model.names, name);
  return schema;
}

std::size_t keep_columns(const saved_model& before, saved_model& model) {
  if (before.model != model.model || before.width != model.width) return 0;
  saved_model all = model;
  all.columns.clear(), all.weights.clear();
  const auto take = [&](const saved_model& from, std::size_t k) {
    all.columns.push_back(from.columns[k]);
    all.weights.insert(all.weights.end(), from.row(k).begin(), from.row(k).end());
  };
  std::size_t kept = 0;
  for (std::size_t old = 0, own = 0; old < before.columns.size() || own < model.columns.size();) {
    const bool only_old =
        own == model.columns.size() || (old < before.columns.size() && before.columns[old] < model.columns[own]);
    if (only_old) {
      take(before, old++);
      ++kept;
      continue;
    }
    if (old < before.columns.size() && before.columns[old] == model.columns[own]) ++old;
    take(model, own++);
  }
  model = std::move(all);
  return kept;
}

void keep_schema(const table_schema& schema, saved_model& model) {
  model.schema = schema_text(schema);
  model.names.clear();
  if (schema.hash_bits == 0)
    for (const std::uint32_t column : model.columns) model.names.push_back(schema.name_of_input(column));
  if (schema.labels.empty()) return;
  model.label_texts.clear();
  for (const double label : model.labels.values()) {
    const auto k = static_cast<std::size_t>(label);
    model.label_texts.push_back(k < schema.labels.size() ? printable(schema.labels[k]) : "");
  }
}

table_look look_at_table(const std::string& path, const table_request& how) {
  require_request(how);
  const auto input = open_input(path, {.quoted = how.quotes});
  const auto block = input->next();
  if (!block) throw format_error(input->name(), 1, 1, "there are no rows; the file is empty");
  return look_at_records(block->text, how, input->name());
}

}  // namespace hogwild
