// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <hogwild/detail/platform/isa.hpp>

namespace hogwild::detail {

// The two stages that are written for instruction sets. Stage one marks where tokens end. Stage two reads many tokens
// at once, because it need not search for their ends. They only handle lines of the common form, 'label index:value
// ...' separated by single blanks or tabs; the line parser handles everything else, including faults.

/// The marks that stage one has found so far, as offsets in the text.
struct text_marks {
  struct row {
    std::uint32_t end;     ///< index in `ends` of the row's newline
    std::uint32_t colons;  ///< number of colons before it
  };
  std::uint32_t* ends = nullptr;    ///< blanks, tabs and newlines
  std::uint32_t* colons = nullptr;  ///< colons
  row* rows = nullptr;
  std::size_t end_count = 0, colon_count = 0, row_count = 0;
};

/// Extra room in each array of text_marks beyond one element a byte: marks are written in blocks.
inline constexpr std::size_t marks_margin = 128;
/// The least number of bytes before a row for stage two: values are loaded backwards from their ends.
inline constexpr std::uint32_t bytes_before_rows = 16;
/// The longest row in bytes, so that eight times a length does not overflow.
inline constexpr std::uint32_t longest_marked_row = 1u << 28;

struct libsvm_stages {
  /// Appends the marks of text[from, to), followed by some uncounted ones, which are valid offsets.
  void (*mark)(const char* text, std::uint32_t from, std::uint32_t to, text_marks& marks);

  /// Reads `count` entries, and writes up to entries_margin more. `colons` and `ends` are those of the entries in turn;
  /// ends[-1] is the place before the first index. Returns false if one entry does not have the common form: the line
  /// parser must then read the row.
  bool (*read_entries)(const char* text, const std::uint32_t* ends, const std::uint32_t* colons, std::size_t count,
                       std::uint32_t* index, float* value);
};

extern const libsvm_stages avx2_stages;    ///< on x86-64
extern const libsvm_stages avx512_stages;  ///< on x86-64

/// The stages for an instruction set; null for scalar, which reads line by line. `automatic` takes the widest
/// available, by a rule of its own: unlike the kernels, these loops do not gather from distant memory.
const libsvm_stages* find_stages(isa set);

/// Reads a value that the vectors do not handle: long or with an exponent. False if it is not a number.
bool read_long_value(const char* first, const char* last, float& value);

}  // namespace hogwild::detail
