// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include <hogwild/saved_model.hpp>

// Trained models in the forms of other programs. docs/exports.md describes each form.

namespace hogwild {

namespace detail {
struct exported_model;
}

/// A form in which another program reads a trained model. Forms hold linear models; some hold more.
struct export_form {
  std::string_view name;        ///< the word for it, e.g. "liblinear"
  std::string_view extensions;  ///< of its files, with blanks between them
  std::string_view summary;     ///< what it is, for a list
  bool holds_factors;           ///< whether it holds factorization machines
  bool holds_ensembles;         ///< whether it holds several models that make one prediction
  /// The text of the file. Throws config_error for a model that the form cannot hold. `stem`: the name of the file
  /// without its extension.
  std::string (*text)(const detail::exported_model& model, std::string_view stem);
};

/// All forms.
std::span<const export_form> export_forms();
/// The form of files with the extension of this path; null if it is of none.
const export_form* export_form_for(const std::filesystem::path& path);
/// The form of this name. Throws config_error, with the names of all, if there is none.
const export_form& export_form_named(std::string_view name);

/// The largest number of parameters and columns together that a C++ header holds.
inline constexpr std::size_t most_header_numbers = std::size_t{1} << 20;
/// The largest number of margins of a row that a C++ header computes.
inline constexpr std::size_t most_header_outputs = std::size_t{1} << 14;
/// The largest number of weights, zeros included, that a file of LIBLINEAR holds.
inline constexpr std::size_t most_liblinear_weights = 100'000'000;

/// Writes the model to `path` in this form, as save_model() writes: in one piece or not at all. `source`: the model's
/// name in messages. Throws config_error for a model that the form cannot hold, input_error for one that does not hold
/// together, and what save_model() throws for a file that cannot be written.
void export_model(const std::filesystem::path& path, const saved_model& model, const export_form& form,
                  const std::string& source);

/// The word for fastText's form, which holds no sums over columns.
inline constexpr std::string_view fasttext_form = "fasttext";

/// Writes a skip_gram, cbow or text_classifier model as fastText's program writes NAME.bin, as export_model() writes.
/// Known words have the same vectors there, and those of unknown words the same direction. `note` receives a sentence
/// if fastText's probabilities differ. Throws config_error for a model that fastText would read otherwise, and else
/// what export_model() throws.
void export_to_fasttext(const std::filesystem::path& path, const saved_model& model, const std::string& source,
                        const std::function<void(std::string_view)>& note = {});

}  // namespace hogwild
