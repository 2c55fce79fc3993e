// SPDX-License-Identifier: Apache-2.0
#pragma once

// Parts of the library's models of pairs and triples, for models of a program's own that learn vectors of users and
// items, entities and relations, or the like. docs/writing_models.md describes two such models.

#include <hogwild/detail/embeddings/drawn_block.hpp>     // drawn_block: sources against targets drawn for all of them
#include <hogwild/detail/embeddings/known_answers.hpp>   // known_answers: what is known of a knowledge graph
#include <hogwild/detail/embeddings/pair_model.hpp>      // pair_shape: vectors of users and items, and their measures
#include <hogwild/detail/embeddings/place_measures.hpp>  // measure_places(): exact filtered places of answers
#include <hogwild/detail/embeddings/row_sums.hpp>        // row_sums: emits the sum of gradients of the same row once
#include <hogwild/detail/embeddings/target_sampler.hpp>  // target_sampler, known_targets: negative targets
