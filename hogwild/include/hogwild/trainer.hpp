// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hogwild/detail/run/engine_run.hpp>
#include <hogwild/detail/stream/stream_run.hpp>
#include <hogwild/engines.hpp>
#include <hogwild/train.hpp>
#include <hogwild/trained_model.hpp>

namespace hogwild {

/// A callable that makes a model for a given number of columns.
template <class Make, class M>
concept makes_models = requires(const Make& make, std::size_t columns) {
  { make(columns) } -> std::convertible_to<M>;
};

/// Describes to a stream the model that `make` makes for a number of columns. `prepare_rows(m, rows, options)` calls
/// prepare().
template <class M, class Make, class Prepare>
stream_model described_stream(const Make& make, [[maybe_unused]] bool bias, const Prepare& prepare_rows) {
  const M least = make(1);
  stream_model said{.name = model_name<M>(), .traits = traits_of(least)};
  if constexpr (requires { least.hyperparameters(); }) {
    for (const auto number : least.hyperparameters()) said.hyperparameters.push_back(static_cast<double>(number));
  } else {
    for (const model_number& number : numbers_of<M>()) said.hyperparameters.push_back(number.get(&least));
  }
  said.prepare = [make, prepare_rows](const sparse_view& rows, const train_options& options) {
    return prepare_rows(make(rows.columns), rows, options);
  };
  said.require_data = []([[maybe_unused]] const sparse_view& rows) {};
  if constexpr (requires(const M& m, const sparse_view& rows) { m.require_data(rows, std::string_view()); })
    said.require_data = [make](const sparse_view& rows) { make(rows.columns).require_data(rows, "the stream"); };
  if constexpr (free_model<M>)
    said.groups = [make](std::size_t columns) { return groups_of(make(columns)); };
  else
    said.groups = [bias](std::size_t columns) { return margin_groups(columns, bias); };
  return said;
}

/// The engine, with a thread team whose threads sleep between two calls.
template <class Engine>
Engine engine_of_stream(Engine engine) {
  if constexpr (requires { engine.team; }) engine.team = thread_team_of_stream(engine.team);
  return engine;
}

/// Trains a model on a stream of rows: each call of partial_fit() trains on its rows once, in their order. Workers wait
/// between calls. The model grows when rows have new columns.
///
/// Rows are trained in chunks of chunk_rows(), counted from the first row of the stream. Rows that do not fill a chunk
/// are kept for the next call, or until flush(). The first stream_options::first_rows rows are kept until all of them
/// have come. So the result does not depend on how rows are split into calls: with one worker it is the same to the bit
/// (under optimisers with running means, such as adam, up to rounding), except for models that draw random numbers.
/// Under sgd and adagrad without l2 it equals, to the bit, that of train() for one epoch with row_order::sequential, if
/// the chunks of train() hold whole batches, as they do for many short rows.
///
/// A stream has no end, so options that depend on the rows of an epoch are refused with config_error: ftrl, averages,
/// validation, targets, warm-up, weights of classes and others; also l1 and l2, except for linear models under sgd. l1
/// is applied to all columns at once, after every 1,024 rows and by flush(). The default l2 is 0. The step is constant
/// unless a decay is given. With `options.resume` step and l2 are those of the checkpoint. Weights of rows are used as
/// given, not divided by their mean. Each row has one label; images and rows with lists of labels are refused.
///
/// Only one thread at a time may use a trainer.
template <model M>
class trainer {
 public:
  /// Trains with serial_engine or thread_engine. std threads replace OpenMP threads, which would spin between calls.
  /// `options.labels` has all labels that may occur, except for models that predict numbers. `options.resume` is a file
  /// that checkpoint() of a trainer with the same model and options wrote; training continues from it. Throws
  /// config_error for options that a stream cannot use, and input_error if the checkpoint cannot be read.
  template <makes_models<M> Make, class Engine>
  requires std::same_as<Engine, serial_engine> || std::same_as<Engine, thread_engine> trainer(
      Make make, const Engine& engine, const train_options& options, const stream_options& how = {})
      : make_(std::move(make)),
        run_(
            described_stream<M>(
                make_, options.bias,
                [](const M& m, const sparse_view& rows, const train_options& of) { return prepare(m, rows, of); }),
            [by = engine_of_stream(engine)] { return std::make_unique<engine_of<Engine>>(by); }, options, how) {
    static_assert(conforms<M>());
    if constexpr (requires { engine.segment; }) {
      if (!engine.segment.empty()) throw config_error("a stream's parameters lie in no segment: leave out its name");
    }
  }
  /// For a model that does not depend on the number of columns.
  template <class Engine>
  requires margin_model<M> trainer(const M& m, const Engine& engine, const train_options& options,
                                   const stream_options& how = {})
      : trainer([m](std::size_t) { return m; }, engine, options, how) {}

  /// Trains on rows, which need not outlive the call. They may have more columns than earlier rows; known columns keep
  /// their positions. Throws input_error, before anything changes, for rows that the model does not allow, or labels
  /// that were not declared. Any other exception (out of memory, say) ends the stream: make another trainer that
  /// resumes from a checkpoint.
  stream_report partial_fit(const sparse_view& rows) { return run_.take(rows); }
  /// The same for a dataset, or rows in memory.
  template <holds_rows Data>
  stream_report partial_fit(const Data& data) {
    return partial_fit(sparse_view(data.view()));
  }
  /// Trains on the rows that are kept, and tells whether the stream has diverged (stream_report::diverged), also in a
  /// note. The result depends on when it is called.
  stream_report flush() { return run_.flush(); }

  std::size_t chunk_rows() const { return run_.chunk_rows(); }  ///< rows that a worker trains before it draws again
  std::uint64_t rows() const { return run_.rows(); }            ///< rows given since the stream began
  std::uint64_t trained() const { return run_.trained(); }      ///< rows trained so far; the others are kept
  std::size_t columns() const { return run_.columns(); }        ///< the number of columns so far

  /// A copy of the model, as trained so far. Throws config_error if no row was trained yet.
  trained_model<M> model() const {
    std::vector<float> parameters = run_.parameters();  // first, since it throws before any training
    std::vector<std::uint32_t> numbers = run_.numbers();
    for (std::size_t j = numbers.size(); j < columns(); ++j) numbers.push_back(static_cast<std::uint32_t>(j));
    return {make_(columns()), std::move(parameters), run_.labels(), std::move(numbers)};
  }
  /// A copy of the parameters (true w), laid out by the model's groups. Throws as model().
  std::vector<float> parameters() const { return run_.parameters(); }
  /// A copy of the optimiser's state, laid out alike, whether or not train_options::keep_state is set. Throws as
  /// model().
  optimizer_state state() { return run_.state(); }
  /// Writes the model as hogwild::save() does.
  void save(const std::filesystem::path& path) const { hogwild::save(path, model()); }
  /// Writes everything that is needed to continue: the parameters, the optimiser's state and the rows that are kept. So
  /// none of the first rows() rows has to be given again. If the process is killed while it writes, the old file stays.
  /// Throws resource_error (disk full), input_error (bad path), or an error with exit_code::diverged if weights are not
  /// finite; then the old file is unchanged.
  void checkpoint(const std::string& path) const { run_.checkpoint(path); }

 private:
  std::function<M(std::size_t)> make_;
  stream_run run_;
};

}  // namespace hogwild
