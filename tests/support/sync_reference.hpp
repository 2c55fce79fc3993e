// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <hogwild/detail/data/chunk.hpp>
#include <hogwild/detail/data/shard.hpp>

#include "toy_data.hpp"

// A reference for synchronous training in double precision: the rows of each rank, and the steps of all ranks.

namespace hogwild::test {

/// The rows of each rank in the order of an epoch: shards of chunks, each shuffled separately.
inline std::vector<std::vector<std::size_t>> rows_of_ranks(const toy_rows& toy, std::size_t ranks, std::uint64_t seed,
                                                           std::size_t epoch) {
  const chunk_plan plan = chunk_plan::choose(toy.rows(), toy.index.size());
  std::vector<std::vector<std::size_t>> rows(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const shard own = shard::part(plan.count(), shard_id(static_cast<std::uint32_t>(rank)), ranks);
    if (own.size() == 0) continue;
    const chunk_order order(plan, own, seed, epoch);
    for (std::size_t ticket = own.first; ticket < own.last; ++ticket) {
      const chunk c = plan[order(ticket)];
      for (std::size_t r = c.first; r < c.last; ++r) rows[rank].push_back(r);
    }
  }
  return rows;
}

/// Adds `gain_weight` times the gradient of row r's logistic loss at `w` to `to`.
inline void add_logistic_gradient(const toy_rows& toy, std::size_t r, const std::vector<double>& w, double gain_weight,
                                  std::vector<double>& to) {
  const double y = static_cast<double>(toy.label[r]);
  const double slope = -y / (1.0 + std::exp(y * planted_score(toy, r, w)));
  for (std::size_t k = toy.row_start[r]; k < toy.row_start[r + 1]; ++k)
    to[toy.index[k]] += gain_weight * slope * static_cast<double>(toy.value[k]);
}

struct sync_reference {
  std::size_t ranks, rows;  ///< of each rank between two meetings
  bool average;             ///< each rank makes steps of its own between meetings, and a meeting takes the mean
  double step;
  std::uint64_t seed = 1;
  double momentum = 0.0;  ///< for a rank's own steps, of all columns at every row
};

/// The weights after so many epochs under a constant step, without l2.
inline std::vector<double> train_by_hand(const toy_rows& toy, const sync_reference& how, std::size_t epochs) {
  std::vector<double> w(toy.columns), velocity(toy.columns);
  for (std::size_t epoch = 1; epoch <= epochs; ++epoch) {
    const auto rows = rows_of_ranks(toy, how.ranks, how.seed, epoch);
    std::size_t most = 0;  // rows of a meeting: fewer make a shorter step
    for (std::size_t at = 0;; at += how.rows) {
      const auto brought = [&](std::size_t rank) {
        return std::min(how.rows, rows[rank].size() - std::min(rows[rank].size(), at));
      };
      std::size_t all = 0;
      for (std::size_t rank = 0; rank < how.ranks; ++rank) all += brought(rank);
      if (all == 0) break;
      most = std::max(most, all);
      std::vector<double> next = how.average ? std::vector<double>(toy.columns) : w, next_velocity(toy.columns);
      for (std::size_t rank = 0; rank < how.ranks; ++rank) {
        std::vector<double> own = w, own_velocity = velocity;
        for (std::size_t i = at; i < at + brought(rank); ++i) {
          if (!how.average) {
            add_logistic_gradient(toy, rows[rank][i], w, -how.step / static_cast<double>(most), next);
            continue;
          }
          for (double& v : own_velocity) v *= how.momentum;
          add_logistic_gradient(toy, rows[rank][i], own, 1.0, own_velocity);
          for (std::size_t j = 0; j < w.size(); ++j) own[j] -= how.step * own_velocity[j];
        }
        if (!how.average) continue;
        const double weight = static_cast<double>(brought(rank)) / static_cast<double>(all);
        for (std::size_t j = 0; j < w.size(); ++j) {
          next[j] += weight * own[j];
          next_velocity[j] += weight * own_velocity[j];
        }
      }
      w = next, velocity = next_velocity;
    }
  }
  return w;
}

}  // namespace hogwild::test
