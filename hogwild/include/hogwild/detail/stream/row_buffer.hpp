// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <hogwild/detail/data/sparse_view.hpp>

namespace hogwild {

struct checkpoint;

/// Copies of a few rows.
class row_buffer {
 public:
  std::size_t rows() const { return label_.size(); }
  /// Adds rows, each of one label.
  void add(const sparse_view& rows);
  void clear() { *this = {}; }
  /// Writes to sections of a checkpoint whose names begin with `name`, and reads them; throws input_error if there are
  /// none.
  void put(checkpoint& file, const std::string& name) const;
  void get(const checkpoint& file, const std::string& name);
  /// A view with `columns` columns; valid until the next change.
  sparse_view view(std::size_t columns) const;

 private:
  std::vector<std::uint64_t> row_start_{0};
  std::vector<std::uint32_t> index_;
  std::vector<float> value_;
  std::vector<double> label_;
  std::vector<float> weight_, offset_;  ///< empty: no row has one
};

/// The rows that a stream has trained last, in two parts that begin at multiples of the rows of a part, so that they do
/// not depend on how rows are dealt to calls: at least as many as a part has, and up to twice as many.
class recent_rows {
 public:
  std::size_t rows() const { return earlier_.rows() + recent_.rows(); }
  /// Adds rows, of which the last one is row `end` of the stream, counted from 1. A stream always gives the same
  /// `rows_of_part`.
  void add(const sparse_view& rows, std::uint64_t end, std::uint64_t rows_of_part);
  /// Copies of the last `most` rows, or of all if there are fewer, for a view of `columns` columns.
  row_buffer newest(std::size_t most, std::size_t columns) const;
  void put(checkpoint& file) const;
  /// Throws input_error if the checkpoint does not have them.
  void get(const checkpoint& file);

 private:
  row_buffer earlier_{}, recent_{};
};

}  // namespace hogwild
