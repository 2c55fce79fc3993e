// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <string>

#include <hogwild/detail/formats/csv_field.hpp>
#include <hogwild/detail/platform/number_text.hpp>

#include "exports/export_texts.hpp"

namespace hogwild::detail {
namespace {

/// The heading of each margin: "weight" for one, else the class, or the number of the model in an ensemble.
std::string csv_heading(const exported_model& model, std::size_t output) {
  if (model.form.outputs == 1) return "weight";
  if (model.form.decision != decision_kind::greatest) return "weight_" + std::to_string(output + 1);
  return model.saved.text_of_label(model.saved.labels.values()[output]);
}

}  // namespace

std::string csv_text(const exported_model& model, std::string_view) {
  const scoring_form& form = model.form;
  std::string text = "name";
  for (std::size_t i = 0; i < form.outputs; ++i) append_csv_field(text += ',', csv_heading(model, i));
  for (std::size_t f = 0; f < form.factors; ++f) text += ",factor_" + std::to_string(f + 1);
  text += "\r\n(intercept)";
  for (const float constant : form.intercept) text += "," + to_text(constant);
  text.append(form.factors, ',').append("\r\n");
  for (std::size_t k = 0; k < model.columns(); ++k) {
    append_csv_field(text, model.name(k));
    for (std::size_t i = 0; i < form.outputs; ++i) text += "," + to_text(form.weights[k * form.outputs + i]);
    for (std::size_t f = 0; f < form.factors; ++f) text += "," + to_text(form.factor_rows[k * form.factors + f]);
    text += "\r\n";
  }
  return text;
}

}  // namespace hogwild::detail
