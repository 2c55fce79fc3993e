// SPDX-License-Identifier: Apache-2.0
#include "formats/matrix_text.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <utility>

#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>

#include "data/parsed_text.hpp"
#include "text/decimal.hpp"
#include "text/known_kinds.hpp"

namespace hogwild::detail {
namespace {

constexpr std::uint64_t largest_number = 0xfffffffeu;
constexpr std::string_view gaps = " \t\r";

/// The fields of a line, and their places.
class line_fields {
 public:
  explicit line_fields(std::string_view line) : line_(line) { skip(); }

  bool done() const { return at_ == line_.size(); }
  std::size_t column() const { return at_ + 1; }
  std::string_view next() {
    const std::size_t end = std::min(line_.find_first_of(gaps, at_), line_.size());
    const std::string_view field = line_.substr(at_, end - at_);
    at_ = end;
    skip();
    return field;
  }

 private:
  void skip() { at_ = std::min(line_.find_first_not_of(gaps, at_), line_.size()); }

  std::string_view line_;
  std::size_t at_ = 0;
};

std::string in_small_letters(std::string_view text) {
  std::string small(text);
  for (char& c : small) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  return small;
}

bool read_whole(std::string_view text, std::uint64_t& number) {
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  return fault == std::errc() && end == text.data() + text.size();
}

/// Reads the lines before the entries.
class header_reader {
 public:
  header_reader(const std::string& name, matrix_text& text) : name_(name), text_(text) {}

  bool done() const { return done_; }
  /// Takes lines from the front of `text`, until the header is complete.
  void take(std::string_view& text) {
    while (!done_ && !text.empty()) {
      // Of another kind it is said which.
      if (text_.header_lines == 0) require_kind(text, "mtx", name_);
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(line.size() + 1);
      ++text_.header_lines;
      line_fields fields(line);
      if (text_.header_lines == 1)
        read_banner(fields);
      else if (!fields.done() && !line.starts_with('%'))
        read_sizes(fields);
    }
  }
  [[noreturn]] void refuse_end() const {
    throw format_error(
        name_, text_.header_lines + 1, 1,
        text_.header_lines == 0 ? "the file is empty" : "the text ends before the numbers of rows and columns");
  }

 private:
  [[noreturn]] void refuse(std::size_t column, const std::string& message) const {
    throw format_error(name_, text_.header_lines, column, message);
  }

  void require_end(line_fields fields) const {
    if (fields.done()) return;
    const std::size_t column = fields.column();
    refuse(column, "there is " + quote(fields.next()) + " where the line should end");
  }

  void read_banner(line_fields fields) {
    const auto expect = [&](std::initializer_list<std::string_view> known, const std::string& message) {
      const std::size_t column = fields.column();
      const std::string_view word = fields.next();
      const auto found = std::ranges::find(known, in_small_letters(word));
      if (found == known.end()) refuse(column, quote(word) + message);
      return *found;
    };
    expect({"%%matrixmarket"}, " does not begin a Matrix Market file, '%%MatrixMarket' does");
    expect({"matrix"}, " is not read, only 'matrix'");
    text_.header.dense = expect({"coordinate", "array"}, " is neither 'coordinate' nor 'array'") == "array";
    const std::size_t field_column = fields.column();
    text_.header.pattern = expect({"real", "double", "integer", "pattern"},
                                  " values are not read, only real, integer and pattern") == "pattern";
    if (text_.header.dense && text_.header.pattern) refuse(field_column, "a dense matrix has values, and no 'pattern'");
    expect({"general"}, " matrices are not read, whose rows are no examples: write all entries, as 'general'");
    require_end(fields);
  }

  void read_sizes(line_fields fields) {
    matrix_header& header = text_.header;
    const auto take_number = [&](const char* what, std::uint64_t most) {
      if (fields.done())
        refuse(fields.column(), "the line ends where the number of " + std::string(what) + " should be");
      const std::size_t column = fields.column();
      const std::string_view word = fields.next();
      std::uint64_t number = 0;
      if (!read_whole(word, number) || number > most)
        refuse(column, "the number of " + std::string(what) + " is " + quote(word) +
                           ", and should be a whole number up to " + std::to_string(most));
      return number;
    };
    header.rows = take_number("rows", largest_number);
    header.columns = take_number("columns", largest_number);
    header.entries = header.dense ? header.rows * header.columns : take_number("entries", header.rows * header.columns);
    require_end(fields);
    if (header.rows == 0) refuse(1, "the matrix has no rows");
    done_ = true;
  }

  const std::string& name_;
  matrix_text& text_;
  bool done_ = false;
};

/// Reads the lines of one block.
class part_reader {
 public:
  part_reader(const matrix_header& header, matrix_part& part) : header_(header), part_(part) {}

  bool read(std::string_view line) {
    line_ = line.data();
    const char* p = skip(line_);
    if (*p == '\n') {
      part_.blank_lines.push_back(part_.lines + 1);
      ++part_.lines;
      return true;
    }
    std::uint32_t row = 0, column = 0;
    if (!header_.dense) {
      if (!read_index(p, "row", header_.rows, row) || !read_index(p, "column", header_.columns, column)) return false;
      part_.row.push_back(row);
      part_.column.push_back(column);
    }
    if (!header_.pattern && !read_value(p)) return false;
    if (*p != '\n') return refuse(p, "there is " + word_at(p) + " where the line should end");
    ++part_.entries;
    ++part_.lines;
    return true;
  }

