// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/exports/exported_model.hpp>

#include <cmath>
#include <utility>
#include <vector>

#include <hogwild/detail/results/saved_options.hpp>
#include <hogwild/error.hpp>
#include <hogwild/registry.hpp>

#include "formats/table_schema.hpp"

namespace hogwild::detail {
namespace {

/// The form whose margin is -slope * margin - intercept, and whose link is logistic: Platt's map of this form's margin.
scoring_form calibrated_form(scoring_form form, const calibration& map, const std::string& source) {
  if (map.kind != calibration_kind::platt || map.slope > 0.0 || form.of_ensemble())
    throw config_error(
        source + ": other forms of models hold no " +
        (map.kind != calibration_kind::platt
             ? "isotonic calibration: train the model without --calibrate, or with --calibrate platt, to hand it over"
         : form.of_ensemble() ? "calibration of an ensemble: train it without --calibrate to hand it over"
                              : "calibration that falls with the margin: train the model without --calibrate"));
  for (float& w : form.weights) w = static_cast<float>(-map.slope * w);
  for (float& b : form.intercept) b = static_cast<float>(-map.slope * b - map.intercept);
  for (float& v : form.factor_rows) v = static_cast<float>(std::sqrt(-map.slope) * v);
  form.link = link_kind::logistic;
  return form;
}

scoring_form scoring_form_of(const saved_model& saved, const std::string& source) {
  if (auto form = predictor_of(saved, source).form())
    return saved.calibrated ? calibrated_form(*std::move(form), saved.calibrated, source) : *std::move(form);
  throw config_error(source + ": the " + saved.model +
                     " model is no sum over columns that another program could compute: linear models, softmax and "
                     "factorization machines are");
}

/// The number by which the values of each column of a table are divided before they become entries.
std::vector<float> divisors_of_schema(const table_schema& schema, const std::string& source) {
  std::vector<float> divisors;
  for (const table_column& column : schema.columns) divisors.push_back(column.divisor);
  for (const table_interaction& one : interactions_of(schema, source))
    for (const std::size_t factor : one.factors) divisors[one.column] *= schema.columns[factor].divisor;
  return divisors;
}

}  // namespace

std::string name_of_column(const saved_model& saved, const std::optional<table_schema>& schema, std::size_t place) {
  if (place < saved.names.size()) return saved.names[place];
  return schema ? schema->name_of_input(saved.columns[place]) : std::to_string(saved.columns[place]);
}

exported_model::exported_model(const saved_model& model, const std::string& source)
    : saved(model),
      form(scoring_form_of(model, source)),
      schema(schema_of(model, source)),
      first_column(said_first_column(model)) {
  if (columns() > 0 && saved.columns.front() < first_column)
    throw input_error(source + ": the column 0 does not suit rows whose columns count from 1");
  if (!schema || schema->text != named_text::table) return;
  const std::vector<float> divisors = divisors_of_schema(*schema, source);
  for (std::size_t k = 0; k < columns(); ++k) {
    const std::uint32_t place = saved.columns[k] - 1;
    const std::size_t column = place >> schema->value_bits;
    if (saved.columns[k] == 0 || column >= divisors.size())
      throw input_error(source + ": the column " + std::to_string(saved.columns[k]) + " does not suit the schema");
    const bool is_missing = schema->columns[column].kind == table_kind::numeric &&
                            (place & ((1u << schema->value_bits) - 1)) == missing_number;
    if (is_missing || divisors[column] == 1.0f) continue;
    for (std::size_t i = 0; i < form.outputs; ++i) form.weights[k * form.outputs + i] /= divisors[column];
    for (std::size_t f = 0; f < form.factors; ++f) form.factor_rows[k * form.factors + f] /= divisors[column];
  }
}

}  // namespace hogwild::detail
