// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

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

}  // namespace hogwild::generate
