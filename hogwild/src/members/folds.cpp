// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/members/folds.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include <hogwild/detail/data/label_spelling.hpp>
#include <hogwild/detail/math/random.hpp>
#include <hogwild/detail/run/column_counts.hpp>
#include <hogwild/detail/run/validation_split.hpp>
#include <hogwild/error.hpp>

namespace hogwild {

namespace {

void require_rows_of_all(const detail::strata& parts, const std::vector<std::size_t>& rows, const label_map& known,
                         const label_column& labels, std::size_t folds) {
  if (parts.count() < 2) return;
  for (std::size_t c = 0; c < rows.size(); ++c) {
    if (rows[c] == 0 || rows[c] >= folds) continue;
    throw input_error("the label " + labels.name_of(known.values()[c]) + " has " + std::to_string(rows[c]) +
                      (rows[c] == 1 ? " row" : " rows") + ", fewer than the " + std::to_string(folds) +
                      " folds, and each fold needs one: use fewer folds, or leave out the rows of this label");
  }
}

/// Rows of fold 0, of fold 1, ..., each in the original order; then all but the last fold once more.
std::vector<std::size_t> doubled(std::span<const std::uint32_t> fold_of, std::vector<std::size_t>& begin) {
  const std::size_t folds = begin.size() - 1;
  for (const std::uint32_t k : fold_of) ++begin[k + 1];
  for (std::size_t k = 0; k < folds; ++k) begin[k + 1] += begin[k];
  std::vector<std::size_t> next(begin), order(fold_of.size());
  for (std::size_t r = 0; r < fold_of.size(); ++r) order[next[fold_of[r]]++] = r;
  order.reserve(order.size() + begin[folds - 1]);
  for (std::size_t i = 0; i < begin[folds - 1]; ++i) order.push_back(order[i]);
  return order;
}

sparse_dataset doubled_rows(const sparse_view& rows, std::span<const std::uint32_t> fold_of,
                            std::vector<std::size_t>& begin) {
  return sparse_dataset::copy_of(rows, doubled(fold_of, begin));
}

std::vector<std::uint32_t> deal_groups(std::span<const std::uint32_t> group_of, std::size_t folds, std::uint64_t seed) {
  detail::shuffled_groups groups(group_of, seed);
  if (folds > groups.order.size())
    throw config_error("there are more folds, " + std::to_string(folds) + ", than groups of rows, " +
                       std::to_string(groups.order.size()) + ": use fewer folds, or leave out the groups");
  std::ranges::stable_sort(groups.order, std::greater<>(), [&](std::uint32_t group) { return groups.rows[group]; });
  std::vector<std::uint32_t> fold_of_group(groups.rows.size()), fold_of(group_of.size());
  std::vector<std::size_t> rows(folds);
  for (const std::uint32_t group : groups.order) {
    const auto least = static_cast<std::size_t>(std::ranges::min_element(rows) - rows.begin());
    fold_of_group[group] = static_cast<std::uint32_t>(least);
    rows[least] += groups.rows[group];
  }
  std::ranges::transform(group_of, fold_of.begin(), [&](std::uint32_t group) { return fold_of_group[group]; });
  return fold_of;
}

void require_labels_in_all(const detail::strata& parts, std::span<const std::uint32_t> fold_of, std::size_t folds,
                           const label_map& known, const label_column& labels) {
  if (parts.count() < 2) return;
  std::vector<std::vector<bool>> has(parts.count());
  for (std::size_t r = 0; r < fold_of.size(); ++r) {
    has[parts.of(r)].resize(folds);
    has[parts.of(r)][fold_of[r]] = true;
  }
  for (std::size_t c = 0; c < has.size(); ++c)
    if (std::ranges::find(has[c], false) != has[c].end())
      throw input_error("the label " + labels.name_of(known.values()[c]) + " has rows in too few groups: one of the " +
                        std::to_string(folds) +
                        " folds would be without it; use fewer folds, or leave out the groups or the rows of this "
                        "label");
}

}  // namespace

std::vector<std::uint32_t> draw_folds(const sparse_view& all, const label_map& known, std::size_t folds,
                                      std::uint64_t seed) {
  const label_column& labels = all.label;
  const std::size_t rows = labels.size();
  if (folds < 2) throw config_error("cross-validation needs at least two folds, not " + std::to_string(folds));
  if (folds > rows)
    throw config_error("there are more folds, " + std::to_string(folds) + ", than rows, " + std::to_string(rows) +
                       ": use fewer folds");
  const detail::strata parts(labels, known);
  std::vector<std::size_t> count(parts.count());
  for (std::size_t r = 0; r < rows; ++r) ++count[parts.of(r)];
  require_rows_of_all(parts, count, known, labels, folds);
  if (!all.group.empty()) {
    std::vector<std::uint32_t> fold_of = deal_groups(all.group, folds, seed);
    require_labels_in_all(parts, fold_of, folds, known, labels);
    return fold_of;
  }

  // All rows, shuffled and then sorted by strata, are dealt out like cards: each stratum begins at the fold where the
  // one before it ended.
  std::vector<std::size_t> order(rows);
  const counter_random random(seed, 0x666f6c64u);
  for (std::size_t r = 0; r < rows; ++r) {
    const auto place = static_cast<std::size_t>(random.below(r, r + 1));
    order[r] = order[place];
    order[place] = r;
  }
  std::vector<std::size_t> next(count.size(), 0);
  for (std::size_t c = 1; c < next.size(); ++c) next[c] = next[c - 1] + count[c - 1];
  std::vector<std::uint32_t> fold_of(rows);
  for (const std::size_t r : order) fold_of[r] = static_cast<std::uint32_t>(next[parts.of(r)]++ % folds);
  return fold_of;
}

row_folds::row_folds(const sparse_view& rows, std::span<const std::uint32_t> fold_of, std::size_t folds)
    : begin_(folds + 1), rows_(doubled_rows(rows, fold_of, begin_)), degree_(folds) {
  const std::vector<std::uint32_t> all = count_columns(rows_.view().slice(0, begin_.back()));
  for (std::size_t k = 0; k < folds; ++k) {
    const std::vector<std::uint32_t> left_out = count_columns(validation(k));
    degree_[k].resize(all.size());
    std::ranges::transform(all, left_out, degree_[k].begin(), std::minus<>());
  }
}

sparse_view row_folds::training(std::size_t k) const {
  const std::size_t size = begin_[k + 1] - begin_[k];
  sparse_view part = rows_.view().slice(begin_[k + 1], begin_[k + 1] + begin_.back() - size);
  part.degree = degree_[k];
  part.class_rows = {};
  return part;
}

sparse_view row_folds::validation(std::size_t k) const {
  sparse_view part = rows_.view().slice(begin_[k], begin_[k + 1]);
  part.degree = part.class_rows = {};
  return part;
}

}  // namespace hogwild
