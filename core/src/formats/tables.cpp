// SPDX-License-Identifier: Apache-2.0
#include <hogwild/formats/tables.hpp>

#include <tbb/parallel_for.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/detail/platform/checksum.hpp>
#include <hogwild/error.hpp>
#include <hogwild/saved_model.hpp>

#include "data/dataset_mapping.hpp"
#include "data/parsed_text.hpp"
#include "formats/table_layout.hpp"
#include "formats/table_parser.hpp"
#include "formats/table_schema.hpp"

namespace hogwild {
namespace {

using namespace detail;

/// A table that is being parsed: its schema as far as it is known, the findings and the parser.
struct table_reading {
  table_schema schema;
  table_findings found{};
  std::optional<table_parser> parser{};

  /// Prepares names for the columns and labels that need them, and the parser.
  void begin(std::vector<std::size_t> places, bool learns, bool word_labels) {
    found.values.resize(schema.columns.size());
    for (std::size_t c = 0; c < schema.columns.size(); ++c) {
      if (schema.hash_bits > 0 || schema.columns[c].kind != table_kind::categorical) continue;
      // The last number stands for unknown values.
      const std::uint32_t largest = (1u << schema.value_bits) - 3;
      found.values[c] = std::make_unique<name_numbers>(
          schema.values[c], largest,
          "the column " + quote(schema.columns[c].name) + " has more than " + std::to_string(largest + 1) +
              " values, which is the most that can have columns by name; give --hash-bits, or ignore the column");
    }
    if (word_labels)
      found.labels = std::make_unique<name_numbers>(schema.labels, 0xfffffffeu, "there are too many labels");
    parser.emplace(schema, std::move(places), learns, found);
  }

  /// Gives values and labels their final numbers, and divides numbers.
  void settle(parsed_text& text, const std::string& source) {
    std::vector<final_column> final(schema.columns.size());
    for (std::size_t c = 0; c < final.size(); ++c) {
      if (found.values[c]) final[c].values = found.values[c]->settle(schema.values[c]);
      if (c < found.sizes.size() && schema.columns[c].kind == table_kind::numeric)
        schema.columns[c].divisor = final[c].divisor = found.sizes[c].typical();
    }
    const std::vector<std::uint32_t> labels =
        found.labels ? found.labels->settle(schema.labels) : std::vector<std::uint32_t>{};
    const std::uint32_t mask = (1u << schema.value_bits) - 1;
    change_rows(text, source, [&](row_block& block) {
      block.columns = 0;
      for (std::size_t k = 0; k < block.entries; ++k) {
        std::uint32_t& index = block.index[k];
        const final_column& column = final[index >> schema.value_bits];
        if (!column.values.empty()) index = (index & ~mask) + column.values[(index & mask) - 1] + 1;
        if (column.divisor != 1.0f && (index & mask) != missing_number) block.value[k] /= column.divisor;
        block.columns = std::max(block.columns, index + 1);
      }
      if (!labels.empty())
        for (double& label : block.label) label = labels[static_cast<std::size_t>(label)];
    });
    text.schema = schema_bytes(schema);
  }

 private:
  /// The change of a column's entries.
  struct final_column {
    std::vector<std::uint32_t> values{};  ///< the numbers of its values; empty: they stay
    float divisor = 1.0f;
  };
};

std::uint64_t digest_of(const table_request& how) {
  std::string all = how.label + '\n' + (how.separator ? *how.separator : ' ') +
                    (how.header ? (*how.header ? 'h' : 'p') : ' ') + (how.quotes ? 'q' : ' ') +
                    (how.as_fields ? 'f' : ' ') + (how.scaled ? 's' : ' ') + std::to_string(how.hash_bits);
  for (const auto* names : {&how.numeric, &how.categorical, &how.ignored}) {
    all += '\n';
    for (const std::string& name : *names) all += '\0' + name;
  }
  return checksum(std::as_bytes(std::span(all)));
}

row_format format_of(const std::shared_ptr<table_reading>& reading, bool quotes) {
  return {.kind = input_format::table,
          .capacity = [reading](std::string_view text) { return reading->parser->capacity(text); },
          .parse = [reading](std::string_view text, const block_context& context,
                             row_block& rows) { reading->parser->parse(text, context, rows); },
          .quoted = quotes};
}

/// For another file, whose columns are found by the schema.
row_format format_by_schema(const std::shared_ptr<table_reading>& reading, const table_schema& schema, bool learns) {
  reading->schema = schema;
  row_format format = format_of(reading, schema.quotes);
  format.begin = [reading, learns](std::string_view text, const block_context&, const std::string& source) {
    reading->begin(match_columns(text, reading->schema, source), learns, !reading->schema.labels.empty());
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
  if (how.hash_bits != 0 && (how.hash_bits < least_hash_bits || how.hash_bits > most_hash_bits))
    throw config_error("--hash-bits " + std::to_string(how.hash_bits) + ": it should be " +
                       std::to_string(least_hash_bits) + " to " + std::to_string(most_hash_bits));
  if (how.separator && std::string_view(",;\t|").find(*how.separator) == std::string_view::npos)
    throw config_error("the separator of a table is a comma, a semicolon, a tab or a bar");
}

}  // namespace

table open_table(const std::string& path, const table_request& how, const open_options& options) {
  require_request(how);
  const auto reading = std::make_shared<table_reading>();
  row_format format = format_of(reading, how.quotes);
  format.begin = [&](std::string_view text, const block_context&, const std::string& source) {
    reading->schema = look_at_records(text, how, source).schema;
    std::vector<std::size_t> places(reading->schema.columns.size());
    for (std::size_t f = 0; f < places.size(); ++f) places[f] = f;
    if (how.scaled) reading->found.sizes.resize(places.size());
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
