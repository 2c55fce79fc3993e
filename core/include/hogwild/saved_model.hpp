// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hogwild/detail/data/label_spelling.hpp>
#include <hogwild/detail/data/labels.hpp>

namespace hogwild {

/// A trained linear model in the numbering of its input: everything that a prediction needs, and of the run that found
/// it only how that divided columns, if it did, so that the same parameters make the same bytes. Columns with zero
/// weights are kept: a prediction then tells a column that training never had from one that does not matter.
///
/// To predict, open the data with open_options::numbering = column_numbering(columns); position k of that data is row k
/// of the weights.
struct saved_model {
  std::string model;                                            ///< name, e.g. "logistic"
  std::vector<std::pair<std::string, double>> model_options{};  ///< e.g. {"delta", 1.0}; names are distinct
  label_map labels{};                                           ///< what its classes are called
  std::size_t width = 1;                 ///< parameters of each column: what the model has, of two labels at least 1
  std::vector<std::uint32_t> columns{};  ///< input numbers, ascending
  std::vector<float> weights{};          ///< columns.size() * width, the parameters of a column together
  std::vector<float> bias{};             ///< of no column: none, one or `width`; of nets and classes more

  std::vector<std::string> names{};  ///< of the columns in words, where the input has them; else none

  /// What the labels are in words, one for each of labels.values(), empty where that is label_text(); none where all
  /// are.
  std::vector<std::string> label_texts{};

  /// One of labels.values() as the data have it written; of another number the plain text.
  std::string text_of_label(double label) const;
  /// Takes over how the labels of these data are written.
  void spell_labels(const label_spelling& spelling);

  /// Parameters of the column `columns[position]`.
  std::span<const float> row(std::size_t position) const { return std::span(weights).subspan(position * width, width); }

  bool operator==(const saved_model&) const = default;
};

enum class model_format {
  binary,  ///< with a checksum
  text     ///< for people and other programs; reads back exactly
};

/// text for a path that ends in ".txt", else binary.
model_format model_format_for(const std::filesystem::path& path);

/// Writes the model aside, flushes it and renames it to `path`. Throws config_error where sizes do not fit
/// together, columns do not ascend or a name is empty or has blanks; error with exit_code::diverged where a number is
/// not finite; resource_error or input_error where the file cannot be written. Then `path` is as before.
void save_model(const std::filesystem::path& path, const saved_model& model, model_format format);

/// Reads what save_model wrote, in either format, told by content. Throws format_error (file:line:column) for text and
/// input_error with the byte for binary files that are not a model, of another version, cut, altered, or that hold a
/// number that is not finite or columns that do not ascend. Of a file that others can change (docs/security.md) `note`
/// is told, in one sentence.
saved_model load_model(const std::filesystem::path& path, const std::function<void(std::string_view)>& note = {});

/// The same from and to memory; `name` stands for the file in messages.
std::vector<std::byte> model_bytes(const saved_model& model, model_format format);
saved_model parse_model(std::span<const std::byte> bytes, const std::string& name);

}  // namespace hogwild
