// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hogwild/detail/embeddings/pair_model.hpp>
#include <hogwild/detail/models/descriptor.hpp>
#include <hogwild/detail/results/saved_options.hpp>

#include "embeddings/product_options.hpp"
#include "factors/factor_options.hpp"

// Descriptors of models that learn from pairs of users and items. Saved models hold the vector and the bias of each
// user and item side by side, without padding; the bias of a user is 0. With features these are their whole vectors,
// and the rows of the features are the model's bias (detail/embeddings/side_vectors.hpp).

namespace hogwild::detail {

/// Options of a model with these usual values; `in_blocks`: all pairs of a block are compared with the same items.
std::vector<model_option> pair_options(const pair_shape& usual, bool in_blocks);
/// Sets what the options say. Throws config_error for an option out of range.
void take_pair_options(const model_options& options, pair_shape& m);
/// Counts users, items and features. Throws config_error for data that are no pairs.
void take_pair_sizes(const model_data& data, pair_shape& m);

/// Whether the rows of users and items lack those of their features: such a model predicts nothing.
bool has_parts_apart(const saved_model& saved);
/// Says that they do not.
void say_composed(saved_model& saved);
/// Whether users and items with features have no row of their own. Throws input_error if nothing says so.
bool features_alone_in(const saved_model& saved);

void save_pair_rows(const pair_shape& m, const trained_parameters& trained, saved_model& to);
/// The sizes of a saved model. Throws input_error if they do not fit together.
void load_pair_shape(const saved_model& saved, pair_shape& m);

/// A saved model's parameters, and the place of each of its columns among the model's own, where users stand first.
struct loaded_pair_rows {
  std::vector<float> parameters;
  std::vector<std::uint32_t> columns;  ///< the input number of each of the model's columns
  std::vector<std::uint32_t> places;   ///< by the place among saved columns
};
loaded_pair_rows load_pair_rows(const pair_shape& m, const saved_model& saved);

item_vectors vectors_of(const pair_shape& m, std::span<const float> parameters);

template <class M>
class loaded_pairs final : public loaded_model {
 public:
  loaded_pairs(const M& m, loaded_pair_rows rows)
      : loaded_model(std::move(rows.parameters), std::move(rows.columns)), model_(m), places_(std::move(rows.places)) {}

  named_model model() const override { return model_; }
  /// The score of a pair. Its loss depends on drawn items, and is not told.
  row_score loss_and_score(const sparse_row<float>& z) const override {
    std::vector<std::uint32_t> columns;
    for (const std::uint32_t k : z.index) columns.push_back(places_[k]);
    return {.score = model_.score_of(parameters_, columns)};
  }
  std::optional<item_vectors> vectors() const override { return vectors_of(model_, parameters_); }

 private:
  M model_;
  std::vector<std::uint32_t> places_;
};

/// Whether the model's loss has a margin.
template <class M>
inline constexpr bool has_margin = [] {
  if constexpr (requires { M::loss_kind; }) return M::loss_kind == target_loss::warp;
  return false;
}();

template <class M>
class pair_descriptor final : public descriptor_for<M> {
 public:
  explicit pair_descriptor(std::string summary)
      : descriptor_for<M>({.summary = std::move(summary),
                           .input = model_input::pairs,
                           .options = options(),
                           .bias_of_its_own = true}) {}

  void check(const model_options& options) const override { products_of(options); }

  named_model make(const model_data& data, const model_options& options) const override {
    M m = M::usual();
    const bool goes_on = data.takes_all_groups() || data.takes_one_of({"users", "items"});
    if (const auto known = initial_model<M>(data); known && goes_on) {
      m.factors = known->factors;
      m.cosine = known->cosine;
      m.temperature = known->temperature;
      if (data.takes_all_groups()) m.bias = known->bias;
    }
    m.bias = data.bias.value_or(m.bias);
    take_pair_options(options, m);
    if constexpr (requires { m.products; }) m.products = products_of(options);
    if constexpr (has_margin<M>) {
      const double margin = options.number("margin", static_cast<double>(m.margin));
      if (!(margin >= 0.0 && margin <= 1e6)) throw config_error("--margin is a number from 0 to 1e6");
      m.margin = static_cast<float>(margin);
    }
    take_pair_sizes(data, m);
    if (m.features_alone && m.parts == 0 && data.rows.rows() > 0)
      throw config_error(
          "--features-alone leaves out the own vectors of users and items with features, and there are none: give "
          "features of users or items, or leave it out");
    return m;
  }

  std::shared_ptr<const loaded_model> load(const saved_model& saved) const override {
    M m = M::usual();
    load_pair_shape(saved, m);
    if constexpr (has_margin<M>) m.margin = static_cast<float>(saved_number(saved, "margin"));
    return std::make_shared<loaded_pairs<M>>(m, load_pair_rows(m, saved));
  }

 private:
  static std::vector<model_option> options() {
    std::vector<model_option> all = pair_options(
        M::usual(), requires { M::loss_kind; });
    if constexpr (has_margin<M>)
      all.push_back(number_option("margin", 1.0, "by how much a pair's item should score above others"));
    return all;
  }
  saved_model save_model(const M& m, const trained_parameters& trained) const override {
    saved_model saved;
    save_pair_rows(m, trained, saved);
    if constexpr (has_margin<M>) saved.model_options.emplace_back("margin", static_cast<double>(m.margin));
    return saved;
  }
};

}  // namespace hogwild::detail
