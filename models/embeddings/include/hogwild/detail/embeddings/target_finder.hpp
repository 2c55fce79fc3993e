// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <hogwild/detail/embeddings/target_table.hpp>
#include <hogwild/detail/memory/lined_floats.hpp>

namespace hogwild {

/// Finds the best targets for several sources at a time. One thread uses it.
class target_finder {
 public:
  /// The most sources at a time.
  static constexpr std::size_t most_sources = 24;

  /// Lists have at most `most` targets. The table outlives this.
  target_finder(const target_table& table, std::size_t most)
      : table_(table),
        most_(most),
        sources_(most_sources * table.width()),
        scores_(most_sources * target_table::piece) {}

  /// Room for source i, which the caller fills in.
  std::span<float> source(std::size_t i) { return sources_.part(i * table_.width(), table_.width()); }

  /// Finds the best targets for as many sources as there are lists; `left_out` has the targets, ascending, that do not
  /// count for each. `wanted`, if not empty, has for each the targets of which above() tells.
  void find(std::span<const std::span<const std::uint32_t>> left_out,
            std::span<const std::span<const std::uint32_t>> wanted = {});
  /// The best targets for source i, until the next call of find().
  std::span<const scored_target> best(std::size_t i) const { return best_[i].list(); }
  /// The sum over the wanted targets of source i of how many others score higher; equal ones count half.
  double above(std::size_t i) const { return above_[i]; }

 private:
  const target_table& table_;
  std::size_t most_;
  lined_floats sources_, scores_;
  std::vector<best_targets> best_;
  std::vector<double> above_;
};

/// Sources for each of which the best targets are asked for. Several threads call the functions at a time.
struct asked_sources {
  std::size_t count = 0;
  std::function<void(std::size_t k, std::span<float> to)> write;          ///< writes source k
  std::function<std::span<const std::uint32_t>(std::size_t k)> left_out;  ///< targets that do not count, ascending
  std::function<void(std::size_t k, std::span<const scored_target> best)> found;  ///< called once for each
};

/// Finds the best targets, at most `most`, for all sources, by all CPUs.
void find_for_all(const target_table& table, std::size_t most, const asked_sources& asked);

}  // namespace hogwild
