// SPDX-License-Identifier: Apache-2.0
#include <hogwild/formats/tables.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/detail/platform/checksum.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/side_features.hpp>
#include <hogwild/notes.hpp>
#include <hogwild/saved_model.hpp>

#include "data/dataset_mapping.hpp"
#include "data/parsed_text.hpp"
#include "formats/table_layout.hpp"
#include "formats/table_reading.hpp"
#include "formats/table_schema.hpp"

namespace hogwild {
namespace {

using namespace detail;

std::uint64_t digest_of(const table_request& how) {
  std::string all = how.label + '\n' + how.weight + '\n' + how.group + '\n' + (how.separator ? *how.separator : ' ') +
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
          .quoted = quotes && text == named_text::table,
          .names = [reading] { return reading->names(); }};
}

/// For another file, whose columns are found by the schema.
row_format format_by_schema(const std::shared_ptr<table_reading>& reading, const table_schema& schema, bool learns) {
  reading->schema = schema;
  row_format format = format_of(reading, schema.text, schema.quotes);
  format.begin = [reading, learns](std::string_view text, const block_context& context, const std::string& source) {
    const bool is_table = reading->schema.text == named_text::table;
    reading->begin(is_table ? match_columns(text, reading->schema, source, context.labels_optional) : file_columns{},
                   learns, !reading->schema.labels.empty());
    return std::string();
  };
  format.companions = checksum(std::span<const std::byte>(schema_bytes(schema)));
  return format;
}

table with_schema(sparse_dataset rows) {
  auto schema = std::make_shared<const table_schema>(
      parse_schema_bytes(dataset_access::mapping_of(rows).schema(), rows.shared_path()));
  dataset_access::set_label_words(rows, schema->labels);
  return {std::move(rows), std::move(schema)};
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
    if (how.scaled) reading->found.sizes.resize(reading->schema.columns.size());
    reading->begin(columns_of(reading->schema), true, has_word_labels(text, reading->schema));
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
  format.settle = [&](parsed_text& text) {
    if (options.numbering == nullptr) text.schema = schema_bytes(schema);
  };
  sparse_dataset rows = open_rows(path, options, format);
  if (const std::uint64_t left_out = dataset_access::labels_left_out(rows); left_out > 0) {
    const std::string told =
        printable(path) + ": " + std::to_string(left_out) +
        (left_out == 1 ? " label is none of the model's, and is left out of a row that has others"
                       : " labels are none of the model's, and are left out of rows that have others");
    options.note ? options.note(told) : note_by_default(told);
  }
  dataset_access::set_label_words(rows, schema.labels);
  return rows;
}

std::optional<table_schema> schema_of(const saved_model& model, const std::string& name) {
  if (model.schema.empty() || names_side_features(model)) return std::nullopt;
  table_schema schema = parse_schema(model.schema, name);
  take_values(schema, model.columns, model.names, name);
  return schema;
}

std::size_t keep_columns(const saved_model& before, saved_model& model) {
  const bool same_classes =
      before.labels.kind() != label_kind::classes || std::ranges::equal(before.labels.values(), model.labels.values());
  if (before.model != model.model || before.width != model.width || !same_classes) return 0;
  // Where each column's row comes from: the model before, or its own.
  std::vector<std::pair<bool, std::size_t>> rows;
  std::vector<std::uint32_t> columns;
  std::size_t kept = 0;
  for (std::size_t old = 0, own = 0; old < before.columns.size() || own < model.columns.size();) {
    const bool only_old =
        own == model.columns.size() || (old < before.columns.size() && before.columns[old] < model.columns[own]);
    if (!only_old && old < before.columns.size() && before.columns[old] == model.columns[own]) ++old;
    columns.push_back(only_old ? before.columns[old] : model.columns[own]);
    rows.emplace_back(only_old, only_old ? old++ : own++);
    kept += only_old ? 1 : 0;
  }
  // Without numbers of their own, columns that are kept have zeros.
  const auto take_rows = [&](const std::vector<float>* from, std::vector<float>& own) {
    std::vector<float> all(rows.size() * model.width);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const auto& [is_old, row] = rows[k];
      const std::vector<float>* const source = is_old ? from : &own;
      if (source != nullptr)
        std::copy_n(source->begin() + static_cast<std::ptrdiff_t>(row * model.width), model.width,
                    all.begin() + static_cast<std::ptrdiff_t>(k * model.width));
    }
    own = std::move(all);
  };
  take_rows(&before.weights, model.weights);
  const bool went_on = before.state.goes_with(model.state);
  for (std::size_t k = 0; k < model.state.arrays.size(); ++k)
    take_rows(went_on ? &before.state.arrays[k].weights : nullptr, model.state.arrays[k].weights);
  model.columns = std::move(columns);
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
