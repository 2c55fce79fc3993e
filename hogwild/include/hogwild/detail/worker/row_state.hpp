// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/model.hpp>

// row_adagrad has one number for each run of parameters that a model emits. If each run begins where a row does, arrays
// of a number a row hold them (store_shape::state_length). Otherwise, and in files, an array is as long as the
// parameters: a run's number is at its first parameter, and the others are 0.

namespace hogwild {

/// The groups of short arrays, for all groups of a model: in the same order, with as many rows.
std::vector<parameter_group> row_state_groups(const std::vector<parameter_group>& groups);

/// The numbers in a short array.
std::size_t row_state_length(const std::vector<parameter_group>& groups);

/// The groups of array k of a store, where 0 are the parameters; `groups` are all groups of these.
std::vector<parameter_group> groups_of_array(const store_shape& shape, std::size_t k,
                                             const std::vector<parameter_group>& groups);

/// Array k of the optimiser's state, as long as the parameters. Called between rounds.
template <parameter T>
std::vector<T> long_state(const param_store& store, std::size_t k, const std::vector<parameter_group>& groups);

/// Sets array k of the optimiser's state by an array as long as the parameters. Called between rounds.
template <parameter T>
void set_state(const param_store& store, std::size_t k, const std::vector<parameter_group>& groups,
               std::span<const T> values);

}  // namespace hogwild
