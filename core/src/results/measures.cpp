// SPDX-License-Identifier: Apache-2.0
#include <hogwild/measures.hpp>

#include <algorithm>
#include <array>

#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/detail/results/forecasts.hpp>
#include <hogwild/detail/results/group_metrics.hpp>
#include <hogwild/detail/results/metrics.hpp>
#include <hogwild/error.hpp>

namespace hogwild {
namespace {

template <class... Kinds>
constexpr std::uint8_t rows_of(Kinds... kinds) {
  return static_cast<std::uint8_t>(((1u << static_cast<unsigned>(kinds)) | ...));
}

using counts = const list_counts&;
using value = std::optional<double>;
using floats = std::span<const float>;

template <double (*Compute)(floats, floats, floats)>
value of_rows(floats scores, floats labels, floats weights) {
  return Compute(scores, labels, weights);
}
constexpr measure of_lists(std::string_view name, std::string_view title, value measurement::*at,
                           measure_of_lists compute) {
  return {name, title, "%.4f", true, rows_of(row_kind::lists), at, nullptr, nullptr, compute};
}

constexpr measure of_forecasts(std::string_view name, std::string_view title, value measurement::*at,
                               measure_of_forecasts compute) {
  measure made{name, title, "%.4f", false, rows_of(row_kind::two_classes, row_kind::classes), at};
  made.forecast = compute;
  return made;
}

constexpr measure of_grouped(std::string_view name, std::string_view title, value measurement::*at, std::uint8_t rows,
                             measure_of_groups compute) {
  measure made{name, title, "%.4f", true, rows, at};
  made.of_groups = compute;
  made.sorts = true;
  return made;
}

/// Of places in an order, which the model of such rows computes.
constexpr measure of_places(std::string_view name, std::string_view title, value measurement::*at, row_kind rows) {
  return {name, title, "%.4f", true, rows_of(rows), at};
}

constexpr std::array of_the_engine = [] {
  using enum row_kind;
  return std::array{
      measure{"cut", "cut", "%.8g", false, rows_of(graph), &measurement::cut},
      measure{"accuracy", "accuracy", "%.4f", true, rows_of(two_classes, classes, graph), &measurement::accuracy,
              of_rows<accuracy>, &confusion::accuracy},
      measure{"auc", "AUC", "%.4f", true, rows_of(two_classes, pairs), &measurement::auc, area_under_curve, nullptr,
              nullptr, true},
      measure{"f1", "F1", "%.4f", true, rows_of(two_classes), &measurement::f1, nullptr, &confusion::f1},
      measure{"matthews", "Matthews", "%.4f", true, rows_of(two_classes), &measurement::matthews, nullptr,
              &confusion::matthews},
      of_grouped("group_auc", "group AUC", &measurement::group_auc, rows_of(two_classes), group_auc),
      of_grouped("ndcg_at_10", "NDCG at 10", &measurement::ndcg_at_10, rows_of(two_classes, numbers), ndcg_at_10),
      of_forecasts("log_loss", "log loss", &measurement::log_loss, log_loss),
      of_forecasts("brier_score", "Brier score", &measurement::brier_score, brier_score),
      of_forecasts("expected_calibration_error", "ECE", &measurement::expected_calibration_error,
                   expected_calibration_error),
      measure{"rmse", "RMSE", "%.6g", false, rows_of(numbers), &measurement::rmse, of_rows<rmse>},
      of_lists("precision_at_1", "precision at 1", &measurement::precision_at_1,
               [](counts all) { return all.precision_at(1); }),
      of_lists("precision_at_3", "precision at 3", &measurement::precision_at_3,
               [](counts all) { return all.precision_at(3); }),
      of_lists("precision_at_5", "precision at 5", &measurement::precision_at_5,
               [](counts all) { return all.precision_at(5); }),
      of_lists("psp_at_1", "PSP at 1", &measurement::psp_at_1,
               [](counts all) { return all.propensity_scored_precision_at(1); }),
      of_lists("psp_at_3", "PSP at 3", &measurement::psp_at_3,
               [](counts all) { return all.propensity_scored_precision_at(3); }),
      of_lists("psp_at_5", "PSP at 5", &measurement::psp_at_5,
               [](counts all) { return all.propensity_scored_precision_at(5); }),
      of_lists("micro_f1", "micro F1", &measurement::micro_f1, [](counts all) -> value { return all.micro_f1(); }),
      of_lists("macro_f1", "macro F1", &measurement::macro_f1, [](counts all) -> value { return all.macro_f1(); }),
      of_places("recall_at_20", "recall at 20", &measurement::recall_at_20, pairs),
      of_places("precision_at_20", "precision at 20", &measurement::precision_at_20, pairs),
      of_places("ndcg_at_20", "NDCG at 20", &measurement::ndcg_at_20, pairs),
      of_places("map_at_20", "MAP at 20", &measurement::map_at_20, pairs),
      of_places("mrr_at_20", "MRR at 20", &measurement::mrr_at_20, pairs),
      of_places("hit_rate_at_20", "hit rate at 20", &measurement::hit_rate_at_20, pairs),
      of_places("coverage_at_20", "coverage at 20", &measurement::coverage_at_20, pairs),
      of_places("mrr", "MRR", &measurement::mrr, triples),
      of_places("hits_at_1", "hits at 1", &measurement::hits_at_1, triples),
      of_places("hits_at_3", "hits at 3", &measurement::hits_at_3, triples),
      of_places("hits_at_10", "hits at 10", &measurement::hits_at_10, triples)};
}();
constexpr std::array own_values{&measurement::own_1, &measurement::own_2, &measurement::own_3, &measurement::own_4};
constexpr std::size_t most = of_the_engine.size() + own_values.size();

struct known_measures {
  std::array<measure, most> all{};
  std::size_t count = of_the_engine.size();

