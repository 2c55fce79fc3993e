// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include <hogwild/detail/data/sparse_view.hpp>

#include <generate/options.hpp>

// Synthetic sparse text data: rows of unit length with log-normal numbers of entries, columns of Zipf-like popularity,
// values like log(tf) * idf, and labels from a hidden separating plane with noise. A seed gives the same data on any
// number of threads.

namespace hogwild::generate {

/// Rows in memory; columns count from 0, labels are -1 and +1.
struct rows {
  std::vector<std::uint64_t> row_start{0};
  std::vector<std::uint32_t> index;
  std::vector<float> value;
  std::vector<double> label;
  std::size_t columns = 0;

  /// Valid as long as this object is neither changed nor destroyed.
  sparse_view view() const {
    return {.row_start = row_start, .index = index, .value = value, .label = label, .columns = columns};
  }
};

struct data {
  rows train, test;
};

/// Makes the data in memory, in parallel. Throws config_error for options out of range.
data in_memory(const options& o);

struct file_facts {
  std::size_t train_rows = 0, test_rows = 0;
  std::uint64_t train_nonzeros = 0, test_nonzeros = 0;
};

/// Writes the same rows as LIBSVM text; columns count from 1. Without a test file all rows go into the first one.
/// Files appear whole or not at all. Throws config_error, and what atomic_file throws.
file_facts write_files(const options& o, const std::filesystem::path& train,
                       const std::optional<std::filesystem::path>& test);

}  // namespace hogwild::generate
