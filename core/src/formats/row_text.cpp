// SPDX-License-Identifier: Apache-2.0
#include <hogwild/formats/row_text.hpp>

#include <algorithm>
#include <charconv>
#include <numeric>

#include <hogwild/detail/data/label_spelling.hpp>
#include <hogwild/detail/formats/csv_field.hpp>
#include <hogwild/detail/formats/libsvm.hpp>
#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/libffm.hpp>

#include "formats/table_schema.hpp"

namespace hogwild {
namespace {

using detail::to_text;

std::string spelled(const sparse_dataset& data, double label) {
  const std::string_view text = detail::spelling_of(data).find(label);
  return text.empty() ? label_text(label) : std::string(text);
}

void append_number(auto number, std::string& text) {
  char digits[64];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

/// Labels of a row, with commas between several.
void append_labels(const sparse_dataset& data, const sparse_view& rows, std::size_t r, std::string& text) {
  if (!rows.label.lists()) {
    text += spelled(data, rows.label[r]);
    return;
  }
  bool first = true;
  for (const std::uint32_t code : rows.label.list(r)) {
    if (!std::exchange(first, false)) text += ',';
    text += spelled(data, rows.label.table()[code]);
  }
}

}  // namespace

std::vector<std::uint32_t> columns_from_1(const sparse_dataset& data) {
  const std::span<const std::uint32_t> original = data.numbering().original();
  std::vector<std::uint32_t> order(original.size()), numbers(original.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, [&](std::uint32_t position) { return original[position]; });
  for (std::uint32_t k = 0; k < order.size(); ++k) numbers[order[k]] = k + 1;
  return numbers;
}

libsvm_text::libsvm_text(const sparse_dataset& data, std::vector<std::uint32_t> numbers)
    : data_(data), queries_(true), numbers_(std::move(numbers)), cursor_(data_.view()) {
  for (const std::string& name : data.group_names())
    queries_ = queries_ && !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
}

/// Numbers of queries stay as they were; names become numbers.
std::string libsvm_text::query_of(std::uint32_t group) const {
  return queries_ ? data_.group_names()[group] : std::to_string(group + std::uint64_t{1});
}

void libsvm_text::append(std::size_t r, std::string& text) {
  const sparse_view& rows = cursor_.view();
  const sparse_row<float> row = cursor_.row(r);
  const bool has_label = !rows.label.lists() || !rows.label.list(r).empty();
  if (!has_label && row.size() == 0)
    throw input_error("row " + std::to_string(row.id + 1) +
                      " has neither a label nor an entry, and as LIBSVM text its line would be blank: leave it out");
  if (has_label) append_labels(data_, rows, r, text);
  if (!rows.group.empty()) text.append(" qid:").append(query_of(rows.group[r]));
  entries_.clear();
  for (const auto [position, value] : row) entries_.emplace_back(numbers_[position], value);
  append_entries(entries_, text);
  text += '\n';
}

libffm_text::libffm_text(const sparse_dataset& data) : data_(data), cursor_(data_.view()) {
  if (cursor_.view().label.lists())
    throw input_error("rows have lists of labels, which libffm text does not hold: write LIBSVM text");
}

void libffm_text::append(std::size_t r, std::string& text) {
  append_labels(data_, cursor_.view(), r, text);
  for (const auto [position, value] : cursor_.row(r)) {
    const std::uint32_t column = data_.original(position);
    text += ' ';
    append_number(field_of(column), text);
    text += ':';
    append_number((column - 1) & largest_field_index, text);
    text += ':';
    append_number(value, text);
  }
  text += '\n';
}

table_text::table_text(const sparse_dataset& data, const table_schema& schema, char separator)
    : data_(data), schema_(schema), separator_(separator), cursor_(data_.view()), fields_(schema.columns.size()) {
  const auto refuse = [](const table_column& column, const std::string& why) {
    throw input_error("the column " + quote(column.name) + " " + why + "; write LIBSVM text");
  };
  if (data.unknown_entries() > 0)
    throw input_error("some values were left out of the rows, so a table of them would have gaps; write LIBSVM text");
  for (const table_column& column : schema.columns) {
    if (column.kind == table_kind::list || column.kind == table_kind::text || column.kind == table_kind::date ||
        column.kind == table_kind::interaction)
      refuse(column, "is read as " + std::string(name_of(column.kind)) + ", from which a field cannot be told");
    if (column.kind == table_kind::categorical && (schema.hash_bits > 0 || schema.min_rows > 1))
      refuse(column, std::string("has values ") + (schema.hash_bits > 0 ? "by hash" : "that share a column") +
                         ", from which a field cannot be told");
  }
}

std::string table_text::header() const {
  std::string text;
  if (!schema_.header) return text;
  append_record([this](std::size_t c) { return schema_.columns[c].name; }, text);
  return text;
}

void table_text::append(std::size_t r, std::string& text) {
  const sparse_row<float> row = cursor_.row(r);
  for (std::size_t c = 0; c < fields_.size(); ++c) {
    const table_kind kind = schema_.columns[c].kind;
    fields_[c] = kind == table_kind::numeric  ? "0"
                 : kind == table_kind::label  ? label_of(r)
                 : kind == table_kind::weight ? to_text(row.weight)
                                              : "";
  }
  for (const auto [position, value] : row) {
    const std::uint32_t place = data_.original(position) - 1;
    const std::size_t c = place >> schema_.value_bits;
    const std::uint32_t number = place & ((1u << schema_.value_bits) - 1);
    if (schema_.columns[c].kind == table_kind::categorical)
      fields_[c] = schema_.values[c][number - 1];
    else
      fields_[c] = number == detail::missing_number ? "" : to_text(value * schema_.columns[c].divisor);
  }
  append_record([this](std::size_t c) -> const std::string& { return fields_[c]; }, text);
}

void table_text::append_record(const auto& field_of_column, std::string& text) const {
  bool first = true;
  for (std::size_t c = 0; c < schema_.columns.size(); ++c) {
    if (schema_.columns[c].kind == table_kind::ignored && schema_.header) continue;
    if (!std::exchange(first, false)) text += separator_;
    append_csv_field(text, field_of_column(c), separator_);
  }
  text += '\n';
}

std::string table_text::label_of(std::size_t r) const {
  const double label = cursor_.view().label[r];
  return schema_.labels.empty() ? spelled(data_, label) : schema_.labels[static_cast<std::size_t>(label)];
}

}  // namespace hogwild
