// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <hogwild/first_pass.hpp>
#include <hogwild/models/registry.hpp>
#include <hogwild/result.hpp>

#include "ranks.hpp"
#include "train_request.hpp"

// The one place where the named models meet the engines.

namespace hogwild::cli {

/// Trains with the engine that the request names, together with `ranks` where there are any. `options` are the
/// request's, completed with what was opened.
train_result train_with_engine(const named_model& m, const sparse_view& rows, const train_request& request,
                               const train_options& options, launched_ranks* ranks);

/// The first epoch, to be trained while the data are parsed. Throws config_error where model or options do not go with
/// it.
std::unique_ptr<first_pass> first_pass_of(const named_model& m, const train_options& options);

/// What main returns in a process that the engine "processes" started as a worker; nothing in any other process.
std::optional<int> spawned_worker_main(int argc, const char* const* argv);

/// Joins a running job and trains for it until it ends. Returns the exit code.
int join_job(const std::string& segment_name);

}  // namespace hogwild::cli
