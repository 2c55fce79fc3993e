// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <generate/generate.hpp>

namespace hogwild::bench {

// Generated rows, the same for the same arguments on every machine. All CPUs generate them in memory: a hundred million
// ratings take seconds, much less than bench/suite, which writes text by one CPU.

/// Ratings around 3, from traits of users and items and some noise. Users and items of small numbers occur more often.
generate::rows made_ratings(std::size_t ratings, std::size_t users, std::size_t items);

/// Sentences of twenty words: word k occurs about 1 / (k + 1) times as often as the first. Half of a sentence's words
/// are of its own topic, to which one word in a hundred belongs.
generate::rows made_sentences(std::size_t words, std::size_t different);

/// Labels each row by the random plane, of `planes`, on whose positive side it lies farthest.
void label_by_planes(generate::rows& rows, std::size_t planes);

}  // namespace hogwild::bench
