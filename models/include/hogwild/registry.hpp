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

#include <hogwild/detail/data/example.hpp>
#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/models/descriptor.hpp>
#include <hogwild/detail/models/model_options.hpp>
#include <hogwild/detail/models/scoring_form.hpp>
#include <hogwild/detail/models/several_margins.hpp>
#include <hogwild/detail/words/vocabulary.hpp>
#include <hogwild/models.hpp>
#include <hogwild/saved_model.hpp>
#include <hogwild/word_vectors.hpp>

// Finds the types of models by their names, once, outside the loop. Programs that know their model at compile time do
// not need it.

namespace hogwild {

/// All named models: those of the list in models/CMakeLists.txt, in its order, then registered ones.
std::span<const model_descriptor* const> known_models();
/// Adds a model of the program's own; the descriptor must outlive all use. Must not run while other threads look up
/// models. Throws config_error if the name is taken.
void register_descriptor(const model_descriptor& descriptor);
/// Null for an unknown name.
const model_descriptor* find_model(std::string_view name);
/// Throws config_error for an unknown name, and lists the known ones.
const model_descriptor& model_named(std::string_view name);
/// What the registry knows of the model's type.
const model_descriptor& descriptor_of(const named_model& m);

/// The names that make_model knows.
std::vector<std::string_view> model_names();

/// Throws config_error for an unknown name (and lists the known ones), and for options that the model does not have or
/// that are out of range.
named_model make_model(std::string_view name, const model_data& data = {}, const model_options& options = {});

/// The name that make_model() knows.
std::string_view name_of(const named_model& m);
/// Which labels the model takes.
label_kind labels_of(const named_model& m);

/// The vectors of trained words, in the order of the vocabulary that the model was made for: of windows the inputs,
/// which include those of parts of words, of glove the sums of both vectors. Of a model of documents the vectors of
/// these, whose names are the numbers of their lines from 0 on. Throws config_error for a model that is not one of
/// words.
word_vectors vectors_of(const named_model& m, std::span<const float> parameters, const vocabulary& words);

/// A trained model in the numbering of its input. `parameters`: as train() returns them; `original[position]`: the
/// input number of each column. Throws config_error if their sizes do not fit.
saved_model to_saved(const named_model& m, std::span<const float> parameters, const label_map& labels,
                     std::span<const std::uint32_t> original);

/// The same for several margin models that make one. Their parameters are laid out as those of softmax: those of a
/// column together, and the constant terms last. Also throws config_error for a model without a margin.
saved_model to_saved(const named_model& m, answer_kind by, std::size_t models, std::span<const float> parameters,
                     const label_map& labels, std::span<const std::uint32_t> original);
/// How the library's models in a file are combined into one; nothing if it holds a single model.
std::optional<answer_kind> answer_of(const saved_model& saved);

/// Predicts with a saved model, for rows whose columns are the positions of its own columns (see saved_model).
/// Predictions do not change it, so any number of threads may use it at once.
class predictor {
 public:
  /// Throws config_error for a model without a known name, input_error if its sizes or options do not fit.
  explicit predictor(const saved_model& saved);

  /// The predicted label as in the data: label_of(score(z)).
  double label(const sparse_row<float>& z) const;
  /// The label for a score: by the sign of the margin, or, if the model is calibrated, the larger one where its
  /// probability is at least 1/2; the most probable class; or the number.
  double label_of(float score) const;
  /// Binary: the margin; classes: the number of the most probable class; real: the number.
  float score(const sparse_row<float>& z) const;
  /// `z.label` is encoded as label_map::encode does.
  double loss(const sparse_row<float>& z) const;

  /// Scores at most `most` rows at once, which is much faster for nets than one at a time. Call it with (k, &row,
  /// number, {}) for rows k < most, then with (0, null, 0, scores) for the loss and score of the first scores.size()
  /// rows. One thread may use it, as long as the predictor lives.
  using batch_scorer = loaded_model::batch_scorer;
  /// Makes a scorer of up to `most` rows at a time; each thread needs its own.
  batch_scorer scorer(std::size_t most) const { return loaded_->scorer(most); }

  /// Throws config_error for rows that do not suit the model: images of another size, or offsets without a margin. The
  /// message calls the rows `source`.
  void require_data(const sparse_view& rows, std::string_view source) const;

  /// Whether it scores all classes, as softmax, mlp and margin models of one class against the rest do.
  bool scores_classes() const { return loaded_->scores_classes(); }
  /// The scores of all classes. Throws config_error unless scores_classes(). `z.classes`, or `z.label`, is encoded as
  /// label_map does.
  /// Classes that are neither among the `most` best nor predicted may get the lowest score, whatever their own is.
  class_scores scores_of(const sparse_row<float>& z, std::size_t most = static_cast<std::size_t>(-1)) const;

  /// Whether a row may have none of the classes: each class is predicted or not, whatever the others are.
  bool takes_empty_lists() const { return loaded_->takes_empty_lists(); }

  /// Whether its scores can be given as probabilities.
  bool has_probabilities() const { return calibrated_ || loaded_->has_probabilities(); }
  /// How its margins become probabilities; none: the model's own way.
  const calibration& calibrated() const { return calibrated_; }
  /// The probability of the larger label (one number), or of every class in the order of labels() (softmax and mlp;
  /// under one_vs_rest each is computed by itself, so the sum need not be 1). Those of a calibrated model are
  /// calibrated. Throws config_error unless has_probabilities().
  std::vector<double> probabilities(const sparse_row<float>& z) const;

  /// The formula by which other programs can score rows, on columns(); nothing if the model is no such formula.
  std::optional<scoring_form> form() const { return loaded_->form(); }

  /// How it orders items for users; nothing for other models. Valid as long as the predictor.
  std::optional<item_vectors> vectors() const { return loaded_->vectors(); }

  const label_map& labels() const { return labels_; }  ///< the names of its classes
  /// The number of models in the file, which make one; parameters() are those of all of them.
  std::size_t models() const { return loaded_->models(); }
  const named_model& model() const { return model_; }  ///< the model itself
  /// The parameters as train() would return them, for model() on columns whose input numbers are columns().
  std::span<const float> parameters() const { return loaded_->parameters(); }
  /// The input number of each position.
  std::span<const std::uint32_t> columns() const { return loaded_->columns(); }

 private:
  std::shared_ptr<const loaded_model> loaded_;
  named_model model_;
  label_map labels_;
  calibration calibrated_;
};

/// The predictor for a model that was read from `path`. Throws input_error, which names the file, if none can be made.
predictor predictor_of(const saved_model& saved, const std::string& path);

}  // namespace hogwild
