// SPDX-License-Identifier: Apache-2.0
#include "rank_curvature.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/run/column_counts.hpp>

namespace hogwild::detail {

namespace {

/// Rows of a rank in which squares of factors are measured.
constexpr std::size_t most_sampled_rows = 2'000;

bool same_columns(const parameter_group& a, const parameter_group& b) {
  return a.first_column == b.first_column && a.rows == b.rows;
}
bool apart(const parameter_group& a, const parameter_group& b) {
  return a.first_column + a.rows <= b.first_column || b.first_column + b.rows <= a.first_column;
}

}  // namespace

rank_curvature::rank_curvature(const training_task& work, const loop_options& decided, const agreement& ranks)
    : work_(work),
      ranks_(ranks),
      steepest_(decided.exchange.curvature),
      l2_everywhere_(work.facts().scaled ? decided.l2 : 0.0),
      curvature_(work.facts().parameters, static_cast<float>(steepest_ + decided.l2)),
      holders_(work.facts().parameters, static_cast<float>(ranks.size())) {
  if (!(steepest_ > 0.0)) return;
  find_groups();
  count_columns_of_ranks(decided);
  for (const column_group& g : groups_) fill(g, 1.0);
}

// Factors are wide rows beside others of the same width, whose columns occur in the same rows of data (users and
// items), or beside single weights of the same columns (factorization machines). Otherwise scores are linear in the
// parameters.
void rank_curvature::find_groups() {
  const task_facts& facts = work_.facts();
  const std::size_t columns = work_.data().columns;
  const bool says_columns = std::ranges::any_of(facts.groups, [](const auto& g) { return g.first_column > 0; });
  for (const parameter_group& g : facts.groups) {
    const std::size_t end = g.first_column + g.rows;
    if (g.hot_first && (says_columns ? end <= columns : end == columns)) groups_.push_back({&g});
  }
  if (facts.margin) return;
  for (column_group& g : groups_) {
    if (g.group->width == 1) continue;
    g.multiplied = std::ranges::any_of(groups_, [&](const column_group& other) {
      return (other.group->width == 1 && same_columns(*other.group, *g.group)) ||
             (other.group->width == g.group->width && apart(*other.group, *g.group));
    });
  }
}

// Means are over the ranks that have a column; a rank without it does not count. l2 by touch counts the rows of all
// ranks, but only ranks with the column apply it.
void rank_curvature::count_columns_of_ranks(const loop_options& decided) {
  const sparse_view& data = work_.data();
  data.ensure(0, data.rows());
  const std::size_t n = data.columns;
  const std::vector<double> coupling = column_couplings(data);
  const std::vector<std::uint32_t> degree = count_columns(data);
  std::vector<double> sums(3 * n);
  for (std::size_t j = 0; j < n; ++j) {
    if (degree[j] == 0) continue;
    sums[j] = coupling[j];
    sums[n + j] = static_cast<double>(degree[j]) / static_cast<double>(data.rows());
    sums[2 * n + j] = 1.0;
  }
  ranks_.sum(sums);
  const auto ranks = static_cast<double>(ranks_.size());
  for (std::size_t j = 0; j < n; ++j) {
    const double holders = sums[2 * n + j], among = std::max(holders, 1.0);
    double l2 = decided.l2;
    if (decided.form == l2_form::per_occurrence)
      l2 *= sums[n + j] / among;
    else if (l2_everywhere_ == 0.0)
      l2 *= ranks / among;
    bend_.push_back(static_cast<float>(sums[j] / among));
    l2_.push_back(static_cast<float>(l2));
    held_.push_back(static_cast<float>(holders));
  }
}

void rank_curvature::fill(const column_group& of, double square) {
  const parameter_group& g = *of.group;
  const auto per_square = static_cast<float>(work_.smoothness());
  for (std::size_t row = 0; row < g.rows; ++row) {
    const std::size_t column = g.first_column + row, first = g.offset + row * g.width;
    const float bend = std::min(per_square * bend_[column], static_cast<float>(steepest_));
    std::fill_n(curvature_.data() + first, g.width, bend * static_cast<float>(square) + l2_[column]);
    std::fill_n(holders_.data() + first, g.width, held_[column]);
  }
}

known_curvature rank_curvature::at(const param_store& store) {
  if (std::ranges::any_of(groups_, &column_group::multiplied)) {
    std::vector<double> sums = store.shape().scalar_bytes == sizeof(float)
                                   ? squares<float>(store.parameters<float>())
                                   : squares<double>(store.parameters<double>());
    ranks_.sum(sums);
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      const double of_factors = sums[2 * i], of_entries = sums[2 * i + 1];
      if (groups_[i].multiplied && of_entries > 0.0) fill(groups_[i], of_factors / of_entries);
    }
  }
  return {curvature_, holders_, l2_everywhere_};
}

/// For each group two sums over rows and their entries: of the squared factor by which an entry's factors are
/// multiplied, x_j^2 times |sum of x_k v_k over the other columns|^2, and of the squared factor of its weight, x_j^2.
template <parameter T>
std::vector<double> rank_curvature::squares(std::span<const T> parameters) const {
  std::vector<double> sums(2 * groups_.size()), all, others;
  row_cursor cursor(work_.data());
  for (std::size_t r = 0; r < std::min(work_.data().rows(), most_sampled_rows); ++r) {
    const auto row = cursor.row(r);
    for (const column_group& of : groups_) {
      if (!of.multiplied) continue;
      const std::size_t width = of.group->width;
      const auto for_factors = [&](const auto& f) {
        for (std::size_t i = 0; i < groups_.size(); ++i) {
          const parameter_group& g = *groups_[i].group;
          if (!groups_[i].multiplied || g.width != width) continue;
          for (const auto [j, x] : row)
            if (j >= g.first_column && j - g.first_column < g.rows)
              f(i, double{x}, parameters.subspan(g.offset + (j - g.first_column) * width, width));
        }
      };
      all.assign(width, 0.0);
      for_factors([&](std::size_t, double x, std::span<const T> v) {
        for (std::size_t k = 0; k < width; ++k) all[k] += x * static_cast<double>(v[k]);
      });
      for_factors([&](std::size_t i, double x, std::span<const T> v) {
        if (groups_[i].group != of.group) return;
        double square = 0.0;
        for (std::size_t k = 0; k < width; ++k) {
          const double other = all[k] - x * static_cast<double>(v[k]);
          square += other * other;
        }
        sums[2 * i] += double{row.weight} * x * x * square;
        sums[2 * i + 1] += double{row.weight} * x * x;
      });
    }
  }
  return sums;
}

}  // namespace hogwild::detail
