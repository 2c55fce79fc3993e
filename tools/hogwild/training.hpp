// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <hogwild/detail/run/advise.hpp>
#include <hogwild/detail/run/engine_run.hpp>
#include <hogwild/detail/run/prepare.hpp>
#include <hogwild/detail/stream/stream_run.hpp>
#include <hogwild/registry.hpp>
#include <hogwild/result.hpp>
#include <interrupt/interrupt.hpp>

#include "ranks.hpp"
#include "train_request.hpp"

// The one place that combines named models with engines.

namespace hogwild::cli {

/// The engine that the request names; its workers train together with `ranks` if there are any.
std::unique_ptr<any_engine> make_engine(const train_request& request, launched_ranks* ranks);

/// Trains with the engine that the request names, together with `ranks` if there are any. `options` are the request's,
/// completed by what was opened.
train_result train_with_engine(const named_model& m, const sparse_view& rows, const train_request& request,
                               const train_options& options, launched_ranks* ranks);

/// The same for requests beyond one run: an l2 by folds, measures of folds, and a path of l2. `ranks` train each run
/// together, on their parts of the rows, and divide the folds among them, for which each has all rows. Returns the run,
/// of a path the one that is kept; if it was stopped before the first point ended, it has no parameters.
train_result train_with_folds(const named_model& m, const rank_rows& rows, const train_request& request,
                              const train_options& options, launched_ranks* ranks, folds_outcome& outcome);

/// prepare() of the model.
prepared_task prepare_named(const named_model& m, const sparse_view& rows, const train_options& options,
                            collective* ranks);

/// A stream of rows from which the request's model learns, by the request's engine.
stream_run make_stream(const train_request& request, const train_options& options);
/// The model for so many columns.
named_model model_for(const train_request& request, std::size_t columns);

/// The mean loss of as many of the rows as a training run measures after an epoch, and their number.
struct measured_loss {
  std::size_t rows;
  double loss;
};
/// The loss that a training run on these rows would report with these parameters, laid out as in train_result. For
/// models without a margin.
measured_loss loss_in_training(const named_model& m, const sparse_view& rows, std::span<const float> parameters);

/// The measures of other rows that a training run on the rows `known` would report with these parameters, for models
/// that order candidates. The loss is that of the options of `m`: a saved model does not hold the options of its loss.
measurement measured_in_training(const named_model& m, const sparse_view& known, const sparse_view& rows,
                                 std::span<const float> parameters);

/// The predicted times of training by each engine, for 1, 2, 4, ... workers up to those of the request (default: as
/// many as the machine and its quota give). Devices are not included.
advice advise_on_engines(const named_model& m, const sparse_view& rows, const train_request& request,
                         const train_options& options);

/// The value for main in a process that the engine "processes" started as a worker; nothing in any other process.
std::optional<int> spawned_worker_main(int argc, const char* const* argv);

/// Joins a running training and trains for it until it ends. Returns the exit code.
int join_run(const std::string& segment_name);

/// Learns from the rows of standard input until it ends or a stop is requested. Prints a line now and then: the rows so
/// far, their loss before they were trained on, and how many of them a checkpoint holds, which need not be sent again.
/// Returns the exit code.
int train_stream(const train_request& request, interrupt& asked);

}  // namespace hogwild::cli
