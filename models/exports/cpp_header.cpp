// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/detail/platform/build_info.hpp>
#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>
#include <hogwild/model_exports.hpp>

#include "exports/cpp_functions.hpp"
#include "exports/export_texts.hpp"

namespace hogwild::detail {
namespace {

/// A name of C++ that begins as the file does: "click-log.v2.hpp" becomes click_log_v2_model.
std::string namespace_of(std::string_view stem) {
  std::string name;
  for (const char c : stem) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool is_digit = c >= '0' && c <= '9';
    if (is_digit && name.empty()) name = "m";
    if (is_letter || is_digit)
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  }
  return name.empty() ? "model" : name.ends_with('_') ? name + "model" : name + "_model";
}

template <class Number>
std::string cpp_number(Number x) {
  std::string text = to_text(x);
  if constexpr (std::is_floating_point_v<Number>)
    if (text.find_first_of(".e") == text.npos) text += ".0";
  if constexpr (std::is_same_v<Number, float>) text += 'f';
  if constexpr (std::is_integral_v<Number>) text += 'u';
  return text;
}

/// A text of any bytes between quotation marks.
std::string cpp_literal(std::string_view text) {
  std::string made = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < ' ' || byte >= 0x7f || c == '?')  // "??" begins a trigraph
      made += {'\\', static_cast<char>('0' + (byte >> 6)), static_cast<char>('0' + (byte >> 3 & 7)),
               static_cast<char>('0' + (byte & 7))};
    else if (c == '"' || c == '\\')
      made += {'\\', c};
    else
      made += c;
  }
  return made + "\"";
}

/// An array with one item for each k below `size`.
template <class Item>
std::string cpp_array(const char* type, const char* name, std::size_t size, const Item& item) {
  constexpr std::size_t most_in_a_line = 100;
  const std::string begin =
      "inline constexpr std::array<" + std::string(type) + ", " + std::to_string(size) + "> " + name + "{";
  if (size == 0) return begin + "};\n";
  std::string items;
  std::size_t line = 0;  // where the last line begins
  for (std::size_t k = 0; k < size; ++k) {
    const std::string one = item(k);
    const bool wraps = k > 0 && items.size() - line + one.size() > most_in_a_line;
    if (k > 0) items += wraps ? ",\n    " : ", ";
    if (wraps) line = items.size();
    items += one;
  }
  return begin + (line > 0 ? "{\n    " : "{") + items + "}};\n";
}

/// The columns in the order in which a program finds them: by name, or by number.
std::vector<std::size_t> cpp_order(const exported_model& model, std::vector<std::string>& names) {
  std::vector<std::size_t> order(model.columns());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!model.has_names()) return order;
  for (const std::size_t k : order) names.push_back(model.name(k));
  std::ranges::sort(order, {}, [&](std::size_t k) -> const std::string& { return names[k]; });
  return order;
}

std::string cpp_constants(const exported_model& model) {
  const scoring_form& form = model.form;
  std::vector<std::string> names;
  const std::vector<std::size_t> order = cpp_order(model, names);
  const auto count = [](const char* name, std::size_t value, const char* meaning) {
    return "inline constexpr std::size_t " + std::string(name) + " = " + std::to_string(value) + ";  // " + meaning +
           "\n";
  };
  std::string text = count("columns", model.columns(), "those that have parameters") +
                     count("outputs", form.outputs, "margins of a row") +
                     count("factors", form.factors, "of each column");
  const auto in_order = [&](const std::vector<float>& all, std::size_t width) {
    return [&all, width, &order](std::size_t i) { return cpp_number(all[order[i / width] * width + i % width]); };
  };
  if (model.has_names())
    text += cpp_array("std::string_view", "name", model.columns(),
                      [&](std::size_t i) { return cpp_literal(names[order[i]]); });
  else
    text += cpp_array("std::uint32_t", "column", model.columns(),
                      [&](std::size_t i) { return cpp_number(model.saved.columns[order[i]]); });
  text += cpp_array("float", "intercept", form.outputs, [&](std::size_t i) { return cpp_number(form.intercept[i]); });
  text += cpp_array("float", "weight", form.weights.size(), in_order(form.weights, form.outputs));
  if (form.factors > 0)
    text += cpp_array("float", "factor", form.factor_rows.size(), in_order(form.factor_rows, form.factors));
  const auto labels = model.saved.labels.values();
  if (labels.empty()) return text;
  text += cpp_array("double", "label", labels.size(), [&](std::size_t i) { return cpp_number(labels[i]); });
  return text + cpp_array("std::string_view", "label_text", labels.size(),
                          [&](std::size_t i) { return cpp_literal(model.saved.text_of_label(labels[i])); });
}

}  // namespace

std::string cpp_header_text(const exported_model& model, std::string_view stem) {
  if (model.form.outputs > most_header_outputs)
    throw config_error("a C++ header keeps the margins of a row on the stack, at most " +
                       std::to_string(most_header_outputs) + " of them, and this model has " +
                       std::to_string(model.form.outputs) + "; a .json or .csv file holds them");
  const std::size_t numbers = model.form.weights.size() + model.form.factor_rows.size() + model.columns();
  if (numbers > most_header_numbers)
    throw config_error("a C++ header holds at most " + std::to_string(most_header_numbers) +
                       " parameters and columns together, as compilers take long for more, and this model has " +
                       std::to_string(numbers) + "; a .json or .csv file holds them");
  return "// A " + printable(model.saved.model) + " model, written by hogwild " + std::string(build_info.version) +
         ". C++17, with nothing but the standard library.\n#pragma once\n" + std::string(cpp_includes) +
         "\nnamespace " + namespace_of(stem) + " {\n\n" + cpp_constants(model) + cpp_functions(model) +
         "\n}  // namespace " + namespace_of(stem) + "\n";
}

}  // namespace hogwild::detail
