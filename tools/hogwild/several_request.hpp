// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include <hogwild/registry.hpp>
#include <hogwild/result.hpp>
#include <hogwild/several_models.hpp>

namespace hogwild::cli {

class command_line;
struct train_request;

/// What --multiclass and --ensemble ask for.
struct several_request {
  bool one_vs_rest = false;
  bool ensemble = false;
  bool averages = false;                      ///< by the mean of their weights
  ensemble_options of_ensemble{.models = 0};  ///< 0: one for each worker, as count_models() decides

  bool any() const { return one_vs_rest || ensemble; }
  /// Whether the saved model has the parameters of several models.
  bool keeps_several() const { return any() && !averages; }
};

void declare_several(command_line& line, several_request& r);
/// Throws config_error for a model that cannot be combined with others.
void complete_several(train_request& r);
/// The number of workers of a process that divides models with others, if the number of models was left open.
std::size_t workers_for_shards(const train_request& r);
/// Decides the number of models. Throws config_error for one worker.
void count_models(train_request& r, std::size_t workers_of_all);

/// Trains what the request asks for, by its engine: `engine`, which does not know of other ranks; `ranks`, or null,
/// divide the models.
train_result train_several_with_engine(const named_model& m, const sparse_view& rows, const train_request& request,
                                       const train_options& options, std::shared_ptr<any_engine> engine,
                                       collective* ranks);
/// The saved model, if it keeps several.
saved_model saved_of_several(const train_request& request, const named_model& m, const train_result& result,
                             std::span<const std::uint32_t> original);

/// ", each of 10 classes against the rest" and the like; empty for a single model.
std::string several_text(const train_request& request, const train_result& result);
void put_several(nlohmann::ordered_json& into, const train_request& request, const train_result& result);

}  // namespace hogwild::cli
