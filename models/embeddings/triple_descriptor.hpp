// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/detail/embeddings/triple_model.hpp>
#include <hogwild/detail/models/descriptor.hpp>

#include "embeddings/product_options.hpp"

// Descriptors of models of knowledge graphs. Saved models hold the numbers of an entity without padding, and those of a
// relation in both directions side by side; the shorter ones are followed by zeros.

namespace hogwild::detail {

/// Options of a model whose usual values are those of `m`.
std::vector<model_option> triple_options(const triple_shape& usual);
/// Sets what the options say. Throws config_error for an option out of range.
void take_triple_options(const model_options& options, triple_shape& m);
/// Counts entities and relations. Throws config_error for data that are no triples.
void take_triple_sizes(const model_data& data, triple_shape& m);

void save_triple_rows(const triple_shape& m, const trained_parameters& trained, saved_model& to);
/// The sizes of a saved model. Throws input_error if they do not fit together.
void load_triple_shape(const saved_model& saved, triple_shape& m);

/// A saved model's parameters, and the place of each of its columns among the model's own, where entities stand first.
struct loaded_triple_rows {
  std::vector<float> parameters;
  std::vector<std::uint32_t> columns;  ///< the input number of each of the model's columns
  std::vector<std::uint32_t> places;   ///< by the place among saved columns
};
loaded_triple_rows load_triple_rows(const triple_shape& m, const saved_model& saved);

template <class M>
class loaded_triples final : public loaded_model {
 public:
  loaded_triples(const M& m, loaded_triple_rows rows)
      : loaded_model(std::move(rows.parameters), std::move(rows.columns)), model_(m), places_(std::move(rows.places)) {}

  named_model model() const override { return model_; }
  /// The score of a triple's tail; 0 if something is unknown. Its loss depends on drawn entities, and is not told.
  row_score loss_and_score(const sparse_row<float>& z) const override {
    std::vector<std::uint32_t> columns;
    for (const std::uint32_t k : z.index) columns.push_back(places_[k]);
    return {.score = model_.score_of_triple(parameters_, columns)};
  }

 private:
  M model_;
  std::vector<std::uint32_t> places_;
};

template <class M>
class triple_descriptor final : public descriptor_for<M> {
 public:
  explicit triple_descriptor(std::string summary)
      : descriptor_for<M>({.summary = std::move(summary),
                           .input = model_input::triples,
                           .options = triple_options(M::usual()),
                           .no_bias = "vectors of entities and relations have no constant term"}) {}

  void check(const model_options& options) const override { products_of(options); }

  named_model make(const model_data& data, const model_options& options) const override {
    M m = M::usual();
    take_triple_options(options, m);
    take_triple_sizes(data, m);
    return m;
  }

  std::shared_ptr<const loaded_model> load(const saved_model& saved) const override {
    M m = M::usual();
    load_triple_shape(saved, m);
    return std::make_shared<loaded_triples<M>>(m, load_triple_rows(m, saved));
  }

 private:
  saved_model save_model(const M& m, const trained_parameters& trained) const override {
    saved_model saved;
    save_triple_rows(m, trained, saved);
    return saved;
  }
};

}  // namespace hogwild::detail
