// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/formats/named_lines.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>

#include "formats/row_reader.hpp"
#include "formats/table_fields.hpp"
#include "formats/table_layout.hpp"
#include "formats/table_reading.hpp"
#include "formats/table_schema.hpp"
#include "text/decimal.hpp"

namespace hogwild {
namespace {

using namespace detail;

/// Drops entries of values without a name.
void drop_unknown(const table_schema& schema, libsvm_rows& rows) {
  const std::uint32_t mask = (1u << schema.value_bits) - 1;
  std::size_t kept = 0, k = 0;
  for (std::size_t r = 1; r < rows.row_start.size(); ++r) {
    for (; k < rows.row_start[r]; ++k) {
      const std::uint32_t index = rows.index[k];
      if ((index & mask) == mask && has_values(schema.columns[index >> schema.value_bits].kind)) continue;
      rows.index[kept] = index;
      rows.value[kept++] = rows.value[k];
    }
    rows.row_start[r] = kept;
  }
  rows.index.resize(kept);
  rows.value.resize(kept);
}

}  // namespace

struct named_lines::state {
  std::optional<table_request> how{};  ///< nothing: the schema is known
  table_reading reading{};
  bool labels_optional = false;
};

named_lines::named_lines(const table_request& how) : state_(std::make_unique<state>()) {
  require_request(how);
  if (how.text == named_text::labelled_text)
    throw config_error(
        "the labels of labelled text are words, whose numbers depend on all rows: train on a file, or begin with a "
        "saved model that knows them (--init)");
  if (how.min_rows > 1) throw config_error("--min-rows counts the values of all rows, which a stream does not have");
  state_->how = how;
}

named_lines::named_lines(const table_schema& schema, bool labels_optional) : state_(std::make_unique<state>()) {
  state_->reading.schema = schema;
  state_->labels_optional = labels_optional;
}

named_lines::~named_lines() = default;

const table_schema& named_lines::schema() const {
  return state_->reading.schema;
}

std::size_t named_lines::begin(std::string_view first, const std::string& source) {
  table_reading& reading = state_->reading;
  const bool learns = state_->how.has_value();
  const named_text text = learns ? state_->how->text : reading.schema.text;
  if (text != named_text::table) {
    if (learns) reading.schema = schema_of_text(*state_->how);
    reading.begin({}, learns, !reading.schema.labels.empty());
    return 0;
  }
  std::string padded(first);
  if (padded.empty() || padded.back() != '\n') padded += '\n';
  const std::size_t length = padded.size();
  padded.append(text_padding, '\0');
  std::string_view left = std::string_view(padded).substr(0, length);
  if (learns) {
    table_look look = look_at_records(left, *state_->how, source);
    reading.schema = std::move(look.schema);
    // The first piece may be a single row.
    for (std::size_t c = 0; c < look.named.size(); ++c)
      if (!look.named[c])
        throw config_error("the kinds of a stream's columns are not guessed: name " +
                           quote(reading.schema.columns[c].name) +
                           " with --numeric, --categorical or another option ('*' names all others)");
    const bool has_numbers = std::ranges::find(reading.schema.columns, table_kind::numeric, &table_column::kind) !=
                             reading.schema.columns.end();
    if (has_numbers && state_->how->scaled)
      throw config_error(
          "numbers of a stream are taken as they are, because their sizes depend on all rows: say --numbers as_given, "
          "or begin with a saved model that knows them (--init)");
    if (reading.schema.hash_bits == 0)
      for (const table_column& column : reading.schema.columns)
        if (has_values(column.kind))
          throw config_error("the values of " + quote(column.name) +
                             " have columns by name, which depend on all rows: give --hash-bits, or begin with a "
                             "saved model that knows them (--init)");
    reading.begin(columns_of(reading.schema), true, false);
  } else {
    reading.begin(match_columns(left, reading.schema, source, state_->labels_optional), false,
                  !reading.schema.labels.empty());
  }
  if (!reading.schema.header) return 0;
  const record_cutter cutter(reading.schema.separator, reading.schema.quotes);
  std::vector<text_field> fields;
  for (bool blank = true; blank;) {
    left.remove_prefix(cutter.cut(left, fields).bytes);
    blank = fields.size() == 1 && fields.front().text.empty() && !fields.front().quoted;
  }
  return std::min(length - left.size(), first.size());
}

libsvm_rows named_lines::parse(std::string_view lines, const std::string& source) const {
  const table_reading& reading = state_->reading;
  row_reader reader(
      source, [&](std::string_view piece) { return reading.capacity(piece); },
      [&](std::string_view piece, row_block& block) {
        reading.parse(piece, {.labels_optional = state_->labels_optional}, block);
      });
  reader.append(lines);
  libsvm_rows rows = std::move(reader).finish();
  const table_schema& schema = reading.schema;
  if (!state_->how && schema.hash_bits == 0 && schema.text != named_text::vowpal_wabbit) drop_unknown(schema, rows);
  return rows;
}

}  // namespace hogwild
