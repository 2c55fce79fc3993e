// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include <hogwild/core/example.hpp>
#include <hogwild/core/labels.hpp>
#include <hogwild/core/saved_model.hpp>
#include <hogwild/core/vocabulary.hpp>
#include <hogwild/core/word_vectors.hpp>
#include <hogwild/models/cbow.hpp>
#include <hogwild/models/convnet.hpp>
#include <hogwild/models/factorization_machine.hpp>
#include <hogwild/models/ffm.hpp>
#include <hogwild/models/graph_cut.hpp>
#include <hogwild/models/hinge_svm.hpp>
#include <hogwild/models/huber.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/matrix_factorization.hpp>
#include <hogwild/models/mlp.hpp>
#include <hogwild/models/skip_gram.hpp>
#include <hogwild/models/softmax.hpp>

namespace hogwild::detail {
class saved_net;
}

// From the names of models to their types: once, outside the loop. Programs that know their model at compile time do
// not need it.

namespace hogwild {

/// Any model that has a name. std::visit hands over the concrete type.
using named_model = std::variant<logistic, hinge_svm, least_squares, huber, softmax, matrix_factorization, mlp, convnet,
                                 graph_cut, skip_gram, cbow, factorization_machine, ffm>;

/// What some of the named models want to know; the others ignore it.
struct model_choice {
  double huber_delta = 1.0;      ///< > 0
  std::size_t features = 0;      ///< columns of the data, or words
  std::size_t classes = 2;       ///< softmax, mlp; sides of graph_cut
  bool bias = false;             ///< softmax, matrix_factorization; margin models get theirs from the engine
  std::size_t users = 0;         ///< matrix_factorization; of the features, which are users and items
  std::size_t nodes = 0;         ///< graph_cut: of the features, which are nodes and terminals
  double unit = 1.0;             ///< graph_cut: the mean capacity, > 0
  std::size_t rank = 32;         ///< matrix_factorization, factorization_machine, ffm
  double mean = 0.0;             ///< of the labels, where they are numbers: ratings, those of factorization machines,
  double scale_of_labels = 1.0;  ///< which want their deviation, too, > 0
  std::vector<std::uint32_t> hidden{128};  ///< mlp: how wide its hidden layers are, at most mlp::most_hidden of them
  double dropout = 0.0;                    ///< mlp: behind each hidden layer, in [0, 1)
  double scale = 1.0;                      ///< mlp: multiplies the values of the data, not 0
  std::string net = "mnist";               ///< convnet: one of image_nets
  window_model windows{};                  ///< skip_gram and cbow; its `words` are the features
  label_kind labels = label_kind::binary;  ///< factorization_machine, ffm: binary or real, which says their loss
  std::size_t fields = 1;                  ///< ffm: one more than the largest
  bool unit_rows = true;                   ///< ffm
};

/// Whether a model is trained on a corpus, and what it learns are word vectors.
bool is_of_words(const named_model& m);

/// The vectors of trained words, the inputs alone, in the order of the vocabulary, which the model was made for.
word_vectors vectors_of(const named_model& m, std::span<const float> parameters, const vocabulary& words);

/// The names that make_model knows.
std::span<const std::string_view> model_names();

/// Throws config_error for a name that is not known (with those that are) or a choice out of range.
named_model make_model(std::string_view name, const model_choice& choice = {});

std::string_view name_of(const named_model& m);
label_kind labels_of(const named_model& m);

/// A trained model in the numbering of its input. `parameters` as train() returns them, `original[rank]` the input
/// number of each column. Throws config_error where their sizes do not fit.
saved_model to_saved(const named_model& m, std::span<const float> parameters, const label_map& labels,
                     std::span<const std::uint32_t> original);

/// What a saved model says of rows whose columns are the ranks of its own columns (see saved_model). Not changed by
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
  /// k < most, then with (0, null, 0, verdicts) for the loss and the score of rows 0 to verdicts.size() - 1. One thread
  /// may use it, as long as the predictor is there.
  using batch_judge = std::function<void(std::size_t k, const sparse_row<float>* z, std::size_t number,
                                         std::span<row_verdict> verdicts)>;
  batch_judge judge(std::size_t most) const;

  /// Throws config_error, with `source` as where they come from, for rows that the model was not made for: images of
  /// another size.
  void require_data(const sparse_view& rows, std::string_view source) const;

  bool has_probabilities() const;
  /// Of the larger label (logistic loss: one number), or of every class in the order of labels() (softmax). Throws
  /// config_error where the model has none.
  std::vector<double> probabilities(const sparse_row<float>& z) const;

  const label_map& labels() const { return labels_; }
  const named_model& model() const { return model_; }
  /// As train() would return them, of model() on columns whose input numbers are columns().
  std::span<const float> parameters() const { return parameters_; }
  std::span<const std::uint32_t> columns() const { return columns_; }

 private:
  row_verdict verdict(const sparse_row<float>& z) const;
  float margin(const sparse_row<float>& z) const;
  float factor_score(const matrix_factorization& m, const sparse_row<float>& z) const;

  named_model model_;
  label_map labels_;
  std::vector<float> parameters_;
  std::vector<std::uint32_t> columns_;      ///< input numbers, in the order of the model's columns
  std::vector<std::uint32_t> places_;       ///< of matrix_factorization: the model's column of each saved one
  std::shared_ptr<detail::saved_net> net_;  ///< of a model that has memory to compute in
};

/// The predictor of a model that was read from `path`. Throws input_error, which names the file, where none can be made
/// of it.
predictor predictor_of(const saved_model& saved, const std::string& path);

/// By which optimiser a model of this name is trained where nobody says; sgd for names that are not known.
optimizer_kind default_optimizer(std::string_view model);

}  // namespace hogwild
