// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/word_labels.hpp"
#include "libsvm_parser.hpp"

namespace hogwild::detail {

/// Reads a block line by line, each in one pass. It handles every form of line, and reports all faults. The vectorised
/// parser gives the same results, and leaves lines that it does not handle to this one.
class line_parser {
 public:
  /// `text` and `block` as in parse_libsvm_block.
  line_parser(std::string_view text, bool labels_optional, row_block& block, bool from_0 = false,
              word_labels* words = nullptr)
      : p_(text.data()),
        end_(text.data() + text.size()),
        line_(p_),
        labels_optional_(labels_optional),
        from_0_(from_0),
        block_(block),
        words_(words) {}

  /// Reads all lines up to the first fault.
  void read_all() {
    while (p_ != end_) {
      if (!read_line(p_)) return;
    }
  }
  /// Reads the line that begins at `line` into the block; false after a fault.
  bool read_line(const char* line);

 private:
  bool read_row();
  bool read_label(double& label);
  bool read_number(const char* end, double& label);
  bool passes_over(const char* end, double& label);
  void note_unlabelled(const char* end);
  bool read_list(const char* end, double& label);
  bool read_item(const char* first, const char* last, double& label);
  bool keep_label(const char* first, const char* last, double label);
  bool require_distinct(const char* end);
  bool read_group();
  bool read_entries();
  bool read_long_index(std::uint32_t& number);
  bool read_value(float& value);
  bool finish_line();
  bool refuse(const char* place, std::string message);
  bool refuse_order(const char* token, std::uint32_t number, std::uint32_t last);

  void skip_blanks() {
    while (*p_ == ' ' || *p_ == '\t') ++p_;
  }
  bool at_line_end() const { return *p_ == '\n' || *p_ == '#' || *p_ == '\r'; }

  const char* p_;
  const char* end_;
  const char* line_;
  bool labels_optional_;
  bool from_0_;  ///< an index may be 0; it becomes 0 - 1
  row_block& block_;
  word_labels* words_;        ///< null: labels are numbers
  std::vector<double> list_;  ///< for the current row, if it has a list
  bool unlabelled_ = false;   ///< the row has no label, though it should
};

}  // namespace hogwild::detail
