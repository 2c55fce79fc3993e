// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/detail/data/label_column.hpp>
#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/platform/isa.hpp>

namespace hogwild {

/// Which position each input column has: the map from the numbers in a file to the parameters of a model.
class column_numbering {
 public:
  column_numbering() = default;
  /// `original[position]` is the input number of the column with that position; the numbers are distinct.
  explicit column_numbering(std::span<const std::uint32_t> original);

  static constexpr std::uint32_t unknown =
      0xffffffffu;  ///< no column: what an index becomes that training did not have
  /// Position of an input column, or `unknown` where training never had it. O(log columns) at worst.
  std::uint32_t position(std::uint32_t original) const;
  std::size_t size() const { return original_.size(); }                  ///< columns that occur
  std::span<const std::uint32_t> original() const { return original_; }  ///< by position, the number in the input
  /// Equal for equal maps; part of the cache key of files that are read through it.
  std::uint64_t digest() const { return digest_; }

 private:
  std::span<const std::uint32_t> original_;
  std::shared_ptr<const void> lookup_;
  std::uint64_t digest_ = 0;
};

/// How precisely values are kept. `half` (11 significant bits, at most 65504) takes half the memory; which values it
/// changes depends on the data.
enum class value_precision : std::uint32_t { single, half };

/// What a file is read with. Every field is part of the cache key but `cache`, `cache_folder`, `threads`, `memory`,
/// `isa` and `note`.
struct open_options {
  /// Read, or made where it is missing; neither; made anew.
  enum class cache_use { automatic, none, rebuild };
  cache_use cache = cache_use::automatic;  ///< whether a cache beside the source is used
  /// Where the cache goes when the source's own folder cannot be written; empty: no second place.
  std::filesystem::path cache_folder{};
  /// Read through this map, in the file's own row order: test and prediction data. Null: training data, whose columns
  /// are ordered by falling frequency and whose rows are shuffled once.
  const column_numbering* numbering = nullptr;
  /// Rows without a label are accepted and get label 0: prediction data.
  bool labels_optional = false;
  /// `single`: as read; such data are kept in half precision too where that changes no value.
  value_precision values = value_precision::single;
  std::optional<std::size_t> threads{};  ///< > 0; default: as many as this process may use
  /// Bytes that parsing may hold, at least 16 MiB; default: a quarter of what this process may use, by the machine or
  /// by its control group. Rows that are more go to files without a name in the folder of the cache, or in
  /// `cache_folder`, and what they become is the same. Lines of more than a megabyte take more. Images, graphs and
  /// ratings by names are held whole. Where the dataset is larger than this, or by default than three quarters of what
  /// this process may use, training has rows read ahead and drops those that are behind it; worker processes know of
  /// the default alone.
  std::optional<std::uint64_t> memory{};
  /// Instruction set of the parser; what is read does not depend on it. Automatic is the widest that it has a form for.
  /// Where a CPU has those of the kernels but not all that the parser's form needs, that is the next below.
  hogwild::isa isa = hogwild::isa::automatic;
  /// Told in one sentence why a cache was not used or not written; default: the sink of set_default_notes().
  std::function<void(std::string_view)> note{};
};

/// Sparse rows in a versioned, checksummed, memory-mapped file (or anonymous memory file); a cheap handle, copies share
/// the mapping. Read-only, so any number of threads and processes may use it at once.
class sparse_dataset {
 public:
  sparse_view view() const;      ///< the rows; valid while a handle lives
  std::size_t rows() const;      ///< as many as were read
  std::size_t features() const;  ///< columns that occur: the positions run from 0 to features() - 1
  std::size_t nonzeros() const;  ///< entries of all rows, zeros that were given among them
  /// Input number of a position: as it stands in the file (LIBSVM text counts from 1), or the column of copied rows.
  std::uint32_t original(std::size_t position) const;
  const column_numbering& numbering() const;  ///< between positions and numbers in the input
  std::size_t unknown_entries() const;        ///< entries dropped because `numbering` did not know their column
  /// A path that another process of this user can open while this handle lives: the cache file, or /proc/PID/fd/N.
  std::string shared_path() const;
  bool from_cache() const;  ///< true when no text was parsed
  /// Whether values were rounded to half precision: only where that was asked for, and where it changes any.
  bool values_rounded() const;
  /// Checks every block now. Throws cache_error.
  void verify() const;

  /// What rows weigh, one number a row in the order of the input (the lines of a text; as read_row_numbers() gives
  /// them): finite, none negative, one above 0. Of this handle and later copies of it; copied. Throws input_error for
  /// others. See sparse_view::weight.
  void set_weights(std::span<const float> weights);
  /// What is added to the margin of each row, likewise; finite. See sparse_view::offset.
  void set_offsets(std::span<const float> offsets);
  /// From here on view().id tells the number of each row in the input, from 0: the rows of a training set are shuffled.
  void number_rows();

