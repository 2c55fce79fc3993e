// SPDX-License-Identifier: Apache-2.0
#include "predict_lines.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include <hogwild/detail/platform/write_all.hpp>
#include <hogwild/error.hpp>

#include "data_files.hpp"

namespace hogwild::cli {
namespace {

/// Text in a file in memory, which this process can open by a path.
class text_in_memory {
 public:
  explicit text_in_memory(std::string_view head, std::string_view text)
      : descriptor_(::memfd_create("lines", MFD_CLOEXEC)) {
    if (descriptor_ < 0) throw resource_error(std::string("no file in memory can be made: ") + std::strerror(errno));
    try {
      for (const std::string_view part : {head, text})
        write_all(descriptor_, std::as_bytes(std::span(part)), "a file in memory");
    } catch (...) {
      ::close(descriptor_);
      throw;
    }
  }
  ~text_in_memory() { ::close(descriptor_); }
  text_in_memory(const text_in_memory&) = delete;
  text_in_memory& operator=(const text_in_memory&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

/// Further faults are likely near a fault, and each one costs as much as parsing the part that has it.
constexpr std::size_t bytes_after_a_fault = std::size_t{1} << 14, bytes_checked_after_a_fault = std::size_t{1} << 10;

std::size_t lines_in(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

class line_answers {
 public:
  explicit line_answers(const line_request& request) : request_(request), blanks_are_rows_(request.one_column) {}

  std::size_t run() {
    arriving_lines lines(request_.descriptor, request_.name, request_.rule);
    const bool whole = lines.compressed();
    if (whole && request_.skip_bad)
      throw config_error("--skip-bad is for plain text, and " + request_.name + " is compressed: decompress it first");
    while (auto text = lines.next()) {
      if (whole)
        answer_whole(*text);
      else
        answer(without_header(*text));
    }
    if (!any_ && skipped_ == 0)
      throw format_error(request_.name, 1, 1, "there are no rows; the text is empty or all comment");
    return skipped_;
  }

 private:
  /// Moves the first record that is not blank, and what is before it, to the head of every piece.
  std::string_view without_header(std::string_view text) {
    if (!request_.header || has_header_) return text;
    std::size_t begin = 0;
    for (const std::size_t end : record_ends(text, request_.rule)) {
      has_header_ = text.substr(begin, end - begin).find_first_not_of(blanks()) != std::string_view::npos;
      if (has_header_ && text.substr(begin, end - begin).find(request_.rule.separator) == text.npos)
        blanks_are_rows_ = true;
      begin = end;
      if (has_header_) break;
    }
    if (!has_header_) begin = text.size();
    head_ += text.substr(0, begin);
    lines_ += lines_in(text.substr(0, begin));
    return text.substr(begin);
  }

  /// The characters of a blank line: a tab may separate empty fields.
  const char* blanks() const { return request_.table && request_.rule.separator == '\t' ? " \r\n" : " \t\r\n"; }

  /// The place behind the last line that has a row, or a part of one; 0 if there is none.
  std::size_t end_of_rows(std::string_view text) const {
    if (blanks_are_rows_) return text.size();
    for (std::size_t end = text.size(); end > 0;) {
      const std::size_t newline = text.substr(0, end - 1).rfind('\n');
      const std::size_t begin = newline == text.npos ? 0 : newline + 1;
      const std::size_t first = text.find_first_not_of(blanks(), begin);
      if (first < end && !(request_.comments && text[first] == '#')) return end;
      end = begin;
    }
    return 0;
  }

  void open(std::string_view text) {
    const text_in_memory file(head_, text);
    try {
      const sparse_dataset rows = request_.open(file.path());
      any_ = true;
      request_.answer(rows);
    } catch (const format_error&) {
      throw;
    } catch (const input_error& fault) {
      std::string said = fault.what();
      if (const std::size_t at = said.find(file.path()); at != said.npos)
        said.replace(at, file.path().size(), request_.name);
      throw input_error(said);
    }
  }

  /// Lines without rows wait for the next row, because the parser may have to refuse a blank line before one.
  void answer(std::string_view arrived) {
    std::string text = std::exchange(blanks_, {}).append(arrived);
    const std::size_t end = end_of_rows(text);
    blanks_ = text.substr(end);
    text.resize(end);
    if (request_.skip_bad && request_.check && !blanks_are_rows_) blank_out_faulty(text);
    // Behind the last row of a text without rows there is nothing to answer.
    if (end > 0 && end_of_rows(text) == 0) {
      lines_ += lines_in(text);
      return;
    }
    std::size_t most = text.size();
    for (std::string_view left = text; !left.empty();) {
      const std::string_view part = left.substr(0, end_of_part(left, most));
      try {
        require_fields(part);
        open(part);
        lines_ += lines_in(part);
        left.remove_prefix(part.size());
      } catch (const format_error& fault) {
        left.remove_prefix(leave_out(part, fault));
        most = bytes_after_a_fault;
      }
    }
  }

  /// Makes faulty records lines without rows, with a note for each, so that the others keep their lines.
  void blank_out_faulty(std::string& text) {
    std::size_t most = text.size(), lines = lines_;
    for (std::size_t at = 0; at < text.size();) {
      const std::string_view left = std::string_view(text).substr(at);
      const std::string_view part = left.substr(0, end_of_part(left, most));
      try {
        request_.check(head_, part);
        at += part.size();
        lines += lines_in(part);
        most *= 2;
      } catch (const format_error& fault) {
        const auto [begin, end] = record_at(part, fault.line(), request_.rule);
        skip(fault, lines + fault.line(), 0);
        lines += lines_in(part.substr(0, end));
        for (std::size_t k = at + begin; k < at + end; ++k)
          if (text[k] != '\n') text[k] = request_.comments ? '#' : ' ';
        const bool was_empty = request_.comments && text[at + begin] == '\n';
        if (was_empty) text.insert(at + begin, 1, '#');
        at += end + (was_empty ? 1 : 0);
        most = bytes_checked_after_a_fault;
      }
    }
  }

  /// The end of whole records of about so many bytes, with a row among them.
  std::size_t end_of_part(std::string_view text, std::size_t most) const {
    for (; most < text.size(); most *= 2) {
      const std::vector<std::size_t> ends = record_ends(text.substr(0, most), request_.rule);
      if (!ends.empty() && end_of_rows(text.substr(0, ends.back())) > 0) return ends.back();
    }
    return text.size();
  }

  /// The records of a table without a header have as many fields as the first one; within a part the parser sees to it.
  void require_fields(std::string_view part) {
    if (!request_.table || request_.header) return;
    std::size_t begin = 0;
    std::vector<std::size_t> ends = record_ends(part, request_.rule);
    if (ends.empty()) ends.push_back(part.size());
    for (const std::size_t end : ends) {
      const std::string_view record = part.substr(begin, end - begin);
      begin = end;
      if (end_of_rows(record) == 0) continue;
      const std::size_t fields = fields_in(record, request_.rule);
      if (fields_ == 0) fields_ = fields;
      if (fields == fields_) return;
      throw format_error(
          request_.name, 1 + lines_in(part.substr(0, begin - record.size())), 1,
          "the record has " + std::to_string(fields) + " fields, but the first one has " + std::to_string(fields_));
    }
  }

  /// For compressed text.
  void answer_whole(std::string_view text) {
    try {
      open(text);
    } catch (const format_error& fault) {
      skip(fault, fault.line(), lines_in(head_));
    }
  }

  /// Notes that a row is skipped, or throws its fault, whose line in the whole text is `line`; `head` lines before the
  /// rows are no rows.
  void skip(const format_error& fault, std::size_t line, std::size_t head) {
    const std::string said = fault.what();  // file:line:column: message
    const format_error told(request_.name, line, fault.column(), said.substr(said.find(": ") + 2));
    if (!request_.skip_bad || fault.line() <= head) throw told;
    say(std::string(told.what()) + "; the row is skipped");
    ++skipped_;
  }

  /// Answers the rows before a faulty one, and skips that one. Returns the bytes of all of them.
  std::size_t leave_out(std::string_view text, const format_error& fault) {
    const std::size_t head = lines_in(head_);
    if (fault.line() <= head) skip(fault, fault.line(), head);
    const std::size_t line = fault.line() - head;
    const auto [begin, end] = record_at(text, line, request_.rule);
    // They have been parsed without a fault.
    if (end_of_rows(text.substr(0, begin)) > 0) open(text.substr(0, begin));
    skip(fault, lines_ + line, head);
    lines_ += lines_in(text.substr(0, end));
    return end;
  }

  const line_request& request_;
  std::string head_{};    ///< what every piece begins with
  std::string blanks_{};  ///< lines since the last row
  bool has_header_ = false, any_ = false;
  std::size_t fields_ = 0;  ///< of the first record of a table without a header
  bool blanks_are_rows_;    ///< a blank line is the empty field of a table with one column
  std::size_t lines_ = 0;   ///< before the piece
  std::size_t skipped_ = 0;
};

}  // namespace

std::size_t answer_lines(const line_request& request) {
  return line_answers(request).run();
}

}  // namespace hogwild::cli
