// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <type_traits>

#include <hogwild/core/error.hpp>
#include <hogwild/models/registry.hpp>

#include "quiet_reader.hpp"
#include "saved_cuts.hpp"
#include "saved_factors.hpp"
#include "saved_machines.hpp"
#include "saved_nets.hpp"
#include "saved_options.hpp"

namespace hogwild {
namespace {

using detail::quiet_reader;

model_choice choice_of(const saved_model& saved) {
  model_choice choice{.features = saved.columns.size(), .classes = saved.width, .bias = !saved.bias.empty()};
  if (saved.model == huber::name) choice.huber_delta = detail::saved_positive(saved, "delta");
  if (saved.model == mlp::name || saved.model == convnet::name) detail::choose_net(saved, choice);
  if (saved.model == matrix_factorization::name) detail::choose_factors(saved, choice);
  if (saved.model == graph_cut::name) detail::choose_cut(saved, choice);
  if (saved.model == factorization_machine::name || saved.model == ffm::name) detail::choose_machine(saved, choice);
  return choice;
}

}  // namespace

predictor::predictor(const saved_model& saved)
    : model_(make_model(saved.model, choice_of(saved))),
      labels_(saved.labels),
      parameters_(saved.weights),
      columns_(saved.columns) {
  if (is_of_words(model_))
    throw input_error("word vectors are no saved model of rows; measure them with 'hogwild evaluate --analogies'");
  if (const auto* f = std::get_if<matrix_factorization>(&model_)) {
    detail::read_factors factors = detail::factors_from_saved(*f, saved);
    parameters_ = std::move(factors.parameters);
    places_ = std::move(factors.places);
    for (std::size_t k = 0; k < places_.size(); ++k) columns_[places_[k]] = saved.columns[k];
    return;
  }
  if (const auto* machine = std::get_if<factorization_machine>(&model_)) {
    parameters_ = detail::machine_from_saved(*machine, saved);
    return;
  }
  if (const auto* machine = std::get_if<ffm>(&model_)) {
    parameters_ = detail::machine_from_saved(*machine, saved);
    net_ = detail::read_machine(*machine, saved, parameters_);
    return;
  }
  parameters_.insert(parameters_.end(), saved.bias.begin(), saved.bias.end());
  if (const auto* net = std::get_if<mlp>(&model_)) net_ = detail::read_net(*net, saved);
  if (const auto* net = std::get_if<convnet>(&model_)) net_ = detail::read_net(*net, saved);
  if (const auto* cut = std::get_if<graph_cut>(&model_)) net_ = detail::read_cut(*cut, saved);
  if (net_) return;
  const bool by_class = std::holds_alternative<softmax>(model_);
  if (labels_.kind() != labels_of(model_) || saved.width != (by_class ? labels_.classes() : 1) ||
      saved.weights.size() != saved.columns.size() * saved.width ||
      (!saved.bias.empty() && saved.bias.size() != saved.width)) {
    throw input_error("the labels or the number of parameters do not suit the model " + saved.model);
  }
}

predictor predictor_of(const saved_model& saved, const std::string& path) {
  try {
    return predictor(saved);
  } catch (const error& fault) {
    throw input_error(path + ": " + fault.what());
  }
}

void predictor::require_data(const sparse_view& rows, std::string_view source) const {
  if (net_) net_->require_data(rows, source);
}

float predictor::factor_score(const matrix_factorization& m, const sparse_row<float>& z) const {
  std::vector<std::uint32_t> columns;
  columns.reserve(z.size());
  for (const std::uint32_t k : z.index) columns.push_back(places_[k]);
  return m.predict(quiet_reader{parameters_}, sparse_row<float>{columns, z.value, z.label});
}

float predictor::margin(const sparse_row<float>& z) const {
  const bool bias = parameters_.size() > columns_.size();
  return dot(quiet_reader{parameters_}, z) + (bias ? parameters_.back() : 0.0f);
}

row_verdict predictor::verdict(const sparse_row<float>& z) const {
  if (net_) return net_->verdict(z);
  const quiet_reader w{parameters_};
  return std::visit(
      [&](const auto& m) -> row_verdict {
        using M = std::decay_t<decltype(m)>;
        if constexpr (margin_model<M>) {
          const float score = margin(z);
          return {m.loss(score, z.label), score};
        } else if constexpr (factor_model<M>) {
          const float score = factor_score(m, z);
          return {m.loss_of(score, z.label), score};
        } else if constexpr (general_model<M>) {
          return {m.loss(w, z), static_cast<float>(m.predict(w, z))};
        } else {
          throw config_error("the loss of word vectors is that of a corpus; measure them by their analogies");
        }
      },
      model_);
}

float predictor::score(const sparse_row<float>& z) const {
  // A label that nobody asked for need not be one of the model's.
  return verdict({z.index, z.value, 0.0f}).score;
}

double predictor::label(const sparse_row<float>& z) const {
  return labels_.decode(static_cast<double>(score(z)));
}

double predictor::loss(const sparse_row<float>& z) const {
  return verdict(z).loss;
}

predictor::batch_judge predictor::judge(std::size_t most) const {
  if (net_) return net_->judge(most);
  return [this, said = std::vector<row_verdict>(most)](std::size_t k, const sparse_row<float>* z, std::size_t,
                                                       std::span<row_verdict> verdicts) mutable {
    if (z != nullptr)
      said[k] = verdict(*z);
    else
      std::copy_n(said.begin(), verdicts.size(), verdicts.begin());
  };
}

bool predictor::has_probabilities() const {
  const bool of_two = labels_.kind() == label_kind::binary;
  return std::holds_alternative<logistic>(model_) || std::holds_alternative<softmax>(model_) ||
         (of_two && (std::holds_alternative<factorization_machine>(model_) || std::holds_alternative<ffm>(model_)));
}

std::vector<double> predictor::probabilities(const sparse_row<float>& z) const {
  if (!has_probabilities())
    throw config_error("a " + std::string(name_of(model_)) +
                       " model has no probabilities; models with logistic loss and softmax have");
  const auto* s = std::get_if<softmax>(&model_);
  if (s == nullptr) return {logistic{}.probability(score(z))};
  const std::vector<float>& scores = s->scores(quiet_reader{parameters_}, z);
  const double top = static_cast<double>(*std::ranges::max_element(scores));
  std::vector<double> shares;
  double sum = 0.0;
  for (const float x : scores) sum += shares.emplace_back(std::exp(static_cast<double>(x) - top));
  for (double& share : shares) share /= sum;
  return shares;
}

}  // namespace hogwild
