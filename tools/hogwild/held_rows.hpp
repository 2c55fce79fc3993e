// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/run/validation_split.hpp>

namespace hogwild::cli {

/// Rows that were split off the training rows.
struct held_part {
  sparse_view rows{};
  std::unique_ptr<const validation_split> split{};  ///< null if they are a slice
};

/// Copies the rows on both sides; `rows` become those that are left.
held_part split_off(sparse_view& rows, const std::vector<bool>& held);

/// How many pairs of each user are held back: a fraction, or the last ones by time.
struct pairs_to_hold {
  double fraction = 0.0;
  std::size_t last = 0;  ///< 0: the fraction

  bool any() const { return fraction > 0.0 || last > 0; }
};

/// Chooses pairs to hold back, several times of the same file if need be.
class pair_holder {
 public:
  /// Throws config_error if pairs are to be held back by time, and those of `data`, which `name` names, have none.
  pair_holder(const sparse_dataset& data, const std::string& name, bool by_time);

  /// Which of the pairs that are left are held back.
  std::vector<bool> choose(const sparse_view& pairs, const pairs_to_hold& wanted, std::uint64_t seed);

 private:
  std::vector<double> times_{};  ///< of the pairs that are left, if they are needed
};

}  // namespace hogwild::cli
