// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include <hogwild/detail/data/sparse_view.hpp>

// Synthetic sparse text data: rows of unit length with log-normal numbers of entries, columns of Zipf-like popularity,
// values like log(tf) * idf, and labels from a hidden separating plane with noise. A seed gives the same data on any
// number of threads.

namespace hogwild::generate {

/// The shape of synthetic text data. The defaults have the shape of RCV1, the text collection that papers on sparse
/// learning use most.
struct options {
  std::size_t rows = 200'000;  ///< training and test rows together
  std::size_t columns = 47'236;
  double nonzeros = 75.0;      ///< mean entries of a row, at least 1 and at most columns / 4
  double length_spread = 0.6;  ///< standard deviation of the log of a row's length
  double delta = 0.44;         ///< about this fraction of rows has the commonest column
  double zipf = 0.9;           ///< popularity of the column at position i falls like (i + offset)^-zipf
  double noise = 0.05;         ///< fraction of labels that are flipped
  double margin = 0.25;        ///< rows closer than this to the separating plane are drawn again
  double test_fraction = 0.1;  ///< fraction of rows set apart as test rows
  std::uint64_t seed = 1;
};

/// Throws config_error for the first field that is out of range.
void check(const options& o);

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
