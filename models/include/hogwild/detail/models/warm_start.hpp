// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <hogwild/detail/words/vocabulary.hpp>
#include <hogwild/registry.hpp>
#include <hogwild/result.hpp>
#include <hogwild/saved_model.hpp>
#include <hogwild/word_vectors.hpp>

// Training that continues from the result of another run, whole or group by group. train_options::initial calls it.

namespace hogwild {

/// Overwrites parameters of `m`, whose columns have the input numbers `original`, by those of a saved model. A group
/// whose rows belong to columns takes the rows of the columns that the saved model has, and with factors for fields
/// (ffm) those for the fields that it has; any other group is taken as a whole. `groups` names the groups to take;
/// none: all, and the saved model must have all of them. The saved model may be of another kind if the groups are
/// alike. Returns how many parameters were taken. Throws config_error for a group that one of the models does not have,
/// or whose size or number of factors differs.
std::size_t warm_start(const saved_model& saved, const named_model& m, std::span<const std::uint32_t> original,
                       std::span<const std::string> groups, std::span<float> parameters);

/// The same for the k-th array of the optimiser's state, which the saved model holds. `values`: zeros, laid out as the
/// parameters of `m`.
void warm_start_state(const saved_model& saved, std::size_t k, const named_model& m,
                      std::span<const std::uint32_t> original, std::span<const std::string> groups,
                      std::span<float> values);

/// Gives a saved model the state of the optimiser that trained `m`; without arrays none.
void put_state(const optimizer_state& state, const named_model& m, std::span<const std::uint32_t> original,
               saved_model& saved);

/// warm_start() from word vectors, for words that both have. What word vectors do not contain begins anew: the
/// outputs of windows, and the biases of glove, both of whose vectors are half of the saved one. Throws config_error
/// for vectors of another dimension.
std::size_t warm_start(const word_vectors& saved, const named_model& m, const vocabulary& words,
                       std::span<float> parameters);

}  // namespace hogwild
