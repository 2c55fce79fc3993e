// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <hogwild/detail/platform/isa.hpp>

namespace hogwild::detail {

// The two stages that are written for instruction sets. Stage one marks where tokens end; stage two reads many tokens
// at once, for it need not search their ends. They know lines of the common shape alone, 'label index:value ...' with
// one blank or tab between; everything else, faults included, is the line parser's.

/// What stage one has found so far, as places in the text.
struct text_marks {
  struct row {
    std::uint32_t end;     ///< which of `ends` is the row's newline
    std::uint32_t colons;  ///< how many colons stand before it
  };
  std::uint32_t* ends = nullptr;    ///< blanks, tabs and newlines
  std::uint32_t* colons = nullptr;  ///< colons
  row* rows = nullptr;
  std::size_t end_count = 0, colon_count = 0, row_count = 0;
};

/// Room that each array of text_marks has beyond one place a byte: marks are written by the block.
inline constexpr std::size_t marks_margin = 128;
/// Bytes that stand before a row, at the least, where stage two reads it: values are loaded from their ends.
inline constexpr std::uint32_t bytes_before_rows = 16;
/// A row may not be longer than this, in bytes, so that eight times a length does not wrap around.
inline constexpr std::uint32_t longest_marked_row = 1u << 28;

struct libsvm_stages {
  /// Adds the marks of text[from, to) and, behind the last ones, some that are not counted: places that may be read.
  void (*mark)(const char* text, std::uint32_t from, std::uint32_t to, text_marks& marks);

  /// Reads `count` entries, and writes up to entries_margin more. `colons` and `ends` are theirs in turn; ends[-1] is
  /// where the first one's index begins, less one. False where one of them is not of the common kind: then the line
  /// parser is to read the row.
  bool (*read_entries)(const char* text, const std::uint32_t* ends, const std::uint32_t* colons, std::size_t count,
                       std::uint32_t* index, float* value);
};

extern const libsvm_stages avx2_stages;    ///< on x86-64
extern const libsvm_stages avx512_stages;  ///< on x86-64

/// The stages for an instruction set, null for scalar, which reads line by line. Automatic is the widest there is, by a
/// rule of its own: unlike the kernels, these loops gather nothing from afar.
const libsvm_stages* find_stages(isa set);

/// A value that the vectors leave alone: long, with an exponent or no number at all, which is false.
bool read_long_value(const char* first, const char* last, float& value);

}  // namespace hogwild::detail
