// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/platform/atomic_file.hpp>
#include <hogwild/detail/results/metrics.hpp>
#include <hogwild/detail/task/evaluate.hpp>
#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwild/error.hpp>
#include <hogwild/live_parameters.hpp>
#include <hogwild/registry.hpp>
#include <hogwild/saved_model.hpp>
#include <interrupt/interrupt.hpp>

#include "command_line.hpp"
#include "commands.hpp"
#include "data_files.hpp"
#include "standard_streams.hpp"

namespace hogwild::cli {
namespace {

struct predict_request {
  std::string model, data, output;
  std::string live{};  ///< a run's segment, in place of a model
  bool probabilities = false, json = false;
  std::size_t top = 0;  ///< 0: only the best label
  data_options files{};
  row_files rows{};
};

void append_probabilities(std::string& text, const std::vector<double>& probabilities) {
  for (std::size_t k = 0; k < probabilities.size(); ++k)
    text += formatted("%s%.6g", k == 0 ? "" : " ", probabilities[k]);
}

std::string json_line(const saved_model& saved, double label, const std::vector<double>& probabilities) {
  nlohmann::ordered_json line = {{"label", label}};
  if (!saved.label_texts.empty()) line["text"] = saved.text_of_label(label);
  if (probabilities.size() == 1)
    line["probability"] = probabilities.front();
  else if (!probabilities.empty())
    line["probabilities"] = probabilities;
  return json_text(line);
}

/// Rows count from 0.
void require_finite(double said, std::size_t row) {
  if (!std::isfinite(said))
    throw input_error("the prediction for row " + std::to_string(row + 1) +
                      " is not finite: values of the row or of the model are too large for single precision");
}

/// Calls say(label) for each row, in order, with the label as a number. Rows are scored in parallel; a net takes
/// several at once.
template <class Say>
void for_labels(const predictor& model, const sparse_view& rows, const Say& say) {
  const auto threads = thread_team::make(thread_team_kind::openmp, worker_count(), false);
  std::vector<float> scores(rows.rows());
  score_rows(
      rows, *threads, 64, [&](std::size_t most) { return model.scorer(most); },
      [&](std::size_t row, float score) { scores[row] = score; });
  for (std::size_t r = 0; r < scores.size(); ++r) {
    require_finite(static_cast<double>(scores[r]), r);
    say(model.labels().decode(static_cast<double>(scores[r])));
  }
}

/// Appends the best labels of a row, the best first, with their probabilities if asked for.
void append_best(std::string& text, const predict_request& request, const saved_model& saved, const predictor& model,
                 const sparse_row<float>& z, std::size_t row) {
  const class_scores said = model.scores_of(z);
  for (const float score : said.scores) require_finite(static_cast<double>(score), row);
  std::vector<double> labels, probable;
  for (const std::uint32_t k : best_classes(said.scores, request.top))
    labels.push_back(model.labels().decode(static_cast<double>(k)));
  if (request.probabilities) {
    const std::vector<double> all = model.probabilities(z);
    for (const std::uint32_t k : best_classes(said.scores, request.top)) probable.push_back(all[k]);
  }
  if (request.json) {
    nlohmann::ordered_json line = {{"labels", labels}};
    if (!saved.label_texts.empty())
      for (const double label : labels) line["texts"].push_back(saved.text_of_label(label));
    if (request.probabilities) line["probabilities"] = probable;
    text += json_text(line);
    return;
  }
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (i > 0) text += ' ';
    text += saved.text_of_label(labels[i]);
    if (request.probabilities) text += formatted(":%.6g", probable[i]);
  }
}

/// With --live: the model of a run at this moment, with its age on standard error.
saved_model model_of(const predict_request& request) {
  if (request.live.empty()) return load_model(request.model, say);
  const auto run = live_parameters::attach(request.live);
  const live_age age = run.age();
  if (!request.files.quiet)
    say("parameters of " + request.live + " in epoch " + std::to_string(age.epoch) + ", read while " +
        std::to_string(age.rows_before) + " to " + std::to_string(age.rows_after) + " rows were done; the run " +
        (run.state() == run_state::training
             ? "trains"
             : "has " + std::string(run.state() == run_state::ended ? "ended" : "been killed")));
  return run.model();
}

std::string predictions(const predict_request& request) {
  const saved_model saved = model_of(request);
  const predictor model = predictor_of(saved, request.live.empty() ? request.model : request.live);
  if (request.probabilities && !model.has_probabilities()) {
    throw config_error(
        "--probabilities: this " + saved.model +
        " model has none; leave the option out, or train a model that has them, such as logistic or softmax");
  }
  if (request.top > 0 && !model.scores_classes())
    throw config_error(
        "--top: this " + saved.model +
        " model does not score classes; leave the option out, or train one that does: softmax, or --multiclass ovr");
  const column_numbering columns(saved.columns);
  data_options files = request.files;
  files.choose_format(saved, request.live.empty() ? request.model : request.live);
  sparse_dataset data = open_through(request.data, columns, files, row_labels::optional);
  request.rows.read_for(data);
  const sparse_view rows = data.view();
  model.require_data(rows, request.data);
  rows.ensure(0, rows.rows());
  std::string text;
  if (request.top > 0) {
    row_cursor cursor(rows);
    for (std::size_t r = 0; r < rows.rows(); ++r) {
      sparse_row<float> z = cursor.row(r);
      z.label = 0.0f;  // the row's label need not be one of the model's
      append_best(text, request, saved, model, z, r);
      text += '\n';
    }
    return text;
  }
  if (!request.probabilities) {
    for_labels(model, rows, [&](double label) {
      if (request.json)
        text += json_line(saved, label, {});
      else
        text += saved.text_of_label(label);
      text += '\n';
    });
    return text;
  }
  row_cursor cursor(rows);
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    const sparse_row<float> z = cursor.row(r);
    const std::vector<double> probabilities = model.probabilities(z);
    for (const double each : probabilities) require_finite(each, r);
    if (request.json)
      text += json_line(saved, model.label(z), probabilities);
    else
      append_probabilities(text, probabilities);
    text += '\n';
  }
  return text;
}

