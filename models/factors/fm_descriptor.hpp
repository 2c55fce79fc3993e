// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/detail/models/descriptor.hpp>
#include <hogwild/error.hpp>

#include <hogwild/detail/results/saved_options.hpp>
#include "factors/factor_options.hpp"

// The common part of factorization machines. In saved models a column has its weight followed by its factors, without
// padding. The bias belongs to no column, nor do the parameters that a machine has after it.

namespace hogwild::detail {

template <class Machine>
class fm_descriptor : public descriptor_for<Machine> {
 public:
  fm_descriptor(model_facts facts) : descriptor_for<Machine>(with_common_options(std::move(facts))) {}

  named_model make(const model_data& data, const model_options& options) const final {
    Machine m = for_columns(data, options);
    m.features = data.features();
    if (options.text("loss", "logistic") == "squared") {
      m.labels = label_kind::real;
      const double mean = data.mean_label();
      m.mean = static_cast<float>(mean);
      m.scale = static_cast<float>(data.label_deviation(mean));
      if (!std::isfinite(mean) || !std::isfinite(m.scale) || m.scale <= 0.0f)
        throw config_error("the mean and the scale of labels must be numbers, and the scale above 0");
    }
    if (const auto known = initial_model<Machine>(data)) {
      const bool whole = data.takes_all_groups();
      const bool factors = whole || data.takes_one_of({"factors"});
      if (factors) m.factors = known->factors;
      if (whole && known->labels == label_kind::real && m.labels == label_kind::real)
        m.mean = known->mean, m.scale = known->scale;
      begin_as(*known, whole, factors, options, m);
    }
    m.factors = factors_of(options, m.factors);
    return m;
  }

  std::shared_ptr<const loaded_model> load(const saved_model& saved) const final {
    if (saved.labels.kind() == label_kind::classes)
      throw input_error("the labels of the saved " + saved.model + " model are classes, not two labels or numbers");
    Machine m{.features = saved.columns.size()};
    m.labels = saved.labels.kind();
    m.factors = saved_count(saved, "rank", most_factors);
    if (m.labels == label_kind::real) {
      m.mean = static_cast<float>(saved_number(saved, "mean"));
      m.scale = static_cast<float>(saved_positive(saved, "scale"));
    }
    read_options(saved, m);
    return loaded(m, parameters_of(m, saved), saved);
  }

 private:
  /// The machine for the data's columns, with the options that only this kind has.
  virtual Machine for_columns(const model_data&, const model_options&) const { return {}; }
  virtual void begin_as(const Machine&, bool, bool, const model_options&, Machine&) const {}
  virtual void read_options(const saved_model&, Machine&) const {}
  virtual void write_options(const Machine&, saved_model&) const {}
  virtual std::shared_ptr<const loaded_model> loaded(const Machine& m, std::vector<float> parameters,
                                                     const saved_model& saved) const = 0;
  /// The number of blocks of a column's factors; each has m.factors and is padded.
  virtual std::size_t blocks_of(const Machine&) const { return 1; }
  std::size_t factors_in_row(const Machine& m) const { return blocks_of(m) * m.factors; }

  static std::size_t begin_of_rest(const Machine& m) { return m.features * (m.width() + 1); }
  std::size_t block_at(const Machine& m, std::size_t column, std::size_t block) const {
    return column * m.width() + block * (m.width() / blocks_of(m));
  }

  static model_facts with_common_options(model_facts facts) {
    facts.options.insert(facts.options.begin(),
                         word_option("loss", {"logistic", "squared"}, "logistic for two labels, squared for numbers"));
    facts.no_bias = "a factorization machine has a bias of its own: leave out --bias, or --freeze bias at 0";
    return facts;
  }

  saved_model save_model(const Machine& m, const trained_parameters& trained) const final {
    if (trained.values.size() != m.dim() || trained.original.size() != m.features)
      throw config_error("these parameters are not those of this factorization machine");
    saved_model saved;
    saved.model_options.emplace_back("rank", static_cast<double>(m.factors));
    if (m.labels == label_kind::real) {
      saved.model_options.emplace_back("mean", static_cast<double>(m.mean));
      saved.model_options.emplace_back("scale", static_cast<double>(m.scale));
    }
    write_options(m, saved);
    saved.width = 1 + factors_in_row(m);
    const auto weights = trained.values.subspan(m.features * m.width());
    for (const std::uint32_t column : trained.saved_order) {
      saved.weights.push_back(weights[column]);
      for (std::size_t b = 0; b < blocks_of(m); ++b) {
        const auto factors = trained.values.subspan(block_at(m, column, b), m.factors);
        saved.weights.insert(saved.weights.end(), factors.begin(), factors.end());
      }
    }
    const auto rest = trained.values.subspan(begin_of_rest(m));
    saved.bias.assign(rest.begin(), rest.end());
    return saved;
  }

  std::vector<float> parameters_of(const Machine& m, const saved_model& saved) const {
    if (saved.width != 1 + factors_in_row(m) || saved.bias.size() != m.dim() - begin_of_rest(m) ||
        saved.weights.size() != saved.columns.size() * saved.width)
      throw input_error("the number of parameters does not suit the model " + saved.model);
    std::vector<float> parameters(m.dim());
    for (std::size_t k = 0; k < saved.columns.size(); ++k) {
      const std::span<const float> row = saved.row(k);
      parameters[m.features * m.width() + k] = row.front();
      for (std::size_t b = 0; b < blocks_of(m); ++b)
        std::ranges::copy(row.subspan(1 + b * m.factors, m.factors),
                          parameters.begin() + static_cast<std::ptrdiff_t>(block_at(m, k, b)));
    }
    std::ranges::copy(saved.bias, parameters.begin() + static_cast<std::ptrdiff_t>(begin_of_rest(m)));
    return parameters;
  }
};

}  // namespace hogwild::detail
