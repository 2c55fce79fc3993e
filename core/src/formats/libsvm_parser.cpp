// SPDX-License-Identifier: Apache-2.0
#include "libsvm_parser.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "data/label_forms.hpp"
#include "label_words.hpp"
#include "libsvm_line.hpp"
#include "libsvm_stages.hpp"
#include "text/decimal.hpp"

namespace hogwild::detail {

bool read_long_value(const char* first, const char* last, float& value) {
  return read_decimal(first, last, value) == number_fault::none;
}

const libsvm_stages* find_stages(isa set) {
#ifdef HOGWILD_X86_KERNELS
  // Checked once: under a hypervisor the check takes as long as many rows.
  static const bool has_avx2 = has_isa(isa::avx2) && __builtin_cpu_supports("bmi");
  static const bool has_avx512 = has_isa(isa::avx512) && __builtin_cpu_supports("avx512vbmi2");
  if ((set == isa::automatic || set == isa::avx512) && has_avx512) return &avx512_stages;
  if (set != isa::scalar && has_avx2) return &avx2_stages;
#endif
  static_cast<void>(set);
  return nullptr;
}

namespace {

/// The text's marks, window by window: as many as the nearest caches hold. A row that does not end in a window stays
/// for the next one; for a row longer than a window the room grows.
class mark_window {
 public:
  explicit mark_window(std::size_t text_bytes) : bytes_(std::min(usual, text_bytes)) { reserve(2 * bytes_); }

  const text_marks& marks() const { return marks_; }

  /// Marks the next bytes of `text` from `from` on and returns their end.
  std::uint32_t mark(const libsvm_stages& stages, std::string_view text, std::uint32_t from) {
    const auto to = static_cast<std::uint32_t>(std::min(text.size(), from + bytes_));
    reserve(std::max(marks_.end_count, marks_.colon_count) + (to - from));
    stages.mark(text.data(), from, to, marks_);
    return to;
  }

  /// Drops this many marks and keeps the rest.
  void drop(std::size_t ends, std::size_t colons) {
    marks_.end_count -= ends;
    marks_.colon_count -= colons;
    marks_.row_count = 0;
    std::memmove(marks_.ends, marks_.ends + ends, marks_.end_count * sizeof *marks_.ends);
    std::memmove(marks_.colons, marks_.colons + colons, marks_.colon_count * sizeof *marks_.colons);
  }

 private:
  static constexpr std::size_t usual = std::size_t{1} << 14;

  void reserve(std::size_t places) {
    if (places <= room_) return;
    room_ = std::max(places, 2 * room_);
    grow(ends_, marks_.ends, marks_.end_count);
    grow(colons_, marks_.colons, marks_.colon_count);
    rows_.reset(new text_marks::row[bytes_ + marks_margin]);
    marks_.rows = rows_.get();
  }
  void grow(std::unique_ptr<std::uint32_t[]>& owner, std::uint32_t*& place, std::size_t used) const {
    std::unique_ptr<std::uint32_t[]> larger(new std::uint32_t[room_ + marks_margin]);
    if (used > 0) std::copy_n(place, used, larger.get());
    owner = std::move(larger);
    place = owner.get();
  }

  std::size_t bytes_;
  std::size_t room_ = 0;
  std::unique_ptr<std::uint32_t[]> ends_, colons_;
  std::unique_ptr<text_marks::row[]> rows_;
  text_marks marks_;
};

/// Reads rows of the common form by their marks and passes all others to the line parser.
class two_stage_parser {
 public:
  two_stage_parser(const libsvm_stages& stages, std::string_view text, bool labels_optional, row_block& block,
                   bool from_0)
      : stages_(stages),
        text_(text),
        lines_(text, labels_optional, block, from_0),
        block_(block),
        window_(text.size()) {}

  void read_all() {
    for (std::uint32_t marked = 0; marked < text_.size();) {
      marked = window_.mark(stages_, text_, marked);
      if (!read_rows()) return;
    }
  }

 private:
  bool read_rows() {
    const text_marks& marks = window_.marks();
    std::size_t ends = 0, colons = 0;
    for (std::size_t r = 0; r < marks.row_count; ++r) {
      const text_marks::row row = marks.rows[r];
      const std::uint32_t newline = marks.ends[row.end];
      if (!read_row(marks.ends + ends, row.end + 1 - ends, marks.colons + colons, row.colons - colons)) {
        if (!lines_.read_line(text_.data() + begin_)) return false;
      } else {
        ++block_.lines;
      }
      begin_ = newline + 1;
      ends = row.end + 1;
      colons = row.colons;
    }
    window_.drop(ends, colons);
    return true;
  }

  /// Returns false, with the block unchanged, if the row does not have the common form.
  bool read_row(std::uint32_t* ends, std::size_t end_count, const std::uint32_t* colons, std::size_t count) {
    std::uint32_t& newline = ends[end_count - 1];
    if (begin_ < bytes_before_rows || newline - begin_ > longest_marked_row) return false;
    if (text_[newline - 1] == '\r') --newline;
    if (end_count == count + 2 && newline - 1 == ends[end_count - 2]) --end_count;  // a blank at the line's end
    double label = 0;
    if (end_count != count + 1 || read_short_label(text_.data() + begin_, label) != text_.data() + ends[0])
      return false;
    const std::size_t before = block_.entries;
    std::uint32_t* const index = block_.index + before;
    if (count > 0) {
      if (!stages_.read_entries(text_.data(), ends + 1, colons, count, index, block_.value + before)) return false;
      block_.columns = std::max(block_.columns, index[count - 1] + 1);
      block_.entries += count;
    }
    block_.label.push_back(label);
    block_.row_end.push_back(static_cast<std::uint32_t>(block_.entries));
    keep_spelling(text_.data() + begin_, text_.data() + ends[0], label, block_.spelling);
    return true;
  }

  const libsvm_stages& stages_;
  std::string_view text_;
  line_parser lines_;
  row_block& block_;
  mark_window window_;
  std::uint32_t begin_ = 0;  ///< of the row
};

}  // namespace

void parse_libsvm_block(std::string_view text, bool labels_optional, row_block& block, isa set, bool from_0,
                        word_labels* words) {
  if (const libsvm_stages* const stages = words == nullptr ? find_stages(set) : nullptr) {
    two_stage_parser(*stages, text, labels_optional, block, from_0).read_all();
  } else {
    line_parser(text, labels_optional, block, from_0, words).read_all();
  }
  if (from_0 && block.entries > 0) {
    // An index 0 became 0 less 1, the largest number.
    for (std::size_t k = 0; k < block.entries; ++k) ++block.index[k];
    ++block.columns;
  }
  block.parsed_rows = block.label.size();
  if (!block.list_end.empty()) block.list_all(block.label.size());
  if (!block.fault) block.no_class = find_no_class(text, block);
}

}  // namespace hogwild::detail
