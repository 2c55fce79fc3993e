// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>

#include "text/byte_reader.hpp"
#include "text/known_kinds.hpp"

namespace hogwild::detail {
namespace {

using namespace std::string_view_literals;

using first_bytes = std::optional<kind_place>;

/// Recognised by the first bytes, without a place in a line.
first_bytes seen_first(bool is) {
  return is ? first_bytes(kind_place{}) : std::nullopt;
}

/// A text may begin with the same few letters as a binary file: so bytes that no text has must follow.
bool begins_file(std::string_view bytes, std::string_view magic) {
  constexpr std::size_t sure = 5, near = 512;
  if (!bytes.starts_with(magic)) return false;
  return magic.size() >= sure || has_no_text(magic) || static_cast<unsigned char>(magic.front()) >= 0x80 ||
         has_no_text(bytes.substr(0, near));
}

template <std::size_t N>
bool begins_file_with_one(std::string_view bytes, const std::array<std::string_view, N>& magics) {
  return std::ranges::any_of(magics, [&](std::string_view magic) { return begins_file(bytes, magic); });
}

/// The name of the first file in a zip archive.
std::string_view first_in_zip(std::string_view bytes) {
  constexpr std::size_t length_at = 26, name_at = 30;
  if (!bytes.starts_with("PK\x03\x04"sv) || bytes.size() < name_at) return {};
  const std::size_t length = static_cast<unsigned char>(bytes[length_at]) +
                             std::size_t{256} * static_cast<unsigned char>(bytes[length_at + 1]);
  return bytes.substr(name_at, length);
}

/// Whether this is text with two bytes a letter, without a mark: every second byte is 0, the others are not control
/// characters.
bool alternates(std::string_view bytes, std::size_t zeros) {
  constexpr std::size_t enough = 8, most = 64;
  if (bytes.size() < enough) return false;
  for (std::size_t k = 0; k < std::min(most, bytes.size() / 2 * 2); ++k) {
    const bool zero = bytes[k] == '\0';
    if (zero != (k % 2 == zeros)) return false;
    if (!zero && has_no_text(bytes.substr(k, 1))) return false;
  }
  return true;
}

bool is_utf32(std::string_view bytes) {
  return bytes.starts_with("\xff\xfe\0\0"sv) || bytes.starts_with("\0\0\xfe\xff"sv);
}
bool is_utf16(std::string_view bytes) {
  return bytes.starts_with("\xff\xfe"sv) || bytes.starts_with("\xfe\xff"sv) || alternates(bytes, 0) ||
         alternates(bytes, 1);
}

bool is_tar(std::string_view bytes) {
  return bytes.size() >= 262 && bytes.substr(257, 5) == "ustar";
}

bool is_pickle(std::string_view bytes) {
  return bytes.size() >= 2 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5;
}

bool is_picture(std::string_view bytes) {
  static constexpr std::array magics{
      "\x89PNG\r\n\x1a\n"sv, "\xff\xd8\xff"sv, "GIF87a"sv, "GIF89a"sv, "BM"sv, "II*\0"sv, "MM\0*"sv};
  const bool is_webp = bytes.starts_with("RIFF"sv) && bytes.size() >= 12 && bytes.substr(8, 4) == "WEBP"sv;
  return is_webp || begins_file_with_one(bytes, magics);
}

bool is_other_compression(std::string_view bytes) {
  static constexpr std::array magics{"\x04\x22\x4d\x18"sv,
                                     "\x02\x21\x4c\x18"sv,
                                     "\x03\x21\x4c\x18"sv,
                                     "\x5d\0\0"sv,
                                     "\x1f\x9d"sv,
                                     "\x1f\xa0"sv,
                                     "LZIP"sv,
                                     "\x89LZO\0\r\n\x1a\n"sv,
                                     "\xff\x06\0\0sNaPpY"sv,
                                     "7z\xbc\xaf\x27\x1c"sv,
                                     "Rar!\x1a\x07"sv};
  return begins_file_with_one(bytes, magics);
}

bool is_idx(std::string_view bytes, char dimensions) {
  return bytes.starts_with("\0\0\x08"sv) && bytes.size() >= 4 && bytes[3] == dimensions;
}

/// CIFAR-10 has no magic number: this looks at its records' labels. Text has no control characters except those that
/// end lines and separate fields. If pixels have none either (a first image of class 9, bright everywhere), there must
/// be whole records, and bytes that are not ASCII.
bool is_cifar(std::string_view bytes) {
  constexpr std::size_t records = 8;
  bytes = bytes.substr(0, records * cifar_record);
  if (bytes.size() < cifar_record || bytes.find_first_not_of('\0') == bytes.npos) return false;
  for (std::size_t at = 0; at < bytes.size(); at += cifar_record)
    if (static_cast<unsigned char>(bytes[at]) > 9) return false;
  if (has_no_text(bytes)) return true;
  const bool ascii = std::ranges::all_of(bytes, [](char c) { return static_cast<unsigned char>(c) < 0x7f; });
  return bytes.size() % cifar_record == 0 && !ascii;
}

constexpr std::string_view by_python =
    "read it in Python and give its columns to hogwild.Dataset, or write LIBSVM text, 'label index:value ...'";

constexpr std::string_view by_python_as_a_table =
    "read it in Python, by hogwild.open(path, label=COLUMN), or write it as CSV";

// Kinds with long magic numbers come before those with short ones.
constexpr kind_row byte_kinds[] = {
    {file_kind::dataset_cache, "a dataset cache", "name the file that it was made of", "",
     [](const file_head& h) { return seen_first(h.bytes.starts_with("HWCACHE\n"sv)); }},
    {file_kind::binary_model, "a saved model", "it goes where a model is asked for, not data", "",
     [](const file_head& h) { return seen_first(h.bytes.starts_with("\x89HWMODL\n"sv)); }},
    {file_kind::checkpoint, "a checkpoint", "it goes where a run is resumed", "",
     [](const file_head& h) { return seen_first(h.bytes.starts_with("\x89HWCKPT\n"sv)); }},
    {file_kind::parquet, "a Parquet file", by_python_as_a_table, "",
     [](const file_head& h) { return seen_first(begins_file(h.bytes, "PAR1") || begins_file(h.bytes, "PARE")); }},
    {file_kind::arrow, "an Arrow or Feather file", by_python_as_a_table, "",
     [](const file_head& h) {
       return seen_first(
           begins_file(h.bytes, "ARROW1") || begins_file(h.bytes, "FEA1") ||
           (h.bytes.starts_with("\xff\xff\xff\xff"sv) && h.bytes.substr(0, 64).find("\0\0\0"sv) != h.bytes.npos));
     }},
    {file_kind::orc, "an ORC file", by_python, "",
     [](const file_head& h) { return seen_first(begins_file(h.bytes, "ORC")); }},
    {file_kind::avro, "an Avro file", by_python, "",
     [](const file_head& h) { return seen_first(begins_file(h.bytes, "Obj\x01")); }},
    {file_kind::hdf5, "an HDF5 file", by_python, "",
     [](const file_head& h) { return seen_first(h.bytes.starts_with("\x89HDF\r\n\x1a\n"sv)); }},
    {file_kind::npy, "a NumPy array (.npy)",
     "read it in Python, by hogwild.open(path, label=LABELS), where LABELS is an array or the path of another .npy", "",
     [](const file_head& h) { return seen_first(begins_file(h.bytes, "\x93NUMPY")); }},
    {file_kind::npz, "a NumPy archive (.npz)",
     "read it in Python, by hogwild.open(path, label=LABELS), where LABELS is an array, the path of a .npy, or the "
     "name of an array in the archive",
     "", [](const file_head& h) { return seen_first(first_in_zip(h.bytes).ends_with(".npy")); }},
    {file_kind::zip, "a zip archive, or a document that is one (a spreadsheet, say)",
     "unpack it, or save the table as text; .gz, .xz, .zst and .bz2 need not be unpacked", "",
     [](const file_head& h) {
       return seen_first(h.bytes.starts_with("PK\x03\x04"sv) || h.bytes.starts_with("PK\x05\x06"sv));
     }},
    {file_kind::tar, "a tar archive", "unpack it and name the files in it", "",
     [](const file_head& h) { return seen_first(is_tar(h.bytes)); }},
    {file_kind::sqlite, "an SQLite database", by_python, "",
     [](const file_head& h) { return seen_first(h.bytes.starts_with("SQLite format 3\0"sv)); }},
    {file_kind::matlab, "a MATLAB file",
     "load it in Python, by scipy.io.loadmat, and give its arrays to hogwild.Dataset", "",
     [](const file_head& h) { return seen_first(begins_file(h.bytes, "MATLAB 5.0 MAT-file")); }},
    {file_kind::r_data, "a file of R", "write LIBSVM text from R, 'label index:value ...'", "",
     [](const file_head& h) {
       return seen_first(begins_file(h.bytes, "RDX2\n") || begins_file(h.bytes, "RDX3\n") ||
                         begins_file(h.bytes, "RDA2\n") || begins_file(h.bytes, "RDA3\n"));
     }},
    {file_kind::office, "a spreadsheet or another document", "save the table as text, with tabs or commas", "",
     [](const file_head& h) { return seen_first(h.bytes.starts_with("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv)); }},
    {file_kind::picture, "a single picture", "images are read from IDX files, and from CIFAR-10's binary ones", "",
     [](const file_head& h) { return seen_first(is_picture(h.bytes)); }},
    {file_kind::pdf, "a PDF document", "name the file with the data", "",
     [](const file_head& h) { return seen_first(begins_file(h.bytes, "%PDF-")); }},
    {file_kind::program, "a program", "name the file with the data", "",
     [](const file_head& h) {
       return seen_first(begins_file(h.bytes,
                                     "\x7f"
                                     "ELF"));
     }},
    {file_kind::other_compression, "a file that is compressed in a way that is not read here (LZ4 or another one)",
     "unpack it, or pack it again with gzip, xz, zstd or bzip2", "",
     [](const file_head& h) { return seen_first(is_other_compression(h.bytes)); }},
    {file_kind::packed_twice, "a compressed file that was compressed a second time", "unpack it once", "",
     [](const file_head& h) { return seen_first(detect_compression(h.bytes) != compression::none); }},
    {file_kind::utf32, "text in UTF-32", "write it in UTF-8, by 'iconv -f UTF-32 -t UTF-8' say", "",
     [](const file_head& h) { return seen_first(is_utf32(h.bytes)); }},
    {file_kind::utf16, "text in UTF-16", "write it in UTF-8, by 'iconv -f UTF-16 -t UTF-8' say", "",
     [](const file_head& h) { return seen_first(is_utf16(h.bytes)); }},
    {file_kind::pickle, "a pickle of Python",
     "load it in the Python that wrote it and give its arrays to hogwild.Dataset", "",
     [](const file_head& h) { return seen_first(is_pickle(h.bytes)); }},
    {file_kind::idx_images, "a file of IDX images", "read it as the format idx, by a net", "idx",
     [](const file_head& h) { return seen_first(is_idx(h.bytes, 3)); }},
    {file_kind::idx_labels, "a file of IDX labels", "name the file of images, and this one as their labels", "idx",
     [](const file_head& h) { return seen_first(is_idx(h.bytes, 1)); }},
    {file_kind::cifar, "a file of CIFAR-10 images", "read it as the format cifar, by a net", "cifar",
     [](const file_head& h) { return seen_first(is_cifar(h.bytes)); }},
};

}  // namespace

bool has_no_text(std::string_view bytes) {
  return std::ranges::any_of(bytes, [](char b) {
    const auto c = static_cast<unsigned char>(b);
    return c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != '\v';
  });
}

std::span<const kind_row> kinds_of_bytes() {
  return byte_kinds;
}

}  // namespace hogwild::detail
