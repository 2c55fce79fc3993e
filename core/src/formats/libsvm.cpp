// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cstring>
#include <ostream>
#include <utility>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/formats/libsvm.hpp>
#include <hogwild/error.hpp>

#include "decimal.hpp"
#include "libsvm_parser.hpp"

namespace hogwild {
namespace {

template <class Number>
void append_number(std::string& out, Number number) {
  char digits[32];
  const auto [end, status] = std::to_chars(digits, digits + sizeof digits, number);
  out.append(digits, end);
}

/// Appends the lines of `text` to `rows`. `text` as parse_libsvm_block wants it.
void append_rows(std::string_view text, const std::string& source, bool labels_optional, libsvm_rows& rows,
                 std::size_t& lines) {
  const std::size_t before = rows.index.size();
  rows.index.resize(before + detail::libsvm_capacity(text.size()));
  rows.value.resize(rows.index.size());
  detail::libsvm_block block;
  block.index = rows.index.data() + before;
  block.value = rows.value.data() + before;
  detail::parse_libsvm_block(text, labels_optional, block);
  if (block.fault) throw format_error(source, lines + block.fault->line, block.fault->column, block.fault->message);
  rows.index.resize(before + block.entries);
  rows.value.resize(before + block.entries);
  for (const std::uint32_t end : block.row_end) rows.row_start.push_back(before + end);
  rows.label.insert(rows.label.end(), block.label.begin(), block.label.end());
  rows.columns = std::max<std::size_t>(rows.columns, block.columns);
  lines += block.lines;
}

}  // namespace

libsvm_rows parse_libsvm(std::string_view text, const std::string& source, bool labels_optional) {
  constexpr std::size_t piece_bytes = std::size_t{1} << 20;
  libsvm_rows rows;
  std::size_t lines = 0;
  std::string piece;  // a copy with room behind it: nobody promised bytes behind `text`
  while (!text.empty()) {
    std::size_t end = text.size() <= piece_bytes ? text.size() : text.find('\n', piece_bytes - 1);
    end = end >= text.size() ? text.size() : end + 1;
    piece.assign(text.substr(0, end));
    if (piece.back() != '\n') piece += '\n';
    const std::size_t length = piece.size();
    piece.append(detail::text_padding, '\0');
    append_rows(std::string_view(piece).substr(0, length), source, labels_optional, rows, lines);
    text.remove_prefix(end);
  }
  return rows;
}

void write_libsvm(std::ostream& out, const sparse_view& rows, std::span<const std::uint32_t> original) {
  std::string line;
  std::vector<std::pair<std::uint32_t, float>> entries;
  row_cursor cursor(rows);
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    entries.clear();
    for (const auto [column, value] : cursor.row(r))
      entries.emplace_back(original.empty() ? column + 1 : original[column], value);
    std::sort(entries.begin(), entries.end());
    line.clear();
    append_number(line, rows.label[r]);
    for (const auto& [number, value] : entries) {
      line += ' ';
      append_number(line, number);
      line += ':';
      append_number(line, value);
    }
    line += '\n';
    out.write(line.data(), static_cast<std::streamsize>(line.size()));
  }
}

}  // namespace hogwild
