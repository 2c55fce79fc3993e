// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/formats/file_kind.hpp>

namespace hogwild::detail {

/// The advice for LIBSVM text that has an index 0.
inline constexpr std::string_view columns_from_0 =
    "indices count from 1 here; a file whose indices count from 0 is read with --index-base 0";

/// Bytes of a record of CIFAR-10: a label and an image.
inline constexpr std::size_t cifar_record = 1 + 3 * 32 * 32;

/// The first bytes of a file, cut into lines. Borrows the bytes.
struct file_head {
  std::string_view bytes;               ///< without a byte order mark
  std::vector<std::string_view> lines;  ///< complete lines, without their ends; at most most_lines

  static constexpr std::size_t most_lines = 1000;
  file_head(std::string_view first_bytes, bool whole);
};

/// The place that shows a kind of text.
struct kind_place {
  std::size_t line = 0, column = 0;  ///< from 1
  std::string evidence{};
};

/// One kind of file, and how it is recognised. To add a kind, add a row to the table of bytes or of text.
struct kind_row {
  file_kind kind;
  std::string_view what, remedy, format;
  std::optional<kind_place> (*sees)(const file_head& head);
};

/// The kinds in the order in which they are tried: by the first bytes, then by lines. Kinds of text are tried only if
/// the file has no byte that text does not have.
std::span<const kind_row> kinds_of_bytes();
std::span<const kind_row> kinds_of_text();

/// Whether a text begins as JSON does, and a text of words hardly: {" [{ [[ [" with any blanks and line ends between.
bool begins_as_json(std::string_view text);

/// Whether the bytes have a control character that text does not have.
bool has_no_text(std::string_view bytes);

/// Programs that write UTF-8 may begin a text with this.
inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

inline std::string_view without_mark(std::string_view text) {
  return text.starts_with(byte_order_mark) ? text.substr(byte_order_mark.size()) : text;
}

/// Throws input_error if a file that should be text begins like a known binary one. `name` is used in messages.
void require_text(std::string_view head, const std::string& name);

/// Throws input_error if the first bytes of a text are of a kind that has no words to learn: rows of numbers, a matrix,
/// JSON, a saved model, a pointer in the place of a file. Tables, markup and labelled text may well be a corpus.
/// `expected` and `remedy` are for the message.
void require_words(std::string_view head, const std::string& name, std::string_view expected, std::string_view remedy);

/// Throws if the first lines of a text are of another kind than the format of this name ("libsvm") reads: format_error
/// with the place that shows it.
void require_kind(std::string_view text, std::string_view format, const std::string& name);

/// Throws input_error if the bytes, of which the first are looked at, are known to be something other than `wanted`,
/// which `expected` describes. `remedy` replaces the kind's own unless it is empty.
void require_bytes(std::string_view bytes, file_kind wanted, std::string_view expected, const std::string& name,
                   std::string_view remedy = {});

/// The same for a file that is read as it is stored: it must not be compressed.
void require_stored(std::string_view bytes, file_kind wanted, std::string_view expected, const std::string& name,
                    std::string_view remedy);

}  // namespace hogwild::detail
