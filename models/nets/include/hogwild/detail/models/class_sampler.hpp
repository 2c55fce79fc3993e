// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/optimization/alias_table.hpp>

namespace hogwild {

/// How likely a class is drawn into the sample of a sampled softmax.
enum class sample_distribution : std::uint32_t {
  frequency,    ///< in proportion to the root of its rows, plus one: plain counts leave too little to rare classes
  log_uniform,  ///< that of rank r by its rows, from 0, in proportion to log((r + 2) / (r + 1))
  uniform       ///< all alike
};

/// Its name, as options and records have it.
std::string_view name_of(sample_distribution by);

/// Of how many rows each of `classes` classes is a label; without labels 0. Rows have one label or a list of them,
/// which the map knows.
std::vector<std::uint32_t> class_counts(const sparse_view& rows, const label_map& labels, std::size_t classes);

/// A sample is what `draws` draws by a distribution give, each class once. Where there are as many draws as classes it
/// is all of them. Never changed, so any thread may ask.
class class_sampler {
 public:
  /// `counts`: the rows of each class; at least one class and one draw.
  class_sampler(sample_distribution by, std::span<const std::uint32_t> counts, std::size_t draws);

  std::size_t classes() const { return log_chance_.size(); }
  std::size_t draws() const { return draws_; }
  bool takes_all() const { return draws_ >= classes(); }
  /// Of 64 random bits a class.
  std::uint32_t draw(std::uint64_t bits) const { return draw_from(table_, bits); }

  /// The logarithm of the chance to be in a sample, E = 1 - (1 - q)^draws, where a draw gives it with chance q.
  float log_chance(std::size_t c) const { return log_chance_[c]; }
  /// The chance to be the label of one of n rows, or in their sample.
  float chance_in_batch(std::size_t c, std::size_t n) const;

 private:
  std::size_t draws_;
  std::vector<alias_column> table_{};
  std::vector<float> log_chance_, log_left_out_;  ///< of a sample
  std::vector<float> log_other_label_;            ///< the logarithm of the chance that a row has another label
};

}  // namespace hogwild
