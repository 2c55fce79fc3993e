// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <hogwild/result.hpp>

namespace hogwild {

/// The kinds of rows that models are measured on.
enum class row_kind : std::uint8_t { two_classes, classes, lists, numbers, graph };

/// A measure of a model besides its loss. Records and --target call it test_NAME on the test rows; records call it
/// validation_NAME on the validation rows; a search calls it NAME.
struct measure {
  std::string_view name;                      ///< of small letters, digits and underscores
  std::string_view title;                     ///< its name in summaries
  const char* format;                         ///< the printf format of its value in a summary
  bool more_is_better;                        ///< whether a larger value is better
  std::uint8_t rows;                          ///< a bit for each row_kind that it is measured on
  std::optional<double> measurement::*value;  ///< the member that holds it

  /// Whether it is measured on rows of this kind.
  constexpr bool suits(row_kind kind) const { return (rows >> static_cast<unsigned>(kind) & 1u) != 0; }
  /// Whether `x` is at least as good as `bound`.
  bool reaches(double x, double bound) const { return more_is_better ? x >= bound : x <= bound; }
};

namespace detail {
template <class... Kinds>
constexpr std::uint8_t rows_of(Kinds... kinds) {
  return static_cast<std::uint8_t>(((1u << static_cast<unsigned>(kinds)) | ...));
}
}  // namespace detail

/// All measures, in the order in which they are reported. `measurement` and metrics.hpp define them.
inline constexpr std::array<measure, 10> measures{{
    {"cut", "cut", "%.8g", false, detail::rows_of(row_kind::graph), &measurement::cut},
    {"accuracy", "accuracy", "%.4f", true, detail::rows_of(row_kind::two_classes, row_kind::classes, row_kind::graph),
     &measurement::accuracy},
    {"auc", "AUC", "%.4f", true, detail::rows_of(row_kind::two_classes), &measurement::auc},
    {"f1", "F1", "%.4f", true, detail::rows_of(row_kind::two_classes), &measurement::f1},
    {"rmse", "RMSE", "%.6g", false, detail::rows_of(row_kind::numbers), &measurement::rmse},
    {"precision_at_1", "precision at 1", "%.4f", true, detail::rows_of(row_kind::lists), &measurement::precision_at_1},
    {"precision_at_3", "precision at 3", "%.4f", true, detail::rows_of(row_kind::lists), &measurement::precision_at_3},
    {"precision_at_5", "precision at 5", "%.4f", true, detail::rows_of(row_kind::lists), &measurement::precision_at_5},
    {"micro_f1", "micro F1", "%.4f", true, detail::rows_of(row_kind::lists), &measurement::micro_f1},
    {"macro_f1", "macro F1", "%.4f", true, detail::rows_of(row_kind::lists), &measurement::macro_f1},
}};

/// Calls f(measure, value) for each measure that `m` has, in the order of the table.
template <class F>
void for_each_measure(const measurement& m, const F& f) {
  for (const measure& each : measures)
    if (const std::optional<double>& value = m.*each.value) f(each, *value);
}

/// A figure of an epoch that a run can be asked to reach: train_loss, objective, test_loss, or test_NAME of a measure.
class target_figure {
 public:
  /// Nothing if there is no figure of that name.
  static std::optional<target_figure> named(std::string_view name);
  /// The names of all figures, with a comma and a blank between them.
  static std::string all_names();
  /// The names of the figures that rows of this kind have.
  static std::string names_for(row_kind kind);

  /// Whether it is measured on test rows.
  bool needs_test_rows() const { return of_test_; }
  /// Whether rows of this kind have it.
  bool suits(row_kind kind) const { return measure_ == nullptr || measure_->suits(kind); }
  /// Whether the epoch is at least as good as `bound`; false if it does not have the figure.
  bool reached(const epoch_report& epoch, double bound) const;

 private:
  double epoch_report::*of_epoch_ = nullptr;
  bool of_test_ = false;
  const measure* measure_ = nullptr;  ///< null: a loss
};

/// The words for rows of a kind in a sentence: "rows of two classes".
std::string_view to_string(row_kind kind);

}  // namespace hogwild
