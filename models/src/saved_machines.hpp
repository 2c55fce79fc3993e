// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <hogwild/core/saved_model.hpp>
#include <hogwild/models/factorization_machine.hpp>
#include <hogwild/models/ffm.hpp>
#include <hogwild/models/registry.hpp>

#include "saved_nets.hpp"

// Factorization machines in saved models: a column has its weight and behind it its factors, without padding; the bias
// is that of no column.

namespace hogwild::detail {

/// Model, labels and columns are the caller's to fill in; `ranks` is the order of the saved columns. Throws
/// config_error where the sizes do not fit.
saved_model machine_to_saved(const factorization_machine& m, std::span<const float> parameters,
                             std::span<const std::uint32_t> ranks);
saved_model machine_to_saved(const ffm& m, std::span<const float> parameters, std::span<const std::uint32_t> ranks);

/// What make_model needs to know of a saved machine. Throws input_error, which names it, where that is missing or out
/// of range.
void choose_machine(const saved_model& saved, model_choice& choice);

/// Parameters as they are trained, of columns in the order of the saved ones. Throws input_error where the sizes do not
/// fit.
std::vector<float> machine_from_saved(const factorization_machine& m, const saved_model& saved);
std::vector<float> machine_from_saved(const ffm& m, const saved_model& saved);

/// What answers for an ffm of these parameters.
std::shared_ptr<saved_net> read_machine(const ffm& m, const saved_model& saved, const std::vector<float>& parameters);

}  // namespace hogwild::detail
