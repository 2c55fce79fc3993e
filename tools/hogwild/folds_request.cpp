// SPDX-License-Identifier: Apache-2.0
#include "folds_request.hpp"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/detail/search/search_space.hpp>
#include <hogwild/error.hpp>
#include <hogwild/registry.hpp>

#include "command_line.hpp"
#include "standard_streams.hpp"
#include "summary.hpp"
#include "train_request.hpp"

namespace hogwild::cli {
namespace {

std::vector<double> path_of(const std::string& text) {
  const search_space space = search_space::parse(std::span(&text, 1));
  const std::string& option = space.dimensions().front().option;
  if (option != "l2")
    throw config_error("--path takes l2 only, not " + quote(option) + ": use 'hogwild search' for that option");
  std::vector<double> path;
  for (std::size_t k = 0; k < space.grid_points(); ++k) {
    const std::string value = space.grid_point(k).front().text;
    const auto l2 = to_number(value);
    if (!l2 || *l2 < 0.0) throw config_error("--path: " + quote(value) + " is no number of at least 0");
    path.push_back(*l2);
  }
  return path;
}

/// A dash if the model of a fold diverged.
std::string deviation_text(const fold_measures& measured) {
  const double deviation = measured.loss_deviation();
  return std::isfinite(deviation) ? formatted("%.6f", deviation) : "-";
}

/// The row of one l2.
struct table_row {
  const train_result* run;  ///< null: it was measured by folds alone
  double l2;
  const fold_measures* folds;
};

std::string table_of(const std::string& name, std::span<const table_row> rows, double best) {
  const bool runs = rows.front().run != nullptr, folds = rows.front().folds != nullptr;
  const bool validated = runs && !folds && rows.front().run->validation;
  std::string text = formatted("%-11s %12s", name.c_str(), "l2");
  if (runs) text += formatted(" %7s %12s", "epochs", "train loss");
  if (folds) text += formatted(" %12s %12s", "folds' loss", "deviation");
  if (validated) text += formatted(" %12s", "validation");
  const auto measured = [&](const table_row& row) -> std::optional<measurement> {
    if (folds) return row.folds->mean();
    return validated ? row.run->validation : std::nullopt;
  };
  const bool accuracy = measured(rows.front()) && measured(rows.front())->accuracy;
  const bool rmse = measured(rows.front()) && measured(rows.front())->rmse;
  if (accuracy || rmse) text += formatted(" %12s", accuracy ? "accuracy" : "RMSE");
  for (const table_row& row : rows) {
    text += formatted("\n%-11s %12.6g", "", row.l2);
    if (runs) text += formatted(" %7zu %12.6f", row.run->epochs, row.run->train_loss);
    const auto m = measured(row);
    if (m) text += formatted(" %12.6f", m->loss);
    if (folds) text += formatted(" %12s", deviation_text(*row.folds).c_str());
    if (m && accuracy && m->accuracy) text += formatted(" %12.4f", *m->accuracy);
    if (m && rmse && m->rmse) text += formatted(" %12.6g", *m->rmse);
    const bool sound = std::isfinite(m ? m->loss : row.run->train_loss);
    if (row.l2 == best && sound) text += "  taken";
  }
  return text + "\n";
}

std::vector<table_row> rows_of(const train_result& result, const folds_outcome& outcome) {
  std::vector<table_row> rows;
  for (const path_point& p : outcome.path) rows.push_back({&p.run, p.run.l2, p.measured ? &*p.measured : nullptr});
  for (const tried_l2& t : result.l2_tried) rows.push_back({nullptr, t.l2, &t.measured});
  return rows;
}

void put(nlohmann::ordered_json& into, const fold_measures& measured) {
  into["folds"] = measured.folds.size();
  put_measures(into, "folds_", measured.mean());
  into["folds_loss_deviation"] = measured.loss_deviation();
  for (const measurement& m : measured.folds) into["fold_losses"].push_back(m.loss);
}

}  // namespace

void check_number_of_folds(const std::optional<std::size_t>& folds) {
  if (folds && *folds < 2)
    throw config_error("--folds " + std::to_string(*folds) +
                       ": at least two are needed, as each fold is measured by a model that is trained on the others");
}

void declare_folds(command_line& line, folds_request& r) {
  line.group("Model");
  line.option("--path", "l2=VALUES", r.path_text,
              "train with each l2, from the largest to the smallest, each beginning with the model of the one before: "
              "l2=log:low:high:POINTS or l2=a,b,c; --save keeps the best by --folds or --validation, else the last");
  line.group("Stopping");
  line.option("--folds", r.folds,
              "also measure by cross-validation: each of N folds by a model that is trained on the others; with --l2 "
              "auto (default: 5) and --path for each l2");
  line.excludes("--folds", "--validation");
}

void complete_folds(const command_line& line, train_request& r) {
  if (!r.folds.path_text.empty()) r.folds.path = path_of(r.folds.path_text);
  if (!r.folds.any() && !r.options.l2_by_folds) return;
  check_folds(line, r);
  check_number_of_folds(r.folds.folds);
  if (r.options.l2_by_folds) r.options.l2_by_folds->folds = r.folds.folds.value_or(l2_search{}.folds);
}

std::string folds_text(const train_result& result, const folds_outcome& outcome) {
  const std::vector<table_row> rows = rows_of(result, outcome);
  if (!rows.empty()) return table_of(outcome.path.empty() ? "l2 tried" : "path", rows, result.l2);
  if (!outcome.measured) return {};
  const std::string count = std::to_string(outcome.measured->folds.size());
  return "folds       " + count + ": " + measures_text(outcome.measured->mean()) + "; deviation " +
         deviation_text(*outcome.measured) + "\n";
}

void put_folds(nlohmann::ordered_json& into, const train_result& result, const folds_outcome& outcome) {
  if (outcome.measured) put(into, *outcome.measured);
  for (const tried_l2& t : result.l2_tried) {
    nlohmann::ordered_json line{{"l2", t.l2}};
    put(line, t.measured);
    into["l2_tried"].push_back(std::move(line));
  }
  for (const path_point& p : outcome.path) {
    nlohmann::ordered_json line{
        {"l2", p.run.l2},     {"status", to_string(p.run.status)}, {"epochs", p.run.epochs},
        {"step", p.run.step}, {"train_loss", p.run.train_loss},    {"objective", p.run.objective}};
    if (p.run.validation) put_measures(line, "validation_", *p.run.validation);
    if (p.run.test) put_measures(line, "test_", *p.run.test);
    if (p.measured) put(line, *p.measured);
    into["path"].push_back(std::move(line));
  }
}

}  // namespace hogwild::cli
