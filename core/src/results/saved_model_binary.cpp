// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include <hogwild/error.hpp>

#include <hogwild/detail/platform/checksum.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include "text/byte_cursor.hpp"

#include "results/saved_model_formats.hpp"
#include "results/saved_quantised.hpp"

// The file, little-endian:
//   0  magic, 8 bytes                           32  model name (length u32, characters)
//   8  version, u32; then zero, u32                 options u32: name, f64
//  16  bytes of the whole file, u64                 label kind u32, values u64: f64
//  24  checksum of everything else, u64            from version 2 on the text of each, or nothing for the
//                                                  plain one; from version 3 on the schema (length u32, characters)
//                                                  from version 4 on kind u32 (1 platt, 2 isotonic; in version 5
//                                                  also 0 none, with no number), numbers u64: f64, slope and
//                                                  intercept, or margins and then probabilities;
//                                                  width u64, biases u64: f32, columns u64: u32, weights f32,
//                                                  in version 5 the state: optimiser (length u32, characters),
//                                                  numbers u32: name, f64; arrays u32: biases f32, weights f32;
//                                                  names of the columns, or nothing more
// Version 6 has no state, and results/saved_quantised.hpp says how it has biases, weights and names.
// "Everything else" is bytes 0 to 23 and 32 to the end, so that every bit is covered.