  /// Maps a dataset that shared_path() named. Reads the header and unpacks where rows begin and how they are labelled,
  /// about a millisecond for 500,000 rows; entries are read by whoever trains on them. Throws cache_error where they do
  /// not hold.
  static sparse_dataset map(const std::string& shared_path);

  /// Copies rows that somebody holds in memory, with their weights, offsets and numbers, into an anonymous memory file,
  /// so that worker processes can map them.
  /// Columns, labels and values become as narrow as they can without loss.
  static sparse_dataset copy_of(const sparse_view& rows);
  /// The rows with these numbers, in their order, where one may stand several times. All columns stay, with the counts
  /// of these rows.
  static sparse_dataset copy_of(const sparse_view& rows, std::span<const std::size_t> chosen);

 private:
  struct mapping;
  std::shared_ptr<const mapping> mapping_;
  std::shared_ptr<const std::vector<float>> weights_, offsets_;
  std::shared_ptr<const std::vector<std::uint32_t>> numbers_;
  bool shuffled_ = false;  ///< the order of the rows is not that of the input
  explicit sparse_dataset(std::shared_ptr<const mapping> m) : mapping_(std::move(m)) {}
  friend struct dataset_access;
};

/// Opens LIBSVM text ("label index:value ...", or "label,label,... index:value ..."), plain or compressed with gzip,
/// xz, zstd or bzip2 (told by content), or standard input ("-"). A cache beside the source is used when it was made
/// from the same source (size, time stamp) with the same options; otherwise the text is parsed in parallel and the
/// cache written aside and renamed. Throws format_error (file:line:column) or input_error (a value beyond 65504 under
/// value_precision::half, too); then no cache file, whole or part, is left behind. Throws config_error for an
/// instruction set that this machine has not; resource_error where `memory` is too little, with the least that works,
/// or the disk too full for the rows.
sparse_dataset open_libsvm(const std::string& path, const open_options& options = {});

/// Reads one number for each of `rows` rows from a text, a line each, plain or compressed as data are, or standard
/// input ("-"). Throws input_error: for a line that is no finite number (with file, line and column), and where there
/// are more or fewer lines.
std::vector<float> read_row_numbers(const std::string& path, std::size_t rows);

/// Columns of 32 bits, with a sign or without one. Borrows them.
class borrowed_columns {
 public:
  borrowed_columns(std::span<const std::uint32_t> columns) : columns_(columns) {}  ///< the array must outlive it
  /// A negative one counts as a very large one, which is no column.
  borrowed_columns(std::span<const std::int32_t> columns)
      : columns_(reinterpret_cast<const std::uint32_t*>(columns.data()), columns.size()) {}
  /// From a vector or an array, which must outlive this.
  template <range_other_than<borrowed_columns> Columns>
  borrowed_columns(const Columns& columns)
      : borrowed_columns(std::span(std::ranges::data(columns), std::ranges::size(columns))) {}

  operator std::span<const std::uint32_t>() const { return columns_; }  ///< the array

 private:
  std::span<const std::uint32_t> columns_;
};

/// Sparse rows that the caller holds in memory, as they are. Borrows the three arrays, which must outlive it, and
/// copies the labels alone; columns keep their numbers. Rows are trained in the order given within a chunk, so shuffle
/// sorted data first, or have rows_from() (<hogwild/rows.hpp>) make a dataset of them, which takes arrays of other
/// types, too.
class csr_rows {
 public:
  /// `row_start` has one entry more than there are rows, ascending from 0 to index.size(); index and value are equally
  /// long; columns are distinct within a row, in any order, and below `columns`, which are at most column_limit. Throws
  /// input_error where the sizes do not fit; train() looks at the columns and values themselves, in time that is linear
  /// where columns ascend within each row.
  csr_rows(row_starts row_start, borrowed_columns index, std::span<const float> value, std::span<const float> label,
           std::size_t columns);
  /// The same with several labels a row: row r has label[label_start[r] .. label_start[r + 1]), at least one, distinct
  /// whole numbers in any order. Throws input_error for others, too.
  csr_rows(row_starts row_start, borrowed_columns index, std::span<const float> value, row_starts label_start,
           std::span<const float> label, std::size_t columns);

  /// What rows weigh, one number a row: finite, none negative, one above 0. Borrowed, as the other arrays. Throws
  /// input_error for others. See sparse_view::weight.
  void set_weights(std::span<const float> weights);
  /// What is added to the margin of each row, likewise; finite. See sparse_view::offset.
  void set_offsets(std::span<const float> offsets);

  sparse_view view() const;                          ///< the rows; valid while a handle lives
  std::size_t features() const { return columns_; }  ///< columns, those among them that do not occur

 private:
  row_starts row_start_;
  std::span<const std::uint32_t> index_;
  std::span<const float> value_;
  std::span<const float> weight_{}, offset_{};
  std::vector<double> label_;
  label_lists lists_;  ///< instead, where rows have several
  std::size_t columns_;
};

}  // namespace hogwild
