// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include <hogwild/result.hpp>

#include "train_request.hpp"

namespace hogwild::cli {

/// Whether --save is given and there is something to save. A run that diverged has no model, unless --save-diverged
/// asks for its finite parameters; a run that was stopped before its first row has only its initial model.
bool saves(const train_request& request, const train_result& result);

/// How a run ended, as text of several lines.
std::string summary_text(const train_request& request, const train_result& result, const folds_outcome& folds);

/// The same as JSON: one object, one line.
std::string summary_json(const train_request& request, const train_result& result, const folds_outcome& folds);

/// "loss 0.2711, accuracy 0.9234, AUC 0.9712, F1 0.9230": the measures that exist.
std::string measures_text(const measurement& m);
/// The same by the names of measures, with `prefix` before each: test_loss, test_accuracy, ...
void put_measures(nlohmann::ordered_json& into, const std::string& prefix, const measurement& m);

}  // namespace hogwild::cli
