// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hogwild {

/// The kind of a file. Some kinds are read by this library; the others are known so that a message can say what to do
/// with them.
enum class file_kind {
  unknown,  ///< none of those below; perhaps damaged text of one of them
  // Binary files of other programs.
  parquet,
  arrow,
  orc,
  avro,
  hdf5,
  pickle,
  npy,
  npz,
  zip,
  tar,
  other_compression,  ///< LZ4, LZMA alone, compress, lzip, lzop, Snappy, 7z or RAR
  packed_twice,       ///< a compressed file in a compressed file
  sqlite,
  matlab,
  r_data,
  office,   ///< a spreadsheet or document of the old binary kind
  picture,  ///< PNG, JPEG, GIF, BMP, TIFF or WebP
  pdf,
  program,
  utf16,
  utf32,
  // Binary files that this library reads.
  dataset_cache,
  binary_model,
  checkpoint,
  idx_images,
  idx_labels,
  cifar,
  // Text of other programs.
  matrix_market,
  labelled_text,
  vowpal_wabbit,
  json,
  markup,  ///< HTML or XML
  lfs_pointer,
  table,  ///< fields between commas, semicolons, tabs, bars or blanks; ratings are such a table
  // Text that this library reads, or nearly.
  text_model,
  libsvm,
  libsvm_from_0,       ///< LIBSVM text whose columns count from 0
  libsvm_with_header,  ///< LIBSVM text after a line of words
  libffm,
  dimacs,
  labelled_graph,
};

/// The apparent kind of a file.
struct file_look {
  file_kind kind = file_kind::unknown;  ///< unknown: nothing is known of it
  /// The kind in words, "a Parquet file"; for an unknown kind "nothing that is known here".
  std::string_view what{};
  /// Advice if something else was expected, "read it in Python ...".
  std::string_view remedy{};
  /// Its name for --format; empty if no format reads it, or more than one.
  std::string_view format{};
  /// The line, from 1, and the byte in it that show the kind; 0 if the first bytes do.
  std::size_t line = 0, column = 0;
  /// The text there; empty if the first bytes show the kind.
  std::string evidence{};
};

/// The number of bytes at the beginning of a file that are looked at.
inline constexpr std::size_t looked_at_bytes = std::size_t{1} << 16;

/// Recognises a file by its first bytes and lines, decompressed. Skips a byte order mark of UTF-8. Throws input_error
/// if the file cannot be read. Not for standard input and other pipes, whose bytes would be consumed.
file_look look_at_file(const std::string& path);

/// The same for bytes in memory; the first looked_at_bytes are looked at. `whole`: these are all bytes, so the last
/// line counts although no newline ends it.
file_look look_at_bytes(std::string_view bytes, bool whole);

/// One sentence: "this is a Parquet file, not EXPECTED; read it in Python ...", with the line that shows it, if it is a
/// line. `expected` may be empty; `remedy` replaces the kind's own unless it is empty.
std::string describe(const file_look& look, std::string_view expected = {}, std::string_view remedy = {});

}  // namespace hogwild
