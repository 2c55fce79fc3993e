// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/loop/step.hpp>
#include <hogwild/detail/model/row_scorer.hpp>
#include <hogwild/detail/models/library_form.hpp>
#include <hogwild/detail/results/saved_form.hpp>
#include <hogwild/detail/task/evaluate.hpp>
#include <hogwild/detail/teams/thread_team.hpp>

// How trained_model.hpp scores rows.

namespace hogwild::detail {

/// The input number of each column; if rows do not have them, the positions.
std::vector<std::uint32_t> input_numbers_of(const sparse_view& rows);

/// Throws config_error if rows have more columns than `columns`, or columns with other input numbers; input_error if a
/// row in memory has a column that the rows do not have.
void require_numbered_as(std::span<const std::uint32_t> columns, const sparse_view& rows);

[[noreturn]] void refuse_unnamed(std::string_view model);

/// Throws for a model that has no margin.
[[noreturn]] void refuse_offsets(std::string_view model);

/// Whether a workspace model scores all classes of rows with lists of labels.
template <class M>
inline constexpr bool scores_lists = workspace_model<M>&& takes_lists<M>();

/// Numbers that tell two models of a type apart: the loss and prediction of a margin model, the number of parameters
/// and the loss on the first of these rows of a free model, and the hyperparameters of either.
template <model M>
std::vector<double> marks_of(const M& m, std::span<const float> parameters, const label_map& labels,
                             const sparse_view& rows) {
  std::vector<double> marks;
  if constexpr (requires { m.hyperparameters(); })
    for (const double number : m.hyperparameters()) marks.push_back(number);
  if constexpr (margin_model<M>) {
    const bool binary = labels_of(m) == label_kind::binary;
    for (float margin = -8.0f; margin <= 8.0f; margin += 0.125f)
      for (const float label : {binary ? -1.0f : 0.0f, 1.0f}) {
        marks.push_back(static_cast<double>(m.loss(margin, label)));
        marks.push_back(static_cast<double>(prediction_of(m, margin)));
      }
  } else {
    marks.push_back(static_cast<double>(m.dim()));
    if (m.dim() != parameters.size()) return marks;
    const std::vector<parameter_of_t<M>> w(parameters.begin(), parameters.end());
    row_scorer<M> score(m, w, rows, 1);
    row_cursor cursor(rows);
    for (std::size_t r = 0; r < std::min<std::size_t>(rows.rows(), 16); ++r) {
      rows.ensure(r, r + 1);
      const sparse_row<float> z = labelled_row(cursor, r, labels);
      row_score said;
      score(0, &z, r, {});
      score(0, nullptr, 0, {&said, 1});
      marks.push_back(said.loss);
      marks.push_back(static_cast<double>(said.score));
    }
  }
  return marks;
}

/// Whether the library has a descriptor that knows more about the model's files than its groups tell.
template <class M>
inline constexpr bool has_form_of_its_own = free_model<M>&& in_library<M>();

/// Saves a model so that load() restores it from the file.
template <model M>
void save_restorable(const std::filesystem::path& path, const M& m, std::span<const float> parameters,
                     const label_map& labels, std::span<const std::uint32_t> columns,
                     [[maybe_unused]] const sparse_view& rows) {
  static_assert(
      requires { M::name; }, "a model that is saved has a static constexpr std::string_view name");
  if constexpr (has_form_of_its_own<M>) {
    save_model(path, library_form_of(m, parameters, labels, columns), model_format_for(path));
  } else {
    const saved_model form = saved_form_of(m, parameters, labels, columns);
    const M again = model_of_saved<M>(form);
    sparse_view tried = rows;
    tried.columns = columns.size();
    const auto alike = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    if (!std::ranges::equal(marks_of(again, parameters, labels, tried), marks_of(m, parameters, labels, tried), alike))
      refuse_unnamed(model_name<M>());
    save_model(path, form, model_format_for(path));
  }
}

template <model M>
restored_model<M> restored(const saved_model& saved) {
  if constexpr (has_form_of_its_own<M>) {
    return restored_of_library<M>(saved);
  } else {
    const M m = model_of_saved<M>(saved);
    return {m, parameters_of_saved(m, saved), saved.columns};
  }
}

/// Scores rows of a model: the threads, the parameters and the scorers.
template <model M>
struct scoring {
  using scalar = parameter_of_t<M>;

  scoring(const M& m, std::span<const float> parameters, std::span<const std::uint32_t> columns,
          const sparse_view& rows, std::optional<std::size_t> workers, thread_team_kind team)
      : threads(thread_team::make(team, std::min(worker_count(workers), std::max<std::size_t>(rows.rows() / 256, 1)),
                                  false)),
        model_(m),
        shape_(rows) {
    require_numbered_as(columns, rows);
    if (!rows.offset.empty() && !takes_offsets<M>()) refuse_offsets(model_name<M>());
    shape_.columns = columns.size();
    if constexpr (std::same_as<scalar, float>)
      parameters_ = parameters;
    else
      wide_.assign(parameters.begin(), parameters.end()), parameters_ = wide_;
  }
  scoring(const scoring&) = delete;  // refers to itself
  scoring& operator=(const scoring&) = delete;

  /// A function that makes one thread's scorer of `batch` rows at once.
  auto maker() const {
    return [this](std::size_t batch) { return row_scorer<M>(model_, parameters_, shape_, batch); };
  }

  /// Calls put(row, score) for each row, in parallel.
  template <class Put>
  void score(const sparse_view& rows, std::size_t batch, const Put& put) const {
    static_assert(scores_rows<M>, "a model that predicts has predict(w, z)");
    score_rows(rows, *threads, batch, maker(), put);
  }

  /// The measures of rows with lists of labels.
  measurement measure_lists(const sparse_view& rows, const label_map& labels,
                            std::size_t batch) const requires scores_lists<M> {
    return evaluate_lists(rows, labels, *threads, batch, maker(),
                          [this](std::span<const float> scores) { return model_.decision(scores); });
  }

  const std::unique_ptr<thread_team> threads;

 private:
  const M& model_;
  sparse_view shape_;  ///< columns and images of the rows
  std::vector<scalar> wide_;
  std::span<const scalar> parameters_;
};

}  // namespace hogwild::detail
