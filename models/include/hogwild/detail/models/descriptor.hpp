// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <hogwild/detail/data/example.hpp>
#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/models/model_options.hpp>
#include <hogwild/detail/models/scoring_form.hpp>
#include <hogwild/model.hpp>
#include <hogwild/models.hpp>
#include <hogwild/saved_model.hpp>

// Descriptors of named models: all facts about them besides the type. models/<name>/<name>.cpp defines
// descriptor_of<name>(). The registry, predictions and the command are built on these.

namespace hogwild {

/// The data that a model is made for: training rows, and what the run asks for besides the model's own options. Without
/// rows it stands for data without columns and with two classes.
struct model_data {
  sparse_view rows{};
  std::string source = "the data";  ///< the name of the rows in messages
  std::optional<bool> bias{};       ///< whether to have a constant term; empty: the model's default

  // If the rows are only a part of those that train together, these functions cover all parts; all parts call the same.
  std::function<label_map(label_kind)> learn{};         ///< empty: learns from these rows
  std::function<void(std::span<double>)> sum_of_all{};  ///< x becomes the sum of all parts' x; empty: one part

  const saved_model* initial = nullptr;              ///< the run begins with this model's parameters
  std::string initial_source{};                      ///< its name in messages
  std::span<const std::string> initial_groups = {};  ///< which groups of it; none: all

  std::size_t features() const { return rows.columns; }
  std::size_t classes() const;
  double mean_label() const;
  /// The standard deviation of the labels, given their mean; 1 if all are equal.
  double label_deviation(double mean) const;

  bool takes_all_groups() const { return initial_groups.empty(); }
  bool takes_one_of(std::initializer_list<std::string_view> groups) const;
};

/// The kinds of data on which a model is trained.
enum class model_input {
  rows,    ///< of features, or images
  fields,  ///< of features that belong to fields (formats/libffm.hpp)
  ratings,
  corpus,
  graph,
  edges,   ///< of a graph whose nodes have names (formats/edges.hpp)
  pairs,   ///< of a user and an item (formats/pairs.hpp)
  triples  ///< of a knowledge graph (formats/triples.hpp)
};

struct model_facts {
  std::string summary;  ///< what it learns, in one sentence
  model_input input = model_input::rows;
  std::vector<model_option> options{};
  /// Options that are declared elsewhere, with the engine or the format, and apply only to models that name them here.
  std::vector<std::string> uses{};
  std::string no_bias{};         ///< why it takes no constant term from the engine; empty: it does take one
  bool bias_of_its_own = false;  ///< whether model_data::bias applies to the model, and the engine adds none
  /// Of a corpus: it is trained on pairs of words and their counts (detail/words/cooccurrences.hpp), not on sentences.
  bool cooccurrences = false;
  bool documents = false;  ///< of a corpus: each line is a document, which has a vector
};

/// A model's scores of several classes for a row.
struct class_scores {
  double loss = 0.0;
  float decision = 0.0f;          ///< with lists: the threshold above which a class is predicted
  std::span<const float> scores;  ///< one for each class, larger if more probable; valid until this thread's next call
  bool logarithms = false;        ///< scores are the logarithms of the probabilities of classes
};

/// How a model of users and items orders items: by the product of a user's vector with an item's, divided by a
/// temperature, plus what is added for the item. Users and items are in the order of the model's columns.
struct item_vectors {
  std::size_t width = 0;                              ///< floats of a vector
  std::span<const float> users{};                     ///< their vectors, one behind the other
  std::span<const float> items{};                     ///< likewise
  std::span<const float> user_added{}, item_added{};  ///< what is added for each; empty: nothing
  float constant = 0.0f;                              ///< what is added to every score
  bool by_length = false;                             ///< vectors are first divided by their lengths
  float temperature = 1.0f;
};

/// A model that was loaded, with its parameters. Predictions do not change it, so any number of threads may use it at
/// once.
class loaded_model {
 public:
  virtual ~loaded_model() = default;

  /// Scores several rows at once: see predictor::scorer.
  using batch_scorer =
      std::function<void(std::size_t k, const sparse_row<float>* z, std::size_t number, std::span<row_score> scores)>;

