// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/detail/collectives/agreement.hpp>
#include <hogwild/detail/options/option_list.hpp>
#include <hogwild/detail/options/same_on_ranks.hpp>
#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/detail/run/prepare.hpp>

#include "task/require.hpp"

// The labels that the rows of all ranks have, and declared labels.

namespace hogwild {

using detail::require;

namespace {

/// If each rank has at most two labels, but all together have more, the message compares the ranks' labels.
void require_two_labels(const std::vector<double>& mine, const std::vector<double>& all, const agreement& ranks) {
  if (all.size() <= 2 || ranks.any(mine.size() > 2)) return;
  std::string text;
  for (const double label : mine) text += (text.empty() ? "" : " and ") + detail::to_text(label);
  const named_value labels{"the labels of the rows", text};
  detail::require_same_on_ranks(std::span(&labels, 1), ranks);
}

}  // namespace

label_map learn_labels(label_kind kind, const label_column& labels, const std::string& source, const agreement& ranks) {
  if (ranks.alone() || kind == label_kind::real) return label_map::learn(kind, labels, source);
  if (kind != label_kind::classes) label_map::refuse_lists(labels, source);
  if (ranks.any(!labels.rounded().empty()) && labels.rounded().empty())
    throw input_error(source + ": another rank has labels of classes that double precision cannot tell from their " +
                      "neighbours: number the classes anew");
  std::vector<double> values;
  values.reserve(labels.size());
  for (std::size_t r = 0; r < labels.size(); ++r) {
    if (!labels.lists()) values.push_back(labels[r]);
    if (labels.lists())
      for (const std::uint32_t code : labels.list(r)) values.push_back(labels.table()[code]);
  }
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  std::vector<double> all = ranks.all_of(values);
  if (kind == label_kind::binary) require_two_labels(values, all, ranks);
  values = std::move(all);
  return label_map::learn(
      kind, label_column(std::span<const double>(values)).with_rounded(labels.rounded()).with_words(labels.words()),
      source);
}

label_map declared_labels(label_kind kind, const std::vector<double>& values, const sparse_view& rows,
                          const std::string& source) {
  require(kind != label_kind::real,
          "only labels of classes can be declared, and this model learns numbers: leave them out");
  std::vector<double> sorted = values;
  std::ranges::sort(sorted);
  require(std::ranges::adjacent_find(sorted) == sorted.end(), "a label is declared twice: leave one out");
  require(std::ranges::all_of(sorted, [](double x) { return std::isfinite(x); }),
          "a declared label is not a finite number");
  require(kind != label_kind::binary || sorted.size() == 2,
          "this model has two labels, but " + std::to_string(sorted.size()) + " are declared");
  // Other faults of declared labels are reported as for labels that occur.
  const label_map known = label_map::learn(
      kind, label_column(std::span<const double>(sorted)).with_words(rows.label.words()), "the declared labels");
  known.require_known(rows.label, source, rows.id, true);
  return known;
}

}  // namespace hogwild
