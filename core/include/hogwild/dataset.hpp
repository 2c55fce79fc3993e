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

/// The position of each input column: maps the column numbers in a file to the parameters of a model.
class column_numbering {
 public:
  column_numbering() = default;
  /// `original[position]` is the input number of the column with that position; the numbers are distinct.
  explicit column_numbering(std::span<const std::uint32_t> original);

  static constexpr std::uint32_t unknown =
      0xffffffffu;  ///< no column: stands for columns that the training data did not have
  /// Position of an input column, or `unknown` if the training data did not have it. O(log columns) at worst.
  std::uint32_t position(std::uint32_t original) const;
  std::size_t size() const { return original_.size(); }                  ///< columns that occur
  std::span<const std::uint32_t> original() const { return original_; }  ///< by position, the number in the input
  /// Equal maps have equal digests; part of the cache key of files that are read through the map.
  std::uint64_t digest() const { return digest_; }

 private:
  std::span<const std::uint32_t> original_;
  std::shared_ptr<const void> lookup_;
  std::uint64_t digest_ = 0;
};

/// The precision in which values are kept. `half` (11 significant bits, at most 65504) takes half the memory; the data
/// decide which values it changes.
enum class value_precision : std::uint32_t { single, half };

/// How a file is read. Every field is part of the cache key except `cache`, `cache_folder`, `threads`, `memory`, `isa`
/// and `note`.
struct open_options {
  /// automatic: the cache is read, and written if it is missing; none: it is neither read nor written; rebuild: it is
  /// written anew.
  enum class cache_use { automatic, none, rebuild };
  cache_use cache = cache_use::automatic;  ///< whether a cache beside the source is used
  /// Folder of the cache if the source's own folder cannot be written; empty: no second place.
  std::filesystem::path cache_folder{};
  /// The map through which the file is read, in the file's own row order: for test and prediction data. Null: the file
  /// is training data, whose columns are ordered by falling popularity and whose rows are shuffled once.
  const column_numbering* numbering = nullptr;
  /// Accepts rows without a label and gives them label 0: for prediction data.
  bool labels_optional = false;
  /// Accepts rows without a label as empty lists also where no row has a list: for test data of models that were
  /// trained on lists.
  bool empty_lists = false;
  /// LIBSVM text, libffm text and the labels of matrices: labels are words, of which label_words[k] has the number k.
  /// With a `numbering` other words are refused, else they get the numbers behind these. Empty: labels are words if the
  /// first one of training data is no number, and get numbers in the order of their bytes. Borrowed.
  std::span<const std::string> label_words{};
  /// LIBSVM text may have the index 0. The number of a column is the index, whether or not one is 0. With a `numbering`
  /// that has the number 0 it may, too.
  bool index_from_0 = false;
  /// `single`: as read; values are still kept in half precision if that changes none of them.
  value_precision values = value_precision::single;
  std::optional<std::size_t> threads{};  ///< > 0; default: as many as this process may use
  /// Bytes that parsing may hold, at least 16 MiB; default: a quarter of what the machine or the control group allows
  /// this process. Rows beyond that go to unnamed files in the folder of the cache, or in `cache_folder`; the resulting
  /// dataset is the same. Lines longer than a megabyte take more. Images, graphs, matrices and ratings with names are
  /// held whole.
  /// If the dataset is larger than this (by default: larger than three quarters of what this process may use), training
  /// reads rows ahead and drops those behind it; worker processes know the default only.
  std::optional<std::uint64_t> memory{};
  /// Instruction set of the parser; the result of reading does not depend on it. `automatic` takes the widest one that
  /// the parser is written for and the CPU supports. The parser needs some CPU features that the kernels do not, so
  /// this may be the next one below the kernels'.
  hogwild::isa isa = hogwild::isa::automatic;
  /// Receives one sentence that says why a cache was not used or not written; default: the sink of set_default_notes().
  std::function<void(std::string_view)> note{};
};

/// Sparse rows in a versioned, checksummed, memory-mapped file (or anonymous memory file). A handle is cheap, and
/// copies share the mapping. The rows are read-only, so any number of threads and processes may use them at once.
class sparse_dataset {
 public:
  sparse_view view() const;      ///< the rows; valid while a handle lives
  std::size_t rows() const;      ///< as many as were read
  std::size_t features() const;  ///< columns that occur: the positions run from 0 to features() - 1
  std::size_t nonzeros() const;  ///< entries of all rows, including zeros that were given
  /// Input number of a position: as it stands in the file (LIBSVM text counts from 1), or the column of copied rows.
  std::uint32_t original(std::size_t position) const;
  const column_numbering& numbering() const;  ///< between positions and numbers in the input
  /// The words of labels that are words: label k is label_words()[k]. Empty if labels are numbers.
  std::span<const std::string> label_words() const;
  std::size_t unknown_entries() const;  ///< entries dropped because `numbering` did not know their column
  /// A path that another process of this user can open while this handle lives: the cache file, or /proc/PID/fd/N.
  std::string shared_path() const;
  bool from_cache() const;  ///< true when no text was parsed
  /// Whether values were rounded to half precision: true only if that was asked for and changed at least one value.
  bool values_rounded() const;
  /// Checks every block now. Throws cache_error.
  void verify() const;