  virtual named_model model() const = 0;
  /// The number of models of that kind, whose parameters are side by side; see answer_kind.
  virtual std::size_t models() const { return 1; }
  /// The columns of `z` are positions of the saved columns.
  virtual row_score loss_and_score(const sparse_row<float>& z) const = 0;
  virtual batch_scorer scorer(std::size_t most) const;
  virtual void require_data(const sparse_view&, std::string_view) const {}
  virtual bool heeds_offsets() const { return false; }
  /// See predictor::scores_of. Called only if the model scores classes.
  virtual bool scores_classes() const { return false; }
  virtual class_scores scores_of(const sparse_row<float>&, std::size_t /*most*/) const { return {}; }
  /// See predictor::takes_empty_lists.
  virtual bool takes_empty_lists() const { return false; }
  /// See predictor::probabilities. Called only if the model has probabilities.
  virtual bool has_probabilities() const { return false; }
  virtual std::vector<double> probabilities(const sparse_row<float>&) const { return {}; }
  /// See predictor::vectors.
  virtual std::optional<item_vectors> vectors() const { return std::nullopt; }
  /// See predictor::form.
  virtual std::optional<scoring_form> form() const { return std::nullopt; }

  /// The parameters as train() would return them, and the input numbers of their columns.
  std::span<const float> parameters() const { return parameters_; }
  std::span<const std::uint32_t> columns() const { return columns_; }

 protected:
  loaded_model(std::vector<float> parameters, std::vector<std::uint32_t> columns)
      : parameters_(std::move(parameters)), columns_(std::move(columns)) {}

  std::vector<float> parameters_;
  std::vector<std::uint32_t> columns_;
};

/// Trained parameters to be saved.
struct trained_parameters {
  std::span<const float> values;               ///< as train() returns them
  std::span<const std::uint32_t> original;     ///< the input number of each column
  std::span<const std::uint32_t> saved_order;  ///< columns in the order of their input numbers
  label_map labels{};
};

/// Saves the parameters of the columns, `saved.width` for each, and all others behind them as the bias.
inline void save_by_column(const trained_parameters& trained, saved_model& saved) {
  for (const std::uint32_t column : trained.saved_order) {
    const auto row = trained.values.subspan(column * saved.width, saved.width);
    saved.weights.insert(saved.weights.end(), row.begin(), row.end());
  }
  const auto rest = trained.values.subspan(saved.weights.size());
  saved.bias.assign(rest.begin(), rest.end());
}

class model_descriptor {
 public:
  virtual ~model_descriptor() = default;

  std::string_view name() const { return name_; }
  const model_facts& facts() const { return facts_; }
  const training_defaults& defaults() const { return defaults_; }
  /// The default number of epochs; 0: that of other models.
  virtual std::size_t epochs(const model_options&) const { return epochs_; }

  /// Throws config_error if the options do not go together, or this build does not have the model; called before data
  /// are read.
  virtual void check(const model_options&) const {}
  /// Throws config_error for an option out of range, and for data that do not suit the model.
  virtual named_model make(const model_data& data, const model_options& options) const = 0;
  /// Its options, width, weights and bias; the caller fills in the rest. Throws config_error if sizes do not fit.
  virtual saved_model save(const named_model& m, const trained_parameters& trained) const = 0;
  /// Throws input_error if sizes or options do not fit, config_error if no model can be made of them.
  virtual std::shared_ptr<const loaded_model> load(const saved_model& saved) const = 0;

 protected:
  model_descriptor(std::string_view name, const training_defaults& defaults, std::size_t epochs, model_facts facts)
      : name_(name), defaults_(defaults), epochs_(epochs), facts_(std::move(facts)) {}

 private:
  std::string_view name_;
  training_defaults defaults_;
  std::size_t epochs_;
  model_facts facts_;
};

/// Whether M itself is one of the library's models, not a type derived from one.
template <class M>
inline constexpr bool is_named = with_named_models([]<class... Known>() { return (std::same_as<M, Known> || ...); });

/// The model in `m`, which has type M.
template <model M>
const M& as_model(const named_model& m) {
  if constexpr (is_named<M>)
    return std::get<M>(m);
  else
    return static_cast<const registered_object_of<M>&>(*std::get<registered_model>(m).object).model();
}

/// The common part of descriptors of models of type M.
template <model M>
class descriptor_for : public model_descriptor {
 public:
  explicit descriptor_for(model_facts facts)
      : model_descriptor(hogwild::model_name<M>(), defaults_of<M>(), epochs_that_it_takes(), std::move(facts)) {}

  saved_model save(const named_model& m, const trained_parameters& trained) const final {
    return save_model(as_model<M>(m), trained);
  }

 private:
  virtual saved_model save_model(const M& m, const trained_parameters& trained) const = 0;

  static constexpr std::size_t epochs_that_it_takes() {
    if constexpr (requires { M::epochs; }) return M::epochs;
    return 0;
  }
};

}  // namespace hogwild
