// SPDX-License-Identifier: Apache-2.0
#include "prediction_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/formats/csv_field.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/detail/results/metrics.hpp>
#include <hogwild/detail/task/evaluate.hpp>
#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwild/error.hpp>

#include "data_files.hpp"
#include "standard_streams.hpp"

namespace hogwild::cli {
namespace {

/// Rows count from 1.
void require_finite(double said, std::size_t row) {
  if (!std::isfinite(said))
    throw input_error("the prediction for row " + std::to_string(row) +
                      " is not finite: values of the row or of the model are too large for single precision");
}

/// Waking other threads takes longer than so many multiplications.
constexpr std::size_t work_for_threads = 500'000;

}  // namespace

struct prediction_text::answer {
  std::vector<double> labels{};  ///< the best first
  /// Of the larger label or of all classes; with parts.top of each label.
  std::vector<double> probabilities{};
};

prediction_text::prediction_text(const saved_model& saved, const predictor& model, prediction_format format,
                                 const prediction_parts& parts)
    : saved_(saved), model_(model), format_(format), parts_(parts) {
  if (parts.probabilities && !model.has_probabilities())
    throw config_error(
        "--probabilities: this " + saved.model +
        " model has none; leave the option out, or train a model that has them, such as logistic or softmax");
  if (parts.top > 0 && !model.scores_classes())
    throw config_error(
        "--top: this " + saved.model +
        " model does not score classes; leave the option out, or train one that does: softmax, or --multiclass ovr");
  if (!(parts.threshold >= 0.0 && parts.threshold <= 1.0))
    throw config_error("--threshold is a probability from 0 to 1");
  if (parts.threshold > 0.0 && parts.top == 0)
    throw config_error("--threshold leaves out some of the labels of --top N: give that, too");
  if (parts.threshold > 0.0 && !model.has_probabilities())
    throw config_error("--threshold: this " + saved.model + " model tells no probabilities; leave the option out");
  if (parts.top > 0) parts_.top = std::min(parts.top, model.labels().classes());
}

std::string prediction_text::header() const {
  if (format_ != prediction_format::csv) return {};
  std::string line = parts_.ids ? "id" : "";
  const auto add = [&line](const std::string& name) {
    if (!line.empty()) line += ',';
    append_csv_field(line, name);
  };
  for (std::size_t k = 1; k <= parts_.top; ++k) {
    add("label_" + std::to_string(k));
    if (parts_.probabilities) add("probability_" + std::to_string(k));
  }
  if (parts_.top == 0) add("label");
  if (parts_.top == 0 && parts_.probabilities) {
    if (!model_.scores_classes()) add("probability");
    if (model_.scores_classes())
      for (const double label : model_.labels().values()) add("probability_" + saved_.text_of_label(label));
  }
  return line + "\n";
}

prediction_text::answer prediction_text::answer_to(const sparse_row<float>& z, std::size_t row) const {
  answer said;
  if (parts_.top == 0) {
    said.labels.push_back(model_.label(z));
    if (parts_.probabilities) said.probabilities = model_.probabilities(z);
    for (const double each : said.probabilities) require_finite(each, row);
    return said;
  }
  const class_scores scores = model_.scores_of(z, parts_.top);
  for (const float score : scores.scores) require_finite(static_cast<double>(score), row);
  const std::vector<std::uint32_t> best = best_classes(scores.scores, parts_.top);
  const bool needed = parts_.probabilities || parts_.threshold > 0.0;
  const std::vector<double> all = needed && !scores.logarithms ? model_.probabilities(z) : std::vector<double>{};
  for (const std::uint32_t k : best) {
    const double probability = !needed             ? 1.0
                               : scores.logarithms ? std::exp(static_cast<double>(scores.scores[k]))
                                                   : all[k];
    if (parts_.threshold > 0.0 && probability < parts_.threshold) break;
    said.labels.push_back(model_.labels().decode(static_cast<double>(k)));
    if (parts_.probabilities) said.probabilities.push_back(probability);
  }
  return said;
}

void prediction_text::append_plain(std::string& text, const answer& said) const {
  if (parts_.top > 0) {
    for (std::size_t i = 0; i < said.labels.size(); ++i) {
      if (i > 0) text += ' ';
      text += saved_.text_of_label(said.labels[i]);
      if (parts_.probabilities) text += formatted(":%.6g", said.probabilities[i]);
    }
    return;
  }
  if (!parts_.probabilities) text += saved_.text_of_label(said.labels.front());
  for (std::size_t k = 0; k < said.probabilities.size(); ++k)
    text += formatted("%s%.6g", k == 0 ? "" : " ", said.probabilities[k]);
}

std::string prediction_text::json_line(const answer& said, const std::string* id) const {
  nlohmann::ordered_json line;
  if (id != nullptr) line["id"] = *id;
  if (parts_.top > 0) {
    line["labels"] = said.labels;
    if (!saved_.label_texts.empty()) line["texts"] = nlohmann::ordered_json::array();
    if (!saved_.label_texts.empty())
      for (const double label : said.labels) line["texts"].push_back(saved_.text_of_label(label));
    if (parts_.probabilities) line["probabilities"] = said.probabilities;
    return json_text(line);
  }
  line["label"] = said.labels.front();
  if (!saved_.label_texts.empty()) line["text"] = saved_.text_of_label(said.labels.front());
  if (said.probabilities.size() == 1)
    line["probability"] = said.probabilities.front();
  else if (!said.probabilities.empty())
    line["probabilities"] = said.probabilities;
  return json_text(line);
}

void prediction_text::append_line(std::string& text, const answer& said, const std::string* id) const {
  switch (format_) {
    case prediction_format::plain:
      if (id != nullptr) text += printable(*id) + '\t';
      append_plain(text, said);
      break;
    case prediction_format::jsonl:
      text += json_line(said, id);
      break;
    case prediction_format::csv:
      if (id != nullptr) {
        append_csv_field(text, *id);
        text += ',';
      }
      for (std::size_t k = 0; k < std::max(parts_.top, said.labels.size()); ++k) {
        const bool there = k < said.labels.size();
        if (k > 0) text += ',';
        if (there) append_csv_field(text, saved_.text_of_label(said.labels[k]));
        if (parts_.top > 0 && parts_.probabilities)
          text += there ? formatted(",%.6g", said.probabilities[k]) : std::string(",");
      }
      if (parts_.top == 0)
        for (const double each : said.probabilities) text += formatted(",%.6g", each);
      break;
  }
  text += '\n';
}

/// A net scores several rows at once.
void prediction_text::append_labels(std::string& text, const sparse_dataset& rows, std::size_t before) const {
  const sparse_view view = rows.view();
  const bool is_little = view.nonzeros() * saved_.width < work_for_threads;
  const auto threads = thread_team::make(thread_team_kind::openmp, is_little ? 1 : worker_count(), false);
  std::vector<float> scores(view.rows());
  score_rows(
      view, *threads, 64, [&](std::size_t most) { return model_.scorer(most); },
      [&](std::size_t row, float score) { scores[row] = score; });
  for (std::size_t r = 0; r < scores.size(); ++r) {
    require_finite(static_cast<double>(scores[r]), before + r + 1);
    append_line(text, {.labels = {model_.label_of(scores[r])}},
                parts_.ids ? &rows.group_names()[view.group[r]] : nullptr);
  }
}

void prediction_text::append(std::string& text, const sparse_dataset& rows, std::size_t before) const {
  if (parts_.top == 0 && !parts_.probabilities) return append_labels(text, rows, before);
  const sparse_view view = rows.view();
  row_cursor cursor(view);
  for (std::size_t r = 0; r < view.rows(); ++r) {
    sparse_row<float> z = cursor.row(r);
    z.label = 0.0f;  // the row's label need not be one of the model's
    append_line(text, answer_to(z, before + r + 1), parts_.ids ? &rows.group_names()[view.group[r]] : nullptr);
  }
}

}  // namespace hogwild::cli
