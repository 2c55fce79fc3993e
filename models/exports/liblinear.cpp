// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>

#include <hogwild/detail/data/label_spelling.hpp>
#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/error.hpp>
#include <hogwild/model_exports.hpp>

#include "exports/export_texts.hpp"

// The file, as LIBLINEAR's save_model() writes it:
//   solver_type NAME
//   nr_class N
//   label L ...        (of classes; the first of two is that of positive margins)
//   nr_feature N
//   bias 1             (the last line of w is that of an entry 1 in each row; -1: there is none)
//   w
//   WEIGHT ...         (a line for each feature from 1 on, with a weight for each class; for two classes one weight)

namespace hogwild::detail {
namespace {

/// A solver of LIBLINEAR whose models predict as this one. Those of logistic regression tell probabilities.
std::string solver_of(const exported_model& model) {
  const scoring_form& form = model.form;
  if (form.decision == decision_kind::number) return "L2R_L2LOSS_SVR";
  const bool of_two = model.saved.labels.classes() == 2;
  // Of all solvers, this one alone has a weight for each of two classes. Its models have no probabilities, as LIBLINEAR
  // knows no softmax.
  if (form.link == link_kind::softmax || (form.decision == decision_kind::greatest && of_two)) return "MCSVM_CS";
  return form.link == link_kind::logistic ? "L2R_LR" : "L2R_L2LOSS_SVC";
}

std::string label_line(const exported_model& model) {
  const auto values = model.saved.labels.values();
  std::string line;
  for (std::size_t i = 0; i < values.size(); ++i) {
    // The larger label is that of positive margins, and comes first.
    const double label = values[model.form.decision == decision_kind::sign ? values.size() - 1 - i : i];
    if (std::trunc(label) != label || std::abs(label) > std::numeric_limits<int>::max())
      throw config_error("labels of LIBLINEAR are whole numbers below 2^31, and one of this model is " +
                         label_text(label) + "; a .json or .csv file holds it");
    line += " " + label_text(label);
  }
  return line;
}

}  // namespace

std::string liblinear_text(const exported_model& model, std::string_view) {
  const scoring_form& form = model.form;
  if (form.link == link_kind::exponential)
    throw config_error("LIBLINEAR predicts the margin itself, and this " + model.saved.model +
                       " model exp(margin); a .json, .csv or .hpp file holds it");
  if (model.indices() > most_liblinear_weights / form.outputs)
    throw config_error("a model file of LIBLINEAR has a line for each column up to the last, which would be " +
                       std::to_string(model.indices()) + " lines of " + std::to_string(form.outputs) +
                       " weights; at most " + std::to_string(most_liblinear_weights) +
                       " weights are written; a .json or .csv file holds the columns alone that have weights");
  std::string text = "solver_type " + solver_of(model) + "\n";
  if (form.decision == decision_kind::number)
    text += "nr_class 2\n";  // as LIBLINEAR writes it for numbers
  else
    text += "nr_class " + std::to_string(model.saved.labels.classes()) + "\nlabel" + label_line(model) + "\n";
  text += "nr_feature " + std::to_string(model.indices()) + "\nbias " + (model.has_intercept() ? "1" : "-1") + "\nw\n";
  std::string none;
  for (std::size_t i = 0; i < form.outputs; ++i) none += "0 ";
  none += '\n';
  std::size_t lines = 0;
  for (std::size_t k = 0; k < model.columns(); ++k) {
    for (; lines < model.index(k); ++lines) text += none;
    for (std::size_t i = 0; i < form.outputs; ++i) text += to_text(form.weights[k * form.outputs + i]) + " ";
    text += '\n';
    ++lines;
  }
  if (model.has_intercept()) {
    for (const float constant : form.intercept) text += to_text(constant) + " ";
    text += '\n';
  }
  return text;
}

}  // namespace hogwild::detail
