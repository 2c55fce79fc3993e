// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cstring>
#include <ostream>
#include <span>
#include <utility>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/formats/libsvm.hpp>
#include <hogwild/detail/platform/checksum.hpp>
#include <hogwild/error.hpp>

#include "formats/row_reader.hpp"
#include "formats/word_labels.hpp"
#include "libsvm_parser.hpp"
#include "text/byte_reader.hpp"
#include "text/decimal.hpp"
#include "text/input_stream.hpp"
#include "text/known_kinds.hpp"

namespace hogwild {
namespace {

template <class Number>
void append_number(std::string& out, Number number) {
  char digits[32];
  const auto [end, status] = std::to_chars(digits, digits + sizeof digits, number);
  out.append(digits, end);
}

void append_labels(std::string& line, const label_column& labels, std::size_t r) {
  if (!labels.lists()) return append_number(line, labels[r]);
  for (const std::uint32_t code : labels.list(r)) {
    append_number(line, labels.table()[code]);
    line += ',';
  }
  if (!line.empty()) line.pop_back();
}

libsvm_rows read_pieces(std::string_view text, const std::string& source, bool labels_optional,
                        detail::word_labels* words) {
  constexpr std::size_t piece_bytes = std::size_t{1} << 20;
  detail::row_reader reader(
      source, [](std::string_view piece) { return detail::libsvm_capacity(piece.size()); },
      [labels_optional, words](std::string_view piece, detail::row_block& block) {
        detail::parse_libsvm_block(piece, labels_optional, block, isa::automatic, false, words);
      });
  while (!text.empty()) {
    std::size_t end = text.size() <= piece_bytes ? text.size() : text.find('\n', piece_bytes - 1);
    end = end >= text.size() ? text.size() : end + 1;
    reader.append(text.substr(0, end));
    text.remove_prefix(end);
  }
  return std::move(reader).finish();
}

}  // namespace

libsvm_rows parse_libsvm(std::string_view text, const std::string& source, bool labels_optional,
                         detail::word_labels* words) {
  try {
    return read_pieces(detail::without_mark(text), source, labels_optional, words);
  } catch (const input_error&) {
    detail::require_kind(text, "libsvm", source);  // refuses text of another kind with a message that says so
    throw;
  }
}

std::shared_ptr<detail::word_labels> known_label_words(std::span<const std::string> words) {
  return words.empty() ? nullptr : std::make_shared<detail::word_labels>(words, false);
}

bool begins_compressed(std::string_view begin) {
  return detail::detect_compression(begin) != detail::compression::none;
}

std::string_view begin_text(std::string_view begin, const std::string& source) {
  detail::require_text(begin, source);
  return detail::without_mark(begin);
}

void require_line(std::string_view text, std::size_t from, const std::string& source) {
  detail::text_look(source)(text, from);
  if (text.size() > detail::input_stream::default_longest_line)
    throw input_error(source + ": there is a line of more than 1 GiB; is this the right file?");
}

void append_entries(std::vector<std::pair<std::uint32_t, float>>& entries, std::string& line) {
  std::ranges::sort(entries);
  for (const auto& [number, value] : entries) {
    if (!line.empty() && line.back() != '\n') line += ' ';
    append_number(line, number);
    line += ':';
    append_number(line, value);
  }
}

void write_libsvm(std::ostream& out, const sparse_view& rows, std::span<const std::uint32_t> original) {
  std::string line;
  std::vector<std::pair<std::uint32_t, float>> entries;
  row_cursor cursor(rows);
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    entries.clear();
    for (const auto [column, value] : cursor.row(r))
      entries.emplace_back(original.empty() ? column + 1 : original[column], value);
    line.clear();
    append_labels(line, rows.label, r);
    append_entries(entries, line);
    line += '\n';
    out.write(line.data(), static_cast<std::streamsize>(line.size()));
  }
}

namespace detail {

const row_format& libsvm_row_format(bool from_0) {
  const auto format_of = [](bool zero) {
    return row_format{.name = "libsvm",
                      .first_number = zero ? 0u : 1u,
                      .capacity = [](std::string_view text) { return libsvm_capacity(text.size()); },
                      .parse =
                          [zero](std::string_view text, const block_context& context, row_block& rows) {
                            parse_libsvm_block(text, context.labels_optional, rows, context.set, zero);
                          },
                      .companions = zero ? checksum(std::as_bytes(std::span("index from 0"))) : 0};
  };
  static const row_format one = format_of(false), zero = format_of(true);
  return from_0 ? zero : one;
}

}  // namespace detail

sparse_dataset open_libsvm(const std::string& path, const open_options& options) {
  const bool knows_0 = options.numbering != nullptr && options.numbering->position(0) != column_numbering::unknown;
  const bool zero = options.index_from_0 || knows_0;
  const auto parse = [zero](std::string_view text, const detail::block_context& context, detail::row_block& rows,
                            detail::word_labels* words) {
    detail::parse_libsvm_block(text, context.labels_optional, rows, context.set, zero, words);
  };
  return detail::open_rows(path, options,
                           detail::with_word_labels(detail::libsvm_row_format(zero), parse, options, path));
}

}  // namespace hogwild