/// Then the command line names no model.
bool asks_for_live(int argc, const char* const* argv) {
  return std::any_of(argv, argv + argc,
                     [](std::string_view word) { return word == "--live" || word.starts_with("--live="); });
}

}  // namespace

int predict_command(int argc, const char* const* argv) {
  predict_request request;
  command_line line("predict",
                    "Predicts the label of each row, one line a row, in the order of the file: a class as it is "
                    "written in the training data. Labels in DATA are ignored and may be missing. For a graph: the "
                    "side of each node, in the order of their numbers; the source's side is 0, the sink's 1.",
                    "hogwild predict model.txt test.svm --probabilities --output predictions.txt");
  if (asks_for_live(argc, argv))
    line.option("--live", "NAME", request.live, "read the parameters of a run in progress instead of MODEL");
  else
    line.positional(
        "MODEL", request.model,
        "a model that 'hogwild train --save' wrote; or --live NAME: a run in progress ('hogwild segments')");
  line.positional("DATA", request.data, "rows; '-' is standard input");
  line.option("--output", request.output, "write here instead of to standard output");
  line.flag("--probabilities", request.probabilities,
            "print the probability of the larger label, or of each class in ascending order, if the model has them");
  line.option("--top", request.top, "the N best labels of each row, best first, for models that score classes");
  line.flag("--json", request.json,
            "one JSON object a line; labels are numbers, with their text beside them where the training data "
            "spell one otherwise, as in +1");
  line.flag("--quiet", request.files.quiet, "say nothing about unknown columns");
  line.option("--offsets", request.rows.offsets,
              "numbers that are added to the margins of the rows, one a line in their order (linear models)");
  request.files.declare(line);
  if (const auto code = line.parse(argc, argv)) return *code;
  const interrupt signals({.ended = ended_at_once});
  if (request.data == "-" && request.rows.offsets == "-")
    throw config_error("standard input can be read once only, but '-' is given twice");
  refuse_overwrite("--output", request.output, {request.model, request.data, request.rows.offsets});
  if (!request.output.empty()) atomic_file::look(request.output);

  const std::string text = retry_damaged_cache([&] { return predictions(request); });
  if (request.output.empty()) {
    print(text);
    return 0;
  }
  atomic_file file(request.output);
  file.write(std::as_bytes(std::span(text)));
  file.commit();
  return 0;
}

}  // namespace hogwild::cli