  known_measures() { std::ranges::copy(of_the_engine, all.begin()); }
};

known_measures& known() {
  static known_measures all;
  return all;
}

bool is_name(std::string_view text) {
  return !text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == text.npos;
}

constexpr std::string_view of_test = "test_", of_validation = "validation_", the_loss = "loss";

/// Null: there is none of this name that training measures.
const measure* find_measure(std::string_view name) {
  const std::span<const measure> all = all_measures();
  const auto found = std::ranges::find(all, name, &measure::name);
  return found == all.end() || !found->in_training() ? nullptr : &*found;
}

template <class Keeps>
std::string names(const Keeps& keeps) {
  std::string all = "train_loss, objective, test_loss";
  for (const measure& m : all_measures())
    if (m.in_training() && keeps(m)) all.append(", ").append(of_test).append(m.name);
  return all + "; or validation_ in the place of test_";
}

}  // namespace

std::size_t most_measures() {
  return most;
}

std::span<const measure> all_measures() {
  return std::span(known().all).first(known().count);
}

void add_measure(const own_measure& added) {
  const auto refuse = [&](const std::string& why) { throw config_error("the measure " + quote(added.name) + why); };
  if (!is_name(added.name)) refuse(" has no name of small letters, digits and underscores");
  if (added.name == the_loss || std::ranges::count(all_measures(), added.name, &measure::name) > 0)
    refuse(" has a name that another one has: take another");
  if (added.rows != row_kind::two_classes && added.rows != row_kind::classes && added.rows != row_kind::numbers)
    refuse(" is for " + std::string(to_string(added.rows)) + ": it can be for two classes, several, or numbers");
  if (added.compute == nullptr) refuse(" has no function");
  known_measures& now = known();
  if (now.count == most) refuse(" is one too many: a program can add " + std::to_string(own_values.size()));
  now.all[now.count] = {.name = added.name,
                        .title = added.name,
                        .format = "%.6g",
                        .more_is_better = added.more_is_better,
                        .rows = rows_of(added.rows),
                        .value = own_values[now.count - of_the_engine.size()],
                        .compute = added.compute};
  ++now.count;
}

std::optional<target_figure> target_figure::named(std::string_view name) {
  target_figure found;
  if (name == "train_loss") return found.of_epoch_ = &epoch_report::train_loss, found;
  if (name == "objective") return found.of_epoch_ = &epoch_report::objective, found;
  const bool validates = name.starts_with(of_validation);
  if (!validates && !name.starts_with(of_test)) return std::nullopt;
  found.rows_ = validates ? &epoch_report::validation : &epoch_report::test;
  name.remove_prefix(validates ? of_validation.size() : of_test.size());
  if (name == the_loss) return found;
  found.measure_ = find_measure(name);
  return found.measure_ == nullptr ? std::nullopt : std::optional(found);
}

std::string target_figure::all_names() {
  return names([](const measure&) { return true; });
}

std::string target_figure::names_for(row_kind kind) {
  return names([&](const measure& m) { return m.suits(kind); });
}

bool target_figure::reached(const epoch_report& epoch, double bound) const {
  if (rows_ == nullptr) return epoch.*of_epoch_ <= bound;
  const std::optional<measurement>& measured = epoch.*rows_;
  if (!measured) return false;
  if (measure_ == nullptr) return measured->loss <= bound;
  const std::optional<double>& value = *measured.*measure_->value;
  return value && measure_->reaches(*value, bound);
}

std::string_view usual_comparison(row_kind kind) {
  return kind == row_kind::pairs ? "ndcg_at_20" : kind == row_kind::triples ? "mrr" : "";
}

std::optional<double> compared_value(const measurement& m, std::string_view name) {
  if (name.empty()) return m.loss;
  const measure* const by = find_measure(name);
  const std::optional<double> value = by == nullptr ? std::nullopt : m.*by->value;
  return value && by->more_is_better ? -*value : value;
}

std::string_view to_string(row_kind kind) {
  switch (kind) {
    case row_kind::two_classes:
      return "rows of two classes";
    case row_kind::classes:
      return "rows of several classes";
    case row_kind::lists:
      return "rows with lists of labels";
    case row_kind::graph:
      return "graphs";
    case row_kind::pairs:
      return "pairs";
    case row_kind::triples:
      return "triples";
    case row_kind::numbers:
      break;
  }
  return "rows of numbers";
}

}  // namespace hogwild
