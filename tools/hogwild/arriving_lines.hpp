// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hogwild::cli {

/// The way in which text is cut into records.
struct record_rule {
  bool quoted = false;   ///< a field in quotation marks may have line ends in it
  char separator = ',';  ///< between fields, if they may be quoted
};

/// Finds the ends of records in text that grows, looking at each byte once. A field is quoted if it begins with a
/// quotation mark, blanks before it left out.
class record_scanner {
 public:
  explicit record_scanner(const record_rule& rule) : rule_(rule) {}

  /// Whether a record ends with this byte, the next one of the text.
  bool ends_with(char c);
  /// The place behind the last record that has ended in the text, of which the first bytes were looked at before; 0 if
  /// none has.
  std::size_t last_end(std::string_view text);
  /// The text has lost its first bytes, which are whole records.
  void drop(std::size_t bytes);
  bool inside() const { return inside_; }  ///< whether the last byte stands within quotation marks

 private:
  record_rule rule_;
  // Two quotation marks within a field end it and open it again.
  bool begins_ = true, inside_ = false, behind_ = false;
  std::size_t looked_at_ = 0, last_end_ = 0;
};

/// The number of fields of a record.
std::size_t fields_in(std::string_view record, const record_rule& rule);

/// The place behind each record that ends in the text, which begins with one.
std::vector<std::size_t> record_ends(std::string_view text, const record_rule& rule);

/// The bytes [begin, end) of the record that has this line of the text, from 1; the last record if there is no such
/// line.
struct record_place {
  std::size_t begin = 0, end = 0;
};
record_place record_at(std::string_view text, std::size_t line, const record_rule& rule);

/// Text without the end of a record is handed on once it is longer: the parser says what is wrong with it.
inline constexpr std::size_t longest_unended_record = std::size_t{1} << 25;

/// Text from a descriptor, taken as it comes: a reader waits for no more than there is. Used by one thread.
class arriving_lines {
 public:
  /// `name` is the text's name in messages. The descriptor stays open.
  arriving_lines(int descriptor, std::string name, const record_rule& rule);

  /// Whether the text is compressed, by its first bytes, for which it waits. Then next() returns all of it.
  bool compressed();
  /// Waits until a record has ended, and returns all whole ones that have come, some megabytes at most. The last one
  /// may end without a newline. Nothing at the end of the text. Throws input_error if it cannot be read.
  std::optional<std::string> next();

 private:
  /// Reads once; waits for text unless `waits` is false. Returns whether there may be more now.
  bool read(bool waits);

  int descriptor_;
  std::string name_;
  record_rule rule_;
  record_scanner scanner_;
  std::string text_{};  ///< read and not yet returned
  bool more_ = true;    ///< the text has not ended
  bool whole_ = false;  ///< it is returned in one piece
};

}  // namespace hogwild::cli
