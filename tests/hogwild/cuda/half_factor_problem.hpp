// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <random>
#include <vector>

#include "factor_problem.hpp"

namespace hogwild::test {

/// Among them all widths that kernels have code of their own for.
inline constexpr factor_training half_factor_trainings[] = {{.width = 16, .bias = true},
                                                            {.width = 32, .by_degree = true},
                                                            {.width = 48},
                                                            {.width = 64, .bias = true, .by_degree = true},
                                                            {.width = 128, .bias = true},
                                                            {.width = 128},
                                                            {.width = 146, .bias = true}};

/// A factor_problem whose factors are stored as halves, which they are rounded to first. Its floats are what the halves
/// were when they were read last, and its biases are trained.
struct half_factor_problem {
  half_factor_problem(std::mt19937_64& random, std::size_t ratings, const factor_training& training)
      : floats(random, ratings, training), halves(factor_problem::columns * training.width / 2) {
    for (std::size_t k = 0; k < halves.size(); ++k)
      halves[k] = device::to_half_pair(floats.weights[2 * k], floats.weights[2 * k + 1]);
    read_halves();
  }

  std::size_t halves_count() const { return 2 * halves.size(); }
  void read_halves() {
    for (std::size_t j = 0; j < halves_count(); ++j)
      floats.weights[j] = device::number_of(halves[j / 2], static_cast<unsigned>(j % 2));
  }
  device::factor_work work() {
    device::factor_work work = floats.work();
    work.halves = halves.data();
    return work;
  }

  factor_problem floats;
  std::vector<device::half_pair> halves;
};

}  // namespace hogwild::test