  /// Sets the weight of each row, in the order of the input (the lines of a text, as read_row_numbers() returns them).
  /// Weights are finite and not negative, and at least one is above 0. They are copied, and hold for this handle and
  /// for copies made of it later. Throws input_error for invalid weights. See sparse_view::weight.
  void set_weights(std::span<const float> weights);
  /// Sets the number that is added to the margin of each row, in the same order; finite.
  void set_offsets(std::span<const float> offsets);
  /// Sets the group of each row, in the same order: a place in `names`. See sparse_view::group.
  void set_groups(std::span<const std::uint32_t> groups, std::vector<std::string> names);
  /// The names of the groups; empty if rows have none.
  std::span<const std::string> group_names() const;
  /// From here on view().id holds the number of each row in the input, from 0, because training sets are shuffled.
  void number_rows();

  /// Maps a dataset by its shared_path(). Reads the header and unpacks the row starts and labels, about a millisecond
  /// for 500,000 rows; entries are read when somebody trains on them. Throws cache_error if the checksums do not match.
  static sparse_dataset map(const std::string& shared_path);

  /// Copies rows in memory, with their weights, offsets, groups and numbers, into an anonymous memory file, so that
  /// worker processes can map them. Columns, labels and values are stored as narrowly as possible without loss.
  static sparse_dataset copy_of(const sparse_view& rows);
  /// Copies the rows with these numbers, in the order given; a number may occur several times. All columns are kept,
  /// and their counts are those of the copied rows.
  static sparse_dataset copy_of(const sparse_view& rows, std::span<const std::size_t> chosen);

 private:
  struct mapping;
  std::shared_ptr<const mapping> mapping_;
  std::shared_ptr<const std::vector<float>> weights_, offsets_;
  std::shared_ptr<const std::vector<std::uint32_t>> numbers_, groups_;
  std::shared_ptr<const std::vector<std::string>> group_names_, label_words_;
  bool shuffled_ = false;  ///< whether the order of the rows differs from that of the input
  explicit sparse_dataset(std::shared_ptr<const mapping> m) : mapping_(std::move(m)) {}
  friend struct dataset_access;
};

/// Opens LIBSVM text ("label index:value ...", or "label,label,... index:value ..."), plain or compressed with gzip,
/// xz, zstd or bzip2 (recognised by content), or standard input ("-"). A cache beside the source is used if it was made
/// from the same source (size, time stamp) with the same options; otherwise the text is parsed in parallel, and the
/// cache is written under another name and renamed. Throws format_error (file:line:column) or input_error (also for a
/// value beyond 65504 under value_precision::half); no cache file, whole or part, is left behind then. Throws
/// config_error for an instruction set that this machine does not have. Throws resource_error if `memory` is too little
/// (the message names the least that works) or the disk is too full for the rows.
sparse_dataset open_libsvm(const std::string& path, const open_options& options = {});

/// Reads one number for each of `rows` rows from a text, one a line, plain or compressed as data are, or standard input
/// ("-"). Throws input_error for a line that is not a finite number (with file, line and column), and if the number of
/// lines is not `rows`.
std::vector<float> read_row_numbers(const std::string& path, std::size_t rows);

/// Columns as 32-bit integers, signed or unsigned. Borrows them.
class borrowed_columns {
 public:
  borrowed_columns(std::span<const std::uint32_t> columns) : columns_(columns) {}  ///< the array must outlive it
  /// A negative column counts as a very large one, which is refused.
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

/// Sparse rows that the caller holds in memory. Borrows the three arrays, which must outlive it, and copies only the
/// labels; columns keep their numbers. The rows of a chunk are trained in the order given, so shuffle sorted data
/// first, or let rows_from() (<hogwild/rows.hpp>) make a dataset of them, which also takes arrays of other types.
class csr_rows {
 public:
  /// `row_start` has one entry more than there are rows and ascends from 0 to index.size(). `index` and `value` are
  /// equally long. Columns are distinct within a row, in any order, and below `columns`, which is at most column_limit.
  /// Throws input_error if the sizes do not fit. train() checks the columns and values themselves, in linear time if
  /// columns ascend within each row.
  csr_rows(row_starts row_start, borrowed_columns index, std::span<const float> value, std::span<const float> label,
           std::size_t columns);
  /// The same with several labels a row: row r has label[label_start[r] .. label_start[r + 1]), at least one, distinct
  /// whole numbers in any order. Also throws input_error for other labels.
  csr_rows(row_starts row_start, borrowed_columns index, std::span<const float> value, row_starts label_start,
           std::span<const float> label, std::size_t columns);

  /// Sets the weight of each row: finite, not negative, at least one above 0. Borrowed, like the other arrays. Throws
  /// input_error for other weights. See sparse_view::weight.
  void set_weights(std::span<const float> weights);
  /// Sets the number that is added to the margin of each row; finite. Borrowed as well.
  void set_offsets(std::span<const float> offsets);

  sparse_view view() const;                          ///< the rows; valid while a handle lives
  std::size_t features() const { return columns_; }  ///< columns, including those that do not occur

 private:
  row_starts row_start_;
  std::span<const std::uint32_t> index_;
  std::span<const float> value_;
  std::span<const float> weight_{}, offset_{};
  std::vector<double> label_;
  label_lists lists_;  ///< used instead if rows have several labels
  std::size_t columns_;
};

}  // namespace hogwild
