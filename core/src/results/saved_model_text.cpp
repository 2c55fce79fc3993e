// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>

#include "results/saved_model_formats.hpp"
#include "text/decimal.hpp"

// The file, one item a line, words separated by single blanks:
//   hogwild model 1               (2 if labels are spelled as in the data: "+1"; 3 with a schema or named classes,
//                                  4 with a calibration)
//   model NAME
//   option NAME NUMBER            (any number of such lines)
//   labels real|binary|classes VALUE...
//   label NUMBER "NAME"           (from version 3 on, for each label with a text of its own)
//   schema COUNT                  (from version 3 on; COUNT lines follow)
//   calibration platt SLOPE INTERCEPT      (version 4: this, or the next with COUNT lines)
//   calibration isotonic COUNT
//   MARGIN PROBABILITY
//   width NUMBER
//   bias NUMBER...                (left out if there is none)
//   columns COUNT [named|quoted]
//   COLUMN [NAME] WEIGHT...       (COUNT lines, columns ascending)
//   end
// If a name contains blanks, all names are quoted: in quotation marks, with a backslash before each quotation mark and
// each backslash in it.

namespace hogwild::detail {
namespace {

constexpr std::string_view kinds[] = {"real", "binary", "classes"};

/// Reads words of the text, line by line, with the place of each for messages.
class word_reader {
 public:
  word_reader(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  [[noreturn]] void fail(const std::string& why) const {
    throw format_error(name_, line_, word_at_ - line_at_ + 1, why);
  }

  /// The next word of this line; empty at its end.
  std::string_view word() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    word_at_ = at_;
    while (at_ < text_.size() && text_[at_] != ' ' && !at_line_end()) ++at_;
    return text_.substr(word_at_, at_ - word_at_);
  }
  /// A quoted name, without its marks.
  std::string quoted_name() {
    word();  // goes to its beginning
    at_ = word_at_;
    std::string name;
    if (at_ == text_.size() || text_[at_] != '"') fail("the name of the column should stand here, in quotation marks");
    for (++at_; at_ < text_.size() && !at_line_end() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      name += text_[at_];
    }
    if (at_ == text_.size() || text_[at_] != '"') fail("a quotation mark should end the name of the column");
    ++at_;
    if (at_ < text_.size() && text_[at_] != ' ' && !at_line_end())
      fail("a blank should stand behind the column's name");
    if (!is_column_name(name)) fail("the name of the column is empty, too long or holds control characters");
    return name;
  }
  /// The rest of the line; goes to the next one.
  std::string_view line() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && !at_line_end()) ++at_;
    const std::string_view whole = text_.substr(begin, at_ - begin);
    end_line();
    return whole;
  }
  void expect(std::string_view wanted) {
    if (word() != wanted) fail(std::string("\"").append(wanted).append("\" should stand here"));
  }
  bool more_words() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() && !at_line_end();
  }
  void end_line() {
    if (more_words()) {
      word();
      fail("the line should end here");
    }
    word_at_ = at_;
    if (at_ == text_.size()) fail("the file ends here, before its last line \"end\"");
    at_ += text_[at_] == '\r' ? 2u : 1u;
    line_at_ = word_at_ = at_;
    ++line_;
  }
  bool at_end() const { return at_ == text_.size(); }
  /// Whether the line begins with this word.
  bool line_is(std::string_view wanted) const {
    const std::string_view rest = text_.substr(at_);
    return rest.starts_with(wanted) && rest.substr(wanted.size(), 1) == " ";
  }

  /// Whether the rest of the line is this word.
  bool line_ends_with(std::string_view wanted) {
    if (!more_words()) return false;
    const std::string_view rest = text_.substr(at_, text_.find('\n', at_) - at_);
    return rest == wanted || (rest.ends_with('\r') && rest.substr(0, rest.size() - 1) == wanted);
  }

  template <class T>
  T number(const char* what) {
    const std::string_view text = word();
    T value{};
    const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc{} || stop != text.data() + text.size() || text.empty()) {
      fail(std::string(what) + " should stand here, but this is " + quote(text));
    }
    if constexpr (std::is_floating_point_v<T>) {
      if (!std::isfinite(value)) fail(std::string(what) + " is not finite");
    }
    return value;
  }

 private:
  bool at_line_end() const { return text_[at_] == '\n' || (text_[at_] == '\r' && text_.substr(at_ + 1, 1) == "\n"); }
  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0, word_at_ = 0, line_at_ = 0, line_ = 1;
};

std::string name_word(word_reader& in, const char* what) {
  const std::string_view found = in.word();
  if (!is_model_word(found)) in.fail(std::string(what) + " should stand here");
  return std::string(found);
}

void read_options(word_reader& in, saved_model& m) {
  while (in.line_is("option")) {
    in.expect("option");
    std::string option = name_word(in, "an option's name");
    for (const auto& other : m.model_options) {
      if (other.first == option) in.fail("the option " + quote(option) + " is there twice");
    }
    const double value = in.number<double>("the option's value");
    m.model_options.emplace_back(std::move(option), value);
    in.end_line();
  }
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
  for (const auto& [name, value] : m.model_options)
    text.append("option ").append(name).append(1, ' ').append(to_text(value)).append("\n");
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
  if (!m.bias.empty()) {
    text += "bias";
    for (const float b : m.bias) text.append(1, ' ').append(to_text(b));
    text += "\n";
  }
  const bool blanks = std::ranges::any_of(m.names, [](const auto& name) { return !is_model_word(name); });
  text += "columns " + std::to_string(m.columns.size()) + (m.names.empty() ? "\n" : blanks ? " quoted\n" : " named\n");
  for (std::size_t k = 0; k < m.columns.size(); ++k) {
    text += std::to_string(m.columns[k]);
    if (!m.names.empty()) text += " " + (blanks ? quoted(m.names[k]) : m.names[k]);
    for (const float w : m.row(k)) text.append(1, ' ').append(to_text(w));
    text += "\n";
  }
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
  if (!is_model_version(version)) {
    in.fail("this is a model of version " + std::to_string(version) + ", but only versions " +
            std::to_string(model_version) + " to " + std::to_string(calibrated_model_version) + " can be read");
  }
  in.end_line();
  saved_model m;
  in.expect("model");
  m.model = name_word(in, "the model's name");
  in.end_line();
  read_options(in, m);
  read_labels(in, version, m);
  if (version >= schema_model_version) read_schema(in, m);
  if (version == calibrated_model_version) read_calibration(in, m);
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
  in.expect("end");
  in.end_line();
  if (!in.at_end()) {
    in.word();
    in.fail("nothing should follow the line \"end\"");
  }
  return m;
}

}  // namespace hogwild::detail
