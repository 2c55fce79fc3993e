// SPDX-License-Identifier: Apache-2.0
#include "results/saved_quantised.hpp"

#include <optional>
#include <string_view>

#include <hogwild/error.hpp>
#include <hogwild/formats/tables.hpp>

#include "formats/table_schema.hpp"
#include "results/saved_model_formats.hpp"

namespace hogwild::detail {
namespace {

/// The bytes of an interaction's name up to which a file leaves out the names of its columns: small files stand for
/// little memory.
constexpr std::size_t longest_told = 255;

/// The name of a column by hash, which the schema tells; empty for any other column.
std::string told_name(const table_schema& schema, std::uint32_t number) {
  const std::size_t column = (number - 1) >> schema.value_bits;
  const bool is_told = column < schema.columns.size() && schema.columns[column].kind == table_kind::interaction &&
                       schema.columns[column].name.size() <= longest_told;
  return is_told ? schema.name_of_input(number) : std::string();
}

std::optional<table_schema> schema_in(const saved_model& model) {
  try {
    if (!model.schema.empty()) return parse_schema(model.schema, model.model);
  } catch (const input_error&) {  // no name is left out then
  }
  return std::nullopt;
}

}  // namespace

void put_quantised(byte_builder& out, const quantised_rows& rows) {
  out.put(static_cast<std::uint32_t>(rows ? rows.part : 0));
  if (!rows) return;
  out.put(static_cast<std::uint32_t>(rows.choices()));
  out.put(static_cast<std::uint32_t>(rows.lengths.size()));
  out.put_span(std::span<const float>(rows.centroids));
  out.put_span(std::span<const std::uint8_t>(rows.codes));
  out.put_span(std::span<const float>(rows.lengths));
  out.put_span(std::span<const std::uint8_t>(rows.length_codes));
}

bool take_quantised(byte_cursor& in, std::uint64_t numbers, std::size_t width, quantised_rows& rows) {
  constexpr const char* what = "quantised rows";
  const std::size_t at = in.offset();
  const auto part = in.take<std::uint32_t>(what);
  if (part == 0) return false;
  if (width == 0 || numbers % width != 0 || part > quantised_rows::longest_part)
    in.fail(at, "rows of this model cannot be quantised like this");
  rows.width = width, rows.part = part;
  const std::uint64_t count = numbers / width;
  const auto choices = in.take<std::uint32_t>(what), lengths = in.take<std::uint32_t>(what);
  if (choices > quantised_rows::most_centroids) in.fail(at, "a part has 1 to 256 centroids");
  rows.centroids = in.take_vector<float>(choices * width, what);
  rows.codes = in.take_vector<std::uint8_t>(count * rows.parts(), what);
  rows.lengths = in.take_vector<float>(lengths, what);
  rows.length_codes = in.take_vector<std::uint8_t>(lengths == 0 ? 0 : count, what);
  if (const std::string fault = rows.fault(count); !fault.empty()) in.fail(at, fault);
  return true;
}

void put_line_names(byte_builder& out, const saved_model& model) {
  if (model.names.empty()) return;
  const std::optional<table_schema> schema = schema_in(model);
  std::string lines;
  for (std::size_t k = 0; k < model.names.size(); ++k) {
    const bool told = schema && told_name(*schema, model.columns[k]) == model.names[k];
    lines.append(told ? "" : model.names[k]).append("\n");
  }
  out.put_text(lines);
}

std::vector<std::string> take_line_names(byte_cursor& in, const saved_model& model, const std::string& name) {
  std::vector<std::string> names;
  if (in.left() == 0 || model.columns.empty()) return names;
  const std::size_t at = in.offset();
  const std::string lines = in.take_text("the names of columns");
  std::optional<table_schema> schema;
  for (std::size_t from = 0; from < lines.size();) {
    const std::size_t end = lines.find('\n', from);
    if (end == lines.npos || names.size() == model.columns.size()) in.fail(at, "there is no name for each column");
    names.push_back(lines.substr(from, end - from));
    if (names.back().empty()) {
      if (!schema) schema = parse_schema(model.schema, name);
      names.back() = told_name(*schema, model.columns[names.size() - 1]);
    }
    if (!is_column_name(names.back()))
      in.fail(at, "the name of a column is empty, too long or holds control characters");
    from = end + 1;
  }
  if (names.size() != model.columns.size()) in.fail(at, "there is no name for each column");
  return names;
}

}  // namespace hogwild::detail
