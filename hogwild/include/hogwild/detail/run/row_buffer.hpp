// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <hogwild/detail/data/sparse_view.hpp>

namespace hogwild {

struct checkpoint;

/// A few rows that are kept: copies.
class row_buffer {
 public:
  std::size_t rows() const { return label_.size(); }
  /// Adds rows, each of one label.
  void add(const sparse_view& rows);
  void clear() { *this = {}; }
  /// Into sections of a checkpoint whose names begin so, and back; throws input_error where it holds none.
  void put(checkpoint& file, const std::string& name) const;
  void get(const checkpoint& file, const std::string& name);
  /// Of as many columns; valid until the next change.
  sparse_view view(std::size_t columns) const;

 private:
  std::vector<std::uint64_t> row_start_{0};
  std::vector<std::uint32_t> index_;
  std::vector<float> value_;
  std::vector<double> label_;
  std::vector<float> weight_, offset_;  ///< empty: no row has one
};

}  // namespace hogwild
