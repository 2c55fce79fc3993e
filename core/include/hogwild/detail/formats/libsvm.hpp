// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hogwild/detail/data/label_column.hpp>
#include <hogwild/detail/data/sparse_view.hpp>

namespace hogwild {

namespace detail {
class word_labels;
}

// LIBSVM text: one row a line, "label index:value index:value ...". If rows have several labels each, the label is a
// list of whole numbers, "3,17,5", without blanks; a row with one label then is a list of one. Labels may be words
// instead (open_options::label_words), without ',', ':' and '#'.
//
// Blanks and tabs separate, in any number; lines end with LF or CR LF, and the last one may end without; blank lines
// are skipped and '#' begins a comment. Indices count from 1 and ascend strictly; the largest is 4294967294. Labels are
// read in double, values in single precision, both rounded correctly; neither may be infinite or NaN.

/// Rows read from text, in their order. Columns count from 0: one less than in the text.
struct libsvm_rows {
  std::vector<std::uint64_t> row_start{0};
  std::vector<std::uint32_t> index;
  std::vector<float> value;
  std::vector<double> label;  ///< with lists the least of each row
  label_lists lists{};        ///< if rows have lists of labels; else empty
  /// Numbers that the text states for the rows; empty if for none.
  std::vector<float> weight{}, offset{};
  std::size_t columns = 0;  ///< one more than the largest index

  /// Valid as long as this object is neither changed nor destroyed.
  sparse_view view() const {
    return {.row_start = row_start,
            .index = index,
            .value = value,
            .label = lists.empty() ? label_column(label) : lists.column(),
            .weight = weight,
            .offset = offset,
            .columns = columns};
  }
};

/// Parses text in memory, in the calling thread; use open_libsvm to read files. Returns an empty result for no rows.
/// Throws format_error with `source` as the file; its column is the first byte of the label, index or value at fault.
/// `words`: labels are these words; null: they are numbers.
libsvm_rows parse_libsvm(std::string_view text, const std::string& source = "text", bool labels_optional = false,
                         detail::word_labels* words = nullptr);

/// The words of labels by their numbers, for parse_libsvm(); null if there are none.
std::shared_ptr<detail::word_labels> known_label_words(std::span<const std::string> words);

/// Whether bytes that come piece by piece are compressed, by the first six of them.
bool begins_compressed(std::string_view begin);

/// Checks the beginning of text that comes piece by piece, for parse_libsvm: `begin` is the first piece, or less of it
/// if that is long. Returns it without a byte order mark. Throws input_error if it begins like a binary file.
std::string_view begin_text(std::string_view begin, const std::string& source);

/// Checks text that has no newline yet; the part before `from` was checked earlier. Throws input_error, as for files,
/// if it cannot be a line of data, or is longer than a line may be.
void require_line(std::string_view text, std::size_t from, const std::string& source);

/// Appends entries, which it sorts by their numbers, to a line: " number:value", without the blank where a line begins.
void append_entries(std::vector<std::pair<std::uint32_t, float>>& entries, std::string& line);

/// Writes rows, each in ascending order of its input numbers, in the shortest decimals that read back to the same
/// numbers. `original[column]` is the number to write; empty: columns count from 0 and are written from 1.
void write_libsvm(std::ostream& out, const sparse_view& rows, std::span<const std::uint32_t> original = {});

}  // namespace hogwild
