// SPDX-License-Identifier: Apache-2.0
#include <hogwild/saved_model.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

#include <hogwild/detail/platform/atomic_file.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>

#include "platform/trusted_file.hpp"
#include "results/saved_model_formats.hpp"
#include "text/decimal.hpp"
#include "text/known_kinds.hpp"

namespace hogwild {
namespace {

void require(bool holds, const std::string& what) {
  if (!holds) throw config_error("this model cannot be saved: " + what);
}

void require_savable(const saved_state& state, const saved_model& of) {
  const auto fits = [&](const saved_state::array& a) {
    return a.weights.size() == of.weights.size() && a.bias.size() == of.bias.size();
  };
  require(std::ranges::all_of(state.arrays, fits), "the state of its optimiser has another size than its parameters");
  require(state ? detail::is_model_word(state.optimizer) : state.arrays.empty(),
          "the optimiser's name " + quote(state.optimizer) + " is not one word");
  require(state.arrays.size() <= detail::most_state_arrays, "the state of its optimiser has too many arrays");
  for (const auto& [name, value] : state.numbers)
    require(detail::is_model_word(name), "the name " + quote(name) + " of its optimiser's number is not one word");
  const auto finite = [](float number) { return std::isfinite(number); };
  for (const saved_state::array& a : state.arrays)
    if (!std::ranges::all_of(a.weights, finite) || !std::ranges::all_of(a.bias, finite))
      throw error(
          exit_code::diverged,
          "this model cannot be saved: the state of its optimiser holds a number that is not finite; train again "
          "with a lower step");
}

void require_savable(const saved_model& m) {
  require(detail::is_model_word(m.model), "its name " + quote(m.model) + " is not one word");
  for (std::size_t k = 0; k < m.model_options.size(); ++k) {
    const std::string& name = m.model_options[k].first;
    require(detail::is_model_word(name), "the option name " + quote(name) + " is not one word");
    for (std::size_t other = 0; other < k; ++other) {
      require(m.model_options[other].first != name, "it has the option " + quote(name) + " twice");
    }
  }
  require(detail::width_fits(m),
          "a column has " + std::to_string(m.width) + " parameters, which do not suit the labels");
  require(m.width == 0 ? m.weights.empty()
                       : m.weights.size() % m.width == 0 && m.weights.size() / m.width == m.columns.size(),
          std::to_string(m.columns.size()) + " columns of " + std::to_string(m.width) + " parameters do not make " +
              std::to_string(m.weights.size()) + " weights");
  require(detail::bias_fits(m, m.bias.size()), "it has " + std::to_string(m.bias.size()) + " biases, but " +
                                                   std::to_string(m.width) + " parameters a column");
  require(std::adjacent_find(m.columns.begin(), m.columns.end(), std::greater_equal<>()) == m.columns.end(),
          "its columns are not in ascending order");
  require(m.names.empty() || m.names.size() == m.columns.size(),
          "it has " + std::to_string(m.names.size()) + " names for " + std::to_string(m.columns.size()) + " columns");
  require(m.label_texts.empty() || m.label_texts.size() == m.labels.values().size(),
          "it has " + std::to_string(m.label_texts.size()) + " texts for " + std::to_string(m.labels.values().size()) +
              " labels");
  const bool named = !m.schema.empty() || m.names_classes();
  for (std::size_t k = 0; k < m.label_texts.size(); ++k)
    require(detail::is_text_of_label(m.label_texts[k], m.labels.values()[k], named),
            quote(m.label_texts[k]) + " is no text of its label " + label_text(m.labels.values()[k]));
  require(!m.calibrated || m.labels.kind() == label_kind::binary, "it is calibrated, and has not two labels");
  require(m.calibrated.fault().empty(), m.calibrated.fault());
  require(detail::is_schema_text(m.schema), "its schema is no text of lines");
  require_savable(m.state, m);
  for (const auto& [rows, numbers] : {std::pair(&m.quantised_weights, &m.weights), {&m.quantised_bias, &m.bias}}) {
    if (!*rows) continue;
    const std::string fault = rows->fault(m.width == 0 ? 0 : numbers->size() / m.width);
    require(fault.empty(), "it is quantised, and " + fault);
    require(rows->width == m.width && rows->decoded() == *numbers, "its numbers are not those of its quantised rows");
    require(!m.state, "it is quantised, and has the state of an optimiser");
  }
  for (const std::string& name : m.names)
    require(detail::is_column_name(name),
            "the name of a column, " + quote(name) + ", is empty, too long or holds control characters");

  const auto finite = [](const auto& number) { return std::isfinite(number); };
  if (!std::all_of(m.weights.begin(), m.weights.end(), finite) || !std::all_of(m.bias.begin(), m.bias.end(), finite) ||
      !std::all_of(m.model_options.begin(), m.model_options.end(), [&](const auto& o) { return finite(o.second); })) {
    throw error(exit_code::diverged,
                "this model cannot be saved: it holds a number that is not finite; train again with a lower step");
  }
}

}  // namespace

bool detail::is_model_word(std::string_view word) {
  return !word.empty() && word.size() <= 255 && std::none_of(word.begin(), word.end(), [](char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == '\x7f';
  });
}

bool detail::is_column_name(std::string_view name) {
  constexpr std::size_t longest = 65535;
  return !name.empty() && name.size() <= longest &&
         std::ranges::none_of(name, [](char c) { return (static_cast<unsigned char>(c) < ' ') || c == '\x7f'; });
}

std::uint32_t detail::version_of(const saved_model& m) {
  if (m.is_quantised()) return quantised_model_version;
  if (m.state) return state_model_version;
  if (m.calibrated) return calibrated_model_version;
  if (!m.schema.empty() || m.names_classes()) return schema_model_version;
  return m.label_texts.empty() ? model_version : spelled_model_version;
}

bool detail::is_class_name(std::string_view text) {
  double read = 0;
  return is_column_name(text) &&
         read_decimal(text.data(), text.data() + text.size(), read) == number_fault::not_a_number;
}

bool detail::is_schema_text(std::string_view text) {
  return (text.empty() || text.ends_with('\n')) && text.find("\n\n") == text.npos && !text.starts_with('\n') &&
         std::ranges::none_of(text,
                              [](char c) { return c != '\n' && (static_cast<unsigned char>(c) < ' ' || c == '\x7f'); });
}

bool detail::is_text_of_label(const std::string& text, double label, bool named) {
  if (text.empty() || is_class_name(text) || (named && is_column_name(text))) return true;
  double read = 0;
  return is_model_word(text) && text != label_text(label) &&
         read_decimal(text.data(), text.data() + text.size(), read) == number_fault::none && read == label;
}

std::string saved_model::text_of_label(double label) const {
  const auto values = labels.values();
  const auto found = std::ranges::lower_bound(values, label);
  const auto k = static_cast<std::size_t>(found - values.begin());
  const bool own = found != values.end() && *found == label && k < label_texts.size() && !label_texts[k].empty();
  return own ? label_texts[k] : label_text(label);
}

bool saved_model::names_classes() const {
  return std::ranges::any_of(label_texts, detail::is_class_name);
}

std::vector<std::string> saved_model::label_words() const {
  std::vector<std::string> words;
  if (!schema.empty() || !names_classes()) return words;
  // Words that occur only in other rows have left gaps, which no text fills.
  const double most = 2.0 * static_cast<double>(labels.classes()) + 0x1p20;
  for (const double label : labels.values()) {
    if (label < 0 || label > most || std::trunc(label) != label) return {};
    words.resize(static_cast<std::size_t>(label) + 1);
    words.back() = text_of_label(label);
  }
  return words;
}

void saved_model::spell_labels(const label_spelling& spelling) {
  label_texts.clear();
  for (const double label : labels.values()) label_texts.emplace_back(spelling.find(label));
  if (std::ranges::all_of(label_texts, &std::string::empty)) label_texts.clear();
}

model_format model_format_for(const std::filesystem::path& path) {
  return path.extension() == ".txt" ? model_format::text : model_format::binary;
}

std::vector<std::byte> model_bytes(const saved_model& model, model_format format) {
  require_savable(model);
  if (format == model_format::text && model.is_quantised())
    throw config_error("a quantised model is not saved as text: give a name that does not end in .txt");
  return format == model_format::text ? detail::text_model_bytes(model) : detail::binary_model_bytes(model);
}

saved_model parse_model(std::span<const std::byte> bytes, const std::string& name) {
  const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const bool binary = !bytes.empty() && bytes.front() == detail::binary_model_mark;
  detail::require_stored(all, binary ? file_kind::binary_model : file_kind::text_model, "a saved model", name,
                         "name a file that a training has saved");
  return binary ? detail::parse_binary_model(bytes, name) : detail::parse_text_model(detail::without_mark(all), name);
}

void save_model(const std::filesystem::path& path, const saved_model& model, model_format format) {
  const auto bytes = model_bytes(model, format);
  atomic_file file(path);
  file.write(bytes);
  file.commit();
}

saved_model load_model(const std::filesystem::path& path, const std::function<void(std::string_view)>& note) {
  std::string distrusted;
  saved_model model = parse_model(detail::read_whole_file(path.string(), distrusted), path.string());
  if (!distrusted.empty() && note)
    note("the model " + path.string() + " " + distrusted + "; what it says is what they want it to say");
  return model;
}

}  // namespace hogwild
