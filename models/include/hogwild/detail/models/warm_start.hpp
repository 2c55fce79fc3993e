// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <hogwild/detail/words/vocabulary.hpp>
#include <hogwild/registry.hpp>
#include <hogwild/saved_model.hpp>
#include <hogwild/word_vectors.hpp>

// Training that goes on from what another run has learned, whole or group by group. What train_options::initial calls.

namespace hogwild {

/// Overwrites parameters of `m`, whose columns have the input numbers `original`, with those of a saved model. A group
/// whose rows belong to columns takes the rows of the columns that the saved model has, and of factors for fields (ffm)
/// those for the fields that it has; any other is taken as it is.
/// `groups` names the groups to take; none: all, and then the saved model has to have them all. Its kind may be another
/// one as long as the groups are alike.
/// Returns how many parameters were taken. Throws config_error for a group that one of the models has not, or that is
/// of another size in the two, or of another number of factors.
std::size_t warm_start(const saved_model& saved, const named_model& m, std::span<const std::uint32_t> original,
                       std::span<const std::string> groups, std::span<float> parameters);

/// The same from word vectors, for words that both have; what a word says as a neighbour is not saved, and begins anew.
/// Throws config_error for vectors of another dimension.
std::size_t warm_start(const word_vectors& saved, const named_model& m, const vocabulary& words,
                       std::span<float> parameters);

}  // namespace hogwild
