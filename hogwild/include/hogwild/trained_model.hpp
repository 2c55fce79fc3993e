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
#include <hogwild/detail/engines/thread_team.hpp>
#include <hogwild/detail/run/row_weights.hpp>
#include <hogwild/detail/task/scoring.hpp>
#include <hogwild/model.hpp>
#include <hogwild/option_values.hpp>
#include <hogwild/result.hpp>
#include <hogwild/saved_model.hpp>

// What a program does with a model that it has trained: save it, load it, predict, evaluate. For models of the library
// and of one's own alike.

namespace hogwild {

/// A model with all that scoring needs.
template <model M>
struct trained_model {
  M model{};                             ///< as it was trained
  std::vector<float> parameters{};       ///< as train() returns them
  label_map labels{};                    ///< the meaning of the labels that it was trained on
  std::vector<std::uint32_t> columns{};  ///< the input number of each column, by position

  /// The open_options::numbering by which rows are numbered as the model is. Refers to `columns`.
  column_numbering numbering() const { return column_numbering(columns); }
};

/// The threads that score, and how many rows they take at once.
struct scoring_options {
  std::optional<std::size_t> workers{};              ///< > 0; default: as many as this process may use
  thread_team_kind team = thread_team_kind::openmp;  ///< the library of these threads
  std::size_t batch = 64;                            ///< rows that models with a workspace take at once; 0 counts as 1

  std::size_t at_once() const { return std::max<std::size_t>(batch, 1); }  ///< rows that a thread scores at a time
};

/// The model that a run has trained; `data` are the rows that it was trained on. Columns of rows that do not say their
/// numbers have those of their positions.
template <model M>
trained_model<M> trained(const train_result& run, const sparse_view& data, const M& m) {
  return {m, run.parameters, run.labels, detail::input_numbers_of(data)};
}

/// Writes a trained model aside and renames it to `path`, as text where the path ends in ".txt": the file that
/// `hogwild train --save` writes. It holds M::name, what M::numbers() names, the labels and the parameters, those of
/// double as float. Throws config_error where parameters and model do not suit each other, and what save_model()
/// throws.
template <model M>
void save(const std::filesystem::path& path, const trained_model<M>& trained) {
  detail::save_restorable(path, trained.model, trained.parameters, trained.labels, trained.columns, {});
}

/// The same of a run that has just ended, on the rows that it was trained on. Throws config_error, too, where load()
/// would make another model of the file, as of a number of the model that M::numbers() does not name: on the first rows
/// it would lose something else.
template <model M>
void save(const std::filesystem::path& path, const train_result& run, const sparse_view& data, const M& m) {
  detail::save_restorable(path, m, run.parameters, run.labels, detail::input_numbers_of(data), data);
}

/// Reads what save() has written. Throws input_error with the path where it holds another model than M, or numbers,
/// labels or parameters that do not suit it; and what load_model() throws.
template <model M>
trained_model<M> load(const std::filesystem::path& path) {
  const saved_model saved = load_model(path);
  try {
    auto read = detail::restored<M>(saved);
    return {std::move(read.model), std::move(read.parameters), saved.labels, std::move(read.columns)};
  } catch (const error& fault) {
    throw input_error(path.string() + ": " + fault.what());
  }
}

/// The answer of the model for each row, in the order of the rows: the margin where labels are two, the number of the
/// class, or the number. Rows are scored in parallel, and by batches; labels are not looked at. Throws config_error for
/// rows that are numbered otherwise than the model; rows that do not say their columns' numbers are taken to be
/// numbered as `columns` of the model are.
template <model M>
std::vector<float> scores(const trained_model<M>& trained, const sparse_view& rows,
                          const scoring_options& options = {}) {
  const detail::scoring<M> by(trained.model, trained.parameters, trained.columns, rows, options.workers, options.team);
  std::vector<float> all(rows.rows());
  by.score(rows, options.at_once(), [&](std::size_t row, float score) { all[row] = score; });
  return all;
}

/// The label of each row, as labels were read.
template <model M>
std::vector<double> predict(const trained_model<M>& trained, const sparse_view& rows,
                            const scoring_options& options = {}) {
  const detail::scoring<M> by(trained.model, trained.parameters, trained.columns, rows, options.workers, options.team);
  std::vector<double> all(rows.rows());
  by.score(rows, options.at_once(),
           [&](std::size_t row, float score) { all[row] = trained.labels.decode(static_cast<double>(score)); });
  return all;
}

/// The mean loss on labelled rows, and the measures that suit the labels: as a run measures them. Throws as scores(),
/// and input_error for a label that the model was not trained on.
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

/// The same for anything that holds rows and says view(): a dataset, or rows in memory.
template <class Data>
concept holds_rows = requires(const Data& data) {
  { data.view() } -> std::convertible_to<sparse_view>;
};
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

}  // namespace hogwild
