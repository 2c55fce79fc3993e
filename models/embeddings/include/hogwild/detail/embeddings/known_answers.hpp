// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <hogwild/detail/data/sparse_view.hpp>

namespace hogwild {

/// A triple whose entities and relation a model knows, all numbered from 0.
struct known_triple {
  std::uint32_t head = 0, relation = 0, tail = 0;
};

/// The triple of a row's columns, where `entities` columns stand before those of `relations`; nothing if a column is
/// unknown, and so missing.
inline std::optional<known_triple> triple_of(std::span<const std::uint32_t> columns, std::size_t entities,
                                             std::size_t relations) {
  if (columns.size() != 3 || columns[0] >= entities || columns[2] >= entities || columns[1] < entities ||
      columns[1] - entities >= relations)
    return std::nullopt;
  return known_triple{columns[0], static_cast<std::uint32_t>(columns[1] - entities), columns[2]};
}

/// The entities that are known to answer each question: (entity, relation r) asks for tails, (entity, relations + r)
/// for heads. Never changed.
class known_answers {
 public:
  known_answers(const sparse_view& rows, std::size_t entities, std::size_t relations);

  /// Ascending, each once.
  std::span<const std::uint32_t> of(std::uint32_t entity, std::size_t relation) const;

 private:
  std::vector<std::size_t> begin_;  ///< of each entity's questions; one more than there are entities
  std::vector<std::uint32_t> relation_, answer_;
};

}  // namespace hogwild
