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
inline constexpr std::string_view columns_from_0 = "indices count from 1, so add 1 to each index of the file";

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

/// Whether the bytes have a control character that text does not have.
bool has_no_text(std::string_view bytes);

}  // namespace hogwild::detail
