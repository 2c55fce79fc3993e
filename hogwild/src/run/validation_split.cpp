// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/validation_split.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

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
  const label_column& labels = all.label;
  const std::size_t rows = labels.size();
  const auto wanted = static_cast<std::size_t>(std::round(fraction * static_cast<double>(rows)));
  const auto require_both = [rows](bool both) {
    detail::require(both, "the fraction to hold back leaves no rows to train on, or holds back none: there are " +
                              std::to_string(rows) + " rows");
  };
  require_both(wanted > 0 && wanted < rows);
  if (!all.group.empty()) return draw_groups(all.group, wanted, seed);
  const detail::strata parts(labels, known);
  std::vector<std::size_t> left(parts.count());
  for (std::size_t r = 0; r < rows; ++r) ++left[parts.of(r)];
  const counter_random random(seed, 0x76616c69u);
  std::vector<std::size_t> needed = quotas(left, rows, wanted, random.uniform(rows));
  require_both(std::ranges::any_of(needed, [](std::size_t n) { return n > 0; }));
  // Row by row, with the probability that makes every choice equally likely (Knuth, The Art of Computer Programming,
  // volume 2, section 3.4.2, algorithm S).
  std::vector<bool> held(rows);
  for (std::size_t r = 0; r < rows; ++r) {
    const std::size_t c = parts.of(r);
    held[r] = random.below(r, left[c]) < needed[c];
    needed[c] -= held[r] ? 1 : 0;
    --left[c];
  }
  return held;
}

validation_split split_rows(const sparse_view& rows, const std::vector<bool>& held_back) {
  std::vector<std::size_t> kept, held;
  for (std::size_t r = 0; r < held_back.size(); ++r) (held_back[r] ? held : kept).push_back(r);
  return {sparse_dataset::copy_of(rows, kept), sparse_dataset::copy_of(rows, held)};
}

}  // namespace hogwild