namespace hogwild::detail {
namespace {

constexpr std::string_view model_magic("\x89HWMODL\n", 8);
constexpr std::size_t model_header_bytes = 32, digest_at = 24;

std::uint64_t digest(std::span<const std::byte> head, std::span<const std::byte> body) {
  const std::uint64_t both[] = {checksum(head), checksum(body)};
  return checksum(std::as_bytes(std::span(both)));
}

template <class T>
std::vector<T> take_finite(byte_cursor& in, std::uint64_t count, const char* what) {
  const std::size_t at = in.offset();
  std::vector<T> numbers = in.take_vector<T>(count, what);
  const auto bad = std::find_if(numbers.begin(), numbers.end(), [](T number) { return !std::isfinite(number); });
  if (bad != numbers.end()) {
    in.fail(at + static_cast<std::size_t>(bad - numbers.begin()) * sizeof(T),
            std::string("a number of ") + what + " is not finite");
  }
  return numbers;
}

std::string take_word(byte_cursor& in, const char* what) {
  const std::size_t at = in.offset();
  std::string word = in.take_text(what);
  if (!is_model_word(word)) in.fail(at, std::string(what) + " is not one word");
  return word;
}

label_map take_labels(byte_cursor& in) {
  const std::size_t at = in.offset();
  const auto kind = in.take<std::uint32_t>("the labels");
  if (kind > static_cast<std::uint32_t>(label_kind::classes)) in.fail(at, "there is no such kind of labels");
  auto values = take_finite<double>(in, in.take<std::uint64_t>("the labels"), "the labels");
  try {
    return {static_cast<label_kind>(kind), std::move(values)};
  } catch (const input_error& e) {
    in.fail(at, e.what());
  }
}

std::vector<std::string> take_label_texts(byte_cursor& in, const label_map& labels, bool named) {
  std::vector<std::string> texts;
  for (const double label : labels.values()) {
    const std::size_t at = in.offset();
    texts.push_back(in.take_text("the text of a label"));
    if (!is_text_of_label(texts.back(), label, named)) in.fail(at, "the text of a label does not read as the label");
  }
  if (std::ranges::all_of(texts, &std::string::empty)) texts.clear();
  return texts;
}

void put_calibration(byte_builder& out, const calibration& by) {
  std::vector<double> numbers;
  if (by.kind == calibration_kind::platt) numbers = {by.slope, by.intercept};
  if (by.kind == calibration_kind::isotonic) {
    numbers = by.margins;
    numbers.insert(numbers.end(), by.probabilities.begin(), by.probabilities.end());
  }
  out.put(static_cast<std::uint32_t>(by.kind));
  out.put(static_cast<std::uint64_t>(numbers.size()));
  out.put_span(std::span<const double>(numbers));
}

calibration take_calibration(byte_cursor& in, const label_map& labels, bool may_be_none) {
  const std::size_t at = in.offset();
  const auto kind = in.take<std::uint32_t>("the calibration");
  const std::vector<double> numbers =
      take_finite<double>(in, in.take<std::uint64_t>("the calibration"), "the calibration");
  if (may_be_none && kind == 0 && numbers.empty()) return {};
  if (kind == 0 || kind > static_cast<std::uint32_t>(calibration_kind::isotonic) || labels.kind() != label_kind::binary)
    in.fail(at, "there is no such calibration, or the model has not two labels");
  calibration made{.kind = static_cast<calibration_kind>(kind)};
  if (made.kind == calibration_kind::platt) {
    if (numbers.size() != 2) in.fail(at, "a sigmoid has two numbers");
    made.slope = numbers[0], made.intercept = numbers[1];
  } else {
    const auto half = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
    made.margins.assign(numbers.begin(), half), made.probabilities.assign(half, numbers.end());
  }
  if (const std::string fault = made.fault(); !fault.empty()) in.fail(at, fault);
  return made;
}

void put_numbers(byte_builder& out, const std::vector<std::pair<std::string, double>>& numbers) {
  out.put(static_cast<std::uint32_t>(numbers.size()));
  for (const auto& [name, value] : numbers) {
    out.put_text(name);
    out.put(value);
  }
}

/// Numbers with distinct names; messages call them `what`, and each of them `one`.
std::vector<std::pair<std::string, double>> take_numbers(byte_cursor& in, const char* what, const std::string& one) {
  std::vector<std::pair<std::string, double>> numbers;
  const auto count = in.take<std::uint32_t>(what);
  for (std::uint32_t k = 0; k < count; ++k) {
    const std::size_t at = in.offset();
    std::string name = take_word(in, ("the name of an " + one).c_str());
    for (const auto& other : numbers)
      if (other.first == name) in.fail(at, "the " + one + " " + quote(name) + " is there twice");
    const double value = take_finite<double>(in, 1, what).front();
    numbers.emplace_back(std::move(name), value);
  }
  return numbers;
}

void put_state(byte_builder& out, const saved_state& state) {
  out.put_text(state.optimizer);
  put_numbers(out, state.numbers);
  out.put(static_cast<std::uint32_t>(state.arrays.size()));
  for (const saved_state::array& a : state.arrays) {
    out.put_span(std::span<const float>(a.bias));
    out.put_span(std::span<const float>(a.weights));
  }
}

saved_state take_state(byte_cursor& in, const saved_model& of) {
  saved_state state{.optimizer = take_word(in, "the optimiser's name")};
  state.numbers = take_numbers(in, "the optimiser's numbers", "optimiser's number");
  const std::size_t at = in.offset();
  const auto arrays = in.take<std::uint32_t>("the optimiser's state");
  if (arrays > most_state_arrays) in.fail(at, "the optimiser's state has too many arrays");
  for (std::uint32_t k = 0; k < arrays; ++k) {
    auto bias = take_finite<float>(in, of.bias.size(), "the optimiser's state");
    state.arrays.push_back({take_finite<float>(in, of.weights.size(), "the optimiser's state"), std::move(bias)});
  }
  return state;
}

/// Checks magic, size and checksum; returns the version.
std::uint32_t check_frame(std::span<const std::byte> bytes, byte_cursor& in) {
  const auto begin = in.take_bytes(model_magic.size(), "the header");
  if (std::memcmp(begin.data(), model_magic.data(), model_magic.size()) != 0) in.fail(0, "this is not a saved model");
  const auto version = in.take<std::uint32_t>("the header");
  if (!is_model_version(version)) {
    in.fail(8, "this is a model of version " + std::to_string(version) + ", but only versions " +
                   std::to_string(model_version) + " to " + std::to_string(quantised_model_version) + " can be read");
  }
  in.take<std::uint32_t>("the header");
  const auto length = in.take<std::uint64_t>("the header");
  const auto checksum = in.take<std::uint64_t>("the header");
  if (length != bytes.size()) {
    in.fail(bytes.size(), "the file ends here, but it should have " + std::to_string(length) + " bytes");
  }
  if (checksum != digest(bytes.first(digest_at), bytes.subspan(model_header_bytes))) {
    in.fail(digest_at, "the contents do not match their checksum; the file was altered");
  }
  return version;
}

}  // namespace

std::vector<std::byte> binary_model_bytes(const saved_model& m) {
  byte_builder body;
  body.put_text(m.model);
  put_numbers(body, m.model_options);
  body.put(static_cast<std::uint32_t>(m.labels.kind()));
  body.put(static_cast<std::uint64_t>(m.labels.values().size()));
  body.put_span(m.labels.values());
  const std::uint32_t version = version_of(m);
  if (version > model_version)
    for (std::size_t k = 0; k < m.labels.values().size(); ++k)
      body.put_text(k < m.label_texts.size() ? m.label_texts[k] : "");
  if (version >= schema_model_version) body.put_text(m.schema);
  if (version >= calibrated_model_version) put_calibration(body, m.calibrated);
  body.put(static_cast<std::uint64_t>(m.width));
  const bool quantised = version >= quantised_model_version;
  body.put(static_cast<std::uint64_t>(m.bias.size()));
  if (quantised) put_quantised(body, m.quantised_bias);
  if (!m.quantised_bias) body.put_span(std::span<const float>(m.bias));
  body.put(static_cast<std::uint64_t>(m.columns.size()));
  body.put_span(std::span<const std::uint32_t>(m.columns));
  if (quantised) put_quantised(body, m.quantised_weights);
  if (!m.quantised_weights) body.put_span(std::span<const float>(m.weights));
  if (m.state) put_state(body, m.state);
  if (quantised)
    put_line_names(body, m);
  else
    for (const std::string& name : m.names) body.put_text(name);

  byte_builder file;
  file.put_span(std::span(model_magic.data(), model_magic.size()));
  file.put(version);
  file.put(std::uint32_t{0});
  file.put(static_cast<std::uint64_t>(model_header_bytes + body.bytes().size()));
  file.put(digest(file.bytes(), body.bytes()));
  file.put_bytes(body.bytes());
  return std::move(file).take();
}

saved_model parse_binary_model(std::span<const std::byte> bytes, const std::string& name) {
  byte_cursor in(bytes, name);
  const std::uint32_t version = check_frame(bytes, in);
  saved_model m;
  m.model = take_word(in, "the model's name");
  m.model_options = take_numbers(in, "the options", "option");
  m.labels = take_labels(in);
  if (version > model_version) m.label_texts = take_label_texts(in, m.labels, version >= schema_model_version);
  if (version >= schema_model_version) {
    const std::size_t at = in.offset();
    m.schema = in.take_text("the schema");
    if (!is_schema_text(m.schema)) in.fail(at, "the schema is no text of lines");
  }
  if (version >= calibrated_model_version)
    m.calibrated = take_calibration(in, m.labels, version >= state_model_version);
  const std::size_t width_at = in.offset();
  m.width = in.take<std::uint64_t>("the width");
  if (!width_fits(m)) in.fail(width_at, "a column has a number of parameters that does not suit the labels");
  const std::size_t bias_at = in.offset();
  const auto biases = in.take<std::uint64_t>("the bias");
  if (!bias_fits(m, biases)) in.fail(bias_at, "the bias does not have one number a parameter of a column");
  const bool quantised = version >= quantised_model_version;
  if (quantised && take_quantised(in, biases, m.width, m.quantised_bias))
    m.bias = m.quantised_bias.decoded();
  else
    m.bias = take_finite<float>(in, biases, "the bias");
  const auto count = in.take<std::uint64_t>("the columns");
  const std::size_t columns_at = in.offset();
  m.columns = in.take_vector<std::uint32_t>(count, "the columns");
  for (std::size_t k = 1; k < m.columns.size(); ++k) {
    if (m.columns[k] <= m.columns[k - 1]) {
      in.fail(columns_at + 4 * k, "column " + std::to_string(m.columns[k]) + " follows column " +
                                      std::to_string(m.columns[k - 1]) + "; columns must ascend");
    }
  }
  const bool countable = count == 0 || m.width <= std::numeric_limits<std::uint64_t>::max() / count;
  const std::uint64_t numbers = countable ? count * m.width : std::numeric_limits<std::uint64_t>::max();
  if (quantised && take_quantised(in, numbers, m.width, m.quantised_weights))
    m.weights = m.quantised_weights.decoded();
  else
    m.weights = take_finite<float>(in, numbers, "the weights");
  if (version == state_model_version) m.state = take_state(in, m);
  if (quantised) m.names = take_line_names(in, m, name);
  for (std::uint64_t k = 0; !quantised && k < count && (k > 0 || in.left() != 0); ++k) {
    const std::size_t at = in.offset();
    m.names.push_back(in.take_text("the name of a column"));
    if (!is_column_name(m.names.back()))
      in.fail(at, "the name of a column is empty, too long or holds control characters");
  }
  if (in.left() != 0) in.fail(in.offset(), "there are bytes behind the last item");
  return m;
}

}  // namespace hogwild::detail
