// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <hogwild/dataset.hpp>
#include <hogwild/formats/ratings.hpp>

namespace hogwild {

// Triples of a knowledge graph: one a line, "head relation tail". Fields are separated by tabs, or by blanks if no line
// has a tab. A line has three fields, none of them empty; blank lines are skipped, and nothing else is: there are no
// comments and no quotation marks. A first line "head relation tail" or "subject predicate object" is a header.
//
// Names are text, byte for byte, and have at most 255 bytes: "1" and "01" differ. Entities and relations are named
// apart.
//
// As a row of data, a triple is three entries of value 1 in the order head, relation, tail, with the label 0. Unlike in
// other data, a column may occur twice in a row: head and tail may be one entity. In the input's numbering entities
// have the odd column numbers of users (user_column()) and relations the even ones of items. Among the positions all
// entities come before all relations, each by falling number of occurrences.

/// The names of entities and relations: entities[k] is the name of the entity with the id k. Names are distinct.
struct triple_names {
  std::vector<std::string> entities{}, relations{};  ///< by id
};

/// The input number of an entity's column; `id` is at most largest_rating_id.
constexpr std::uint32_t entity_column(std::uint32_t id) {
  return user_column(id);
}
/// The input number of a relation's column; `id` is at most largest_rating_id.
constexpr std::uint32_t relation_column(std::uint32_t id) {
  return item_column(id);
}
/// Whether a column belongs to an entity, and not to a relation.
constexpr bool is_entity_column(std::uint32_t column) {
  return is_user_column(column);
}
/// The id of the entity or relation that a column belongs to.
constexpr std::uint32_t triple_id(std::uint32_t column) {
  return rating_id(column);
}
/// The number of entities among these columns, which are in the order of their positions.
inline std::size_t count_entities(std::span<const std::uint32_t> original) {
  return count_users(original);
}

/// Opens triples, plain or compressed. Names in `names` have their ids from there; new ones are appended in the order
/// of their bytes, so equal files make equal ids. There is no cache, as it would not know the names. Read through a
/// numbering, a triple lacks the entries of entities and relations that the numbering does not know, and a note tells
/// how many such triples there are. Throws what open_libsvm throws. All triples are held in memory while they are read.
sparse_dataset open_triples(const std::string& path, triple_names& names, const open_options& options = {});

}  // namespace hogwild
