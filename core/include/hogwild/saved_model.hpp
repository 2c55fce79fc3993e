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
#include <hogwild/detail/data/quantised_rows.hpp>
#include <hogwild/detail/math/calibration.hpp>

namespace hogwild {

/// The state of the optimiser that trained a saved model: arrays that are laid out as its parameters.
struct saved_state {
  struct array {
    std::vector<float> weights{}, bias{};
    bool operator==(const array&) const = default;
  };
  std::string optimizer{};                                ///< its name; empty: no state is held
  std::vector<std::pair<std::string, double>> numbers{};  ///< what the state belongs to; names are distinct
  std::vector<array> arrays{};                            ///< as many as the optimiser keeps

  explicit operator bool() const { return !optimizer.empty(); }  ///< whether a state is held
  /// Whether both belong to the same: all but the rows that made them.
  bool goes_with(const saved_state& other) const;
  bool operator==(const saved_state&) const = default;
};

/// A trained model in the numbering of its input. It holds all that a prediction needs, and nothing about the run
/// except how it divided columns and, if asked for, the optimiser's state, so the same parameters make the same bytes.
/// Columns with zero weights are kept: a prediction can then distinguish a column that the training data did not have
/// from one that does not matter.
///
/// To predict, open the data with open_options::numbering = column_numbering(columns); position k of that data is row k
/// of the weights.
struct saved_model {
  std::string model;                                            ///< name, e.g. "logistic"
  std::vector<std::pair<std::string, double>> model_options{};  ///< e.g. {"delta", 1.0}; names are distinct
  label_map labels{};                                           ///< the names of its classes
  std::size_t width = 1;                 ///< parameters of each column, as the model has them; at least 1 for two
                                         ///< labels
  std::vector<std::uint32_t> columns{};  ///< input numbers, ascending
  std::vector<float> weights{};          ///< columns.size() * width; the parameters of a column are adjacent
  std::vector<float> bias{};             ///< parameters that belong to no column: none, one or `width`; nets and
                                         ///< classes have more

  std::vector<std::string> names{};  ///< the names of the columns, if the input has them; else empty

  /// The labels in words, one for each of labels.values(), empty if the word is label_text(); empty if all are. A word
  /// is the number in another spelling, or no number: the name of a class.
  std::vector<std::string> label_texts{};
  /// Makes probabilities of margins, for models of two labels; none: the model's own, if it has any.
  calibration calibrated{};
  /// How files with the columns of the training data are read, in lines of text (formats/tables.hpp); empty if the
  /// numbers of columns say all.
  std::string schema{};
  /// For a run that goes on from this model; predictions do not need it.
  saved_state state{};
  /// The rows of which the weights, or the biases, are what decoded() says. A binary file holds them instead.
  quantised_rows quantised_weights{}, quantised_bias{};

  /// One of labels.values() as the data spell it; any other number as plain text.
  std::string text_of_label(double label) const;
  /// Whether a label is called by a word that is no number.
  bool names_classes() const;
  /// Whether numbers of the model are approximations from which no run goes on.
  bool is_quantised() const { return quantised_weights || quantised_bias; }
  /// The words of the labels, by number, for open_options::label_words; empty if they are numbers, or those of a
  /// schema.
  std::vector<std::string> label_words() const;
  /// Copies the spelling of the labels from these data.
  void spell_labels(const label_spelling& spelling);

  /// Parameters of the column `columns[position]`.
  std::span<const float> row(std::size_t position) const { return std::span(weights).subspan(position * width, width); }

  bool operator==(const saved_model&) const = default;
};

/// The format of a file of a saved model.
enum class model_format {
  binary,  ///< with a checksum
  text     ///< for people and other programs; reads back exactly
};

/// `text` for a path that ends in ".txt", else `binary`.
model_format model_format_for(const std::filesystem::path& path);

/// Writes the model to a temporary file, flushes it and renames it to `path`. Throws config_error if sizes do not
/// fit together, columns do not ascend, or a name is empty, too long or has control characters, or blanks unless it
/// is a column's, and for a quantised model as text; error with exit_code::diverged if a number is not finite;
/// resource_error or input_error if the file cannot be written. In each case `path` is left as it was.
void save_model(const std::filesystem::path& path, const saved_model& model, model_format format);

/// Reads a file of save_model, in either format, which is recognised by content. Throws format_error (file:line:column)
/// for text, or input_error with the byte for binary files, if the file is not a model, is of another version, cut or
/// altered, or holds a number that is not finite or columns that do not ascend. `note` receives one sentence if others
/// can change the file (docs/security.md).
saved_model load_model(const std::filesystem::path& path, const std::function<void(std::string_view)>& note = {});

/// The bytes of the file that save_model() would write.
std::vector<std::byte> model_bytes(const saved_model& model, model_format format);
/// The model of such bytes; `name` replaces the file's name in messages. Throws as load_model().
saved_model parse_model(std::span<const std::byte> bytes, const std::string& name);

}  // namespace hogwild
