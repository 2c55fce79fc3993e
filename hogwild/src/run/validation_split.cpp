// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/validation_split.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/math/random.hpp>

#include "task/require.hpp"

namespace hogwild {

namespace {

/// The number of rows to draw from each stratum: fractions are carried over to the next stratum, from a random start,
/// so that no stratum is favoured and the sum is `wanted`.
std::vector<std::size_t> quotas(const std::vector<std::size_t>& rows, std::size_t all, std::size_t wanted,
                                double chance) {
  std::vector<std::size_t> quota(rows.size());
  std::size_t before = 0, taken = 0;
  for (std::size_t c = 0; c < rows.size(); ++c) {
    before += rows[c];
    const double due = static_cast<double>(wanted) * static_cast<double>(before) / static_cast<double>(all);
    const auto by_now = static_cast<std::size_t>(std::floor(due + chance));
    quota[c] = std::min(by_now - taken, rows[c] - std::min<std::size_t>(rows[c], 1));
    taken = by_now;
  }
  return quota;
}

std::vector<bool> draw_groups(std::span<const std::uint32_t> group_of, std::size_t wanted, std::uint64_t seed) {
  const detail::shuffled_groups groups(group_of, seed);
  detail::require(groups.order.size() > 1,
                  "the rows to hold back are drawn by groups, and all rows belong to one: leave out the groups");
  std::vector<bool> taken(groups.rows.size());
  std::size_t held = 0;
  for (const std::uint32_t group : groups.order)
    if (held + groups.rows[group] <= wanted) taken[group] = true, held += groups.rows[group];
  // One more group, which makes too many rows, may come nearer than without it.
  std::optional<std::uint32_t> smallest;
  for (const std::uint32_t group : groups.order)
    if (!taken[group] && (!smallest || groups.rows[group] < groups.rows[*smallest])) smallest = group;
  const std::size_t with = smallest ? held + groups.rows[*smallest] : group_of.size();
  if (with < group_of.size() && (held == 0 || with - wanted < wanted - held)) taken[*smallest] = true;
  std::vector<bool> held_back(group_of.size());
  for (std::size_t r = 0; r < held_back.size(); ++r) held_back[r] = taken[group_of[r]];
  return held_back;
}

void require_both(bool both, std::size_t rows) {
  detail::require(both, "the fraction to hold back leaves no rows to train on, or holds back none: there are " +
                            std::to_string(rows) + " rows");
}

/// The number of rows that are the fraction of all.
std::size_t wanted_of(std::size_t rows, double fraction) {
  const auto wanted = static_cast<std::size_t>(std::round(fraction * static_cast<double>(rows)));
  require_both(wanted > 0 && wanted < rows, rows);
  return wanted;
}

/// Draws from each of so many strata; `of(r)` is that of a row.
std::vector<bool> draw_strata(std::size_t rows, std::size_t strata, const auto& of, std::size_t wanted,
                              std::uint64_t seed) {
  std::vector<std::size_t> left(strata);
  for (std::size_t r = 0; r < rows; ++r) ++left[of(r)];
  const counter_random random(seed, 0x76616c69u);
  std::vector<std::size_t> needed = quotas(left, rows, wanted, random.uniform(rows));
  require_both(std::ranges::any_of(needed, [](std::size_t n) { return n > 0; }), rows);
  // Row by row, with the probability that makes every choice equally likely (Knuth, The Art of Computer Programming,
  // volume 2, section 3.4.2, algorithm S).
  std::vector<bool> held(rows);
  for (std::size_t r = 0; r < rows; ++r) {
    const std::size_t c = of(r);
    held[r] = random.below(r, left[c]) < needed[c];
    needed[c] -= held[r] ? 1 : 0;
    --left[c];
  }
  return held;
}

/// The positions of user and item of each pair.
std::vector<std::pair<std::uint32_t, std::uint32_t>> positions_of(const sparse_view& pairs) {
  pairs.ensure(0, pairs.rows());
  row_cursor cursor(pairs);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> positions;
  positions.reserve(pairs.rows());
  for (std::size_t r = 0; r < pairs.rows(); ++r) {
    const auto row = cursor.row(r);
    detail::require(row.size() == 2, "a pair has a user and an item, which both occur in the training data");
    positions.emplace_back(row.index[0], row.index[1]);
  }
  return positions;
}

}  // namespace

detail::shuffled_groups::shuffled_groups(std::span<const std::uint32_t> group_of, std::uint64_t seed) {
  for (const std::uint32_t group : group_of) {
    if (group >= rows.size()) rows.resize(group + std::size_t{1});
    if (rows[group]++ == 0) order.push_back(group);
  }
  std::ranges::sort(order);
  const counter_random random(seed, 0x67726f75u);
  for (std::size_t k = 0; k < order.size(); ++k) std::swap(order[k], order[random.below(k, k + 1)]);
}

std::vector<bool> draw_validation(const sparse_view& all, const label_map& known, double fraction, std::uint64_t seed) {
  const std::size_t wanted = wanted_of(all.label.size(), fraction);
  if (!all.group.empty()) return draw_groups(all.group, wanted, seed);
  const detail::strata parts(all.label, known);
  return draw_strata(
      all.label.size(), parts.count(), [&](std::size_t r) { return parts.of(r); }, wanted, seed);
}

std::vector<bool> draw_of_users(const sparse_view& pairs, double fraction, std::uint64_t seed) {
  const std::size_t wanted = wanted_of(pairs.rows(), fraction);
  const auto positions = positions_of(pairs);
  return draw_strata(
      pairs.rows(), pairs.columns, [&](std::size_t r) { return positions[r].first; }, wanted, seed);
}

std::vector<bool> last_of_users(const sparse_view& pairs, std::span<const double> time, std::size_t count) {
  const auto positions = positions_of(pairs);
  std::vector<std::size_t> order(pairs.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {},
                    [&](std::size_t r) { return std::tuple(positions[r].first, time[r], positions[r].second, r); });
  std::vector<bool> held(pairs.rows());
  bool any = false;
  for (std::size_t first = 0, end = 0; first < order.size(); first = end) {
    while (end < order.size() && positions[order[end]].first == positions[order[first]].first) ++end;
    if (end - first <= count) continue;
    for (std::size_t k = end - count; k < end; ++k) held[order[k]] = true;
    any = true;
  }
  detail::require(any,
                  "no user has more pairs than the " + std::to_string(count) + " that are to be held back of each");
  return held;
}

validation_split split_rows(const sparse_view& rows, const std::vector<bool>& held_back) {
  std::vector<std::size_t> kept, held;
  for (std::size_t r = 0; r < held_back.size(); ++r) (held_back[r] ? held : kept).push_back(r);
  return {sparse_dataset::copy_of(rows, kept), sparse_dataset::copy_of(rows, held)};
}

}  // namespace hogwild
