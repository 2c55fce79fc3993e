// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/model/example.hpp>
#include <hogwild/detail/models/descriptor.hpp>
#include <hogwild/detail/models/model_data.hpp>
#include <hogwild/detail/models/model_options.hpp>
#include <hogwild/detail/models/several_margins.hpp>
#include <hogwild/detail/words/vocabulary.hpp>
#include <hogwild/models.hpp>
#include <hogwild/saved_model.hpp>
#include <hogwild/word_vectors.hpp>

// From the names of models to their types: once, outside the loop. Programs that know their model at compile time do
// not need it.

namespace hogwild {

/// All named models, in the order of the list in models/CMakeLists.txt, and behind them those that were registered.
std::span<const model_descriptor* const> known_models();
/// Adds a model of the program's own, which must stay. Not while others ask for models. Throws config_error where there
/// is one of this name.
void register_descriptor(const model_descriptor& descriptor);
/// Null for a name that is not known.
const model_descriptor* find_model(std::string_view name);
/// Throws config_error for a name that is not known, with those that are.
const model_descriptor& model_named(std::string_view name);
const model_descriptor& descriptor_of(const named_model& m);

/// The names that make_model knows.
std::vector<std::string_view> model_names();

/// Throws config_error for a name that is not known (with those that are), and for options that the model has not or
/// that are out of range.
named_model make_model(std::string_view name, const model_data& data = {}, const model_options& options = {});

std::string_view name_of(const named_model& m);
label_kind labels_of(const named_model& m);

/// The vectors of trained words, the inputs alone, in the order of the vocabulary, which the model was made for. Throws
/// config_error for a model that is of no words.
word_vectors vectors_of(const named_model& m, std::span<const float> parameters, const vocabulary& words);

/// A trained model in the numbering of its input. `parameters` as train() returns them, `original[position]` the input
/// number of each column. Throws config_error where their sizes do not fit.
saved_model to_saved(const named_model& m, std::span<const float> parameters, const label_map& labels,
                     std::span<const std::uint32_t> original);

/// The same of several margin models that make one, whose parameters stand as those of softmax do: those of a column
/// together, and the constant terms last. Throws config_error for a model that has no margin, too.
saved_model to_saved(const named_model& m, answer_kind by, std::size_t models, std::span<const float> parameters,
                     const label_map& labels, std::span<const std::uint32_t> original);
/// How the models of the library that a file holds make one; nothing where it holds one alone.
std::optional<answer_kind> answer_of(const saved_model& saved);

/// What a saved model says of rows whose columns are the positions of its own columns (see saved_model). Not changed by
/// asking, so any thread may ask.
class predictor {
 public:
  /// Throws config_error for a model without a known name, input_error where its sizes or options do not fit.
  explicit predictor(const saved_model& saved);

  /// The label as read: by the sign of the margin, the most probable class, or the number.
  double label(const sparse_row<float>& z) const;
  /// Binary: the margin; classes: the number of the most probable one; real: the number.
  float score(const sparse_row<float>& z) const;
  /// `z.label` is encoded as label_map::encode does.
  double loss(const sparse_row<float>& z) const;

  /// Of at most `most` rows at once, which nets take much less time for: call it with (k, &row, number, {}) for row
  /// k < most, then with (0, null, 0, scores) for the loss and the score of rows 0 to scores.size() - 1. One thread
  /// may use it, as long as the predictor is there.
  using batch_scorer = loaded_model::batch_scorer;
  /// Scores up to `most` rows at a time; each thread has one of its own.
  batch_scorer scorer(std::size_t most) const { return loaded_->scorer(most); }

  /// Throws config_error, with `source` as where they come from, for rows that the model was not made for: images of
  /// another size, offsets where it has no margin.
  void require_data(const sparse_view& rows, std::string_view source) const;

  /// Whether it scores all classes: softmax, mlp and margin models of one class against the rest do.
  bool scores_classes() const { return loaded_->scores_classes(); }
  /// Throws config_error where it does not. `z.classes`, or `z.label`, is encoded as label_map does.
  class_scores scores_of(const sparse_row<float>& z) const;

  /// Whether its scores can be given as probabilities.
  bool has_probabilities() const { return loaded_->has_probabilities(); }
  /// Of the larger label (one number), or of every class in the order of labels() (softmax and mlp; under one_vs_rest
  /// each by itself, so that their sum need not be 1). Throws config_error where the model has none.
  std::vector<double> probabilities(const sparse_row<float>& z) const;

  const label_map& labels() const { return labels_; }  ///< what its classes are called
  /// How many models the file holds, which make one; parameters() are those of all then.
  std::size_t models() const { return loaded_->models(); }
  const named_model& model() const { return model_; }  ///< the model itself
  /// As train() would return them, of model() on columns whose input numbers are columns().
  std::span<const float> parameters() const { return loaded_->parameters(); }
  /// By position, the number in the input.
  std::span<const std::uint32_t> columns() const { return loaded_->columns(); }

 private:
  std::shared_ptr<const loaded_model> loaded_;
  named_model model_;
  label_map labels_;
};

/// The predictor of a model that was read from `path`. Throws input_error, which names the file, where none can be made
/// of it.
predictor predictor_of(const saved_model& saved, const std::string& path);

}  // namespace hogwild
