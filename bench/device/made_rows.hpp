// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <generate/generate.hpp>

namespace hogwild::bench {

// The same rows for the same arguments on every machine. By all CPUs, in memory: a hundred million ratings are there in
// seconds, which those of bench/suite, text by one CPU, are not.

/// Ratings around 3 of what users and items have in common, with some noise. Small numbers of users and items occur
/// more often.
generate::rows made_ratings(std::size_t ratings, std::size_t users, std::size_t items);

/// Sentences of twenty words: word k is said about 1 / (k + 1) as often as the first. Of half of the words a sentence
/// takes those of its own topic, one in a hundred.
generate::rows made_sentences(std::size_t words, std::size_t different);

/// Each row's label becomes that of so many random planes on whose positive side it lies farthest.
void label_by_planes(generate::rows& rows, std::size_t planes);

}  // namespace hogwild::bench
