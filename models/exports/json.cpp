// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include <hogwild/detail/models/several_margins.hpp>
#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/detail/results/saved_options.hpp>

#include "exports/export_texts.hpp"

namespace hogwild::detail {
namespace {

using nlohmann::ordered_json;

/// Names may hold any bytes: those that are not UTF-8 become U+FFFD.
std::string json_in_a_line(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

/// With the digits of single precision.
std::string json_numbers(std::span<const float> numbers) {
  std::string text = "[";
  for (const float x : numbers) text += (text.size() > 1 ? ", " : "") + to_text(x);
  return text + "]";
}

/// The options that the model was made with; what the formula contains already is left out.
ordered_json options_json(const exported_model& model) {
  ordered_json options = ordered_json::object();
  for (const auto& [name, value] : model.saved.model_options)
    if (name != first_column_option && name != scaling_option && name != vote_option && model.form.factors == 0)
      options[name] = value;
  return options;
}

ordered_json labels_json(const saved_model& saved) {
  ordered_json labels = {{"kind", saved.labels.kind() == label_kind::real     ? "real"
                                  : saved.labels.kind() == label_kind::binary ? "binary"
                                                                              : "classes"},
                         {"values", ordered_json::array()},
                         {"texts", ordered_json::array()}};
  for (const double label : saved.labels.values()) {
    labels["values"].push_back(label);
    labels["texts"].push_back(saved.text_of_label(label));
  }
  return labels;
}

/// The way in which files are read.
ordered_json schema_json(const table_schema& schema) {
  ordered_json reading = {{"text", schema.text == named_text::table           ? "table"
                                   : schema.text == named_text::labelled_text ? "labelled_text"
                                                                              : "vw"}};
  if (schema.text == named_text::table) {
    reading["separator"] = std::string(1, schema.separator);
    reading["header"] = schema.header;
    reading["quotes"] = schema.quotes;
  }
  reading["hash_bits"] = schema.hash_bits;
  reading["min_rows"] = schema.min_rows;
  reading["word_ngrams"] = schema.word_ngrams;
  reading["word_skips"] = schema.word_skips;
  reading["least_characters"] = schema.least_characters;
  reading["most_characters"] = schema.most_characters;
  reading["fields"] = ordered_json::array();
  for (const table_column& column : schema.columns)
    reading["fields"].push_back({{"name", column.name}, {"kind", std::string(name_of(column.kind))}});
  return reading;
}

}  // namespace

std::string json_model_text(const exported_model& model, std::string_view) {
  const scoring_form& form = model.form;
  std::string text = "{\n\"format\": \"hogwild model\",\n\"version\": 1";
  const auto add = [&text](const char* name, const std::string& value) {
    text.append(",\n\"").append(name).append("\": ").append(value);
  };
  add("model", json_in_a_line(model.saved.model));
  add("options", json_in_a_line(options_json(model)));
  add("labels", json_in_a_line(labels_json(model.saved)));
  add("decision", json_in_a_line(std::string(name_of(form.decision))));
  add("link", json_in_a_line(std::string(name_of(form.link))));
  add("outputs", std::to_string(form.outputs));
  add("factors", std::to_string(form.factors));
  add("first_column", std::to_string(model.first_column));
  if (model.schema) add("reading", json_in_a_line(schema_json(*model.schema)));
  add("intercept", json_numbers(form.intercept));
  add("columns", "[");
  for (std::size_t k = 0; k < model.columns(); ++k) {
    text += (k == 0 ? "\n{\"column\": " : ",\n{\"column\": ") + std::to_string(model.saved.columns[k]);
    text += ", \"name\": " + json_in_a_line(model.name(k));
    text += ", \"weights\": " + json_numbers(std::span(form.weights).subspan(k * form.outputs, form.outputs));
    if (form.factors > 0)
      text += ", \"factors\": " + json_numbers(std::span(form.factor_rows).subspan(k * form.factors, form.factors));
    text += "}";
  }
  return text + "\n]\n}\n";
}

}  // namespace hogwild::detail
