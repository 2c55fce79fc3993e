// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <generate/generate.hpp>

namespace hogwild::generate {

/// How often each column is drawn: position i with probability proportional to (i + offset)^-zipf. The offset is chosen
/// so that the given fraction of rows has the commonest column. Immutable, so any thread may draw.
class column_popularity {
 public:
  /// Throws config_error if no offset gives `o.delta`.
  explicit column_popularity(const options& o);

  /// The position for a uniform number in [0, 1).
  std::size_t position(double uniform) const;
  /// Expected fraction of rows that have the column, in rows of mean length.
  double fraction(std::size_t position) const;

 private:
  std::vector<double> cumulative_;
  std::vector<std::uint32_t> guide_;  ///< where the search for a number begins, for each of 2^16 slices
  double draws_ = 0.0;                ///< draws, repeats included, until a row has its mean length
};

}  // namespace hogwild::generate
