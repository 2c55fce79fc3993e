// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/embeddings/known_answers.hpp>

#include <algorithm>
#include <tuple>

#include <hogwild/detail/data/row_cursor.hpp>

namespace hogwild {

known_answers::known_answers(const sparse_view& rows, std::size_t entities, std::size_t relations)
    : begin_(entities + 1) {
  struct answered {
    std::uint32_t entity, relation, answer;
    auto operator<=>(const answered&) const = default;
  };
  std::vector<answered> all;
  all.reserve(2 * rows.rows());
  row_cursor cursor(rows);
  rows.ensure(0, rows.rows());
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    const auto known = triple_of(cursor.row(r).index, entities, relations);
    if (!known) continue;
    all.push_back({known->head, known->relation, known->tail});
    all.push_back({known->tail, static_cast<std::uint32_t>(relations + known->relation), known->head});
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  for (const answered& a : all) {
    ++begin_[a.entity + 1];
    relation_.push_back(a.relation);
    answer_.push_back(a.answer);
  }
  for (std::size_t e = 0; e < entities; ++e) begin_[e + 1] += begin_[e];
}

std::span<const std::uint32_t> known_answers::of(std::uint32_t entity, std::size_t relation) const {
  const std::span<const std::uint32_t> own =
      std::span(relation_).subspan(begin_[entity], begin_[entity + 1] - begin_[entity]);
  const auto [first, last] = std::equal_range(own.begin(), own.end(), static_cast<std::uint32_t>(relation));
  return std::span(answer_).subspan(begin_[entity] + static_cast<std::size_t>(first - own.begin()),
                                    static_cast<std::size_t>(last - first));
}

}  // namespace hogwild
