// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <utility>

#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>

#include "results/saved_model_formats.hpp"
#include "results/word_reader.hpp"
#include "text/decimal.hpp"

// The file, one item a line, words separated by single blanks:
//   hogwild model 1               (2 if labels are spelled as in the data: "+1"; 3 with a schema or named classes,
//                                  4 with a calibration, 5 with an optimiser's state)
//   model NAME
//   option NAME NUMBER            (any number of such lines)
//   labels real|binary|classes VALUE...
//   label NUMBER "NAME"           (from version 3 on, for each label with a text of its own)
//   schema COUNT                  (from version 3 on; COUNT lines follow)
//   calibration platt SLOPE INTERCEPT      (version 4: this, or the next with COUNT lines; version 5: or neither)
//   calibration isotonic COUNT
//   MARGIN PROBABILITY
//   width NUMBER
//   bias NUMBER...                (left out if there is none)
//   columns COUNT [named|quoted]
//   COLUMN [NAME] WEIGHT...       (COUNT lines, columns ascending)
//   state OPTIMISER ARRAYS        (version 5: this, the next lines, and then for each array the last two)
//   number NAME NUMBER            (any number of such lines)
//   bias NUMBER...                (as above)
//   NUMBER...                     (COUNT lines, in the order of the columns)
//   end
// If a name contains blanks, all names are quoted: in quotation marks, with a backslash before each quotation mark and
// each backslash in it.

