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

}  // namespace hogwild
