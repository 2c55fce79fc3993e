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

#include <hogwild/detail/engines/any_engine.hpp>
#include <hogwild/detail/run/stream_run.hpp>
#include <hogwild/engines.hpp>
#include <hogwild/train.hpp>
#include <hogwild/trained_model.hpp>

namespace hogwild {

/// Makes a model for so many columns.
template <class Make, class M>
concept makes_models = requires(const Make& make, std::size_t columns) {
  { make(columns) } -> std::convertible_to<M>;
};

/// A model that `make` makes for a number of columns, as a stream knows it. `prepare_rows(m, rows, options)` is
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

/// The engine with a team whose threads sleep between two calls.
template <class Engine>
Engine engine_of_stream(Engine engine) {
  if constexpr (requires { engine.team; }) engine.team = thread_team_of_stream(engine.team);
  return engine;
}

/// A model that is trained for as long as rows come: each call of partial_fit() trains on its rows once, in their
/// order. Workers wait between calls, and new columns make the model grow.
///
/// Rows are trained in chunks of chunk_rows(), counted from the stream's first one. What is left over of a call, and at
/// first all rows until there are stream_options::first_rows, is kept for the next one: so it does not matter how rows
/// are dealt to calls: one worker makes the same bits of them in any case, but of models that draw numbers, and under
/// momentum and adam to rounding. Under sgd and adagrad they are those of train() for one epoch with
/// row_order::sequential, where its chunks hold whole batches, as of many short rows, and there is no l2. flush()
/// trains what is left over.
///
/// A stream has no end: options that go by the rows of an epoch are refused with config_error (ftrl, averages,
/// validation, targets, warm-up, weights of classes ..., l1 and l2 but of linear models under sgd). l1 is taken of all
/// columns at once, of 1,024 rows and by flush(). l2 is 0 by default, and
/// the step stays what it is unless a decay is given; with `options.resume` both are the checkpoint's. Weights of rows
/// count as they are, not over a mean. Rows have one label each, and no numbers of their own.
///
/// One thread at a time may use a trainer.
template <model M>
class trainer {
 public:
  /// Trains by threads, or by serial_engine; std threads take the place of OpenMP's, which would spin between two
  /// calls. `options.labels` says which labels there are; models of numbers have none. `options.resume` names what
  /// checkpoint() wrote, by a trainer of the same model and options: this one goes on from there. Throws config_error
  /// for options that do not suit, and input_error where a checkpoint cannot be read.
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
  /// Of a model that is the same for any number of columns.
  template <class Engine>
  requires margin_model<M> trainer(const M& m, const Engine& engine, const train_options& options,
                                   const stream_options& how = {})
      : trainer([m](std::size_t) { return m; }, engine, options, how) {}

  /// Trains on rows, which need not outlive the call. They may have more columns than those before them, whose columns
  /// keep their places. Throws input_error, before anything has changed, for rows that do not suit the model, and for
  /// labels that were not declared. Anything else that it throws, as where memory is short, ends the stream: go on from
  /// a checkpoint by another trainer.
  stream_report partial_fit(const sparse_view& rows) { return run_.take(rows); }
  /// Trains on these rows, each once, in the order of their chunks.
  template <holds_rows Data>
  stream_report partial_fit(const Data& data) {
    return partial_fit(sparse_view(data.view()));
  }
  /// Trains on what is left over. How often that is done counts for the bits.
  stream_report flush() { return run_.flush(); }

  std::size_t chunk_rows() const { return run_.chunk_rows(); }  ///< rows that a worker trains before it draws again
  std::uint64_t rows() const { return run_.rows(); }            ///< taken since the stream began
  std::uint64_t trained() const { return run_.trained(); }      ///< of them; the others are left over
  std::size_t columns() const { return run_.columns(); }        ///< up to the largest that occurred

  /// The model of the rows that are trained, which is a copy. Throws config_error before any is.
  trained_model<M> model() const {
    std::vector<float> parameters = run_.parameters();  // first, for it says what is wrong
    std::vector<std::uint32_t> numbers = run_.numbers();
    for (std::size_t j = numbers.size(); j < columns(); ++j) numbers.push_back(static_cast<std::uint32_t>(j));
    return {make_(columns()), std::move(parameters), run_.labels(), std::move(numbers)};
  }
  /// Its parameters: true w, by groups as the model says.
  std::vector<float> parameters() const { return run_.parameters(); }
  /// Writes the model as hogwild::save() does.
  void save(const std::filesystem::path& path) const { hogwild::save(path, model()); }
  /// Writes what going on needs: parameters, the optimiser's state, rows that are left over. Whoever has it need not
  /// give any of rows() again. At every instant, should the process be killed, it or the one before it is whole. Throws
  /// resource_error (disk full), input_error (bad path), or an error of exit_code::diverged where weights are not
  /// finite; then what stood there is as before.
  void checkpoint(const std::string& path) const { run_.checkpoint(path); }

 private:
  std::function<M(std::size_t)> make_;
  stream_run run_;
};

}  // namespace hogwild
