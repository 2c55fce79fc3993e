// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <hogwild/result.hpp>

namespace hogwild {

/// The kinds of rows that models are measured on.
enum class row_kind : std::uint8_t { two_classes, classes, lists, numbers, graph, pairs, triples };

/// Computes a measure that a program adds, from the scores, labels and weights of all rows; `weights` is empty if each
/// row counts once. For two classes, labels are -1 and 1, and a score above 0 means 1. For several classes, scores and
/// labels are class numbers. NaN: these rows do not have the measure.
using measure_of_scores = double (*)(std::span<const float> scores, std::span<const float> labels,
                                     std::span<const float> weights);

struct confusion;
class list_counts;
class forecasts;
/// Computes a measure of the engine (metrics.hpp) on rows whose labels are numbers or classes. Nothing: these rows do
/// not have it.
using measure_of_rows = std::optional<double> (*)(std::span<const float> scores, std::span<const float> labels,
                                                  std::span<const float> weights);
/// The same for rows of groups: `groups` has the number of each row's.
using measure_of_groups = std::optional<double> (*)(std::span<const float> scores, std::span<const float> labels,
                                                    std::span<const float> weights,
                                                    std::span<const std::uint32_t> groups);
using measure_of_two_classes = double (confusion::*)() const;                   ///< the same on rows of two classes
using measure_of_lists = std::optional<double> (*)(const list_counts& counts);  ///< the same on rows with lists
/// The same from the probabilities of rows of two or several classes.
using measure_of_forecasts = double (*)(const forecasts& of, std::span<const float> weights);

/// A measure of a model besides its loss. If it is measured in training, records and --target call it test_NAME on the
/// test rows; a search calls it NAME.
struct measure {
  std::string_view name;                      ///< of lowercase letters, digits and underscores
  std::string_view title;                     ///< its name in summaries
  const char* format;                         ///< the printf format of its value in a summary
  bool more_is_better;                        ///< whether a larger value is better
  std::uint8_t rows;                          ///< a bit for each row_kind that it is measured on
  std::optional<double> measurement::*value;  ///< the member that holds it
  /// Computes it on rows whose labels are numbers or classes; null: it is not measured on them.
  measure_of_rows of_rows = nullptr;
  /// Computes it on rows of two classes, in the place of of_rows.
  measure_of_two_classes of_two_classes = nullptr;
  measure_of_lists of_lists = nullptr;  ///< computes it on rows with lists of labels
  bool sorts = false;                   ///< whether it sorts the rows by their scores
  measure_of_scores compute = nullptr;  ///< computes a measure that a program has added
  /// Computes a measure of probabilities, which is not measured in training: models hand over scores there.
  measure_of_forecasts forecast = nullptr;
  measure_of_groups of_groups = nullptr;  ///< computes it on rows that have groups; others do not have it

  /// Whether training measures it, so that it can be a target, and a search's metric.
  constexpr bool in_training() const { return forecast == nullptr; }
  /// Whether it is measured on rows of this kind.
  constexpr bool suits(row_kind kind) const { return (rows >> static_cast<unsigned>(kind) & 1u) != 0; }
  /// Whether `x` is at least as good as `bound`.
  bool reaches(double x, double bound) const { return more_is_better ? x >= bound : x <= bound; }
};

/// The most measures that there can be, whatever a program adds.
std::size_t most_measures();

/// All measures, in the order in which they are reported: those of the engine, then those that were added.
/// `measurement` and metrics.hpp define the former.
std::span<const measure> all_measures();

/// A measure of a program's own.
struct own_measure {
  std::string_view name;      ///< as of a measure; lives as long as the process
  row_kind rows;              ///< two_classes, classes or numbers
  bool more_is_better;        ///< as of a measure
  measure_of_scores compute;  ///< called by one thread at a time
};

/// Adds a measure, which is then one of all_measures(). Call it before anything is trained, in one thread, and on all
/// ranks alike. Throws config_error if the name is taken or no name, for other kinds of rows, without a function, and
/// for the fifth measure.
void add_measure(const own_measure& added);

/// Calls f(measure, value) for each measure that `m` has, in the order of the table.
template <class F>
void for_each_measure(const measurement& m, const F& f) {
  for (const measure& each : all_measures())
    if (const std::optional<double>& value = m.*each.value) f(each, *value);
}

/// The measure by which a run compares its epochs on rows of this kind, unless it is told another one; empty: the loss.
/// The loss of a model that orders candidates is about a few of them, which are drawn.
std::string_view usual_comparison(row_kind kind);

/// The number by which measurements are compared, the lower the better: the loss for an empty name, otherwise the
/// measure, with the other sign if more of it is better. Nothing if the rows do not have it.
std::optional<double> compared_value(const measurement& m, std::string_view name);

/// A figure of an epoch that a run can be asked to reach: train_loss, objective, test_loss, or test_NAME of a measure
/// that is measured in training; and the same with validation in the place of test.
class target_figure {
 public:
  /// Nothing if there is no figure of that name.
  static std::optional<target_figure> named(std::string_view name);
  /// The names of all figures, with a comma and a blank between them. Those of validation rows are told by their
  /// beginning.
  static std::string all_names();
  /// Those of them that rows of this kind have.
  static std::string names_for(row_kind kind);

  /// The member that has the rows on which it is measured; null: those of the training.
  std::optional<measurement> epoch_report::*rows() const { return rows_; }
  /// Whether rows of this kind have it.
  bool suits(row_kind kind) const { return measure_ == nullptr || measure_->suits(kind); }
  /// Whether the epoch is at least as good as `bound`; false if it does not have the figure.
  bool reached(const epoch_report& epoch, double bound) const;

 private:
  double epoch_report::*of_epoch_ = nullptr;
  std::optional<measurement> epoch_report::*rows_ = nullptr;
  const measure* measure_ = nullptr;  ///< null: a loss
};

/// The words for rows of a kind in a sentence: "rows of two classes".
std::string_view to_string(row_kind kind);

}  // namespace hogwild
