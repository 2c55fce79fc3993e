// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/run/row_weights.hpp>
#include <hogwild/detail/task/scoring.hpp>
#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwild/model.hpp>
#include <hogwild/option_values.hpp>
#include <hogwild/result.hpp>
#include <hogwild/saved_model.hpp>

// A program can save a model that it has trained, load it, predict with it and evaluate it. This works for the
// library's models and for a program's own models alike.

namespace hogwild {

/// A model with everything that scoring needs.
template <model M>
struct trained_model {
  M model{};                             ///< the model that was trained
  std::vector<float> parameters{};       ///< as train() returns them
  label_map labels{};                    ///< maps the labels that it was trained on
  std::vector<std::uint32_t> columns{};  ///< the input number of each column, by position

  /// The value for open_options::numbering that gives rows the model's column positions. Refers to `columns`.
  column_numbering numbering() const { return column_numbering(columns); }
};

/// The threads that score, and how many rows each scores at a time.
struct scoring_options {
  std::optional<std::size_t> workers{};              ///< > 0; default: as many as this process may use
  thread_team_kind team = thread_team_kind::openmp;  ///< the library of these threads
  std::size_t batch = 64;                            ///< rows that models with a workspace take at once; 0 means 1

  std::size_t at_once() const { return std::max<std::size_t>(batch, 1); }  ///< rows that a thread scores at a time
};

/// The model that a run has trained; `data` are the rows that it was trained on. If the data have no input numbers of
/// columns, these are the positions.
template <model M>
trained_model<M> trained(const train_result& run, const sparse_view& data, const M& m) {
  return {m, run.parameters, run.labels, detail::input_numbers_of(data)};
}

/// Writes a trained model to a temporary file and renames it to `path`; as text if the path ends in ".txt". The format
/// is that of `hogwild train --save`. The file holds M::name, the numbers that M::numbers() names, the labels and the
/// parameters (double as float). Throws config_error if the parameters do not fit the model, and what save_model()
/// throws.
template <model M>
void save(const std::filesystem::path& path, const trained_model<M>& trained) {
  detail::save_restorable(path, trained.model, trained.parameters, trained.labels, trained.columns, {});
}

/// The same for a run, given the rows that it was trained on. Also throws config_error if load() would restore another
/// model, for example because M::numbers() leaves out a number of the model. To find out, it compares the losses of
/// both models; for free models, on the first rows. The file does not hold train_result::state.
template <model M>
void save(const std::filesystem::path& path, const train_result& run, const sparse_view& data, const M& m) {
  detail::save_restorable(path, m, run.parameters, run.labels, detail::input_numbers_of(data), data);
}

/// Reads a file that save() wrote. Throws input_error, which names the path, if it holds another model than M, or
/// numbers, labels or parameters that do not fit M, or a calibration; and what load_model() throws.
template <model M>
trained_model<M> load(const std::filesystem::path& path) {
  const saved_model saved = load_model(path);
  if (saved.calibrated)
    throw input_error(
        path.string() +
        ": the model is calibrated, which a hogwild::predictor (registry.hpp) applies, and load() does not");
  try {
    auto read = detail::restored<M>(saved);
    return {std::move(read.model), std::move(read.parameters), saved.labels, std::move(read.columns)};
  } catch (const error& fault) {
    throw input_error(path.string() + ": " + fault.what());
  }
}

/// The score of each row, in the order of the rows: the margin for binary labels, the number of the predicted class, or
/// the predicted number. Threads score rows in batches and ignore labels. Throws config_error if the columns of the
/// rows are numbered differently from the model's; rows without input numbers are taken to be numbered as `columns`.
template <model M>
std::vector<float> scores(const trained_model<M>& trained, const sparse_view& rows,
                          const scoring_options& options = {}) {
  const detail::scoring<M> by(trained.model, trained.parameters, trained.columns, rows, options.workers, options.team);
  std::vector<float> all(rows.rows());
  by.score(rows, options.at_once(), [&](std::size_t row, float score) { all[row] = score; });
  return all;
}

/// The predicted label of each row, as in the data that the model was trained on.
template <model M>
std::vector<double> predict(const trained_model<M>& trained, const sparse_view& rows,
                            const scoring_options& options = {}) {
  const detail::scoring<M> by(trained.model, trained.parameters, trained.columns, rows, options.workers, options.team);
  std::vector<double> all(rows.rows());
  by.score(rows, options.at_once(),
           [&](std::size_t row, float score) { all[row] = trained.labels.decode(static_cast<double>(score)); });
  return all;
}

/// The mean loss on labelled rows, and the measures for labels of this kind, as a run measures them. Throws as
/// scores(), and input_error for a label that the model was not trained on.
template <model M>
measurement evaluate(const trained_model<M>& trained, const sparse_view& given, const scoring_options& options = {}) {
  trained.labels.require_known(given.label, "the rows");
  const std::vector<float> weights = row_weights(given, {}, trained.labels, "the rows", nullptr);
  sparse_view rows = given;
  rows.weight = weights;
  const detail::scoring<M> by(trained.model, trained.parameters, trained.columns, rows, options.workers, options.team);
  if constexpr (detail::scores_lists<M>)
    if (rows.label.lists()) return by.measure_lists(rows, trained.labels, options.at_once());
  return evaluate_examples(rows, trained.labels, *by.threads, options.at_once(), by.maker(),
                           detail::scores_rows<M> && !rows.label.lists(),
                           cuts_graphs<M>() ? measure_cut : measure_scores);
}

/// Anything that holds rows and has view(): a dataset, or rows in memory. The functions above also take these.
template <class Data>
concept holds_rows = requires(const Data& data) {
  { data.view() } -> std::convertible_to<sparse_view>;
};
/// The same for anything that holds rows.
///@{
template <model M, holds_rows Data>
trained_model<M> trained(const train_result& run, const Data& data, const M& m) {
  return trained(run, sparse_view(data.view()), m);
}
template <model M, holds_rows Data>
void save(const std::filesystem::path& path, const train_result& run, const Data& data, const M& m) {
  save(path, run, sparse_view(data.view()), m);
}
template <model M, holds_rows Data>
std::vector<float> scores(const trained_model<M>& trained, const Data& rows, const scoring_options& options = {}) {
  return scores(trained, sparse_view(rows.view()), options);
}
template <model M, holds_rows Data>
std::vector<double> predict(const trained_model<M>& trained, const Data& rows, const scoring_options& options = {}) {
  return predict(trained, sparse_view(rows.view()), options);
}
template <model M, holds_rows Data>
measurement evaluate(const trained_model<M>& trained, const Data& rows, const scoring_options& options = {}) {
  return evaluate(trained, sparse_view(rows.view()), options);
}
///@}

}  // namespace hogwild
