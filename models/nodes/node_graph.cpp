// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/models/node_graph.hpp>

#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/error.hpp>

namespace hogwild {
namespace {

/// Calls f(from, to, weight) for each edge.
template <class F>
void for_edges(const sparse_view& rows, const F& f) {
  row_cursor cursor(rows);
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    const sparse_row<float> z = cursor.row(r);
    for (const auto [to, weight] : z)
      if (weight > 0.0f) f(z.index[0], to, weight);
  }
}

}  // namespace

node_graph::node_graph(const sparse_view& rows) : begin_(rows.columns + 1) {
  rows.ensure(0, rows.rows());
  double total = 0.0;
  float least = std::numeric_limits<float>::infinity(), most = 0.0f;
  for_edges(rows, [&](std::uint32_t from, std::uint32_t, float weight) {
    ++begin_[from + 1];
    total += static_cast<double>(weight);
    least = std::min(least, weight), most = std::max(most, weight);
  });
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  to_.resize(begin_.back());
  std::vector<std::pair<std::uint32_t, float>> edges(begin_.back());
  std::vector<double> mass(nodes(), 1.0), leaving(nodes());
  std::vector<std::size_t> end(begin_.begin(), begin_.end() - 1);
  const double per_weight = total > 0.0 ? static_cast<double>(edges.size()) / total : 0.0;
  for_edges(rows, [&](std::uint32_t from, std::uint32_t to, float weight) {
    edges[end[from]++] = {to, weight};
    mass[to] += static_cast<double>(weight) * per_weight;
    leaving[from] += static_cast<double>(weight);
  });
  for (double& m : mass) m = std::pow(m, 0.75);
  contrast_ = alias_table(std::move(mass));
  leaving_ = alias_table(std::move(leaving));

  const bool weighted = least < most;
  if (weighted) weight_.resize(edges.size()), columns_.reserve(edges.size());
  for (std::size_t node = 0; node < nodes(); ++node) {
    const std::span<std::pair<std::uint32_t, float>> own =
        std::span(edges).subspan(begin_[node], begin_[node + 1] - begin_[node]);
    std::ranges::sort(own);
    for (std::size_t k = 0; k < own.size(); ++k) to_[begin_[node] + k] = own[k].first;
    if (!weighted) continue;
    std::vector<double> weights;
    for (std::size_t k = 0; k < own.size(); ++k) weights.push_back(weight_[begin_[node] + k] = own[k].second);
    const std::vector<alias_column> table = alias_table(std::move(weights));
    columns_.insert(columns_.end(), table.begin(), table.end());
  }
}

std::uint32_t node_graph::next(std::uint32_t here, std::uint64_t bits) const {
  const std::span<const std::uint32_t> all = after(here);
  if (columns_.empty()) return all[static_cast<std::size_t>((bits >> 32) * all.size() >> 32)];
  return all[draw_from(std::span(columns_).subspan(begin_[here], all.size()), bits)];
}

std::uint32_t node_graph::next_after(std::uint32_t before, std::uint32_t here, const walk_rule& rule,
                                     const counter_random& random, std::uint64_t& drawn) const {
  constexpr int tries = 64;
  const double back = 1.0 / static_cast<double>(rule.p), away = 1.0 / static_cast<double>(rule.q);
  const double most = std::max({back, away, 1.0});
  const auto factor = [&](std::uint32_t to) { return to == before ? back : leads(before, to) ? 1.0 : away; };
  // A neighbour drawn by the weights is taken with the chance factor / most, else another one is drawn (Yang and
  // others, KnightKing: a fast distributed graph random walk engine, SOSP 2019).
  for (int k = 0; k < tries; ++k) {
    const std::uint32_t to = next(here, random.bits(drawn++));
    if (random.uniform(drawn++) * most < factor(to)) return to;
  }
  // Hardly any is taken: all are looked at.
  const std::span<const std::uint32_t> all = after(here);
  const auto mass = [&](std::size_t k) {
    return factor(all[k]) * (weight_.empty() ? 1.0 : static_cast<double>(weight_[begin_[here] + k]));
  };
  double total = 0.0;
  for (std::size_t k = 0; k < all.size(); ++k) total += mass(k);
  double left = random.uniform(drawn++) * total;
  for (std::size_t k = 0; k + 1 < all.size(); ++k)
    if ((left -= mass(k)) < 0.0) return all[k];
  return all.back();
}

void node_graph::walk(std::uint32_t from, const walk_rule& rule, const counter_random& random,
                      std::vector<std::uint32_t>& path) const {
  path.assign(1, from);
  std::uint64_t drawn = 0;
  while (path.size() < rule.length && !after(path.back()).empty())
    path.push_back(path.size() > 1 && rule.heeds_past()
                       ? next_after(path[path.size() - 2], path.back(), rule, random, drawn)
                       : next(path.back(), random.bits(drawn++)));
}

void require_whole_graph(const sparse_view& rows, std::size_t nodes, std::string_view source) {
  if (rows.rows() != rows.columns || rows.columns != nodes || rows.row_start.back() - rows.row_start.front() < nodes)
    throw config_error(std::string(source) + ": a graph is trained as a whole, with a row for each of its " +
                       std::to_string(nodes) + " nodes, and there are " + std::to_string(rows.rows()) +
                       " rows: train in one process, and hold no rows back");
}

}  // namespace hogwild
