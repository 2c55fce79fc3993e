// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <hogwild/option_values.hpp>
#include <hogwild/saved_model.hpp>

// What the saved state of an optimiser belongs to.

namespace hogwild::detail {

/// A saved state without arrays, for a state of these numbers.
saved_state named_state(const state_numbers& numbers);
/// The numbers of a state. Throws input_error if this program has no such optimiser, or the optimiser has other numbers
/// or other arrays.
state_numbers numbers_of(const saved_state& state);

/// Why a run cannot go on with a state of these numbers, as the end of a sentence; empty if it can. `given`: the run's
/// constants, of which those that it does not give are taken from the state; likewise its step.
std::string why_unsuited(const state_numbers& of, optimizer_kind by, const optimizer_constants& given,
                         std::optional<double> step);

}  // namespace hogwild::detail
