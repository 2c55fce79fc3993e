// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/data/sparse_view.hpp>

namespace hogwild::bench {

/// libsvm: "label column:value ..."; vw: "label | column:value ..."; hazy: 16-byte records, see export.cpp.
enum class export_format { libsvm, vw, hazy };
std::string_view name_of(export_format format);

/// The column numbers under which rivals see our columns: those of the input, one higher where the input counts from 0,
/// because most rivals count from 1.
class exported_columns {
 public:
  /// `original[position]` is the input number of the column with that position; borrowed.
  explicit exported_columns(std::span<const std::uint32_t> original);

  std::uint32_t number(std::size_t position) const { return original_[position] + shift_; }
  std::size_t columns() const { return original_.size(); }
  std::uint32_t largest() const { return largest_; }
  /// Puts what a rival learnt, by its column numbers, in the order of our positions; a number that `weights` does not
  /// reach has weight 0.
  std::vector<float> by_position(std::span<const double> weights) const;

 private:
  std::span<const std::uint32_t> original_;
  std::uint32_t shift_ = 0, largest_ = 0;
};

/// Writes rows in their order, entries by ascending column number, labels as -1 and +1. Text holds every float exactly.
/// Throws resource_error where the file cannot be written.
void export_rows(const sparse_view& rows, const exported_columns& columns, const label_map& labels,
                 export_format format, const std::filesystem::path& file);

}  // namespace hogwild::bench
