// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <hogwild/detail/data/half.hpp>
#include <hogwild/detail/data/label_column.hpp>
#include <hogwild/detail/data/row_starts.hpp>
#include <hogwild/option_values.hpp>

namespace hogwild {

/// Columns are 32-bit numbers, of which the largest two have other meanings.
inline constexpr std::size_t column_limit = 0xfffffffe;

/// The origin of rows: checks a block of them before anybody trains on it, and tells where other processes find them.
/// Implementations are safe to call from many threads at once.
class row_source {
 public:
  virtual ~row_source() = default;
  /// Throws cache_error unless rows [first, last) match their checksums and every column is in range. Cheap if the rows
  /// were checked before. Rows count from the start of the whole dataset, not of a slice.
  virtual void ensure(std::size_t first, std::size_t last) const = 0;
  /// Whether rows are read from the disk again and again, because they do not fit into memory; the three functions
  /// below are for that case. Rows count as for ensure(), which waits for rows that are not in memory yet.
  virtual bool streams() const { return false; }
  /// These rows will be needed soon.
  virtual void announce(std::size_t /*first*/, std::size_t /*last*/) const {}
  /// These rows are not needed for now.
  virtual void release(std::size_t /*first*/, std::size_t /*last*/) const {}
  /// Seconds that threads of this process have waited for rows from the disk, summed over threads.
  virtual double waited() const { return 0.0; }
  /// A path by which another process of this user can map the whole dataset while this object lives; empty: none.
  virtual std::string shared_path() const { return {}; }
};

/// The shape of rows that are images: planes of height x width values. All 0: not images, or unknown.
struct image_shape {
  std::uint32_t planes = 0, height = 0, width = 0;

  constexpr bool known() const { return planes != 0; }
  constexpr std::size_t size() const { return std::size_t{planes} * height * width; }
  bool operator==(const image_shape&) const = default;
};

/// "3 x 32 x 32": planes, height, width.
inline std::string name_of(const image_shape& image) {
  return std::to_string(image.planes) + " x " + std::to_string(image.height) + " x " + std::to_string(image.width);
}

/// Sparse rows (CSR) in separate arrays that another object owns; freely copied, shared by all workers, never written.
///
/// Row r holds entries [row_start[r], row_start[r+1]) of its columns and values. Columns are in `index` or, if 16 bits
/// suffice, in `index16`; values are in `value` or, if half precision suffices, in `value16`. The other array of each
/// pair is empty. row_cursor reads rows whatever their width. A slice keeps the arrays and narrows row_start, so
/// row_start.front() need not be 0.
///
/// Dense rows have all columns, in their order: `index` holds 0, 1, ..., columns - 1 once, for all rows, and `value`
/// holds the values, row after row.
struct sparse_view {
  row_starts row_start{};                    ///< rows + 1 entries, ascending
  std::span<const std::uint32_t> index{};    ///< column of each entry, below `columns`
  std::span<const std::uint16_t> index16{};  ///< the same, if there are at most 65,536 columns
  std::span<const float> value{};            ///< value of each entry, finite
  std::span<const half> value16{};           ///< the same in half precision
  label_column label{};                      ///< one a row, or a list of them, as read
  std::span<const float> weight{};           ///< of each row, finite and >= 0; empty: all are 1
  std::span<const float> offset{};           ///< added to each row's margin, finite; empty: all are 0
  std::span<const std::uint32_t> group{};    ///< of each row: rows of one group stay together; empty: there are none
  std::span<const std::uint32_t> id{};       ///< each row's number in the input, from 0; empty: rows are in its order
  bool dense = false;                        ///< rows have all columns
  std::size_t columns = 0;
  std::span<const std::uint32_t> degree{};      ///< rows in which each column occurs; empty if not counted
  std::span<const std::uint32_t> class_rows{};  ///< rows that have each class; empty if not counted
  std::span<const std::uint32_t> original{};    ///< the input's number of each column; empty if unknown
  std::uint32_t first_column = 0;               ///< the number of the input's first column, if known
  /// Columns from this one on occur in a single row each. They come last, in the order of the rows, so the worker that
  /// trains a run of rows is the only one that needs a certain run of columns. Beyond all columns if unknown.
  std::size_t first_singleton = static_cast<std::size_t>(-1);
  column_scaling scaling = column_scaling::none;  ///< the rule by which values were divided; never automatic here
  std::span<const float> scale{};                 ///< the divisor of each column's values; empty: not divided
  image_shape image{};                            ///< for rows that are images
  const row_source* source = nullptr;             ///< null for rows in a program's memory: nothing to check or to share
  std::size_t first_row = 0;                      ///< index of row 0 in the whole dataset, for `source`

  std::size_t rows() const { return label.size(); }
  std::size_t nonzeros() const { return rows() == 0 ? 0 : row_start.back() - row_start.front(); }
  bool has_narrow_index() const { return !index16.empty(); }
  bool has_narrow_value() const { return !value16.empty(); }
  float weight_of(std::size_t r) const { return weight.empty() ? 1.0f : weight[r]; }
  float offset_of(std::size_t r) const { return offset.empty() ? 0.0f : offset[r]; }
  std::uint64_t id_of(std::size_t r) const { return id.empty() ? first_row + r : id[r]; }

  sparse_view slice(std::size_t first, std::size_t last) const {
    sparse_view part = *this;
    part.row_start = row_start.subspan(first, last - first + 1);
    part.label = label.subspan(first, last - first);
    if (!weight.empty()) part.weight = weight.subspan(first, last - first);
    if (!offset.empty()) part.offset = offset.subspan(first, last - first);
    if (!group.empty()) part.group = group.subspan(first, last - first);
    if (!id.empty()) part.id = id.subspan(first, last - first);
    part.first_row = first_row + first;
    return part;
  }

  void ensure(std::size_t first, std::size_t last) const {
    if (source != nullptr) source->ensure(first_row + first, first_row + last);
  }
  // For rows that are streamed: see row_source.
  bool streams() const { return source != nullptr && source->streams(); }
  void announce(std::size_t first, std::size_t last) const { source->announce(first_row + first, first_row + last); }
  void release(std::size_t first, std::size_t last) const { source->release(first_row + first, first_row + last); }
};

}  // namespace hogwild
