// SPDX-License-Identifier: Apache-2.0
#include "evaluation_plots.hpp"

#include <algorithm>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

#include <hogwild/detail/platform/atomic_file.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>

#include "score_curves.hpp"
#include "standard_streams.hpp"
#include "unit_chart.hpp"

namespace hogwild::cli {
namespace {

const std::vector<curve_point> diagonal{{0, 0}, {1, 1}};

/// Rows in bins of equal probability: the points of a model that is calibrated lie on the diagonal.
unit_chart reliability_chart(const evaluation& of) {
  const scored_rows& rows = *of.scored;
  const auto bins = reliability(*rows.forecast, rows.weights);
  const double most = std::ranges::max(bins, {}, &reliability_bin::weight).weight;
  const bool two = of.kind == label_kind::binary;
  unit_chart chart{
      .title = formatted("Reliability: ECE %.4f", of.measures.expected_calibration_error.value_or(0.0)),
      .x_axis = two ? "mean probability of the larger label" : "mean probability of the best class",
      .y_axis = two ? "fraction of rows with the larger label" : "fraction of rows of this class",
      .references = {diagonal},
  };
  for (const reliability_bin& bin : bins) {
    if (bin.weight <= 0) continue;
    chart.curve.push_back({bin.confidence, bin.came});
    chart.dots.push_back({{bin.confidence, bin.came}, bin.weight / most});
  }
  return chart;
}

using named_chart = std::pair<std::string, unit_chart>;

/// The charts of ranked rows.
std::vector<named_chart> charts_of_ranks(const evaluation& of) {
  const ranked_rows ranked(of.scored->scores, of.scored->labels, of.scored->weights);
  const double base = ranked.base_rate();
  std::vector<named_chart> all;
  all.emplace_back("roc", unit_chart{.title = formatted("ROC: AUC %.4f", of.measures.auc.value_or(0.0)),
                                     .x_axis = "false-positive rate",
                                     .y_axis = "true-positive rate",
                                     .curve = ranked.roc(),
                                     .references = {diagonal}});
  all.emplace_back("precision_recall", unit_chart{.title = formatted("Precision and recall: average precision %.4f",
                                                                     ranked.average_precision()),
                                                  .x_axis = "recall",
                                                  .y_axis = "precision",
                                                  .curve = ranked.precision_recall(),
                                                  .references = {{{0, base}, {1, base}}}});
  all.emplace_back(
      "gains", unit_chart{.title = formatted("Gains: %.4f of the label in a tenth of the rows", ranked.gain_at(0.1)),
                          .x_axis = "fraction of all rows, highest scores first",
                          .y_axis = "fraction of the rows with the larger label",
                          .curve = ranked.gains(),
                          .references = {diagonal, {{0, 0}, {base, 1}, {1, 1}}}});
  return all;
}

}  // namespace

std::vector<std::string> write_plots(const std::string& folder, const evaluation& of, const std::string& data) {
  const bool two = of.scored && of.kind == label_kind::binary;
  const bool tells = of.scored && of.scored->forecast && of.kind != label_kind::real;
  if (!two && !tells)
    throw config_error("--plot draws models of two labels, and of several classes with probabilities; this " +
                       of.model + " model on these rows is neither: leave it out");
  std::vector<named_chart> charts;
  if (two) charts = charts_of_ranks(of);
  if (tells) charts.emplace_back("reliability", reliability_chart(of));

  std::error_code fault;
  std::filesystem::create_directory(folder, fault);
  if (fault) throw input_error(folder + ": the folder for --plot cannot be made: " + fault.message());
  std::vector<std::string> paths;
  for (auto& [name, chart] : charts) {
    chart.subtitle = printable(data, 64) + ", " + std::to_string(of.rows) + " rows";
    const std::string path = (std::filesystem::path(folder) / (name + ".svg")).string(), text = svg_of(chart);
    atomic_file file(path);
    file.write(std::as_bytes(std::span(text)));
    file.commit();
    paths.push_back(path);
  }
  return paths;
}

}  // namespace hogwild::cli
