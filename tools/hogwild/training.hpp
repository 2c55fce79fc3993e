// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hogwild/models/registry.hpp>
#include <hogwild/result.hpp>

#include "train_request.hpp"

namespace hogwild::cli {

/// Trains with the engine that the request names. `options` are the request's, completed with what was opened.
train_result run_training_with_engine(const named_model& m, const sparse_dataset& data, const train_request& request,
                                      const train_options& options);

}  // namespace hogwild::cli
