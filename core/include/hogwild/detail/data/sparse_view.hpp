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

/// Columns are numbers of 32 bits, of which the largest two mean something else.
inline constexpr std::size_t column_limit = 0xfffffffe;

/// Where rows come from: looks at a block of them before anybody trains on it, and says where other processes find
/// them. Implementations are safe to call from many threads at once.
class row_source {
 public:
  virtual ~row_source() = default;
  /// Throws cache_error unless rows [first, last) hold what was written and every column is in range. Cheap when the
  /// rows were checked before. Rows count from the start of the whole dataset, not of a slice.
  virtual void ensure(std::size_t first, std::size_t last) const = 0;
  /// Whether rows come from the disk again and again, because they are more than fit into memory; then the three below
  /// say when. Rows count as for ensure(), which waits for those that are not there yet.
  virtual bool streams() const { return false; }
  /// These rows will be asked for soon.
  virtual void announce(std::size_t /*first*/, std::size_t /*last*/) const {}
  /// These rows are not needed for now.
  virtual void release(std::size_t /*first*/, std::size_t /*last*/) const {}
  /// Seconds that threads of this process have waited for rows from the disk, all together.
  virtual double waited() const { return 0.0; }
  /// By which path another process of this user can map the whole dataset while this object lives; empty: none.
  virtual std::string shared_path() const { return {}; }
};

/// What rows are that are images: planes of height x width values. All 0: they are none, or nobody said.
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

/// Sparse rows (CSR) in separate arrays, owned by somebody else; copied freely, shared by all workers, never written.
///
/// Row r holds entries [row_start[r], row_start[r+1]) of its columns and values. Columns lie in `index` or, where 16
/// bits suffice, in `index16`; values in `value` or, where half precision does, in `value16`: the other one of each
/// pair is empty. row_cursor reads rows whatever their width. A slice keeps the arrays and narrows row_start, so
/// row_start.front() need not be 0.
///
/// Dense rows have all columns, in their order: `index` holds 0, 1, ..., columns - 1 once, for all rows, and values are
/// `value`, row after row.
struct sparse_view {
  row_starts row_start{};                    ///< rows + 1 entries, ascending
  std::span<const std::uint32_t> index{};    ///< column of each entry, below `columns`
  std::span<const std::uint16_t> index16{};  ///< the same, where there are at most 65,536 columns
  std::span<const float> value{};            ///< value of each entry, finite
  std::span<const half> value16{};           ///< the same in half precision
  label_column label{};                      ///< one a row, or a list of them, as read
  std::span<const float> weight{};           ///< of each row, finite and >= 0; empty: all weigh 1
  std::span<const float> offset{};           ///< of each row's margin, finite; empty: all are 0
  std::span<const std::uint32_t> id{};       ///< each row's number in the input, from 0; empty: rows are in its order
  bool dense = false;                        ///< rows have all columns
  std::size_t columns = 0;
  std::span<const std::uint32_t> degree{};      ///< rows in which each column occurs; empty where nobody counted
  std::span<const std::uint32_t> class_rows{};  ///< rows that have each class; empty where nobody counted
  std::span<const std::uint32_t> original{};    ///< the input's number of each column; empty where nobody said
  std::uint32_t first_column = 0;               ///< which of them the input's first column has, where somebody said
  /// Columns from this one on occur in one row each, where they stand last, numbered in the order of the rows: whoever
  /// trains a run of rows has a run of columns that nobody else needs. Beyond all columns where that is not known.
  std::size_t first_singleton = static_cast<std::size_t>(-1);
  column_scaling scaling = column_scaling::none;  ///< by which rule values were divided; never automatic here
  std::span<const float> scale{};                 ///< by what those of each column were; empty: by nothing
  image_shape image{};                            ///< of rows that are images
  const row_source* source = nullptr;             ///< null for rows in somebody's memory: nothing to check or to share
  std::size_t first_row = 0;                      ///< place of row 0 in the whole dataset, for `source`

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
    if (!id.empty()) part.id = id.subspan(first, last - first);
    part.first_row = first_row + first;
    return part;
  }

  void ensure(std::size_t first, std::size_t last) const {
    if (source != nullptr) source->ensure(first_row + first, first_row + last);
  }
  // Of rows that stream: see row_source.
  bool streams() const { return source != nullptr && source->streams(); }
  void announce(std::size_t first, std::size_t last) const { source->announce(first_row + first, first_row + last); }
  void release(std::size_t first, std::size_t last) const { source->release(first_row + first, first_row + last); }
};

}  // namespace hogwild