namespace hogwild::detail {
namespace {

constexpr std::string_view kinds[] = {"real", "binary", "classes"};

std::string name_word(word_reader& in, const char* what) {
  const std::string_view found = in.word();
  if (!is_model_word(found)) in.fail(std::string(what) + " should stand here");
  return std::string(found);
}

/// Lines of this word, a name and a number.
std::vector<std::pair<std::string, double>> read_numbers(word_reader& in, const std::string& word) {
  std::vector<std::pair<std::string, double>> numbers;
  while (in.line_is(word)) {
    in.expect(word);
    std::string name = name_word(in, ("the name of this " + word).c_str());
    for (const auto& other : numbers)
      if (other.first == name) in.fail("the " + word + " " + quote(name) + " is there twice");
    const double value = in.number<double>(("the " + word + "'s value").c_str());
    numbers.emplace_back(std::move(name), value);
    in.end_line();
  }
  return numbers;
}

std::string text_of_numbers(const std::vector<std::pair<std::string, double>>& numbers, const std::string& word) {
  std::string text;
  for (const auto& [name, value] : numbers)
    text.append(word).append(1, ' ').append(name).append(1, ' ').append(to_text(value)).append("\n");
  return text;
}

/// In version 2 each label is a spelling of its own, or the plain text.
void read_label(word_reader& in, std::uint32_t version, std::vector<double>& values, std::vector<std::string>& texts) {
  if (version != spelled_model_version) return values.push_back(in.number<double>("a label"));
  const std::string text = name_word(in, "a label");
  double& value = values.emplace_back();
  if (read_decimal(text.data(), text.data() + text.size(), value) != number_fault::none)
    in.fail("a label should stand here, not " + quote(text));
  texts.push_back(text == label_text(value) ? "" : text);
}

void read_labels(word_reader& in, std::uint32_t version, saved_model& m) {
  in.expect("labels");
  const std::string_view kind = in.word();
  std::uint32_t number = 0;
  while (number < std::size(kinds) && kinds[number] != kind) ++number;
  if (number == std::size(kinds)) in.fail("\"real\", \"binary\" or \"classes\" should stand here");
  std::vector<double> values;
  while (in.more_words()) read_label(in, version, values, m.label_texts);
  if (std::ranges::all_of(m.label_texts, &std::string::empty)) m.label_texts.clear();
  try {
    m.labels = label_map(static_cast<label_kind>(number), std::move(values));
  } catch (const input_error& e) {
    in.fail(e.what());
  }
  in.end_line();
}

/// The texts of labels and the schema, from version 3 on.
void read_schema(word_reader& in, saved_model& m) {
  while (in.line_is("label")) {
    in.expect("label");
    const auto label = in.number<double>("a label");
    const auto known = std::ranges::find(m.labels.values(), label);
    if (known == m.labels.values().end()) in.fail("there is no such label");
    m.label_texts.resize(m.labels.values().size());
    std::string& text = m.label_texts[static_cast<std::size_t>(known - m.labels.values().begin())];
    text = in.quoted_name();
    if (!is_text_of_label(text, label, true)) in.fail("this is no text of the label");
    in.end_line();
  }
  in.expect("schema");
  const auto lines = in.number<std::size_t>("the number of lines");
  in.end_line();
  for (std::size_t k = 0; k < lines; ++k) m.schema.append(in.line()).append("\n");
  if (!is_schema_text(m.schema)) in.fail("the schema has an empty line, or control characters");
}

void read_calibration(word_reader& in, saved_model& m) {
  in.expect("calibration");
  calibration& by = m.calibrated;
  const std::string_view kind = in.word();
  for (const calibration_kind each : {calibration_kind::platt, calibration_kind::isotonic})
    if (name_of(each) == kind) by.kind = each;
  if (!by || m.labels.kind() != label_kind::binary)
    in.fail("\"platt\" or \"isotonic\" should stand here, for a model of two labels");
  if (by.kind == calibration_kind::platt) {
    by.slope = in.number<double>("the slope");
    by.intercept = in.number<double>("the intercept");
    return in.end_line();
  }
  const auto count = in.number<std::uint64_t>("the number of margins");
  in.end_line();
  for (std::uint64_t k = 0; k < count; ++k) {
    by.margins.push_back(in.number<double>("a margin"));
    by.probabilities.push_back(in.number<double>("a probability"));
    in.end_line();
  }
  if (const std::string fault = by.fault(); !fault.empty()) in.fail(fault);
}

std::string calibration_text(const calibration& by) {
  std::string text = std::string("calibration ").append(name_of(by.kind)).append(1, ' ');
  if (by.kind == calibration_kind::platt) return text + to_text(by.slope) + " " + to_text(by.intercept) + "\n";
  text += std::to_string(by.margins.size()) + "\n";
  for (std::size_t k = 0; k < by.margins.size(); ++k)
    text += to_text(by.margins[k]) + " " + to_text(by.probabilities[k]) + "\n";
  return text;
}

void read_weights(word_reader& in, saved_model& m) {
  in.expect("columns");
  const auto count = in.number<std::uint64_t>("the number of columns");
  const bool quoted = in.line_ends_with("quoted"), named = !quoted && in.more_words();
  if (quoted || named) in.expect(quoted ? "quoted" : "named");
  in.end_line();
  for (std::uint64_t k = 0; k < count; ++k) {
    const auto column = in.number<std::uint32_t>("a column");
    if (k != 0 && column <= m.columns.back()) {
      in.fail("column " + std::to_string(column) + " follows column " + std::to_string(m.columns.back()) +
              "; columns must ascend");
    }
    m.columns.push_back(column);
    if (quoted) m.names.push_back(in.quoted_name());
    if (named) m.names.push_back(name_word(in, "the name of the column"));
    for (std::size_t w = 0; w < m.width; ++w) m.weights.push_back(in.number<float>("a weight"));
    in.end_line();
  }
}

void read_state(word_reader& in, saved_model& m) {
  in.expect("state");
  m.state.optimizer = name_word(in, "the optimiser's name");
  const auto arrays = in.number<std::size_t>("the number of arrays");
  if (arrays > most_state_arrays) in.fail("the optimiser's state has too many arrays");
  in.end_line();
  m.state.numbers = read_numbers(in, "number");
  for (std::size_t k = 0; k < arrays; ++k) {
    saved_state::array& a = m.state.arrays.emplace_back();
    if (!m.bias.empty()) {
      in.expect("bias");
      while (a.bias.size() < m.bias.size()) a.bias.push_back(in.number<float>("a number of the optimiser's state"));
      in.end_line();
    }
    for (std::size_t c = 0; c < m.columns.size(); ++c) {
      for (std::size_t w = 0; w < m.width; ++w)
        a.weights.push_back(in.number<float>("a number of the optimiser's state"));
      in.end_line();
    }
  }
}

std::string bias_text(const std::vector<float>& bias) {
  if (bias.empty()) return {};
  std::string text = "bias";
  for (const float b : bias) text.append(1, ' ').append(to_text(b));
  return text + "\n";
}

std::string state_text(const saved_model& m) {
  std::string text = "state " + m.state.optimizer + " " + std::to_string(m.state.arrays.size()) + "\n" +
                     text_of_numbers(m.state.numbers, "number");
  for (const saved_state::array& a : m.state.arrays) {
    text += bias_text(a.bias);
    for (std::size_t k = 0; k < m.columns.size(); ++k) {
      for (std::size_t w = 0; w < m.width; ++w)
        text.append(w == 0 ? "" : " ").append(to_text(a.weights[k * m.width + w]));
      text += "\n";
    }
  }
  return text;
}

std::string quoted(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + '"';
}

}  // namespace

std::vector<std::byte> text_model_bytes(const saved_model& m) {
  std::string text = std::string("hogwild model ") + std::to_string(version_of(m)) + "\nmodel " + m.model + "\n";
  text += text_of_numbers(m.model_options, "option");
  text += "labels " + std::string(kinds[static_cast<std::uint32_t>(m.labels.kind())]);
  const std::uint32_t version = version_of(m);
  for (const double value : m.labels.values())
    text.append(1, ' ').append(version == spelled_model_version ? m.text_of_label(value) : label_text(value));
  for (std::size_t k = 0; version >= schema_model_version && k < m.label_texts.size(); ++k)
    if (!m.label_texts[k].empty())
      text += "\nlabel " + label_text(m.labels.values()[k]) + " " + quoted(m.label_texts[k]);
  if (version >= schema_model_version)
    text.append("\nschema ").append(std::to_string(std::ranges::count(m.schema, '\n'))).append("\n").append(m.schema);
  else
    text += "\n";
  if (m.calibrated) text += calibration_text(m.calibrated);
  text += "width " + std::to_string(m.width) + "\n";
  text += bias_text(m.bias);
  const bool blanks = std::ranges::any_of(m.names, [](const auto& name) { return !is_model_word(name); });
  text += "columns " + std::to_string(m.columns.size()) + (m.names.empty() ? "\n" : blanks ? " quoted\n" : " named\n");
  for (std::size_t k = 0; k < m.columns.size(); ++k) {
    text += std::to_string(m.columns[k]);
    if (!m.names.empty()) text += " " + (blanks ? quoted(m.names[k]) : m.names[k]);
    for (const float w : m.row(k)) text.append(1, ' ').append(to_text(w));
    text += "\n";
  }
  if (m.state) text += state_text(m);
  text += "end\n";
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

saved_model parse_text_model(std::string_view text, const std::string& name) {
  word_reader in(text, name);
  const std::string first = "hogwild model";
  if (!text.starts_with(first))
    in.fail("this is not a saved model: its first line should begin with \"" + first + "\"");
  in.expect("hogwild");
  in.expect("model");
  const auto version = in.number<std::uint32_t>("the version");
  if (!is_model_version(version) || version >= quantised_model_version) {
    in.fail("this is a model of version " + std::to_string(version) + ", but as text only versions " +
            std::to_string(model_version) + " to " + std::to_string(state_model_version) + " can be read");
  }
  in.end_line();
  saved_model m;
  in.expect("model");
  m.model = name_word(in, "the model's name");
  in.end_line();
  m.model_options = read_numbers(in, "option");
  read_labels(in, version, m);
  if (version >= schema_model_version) read_schema(in, m);
  if (version == calibrated_model_version || (version > calibrated_model_version && in.line_is("calibration")))
    read_calibration(in, m);
  in.expect("width");
  m.width = in.number<std::size_t>("the number of parameters a column");
  if (!width_fits(m)) in.fail("a column has a number of parameters that does not suit the labels");
  in.end_line();
  if (in.line_is("bias")) {
    in.expect("bias");
    const std::size_t most = most_biases(m);
    while (m.bias.size() < most && (m.bias.empty() || in.more_words())) m.bias.push_back(in.number<float>("a bias"));
    if (!bias_fits(m, m.bias.size())) in.fail("there is neither one bias nor one for each parameter of a column");
    in.end_line();
  }
  read_weights(in, m);
  if (version >= state_model_version) read_state(in, m);
  in.expect("end");
  in.end_line();
  if (!in.at_end()) {
    in.word();
    in.fail("nothing should follow the line \"end\"");
  }
  return m;
}

}  // namespace hogwild::detail
