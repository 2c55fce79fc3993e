// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hogwild {

/// What a file is. Some kinds are read here, the others are known so that a message can say what to do with them.
enum class file_kind {
  unknown,  ///< none of those below; it may be damaged text of one of them
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
  // Binary files that are read here.
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
  // Text that is read here, or nearly.
  text_model,
  libsvm,
  libsvm_from_0,       ///< LIBSVM text whose columns count from 0
  libsvm_with_header,  ///< LIBSVM text behind a line of words
  libffm,
  dimacs,
  labelled_graph,
};

/// How a file looks.
struct file_look {
  file_kind kind = file_kind::unknown;  ///< what is known of it; unknown: nothing
  /// What it is, "a Parquet file"; of an unknown kind "nothing that is known here".
  std::string_view what{};
  /// What to do with it where something else was expected, "read it in Python ...".
  std::string_view remedy{};
  /// What --format calls it; empty where no format reads it, or more than one.
  std::string_view format{};
  /// The line that tells, from 1, and where in it, in bytes; 0 where the first bytes tell.
  std::size_t line = 0, column = 0;
  /// What stands there; empty where the first bytes tell.
  std::string evidence{};
};

/// Bytes from the beginning of a file that are looked at.
inline constexpr std::size_t looked_at_bytes = std::size_t{1} << 16;

/// Tells by the first bytes and lines, unpacked, what a file is. A byte order mark of UTF-8 is skipped. Throws
/// input_error where the file cannot be read. Not for standard input and other pipes, whose bytes are gone then.
file_look look_at_file(const std::string& path);

/// The same of bytes in memory, of which looked_at_bytes are looked at. `whole`: they are all that there are, so that
/// the last line counts though no newline ends it.
file_look look_at_bytes(std::string_view bytes, bool whole);

/// One sentence: "this is a Parquet file, not EXPECTED; read it in Python ...", with what tells it where it is a line.
/// `expected` may be empty; `remedy` stands in the place of the kind's own where it is not empty.
std::string describe(const file_look& look, std::string_view expected = {}, std::string_view remedy = {});

}  // namespace hogwild
