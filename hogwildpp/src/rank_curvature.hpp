// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <hogwild/detail/collectives/agreement.hpp>
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/task/training_task.hpp>
#include <hogwild/detail/worker/loop_options.hpp>

namespace hogwild::detail {

/// Upper bounds of the curvature of the mean loss of a rank's rows along each parameter, and how many ranks have rows
/// that change it.
struct known_curvature {
  std::span<const float> curvature;  ///< of each parameter, the mean over the ranks that hold it; 0: unknown
  std::span<const float> holders;    ///< of each parameter: ranks with rows that have its column
  double elsewhere = 0.0;  ///< of all parameters on the other ranks: from l2 that shrinks parameters without a row
};

/// The curvature of a task, from the data of all its ranks together: the same on all.
///
/// The curvature along a column is at most its coupling to the columns of its rows, and at most that of the steepest
/// direction. For factors that are multiplied by others it is further multiplied by the square of these others, which
/// is almost 0 at the beginning, and is measured before each round.
class rank_curvature {
 public:
  /// `work` and the ranks must outlive this; all ranks make one.
  rank_curvature(const training_task& work, const loop_options& decided, const agreement& ranks);

  /// Called between rounds, by all ranks, which have the same parameters.
  known_curvature at(const param_store& store);

 private:
  /// A group whose parameters belong to columns.
  struct column_group {
    const parameter_group* group;
    bool multiplied = false;  ///< by factors of the row's other columns
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
  std::vector<float> bend_, l2_, held_;  ///< for each column: coupling, l2, and how many ranks have it
  std::vector<float> curvature_, holders_;
};

}  // namespace hogwild::detail
