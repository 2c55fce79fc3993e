// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/detail/results/saved_options.hpp>
#include <hogwild/saved_model.hpp>

namespace hogwild::detail {

/// The usual version. Texts of labels came with the second version, schemas and labels that are no numbers with the
/// third, calibration with the fourth, the optimiser's state with the fifth, quantised rows with the sixth; each is
/// written only if there is what came with it.
inline constexpr std::uint32_t model_version = 1, spelled_model_version = 2, schema_model_version = 3,
                               calibrated_model_version = 4, state_model_version = 5, quantised_model_version = 6;
std::uint32_t version_of(const saved_model& m);
inline bool is_model_version(std::uint32_t version) {
  return version >= model_version && version <= quantised_model_version;
}
/// First byte of the binary format; no text begins with it.
inline constexpr std::byte binary_model_mark{0x89};

/// A word in either format: not empty, at most 255 bytes, no blanks or control characters.
bool is_model_word(std::string_view word);
/// The name of a column, which may contain blanks; otherwise as a word.
bool is_column_name(std::string_view name);

/// Whether `text` is valid for `label` in saved_model::label_texts: empty, or a word that reads as the label and is not
/// its label_text(), or the name of a class. `named`: classes have names, which may be numbers as well.
bool is_text_of_label(const std::string& text, double label, bool named);
/// Whether a text is the name of a class: printable, and no number.
bool is_class_name(std::string_view text);
/// Whether a text has only whole lines without control characters.
bool is_schema_text(std::string_view text);

/// The number of arrays that a state has at most.
inline constexpr std::size_t most_state_arrays = 8;

/// Parameters of a column: for classes and numbers possibly none.
inline bool width_fits(const saved_model& m) {
  constexpr std::size_t most = std::size_t{1} << 27;
  return m.width <= most && (m.width > 0 || m.labels.kind() != label_kind::binary);
}

/// Parameters that an option counts; 0 without that option.
inline std::uint64_t counted_by(std::string_view option, const saved_model& m) {
  const double told = told_option(m, option).value_or(0.0);
  return told >= 0.0 && told <= 0x1p53 ? static_cast<std::uint64_t>(told) : 0;
}
/// Of a net after the bias, and of parts of words.
inline std::uint64_t net_parameters(const saved_model& m) {
  return counted_by("net", m);
}
inline std::uint64_t part_parameters(const saved_model& m) {
  return counted_by("parts", m);
}
/// Of documents, each of which has a vector.
inline std::uint64_t document_parameters(const saved_model& m) {
  const std::uint64_t documents = counted_by("documents", m), dimension = counted_by("dimension", m);
  constexpr std::uint64_t most = std::uint64_t{1} << 32;
  return documents < most && dimension < most ? documents * dimension : 0;
}

/// Parameters that belong to no column: none, one, one for each parameter of a column, one and those of a net, or those
/// of parts of words or of documents; for models of classes any number.
inline bool bias_fits(const saved_model& m, std::uint64_t numbers) {
  return numbers <= 1 || numbers == m.width || numbers == 1 + net_parameters(m) || numbers == part_parameters(m) ||
         numbers == document_parameters(m) || m.labels.kind() == label_kind::classes;
}
inline std::uint64_t most_biases(const saved_model& m) {
  if (m.labels.kind() == label_kind::classes) return m.bias.max_size();
  return std::max<std::uint64_t>({m.width, 1 + net_parameters(m), part_parameters(m), document_parameters(m)});
}

// One pair of functions for each format. Writers get a checked model; readers check all that they read.
std::vector<std::byte> binary_model_bytes(const saved_model& model);
saved_model parse_binary_model(std::span<const std::byte> bytes, const std::string& name);
std::vector<std::byte> text_model_bytes(const saved_model& model);
saved_model parse_text_model(std::string_view text, const std::string& name);

}  // namespace hogwild::detail
