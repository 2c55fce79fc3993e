// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/math/alias_table.hpp>

namespace hogwild {

/// The distribution by which a class is drawn into the sample of a sampled softmax.
enum class sample_distribution : std::uint32_t {
  frequency,    ///< in proportion to the square root of its rows, plus one: plain counts draw rare classes too seldom
  log_uniform,  ///< for the class in place r by its rows, from 0, in proportion to log((r + 2) / (r + 1))
  uniform       ///< all classes alike
};

/// Its name in options and records.
std::string_view name_of(sample_distribution by);

/// For each of `classes` classes the number of rows with it as a label; 0 without labels. Rows have one label or a list
/// of them, which the map knows.
std::vector<std::uint32_t> class_counts(const sparse_view& rows, const label_map& labels, std::size_t classes);

/// Draws samples: the distinct classes of `draws` draws by a distribution. If there are as many draws as classes, a
/// sample is all of them. Never changed, so any number of threads may use it.
class class_sampler {
 public:
  /// `counts`: the rows of each class; at least one class and one draw.
  class_sampler(sample_distribution by, std::span<const std::uint32_t> counts, std::size_t draws);

  std::size_t classes() const { return log_chance_.size(); }
  std::size_t draws() const { return draws_; }
  bool takes_all() const { return draws_ >= classes(); }
  /// Draws a class with 64 random bits.
  std::uint32_t draw(std::uint64_t bits) const { return draw_from(table_, bits); }

  /// The logarithm of the chance E = 1 - (1 - q)^draws that a class is in a sample, if a draw gives it with chance q.
  float log_chance(std::size_t c) const { return log_chance_[c]; }
  /// The chance that a class is the label of one of n rows, or in their sample.
  float chance_in_batch(std::size_t c, std::size_t n) const;

 private:
  std::size_t draws_;
  std::vector<alias_column> table_{};
  std::vector<float> log_chance_, log_left_out_;  ///< logarithms of the chances to be in a sample, and not to be
  std::vector<float> log_other_label_;            ///< the logarithm of the chance that a row has another label
};

}  // namespace hogwild
