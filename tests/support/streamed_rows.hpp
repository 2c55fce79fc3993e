// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/error.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/trainer.hpp>

#include "support/toy_data.hpp"

// Rows for streams, and functions that feed them.

namespace hogwild::test {

/// Enough rows for train() to cut them into chunks of 256 rows, which hold whole batches like those of a stream.
inline const kept_rows& many_rows() {
  static const kept_rows planted = planted_classification({.rows = 16'500, .columns = 300, .per_row = 8});
  return planted;
}

inline const kept_rows& rows() {
  static const kept_rows planted = planted_classification({.rows = 5000, .columns = 300, .per_row = 8});
  return planted;
}

inline train_options by_sgd(double l2 = 0.0) {
  return {.epochs = 1,
          .step = {.initial = 0.2, .kind = schedule_kind::constant},
          .l2 = l2,
          .labels = {-1.0, 1.0},
          .batch = 16};
}

/// Feeds rows in calls of random sizes, from 0 to `most`.
template <class Trainer>
void feed(Trainer& to, const sparse_view& all, std::size_t most, std::uint64_t seed, std::size_t first = 0) {
  std::mt19937_64 random(seed);
  for (std::size_t r = first; r < all.rows();) {
    const std::size_t n = std::min<std::size_t>(random() % (most + 1), all.rows() - r);
    to.partial_fit(all.slice(r, r + n));
    r += n;
  }
}

inline std::vector<float> one_pass(train_options options, const sparse_view& all) {
  options.order = row_order::sequential;
  options.labels.clear();
  return train(logistic{}, all, serial_engine{}, options).parameters;
}

/// The mean logistic loss, from scores only: measuring would sort by oneTBB, which ThreadSanitizer cannot see into.
inline double loss_of(const trainer<logistic>& stream, const sparse_view& rows) {
  const std::vector<float> margins = scores(stream.model(), rows, {.team = thread_team_kind::std});
  double sum = 0.0;
  for (std::size_t r = 0; r < rows.rows(); ++r) sum += std::log1p(std::exp(-rows.label[r] * double{margins[r]}));
  return sum / static_cast<double>(rows.rows());
}

template <class Trainer, class... Arguments>
std::string refusal(Arguments&&... arguments) {
  try {
    Trainer made(std::forward<Arguments>(arguments)...);
  } catch (const config_error& e) {
    return e.what();
  }
  return "";
}

}  // namespace hogwild::test
