// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <generate/options.hpp>

namespace hogwild::generate {

/// How often each column is drawn: position i with probability proportional to (i + offset)^-zipf, where the offset is
/// the one that puts the commonest column into the asked fraction of rows. Immutable, so any thread may draw.
class column_popularity {
 public:
  /// Throws config_error where no offset gives `o.delta`.
  explicit column_popularity(const options& o);

  /// The position for a uniform number in [0, 1).
  std::size_t position(double uniform) const;
  /// Expected fraction of rows that have the column, in rows of mean length.
  double fraction(std::size_t position) const;

 private:
  std::vector<double> cumulative_;
  std::vector<std::uint32_t> guide_;  ///< where the search for a number in each of 2^16 slices begins
  double draws_ = 0.0;                ///< draws, repeats included, until a row has its mean length
};

}  // namespace hogwild::generate
