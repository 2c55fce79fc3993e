// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <hogwild/detail/loop/loop_options.hpp>
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/run/agreement.hpp>
#include <hogwild/detail/task/training_task.hpp>

namespace hogwild::detail {

/// How the mean loss of a rank's rows bends along each parameter, at most, and how many ranks have rows that change it.
struct known_curvature {
  std::span<const float> curvature;  ///< of each parameter, the mean of the ranks that hold it; 0: none is known
  std::span<const float> holders;    ///< of each parameter: ranks with rows that have its column
  double elsewhere = 0.0;            ///< of all parameters on the other ranks: l2 that shrinks what no row has
};

/// The curvature of a task, as all its ranks together know it: the same on all.
///
/// A column bends the loss by no more than it is coupled to the columns of its rows, and by no more than the steepest
/// direction. Factors that are multiplied by others' bend it by as much times the square of what they are multiplied
/// by, which is next to nothing as they begin, and is looked at before each round.
class rank_curvature {
 public:
  /// `work` and the ranks must outlive this; all ranks make one.
  rank_curvature(const training_task& work, const loop_options& decided, const agreement& ranks);

  /// Between rounds, by all ranks, which have the same parameters.
  known_curvature at(const param_store& store);

 private:
  /// Parameters of a group that belongs to columns.
  struct column_group {
    const parameter_group* group;
    bool multiplied = false;  ///< by the factors of the row's other columns
  };
  void find_groups();
  void count_columns_of_ranks(const loop_options& decided);
  void fill(const column_group& of, double square);
  template <parameter T>
  std::vector<double> squares(std::span<const T> parameters) const;

  const training_task& work_;
  const agreement ranks_;
  double steepest_, l2_everywhere_;
  std::vector<column_group> groups_;
  std::vector<float> bend_, l2_, held_;  ///< of each column: coupling, l2, and how many ranks have it
  std::vector<float> curvature_, holders_;
};

}  // namespace hogwild::detail
