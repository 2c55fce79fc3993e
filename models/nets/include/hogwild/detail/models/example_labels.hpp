// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hogwild/detail/data/example.hpp>

namespace hogwild {

/// The classes of each example of a batch: those of its list, which may be empty, or that of its label. One worker's
/// memory.
class example_labels {
 public:
  /// For at most `batch` examples.
  example_labels(std::size_t classes, std::size_t batch) : classes_(classes), given_(std::max<std::size_t>(batch, 1)) {}

  /// A row to predict has no known label, and gets class 0.
  void take(std::size_t k, const sparse_row<float>& z) {
    if (z.classes.data() != nullptr) return given_[k].assign(z.classes.begin(), z.classes.end());
    const bool known = z.label >= 0.0f && z.label < static_cast<float>(classes_);
    given_[k].assign(1, known ? static_cast<std::uint32_t>(z.label) : 0);
  }

  /// The classes of example k: ascending, distinct.
  std::span<const std::uint32_t> of(std::size_t k) const { return given_[k]; }
  /// The number of classes of examples 0 .. n-1 together.
  std::size_t count(std::size_t n) const {
    std::size_t all = 0;
    for (std::size_t k = 0; k < n; ++k) all += given_[k].size();
    return all;
  }
  /// The largest number of classes of an example, for n examples from `first` on; at least one.
  std::size_t most(std::size_t first, std::size_t n) const {
    std::size_t longest = 1;
    for (std::size_t k = first; k < first + n; ++k) longest = std::max(longest, given_[k].size());
    return longest;
  }

 private:
  std::size_t classes_;
  std::vector<std::vector<std::uint32_t>> given_;
};

}  // namespace hogwild
