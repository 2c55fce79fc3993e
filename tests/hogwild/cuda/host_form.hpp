// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "margin_problem.hpp"

namespace hogwild::test {

/// Trains a problem of so many rows by the host form, train(problem, work): how far its weights then are from those of
/// training in double precision. All rows have changed something.
template <class Problem, class Train>
double error_of_host_form(Problem problem, std::size_t rows, const Train& train) {
  const std::vector<double> expected = problem.trained();
  std::uint64_t updates = 0;
  auto work = problem.work();
  work.updates = &updates;
  train(std::as_const(problem), work);
  EXPECT_EQ(updates, rows);
  return relative_error(problem.weights, expected);
}

}  // namespace hogwild::test
