// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>

#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/embeddings/known_answers.hpp>
#include <hogwild/detail/embeddings/target_table.hpp>
#include <hogwild/measures.hpp>
#include <hogwild/model.hpp>

namespace hogwild {

/// Triples whose entities are asked for. Entity e is column e of the rows, relation r column entities + r.
struct asked_triples {
  const sparse_view& rows;  ///< triples of weight 0 are known and not asked for, incomplete ones are left out
  std::size_t entities = 0, relations = 0;
  const known_answers& known;  ///< of the training rows: left out, like those of `rows`, unless asked for
  /// Writes the vector of a question: the tail of an entity and a relation r, or the head of relation relations + r.
  std::function<void(std::uint32_t entity, std::size_t relation, std::span<float> to)> write;
  /// The most questions that are measured, which lie evenly among all.
  std::size_t lists = static_cast<std::size_t>(-1);
};
/// Finds the exact place of each answer among all entities but other known answers, and sets the measures of these
/// places (place_counts), unless a stop is requested. Places are found by all threads of the team and counted by one,
/// so the measures do not depend on the number of threads.
void measure_places(const target_table& entities, const asked_triples& triples, const thread_runner& in_threads,
                    const std::stop_token& stop, measurement& into);
/// The same by all CPUs, for a trained model whose first parameters are the entities' vectors, `width` floats each.
measurement measure_places(std::span<const float> parameters, std::size_t width, const asked_triples& triples);

}  // namespace hogwild