 private:
  static const char* skip(const char* p) {
    while (*p == ' ' || *p == '\t' || *p == '\r') ++p;
    return p;
  }
  static const char* end_of_word(const char* p) {
    while (*p != ' ' && *p != '\t' && *p != '\r' && *p != '\n') ++p;
    return p;
  }
  static std::string word_at(const char* p) { return quote(p, end_of_word(p)); }

  bool refuse(const char* at, std::string message) {
    part_.fault = row_fault{part_.lines + 1, static_cast<std::size_t>(at - line_) + 1, std::move(message)};
    return false;
  }

  /// A number from 1 to `most`; goes to the next field.
  bool read_index(const char*& p, const char* what, std::uint64_t most, std::uint32_t& index) {
    if (*p == '\n') return refuse(p, "the line ends where the " + std::string(what) + " should be");
    const char* const end = end_of_word(p);
    std::uint64_t number = 0;
    if (const unsigned digits = leading_digits(load_eight(p)); digits - 1 < 7 && p + digits == end)
      number = digits_to_number(load_eight(p), digits);
    else if (!read_whole({p, static_cast<std::size_t>(end - p)}, number))
      return refuse(p, "the " + std::string(what) + " " + word_at(p) + " is not a whole number");
    if (number == 0 || number > most)
      return refuse(p, "the " + std::string(what) + " " + word_at(p) + " lies outside the matrix, whose " + what +
                           "s are 1 to " + std::to_string(most));
    index = static_cast<std::uint32_t>(number - 1);
    p = skip(end);
    return true;
  }

  bool read_value(const char*& p) {
    if (*p == '\n') return refuse(p, "the line ends where the value should be");
    float value = 0.0f;
    const char* const end = end_of_word(p);
    if (const char* const next = read_short_decimal(p, value); next != end) {
      switch (read_decimal(p, end, value)) {
        case number_fault::not_a_number:
          return refuse(p, "the value " + word_at(p) + " is not a number");
        case number_fault::not_finite:
          return refuse(p, "the value " + word_at(p) + " is not finite in single precision");
        case number_fault::none:
          break;
      }
    }
    part_.value.push_back(value);
    p = skip(end);
    return true;
  }

  const matrix_header& header_;
  matrix_part& part_;
  const char* line_ = nullptr;
};

/// Reads the blocks behind the header; several are parsed at once.
class entries_reader {
 public:
  entries_reader(input_stream& input, matrix_text& text) : input_(input), text_(text), lines_(text.header_lines) {}

  void read(text_block rest) {
    const std::size_t most = blocks_in_flight * static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
    std::vector<text_block> blocks;
    if (!rest.text.empty()) blocks.push_back(std::move(rest));
    for (bool more = true; more;) {
      while (blocks.size() < most && more) {
        std::optional<text_block> block = input_.next();
        more = block.has_value();
        if (more) blocks.push_back(std::move(*block));
      }
      parse(blocks);
      blocks.clear();
    }
    if (entries_ < text_.header.entries)
      throw format_error(input_.name(), lines_ + 1, 1,
                         "the text ends after " + std::to_string(entries_) + " of the " +
                             std::to_string(text_.header.entries) + " entries that it announces");
  }

 private:
  void parse(std::span<const text_block> blocks) {
    const std::size_t before = text_.parts.size();
    text_.parts.resize(before + blocks.size());
    tbb::parallel_for(std::size_t{0}, blocks.size(),
                      [&](std::size_t b) { parse_matrix_part(blocks[b].text, text_.header, text_.parts[before + b]); });
    for (std::size_t k = before; k < text_.parts.size(); ++k) {
      const matrix_part& part = text_.parts[k];
      entries_ += part.entries;
      const auto& fault = part.fault;
      if (entries_ > text_.header.entries)
        throw format_error(
            input_.name(), text_.line_of(text_.header.entries), 1,
            "there are more entries than the " + std::to_string(text_.header.entries) + " that the text announces");
      if (fault) throw format_error(input_.name(), lines_ + fault->line, fault->column, fault->message);
      lines_ += part.lines;
    }
  }

  input_stream& input_;
  matrix_text& text_;
  std::size_t lines_;
  std::uint64_t entries_ = 0;
};

}  // namespace

std::size_t matrix_text::line_of(std::uint64_t entry) const {
  std::size_t line = header_lines;
  for (const matrix_part& part : parts) {
    if (entry >= part.entries) {
      entry -= part.entries;
      line += part.lines;
      continue;
    }
    std::size_t within = static_cast<std::size_t>(entry) + 1;
    for (const std::size_t blank : part.blank_lines) within += blank <= within ? 1 : 0;
    return line + within;
  }
  return line + 1;
}

void parse_matrix_part(std::string_view text, const matrix_header& header, matrix_part& part) {
  part_reader reader(header, part);
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() + 1);
    if (!reader.read(line)) return;
  }
}

matrix_text read_matrix(input_stream& input) {
  matrix_text text;
  header_reader header(input.name(), text);
  while (!header.done()) {
    std::optional<text_block> block = input.next();
    if (!block) header.refuse_end();
    header.take(block->text);
    if (header.done()) entries_reader(input, text).read(std::move(*block));
  }
  return text;
}

}  // namespace hogwild::detail
