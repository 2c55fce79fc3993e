// SPDX-License-Identifier: Apache-2.0
#include "rivals/export.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>
#include <type_traits>
#include <utility>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/error.hpp>

namespace hogwild::bench {
namespace {

using entry = std::pair<std::uint32_t, float>;

/// Everything that is written, in blocks.
class buffered_file {
 public:
  explicit buffered_file(const std::filesystem::path& file) : path_(file), out_(file, std::ios::binary) {
    flush_when(0);
  }

  template <class Number>
  requires std::is_arithmetic_v<Number>
  void text(Number x) {
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, x).ptr;
    buffer_.append(digits, end);
  }
  void text(std::string_view words) { buffer_ += words; }
  template <class Number>
  void bytes(Number x) {
    static_assert(std::is_trivially_copyable_v<Number>);
    buffer_.append(reinterpret_cast<const char*>(&x), sizeof x);
  }
  void end_row() { flush_when(std::size_t{1} << 20); }
  void close() {
    flush_when(0);
    out_.close();
    if (!out_) throw resource_error(path_.string() + ": cannot be written; is the disk full?");
  }

 private:
  void flush_when(std::size_t more_than) {
    if (buffer_.size() < more_than) return;
    out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    buffer_.clear();
    if (!out_) throw resource_error(path_.string() + ": cannot be written; is the disk full?");
  }

  std::filesystem::path path_;
  std::ofstream out_;
  std::string buffer_;
};

void write_text_row(buffered_file& out, bool positive, const std::vector<entry>& entries, export_format format) {
  out.text(positive ? "1" : "-1");
  if (format == export_format::vw) out.text(" |");
  for (const auto& [column, value] : entries) {
    out.text(" ");
    out.text(column);
    out.text(":");
    out.text(value);
  }
  out.text("\n");
}

/// Records {int32 row, int32 column, float64 value}, both counted from 0; the label is the entry in column -2.
void write_hazy_row(buffered_file& out, std::size_t row, bool positive, const std::vector<entry>& entries) {
  const auto put = [&](std::int32_t column, double value) {
    out.bytes(static_cast<std::int32_t>(row));
    out.bytes(column);
    out.bytes(value);
  };
  put(-2, positive ? 1.0 : -1.0);
  for (const auto& [column, value] : entries) put(static_cast<std::int32_t>(column) - 1, value);
}

}  // namespace

std::string_view name_of(export_format format) {
  switch (format) {
    case export_format::vw:
      return "vw";
    case export_format::hazy:
      return "hazy";
    case export_format::libsvm:
      break;
  }
  return "libsvm";
}

exported_columns::exported_columns(std::span<const std::uint32_t> original) : original_(original) {
  if (original.empty()) return;
  shift_ = *std::ranges::min_element(original) == 0 ? 1 : 0;
  largest_ = *std::ranges::max_element(original) + shift_;
}

std::vector<float> exported_columns::by_position(std::span<const double> weights) const {
  std::vector<float> ordered(columns());
  for (std::size_t position = 0; position < ordered.size(); ++position) {
    if (number(position) < weights.size()) ordered[position] = static_cast<float>(weights[number(position)]);
  }
  return ordered;
}

void export_rows(const sparse_view& rows, const exported_columns& columns, const label_map& labels,
                 export_format format, const std::filesystem::path& file) {
  buffered_file out(file);
  if (format == export_format::hazy) out.bytes(std::uint64_t{rows.nonzeros() + rows.rows()});
  row_cursor cursor(rows);
  std::vector<entry> entries;
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    if (r % 1024 == 0) rows.ensure(r, std::min(r + 1024, rows.rows()));
    const auto z = cursor.row(r);
    entries.clear();
    for (std::size_t k = 0; k < z.size(); ++k) entries.emplace_back(columns.number(z.index[k]), z.value[k]);
    std::ranges::sort(entries);
    const bool positive = labels.encode(rows.label[r]) > 0;
    if (format == export_format::hazy) {
      write_hazy_row(out, r, positive, entries);
    } else {
      write_text_row(out, positive, entries, format);
    }
    out.end_row();
  }
  out.close();
}

}  // namespace hogwild::bench
