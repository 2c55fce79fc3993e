// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/registry.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>

#include <hogwild/core/error.hpp>
#include <hogwild/core/formats/ratings.hpp>
#include <hogwild/core/model.hpp>

#include "saved_nets.hpp"

namespace hogwild {
namespace {

constexpr std::array<std::string_view, 10> names = {
    logistic::name, hinge_svm::name, least_squares::name, huber::name, softmax::name, matrix_factorization::name,
    mlp::name,      convnet::name,   skip_gram::name,     cbow::name};

/// Reads parameters that nobody writes any more.
struct plain_reader {
  std::span<const float> w;
  float operator[](std::size_t j) const { return w[j]; }
  std::span<const float> block(std::size_t offset, std::size_t n) const { return w.subspan(offset, n); }
};

std::string known_names() {
  std::string list;
  for (const std::string_view name : names) list += (list.empty() ? "" : ", ") + std::string(name);
  return list;
}

std::uint32_t narrowed(std::size_t n, const char* what) {
  if (n > std::numeric_limits<std::uint32_t>::max())
    throw config_error(std::to_string(n) + " " + what + " are more than a net takes");
  return static_cast<std::uint32_t>(n);
}

window_model windows_of(const model_choice& choice) {
  window_model m = choice.windows;
  m.words = choice.features;
  const auto require = [](bool holds, const char* otherwise) {
    if (!holds) throw config_error(otherwise);
  };
  require(m.dimension >= 1 && m.dimension <= 65536, "word vectors have 1 to 65536 dimensions");
  require(m.window >= 1 && m.window <= 1000, "a window has 1 to 1000 words on each side");
  require(m.negative >= 1 && m.negative <= 1000, "1 to 1000 negative words are drawn for a window");
  require(m.sample >= 0.0 && m.sample <= 1.0, "sample is a share of the text, from 0 (all words are kept) to 1");
  return m;
}

model_choice choice_of(const saved_model& saved) {
  model_choice choice{.features = saved.columns.size(), .classes = saved.width, .bias = !saved.bias.empty()};
  for (const auto& [name, value] : saved.model_options) {
    if (name == "delta") choice.huber_delta = value;
    if (name == "mean") choice.mean = value;
    if (name == "rank" && value >= 1.0 && value <= 65536.0) choice.rank = static_cast<std::size_t>(value);
  }
  if (saved.model == mlp::name || saved.model == convnet::name) detail::choose_net(saved, choice);
  if (saved.model == matrix_factorization::name) {
    choice.users = static_cast<std::size_t>(std::ranges::count_if(saved.columns, is_user_column));
    choice.bias = saved.width == choice.rank + 1;
  }
  return choice;
}

/// A column's factors and bias are saved side by side, without padding.
template <class Copy>
void for_saved_rows(const matrix_factorization& m, std::size_t column, const Copy& copy) {
  copy(column * m.width(), std::size_t{0}, m.rank);
  if (m.bias) copy((m.users + m.items) * m.width() + column, m.rank, std::size_t{1});
}

saved_model factors_to_saved(const matrix_factorization& m, std::span<const float> parameters,
                             std::span<const std::uint32_t> columns, std::span<const std::uint32_t> ranks) {
  saved_model saved;
  saved.model_options = {{"rank", static_cast<double>(m.rank)}, {"mean", static_cast<double>(m.mean)}};
  saved.width = m.rank + (m.bias ? 1 : 0);
  saved.weights.resize(columns.size() * saved.width);
  for (std::size_t k = 0; k < ranks.size(); ++k) {
    saved.columns.push_back(columns[ranks[k]]);
    for_saved_rows(m, ranks[k], [&](std::size_t from, std::size_t to, std::size_t count) {
      std::ranges::copy(parameters.subspan(from, count),
                        saved.weights.begin() + static_cast<std::ptrdiff_t>(k * saved.width + to));
    });
  }
  return saved;
}

mlp make_mlp(const model_choice& choice) {
  if (choice.classes < 2) throw config_error("mlp needs at least two classes");
  if (choice.hidden.size() > mlp::most_hidden)
    throw config_error("mlp has at most " + std::to_string(mlp::most_hidden) + " hidden layers");
  if (!(choice.dropout >= 0.0 && choice.dropout < 1.0))
    throw config_error("the dropout of mlp must be 0 or more and below 1");
  if (!std::isfinite(choice.scale) || choice.scale == 0.0)
    throw config_error("the scale of mlp must be a number, not 0");
  mlp made{.features = narrowed(choice.features, "columns of data"),
           .classes = narrowed(choice.classes, "classes"),
           .hidden = {},
           .dropout = static_cast<float>(choice.dropout),
           .scale = static_cast<float>(choice.scale)};
  for (const std::uint32_t width : choice.hidden)
    if (width == 0 || width > 65'536) throw config_error("a hidden layer of mlp has 1 to 65536 values");
  std::ranges::copy(choice.hidden, made.hidden.begin());
  return made;
}

convnet make_convnet(const model_choice& choice) {
  if (choice.net == mnist_net.name) return {.which = convolutional_net::mnist};
  if (choice.net == cifar_net.name) return {.which = convolutional_net::cifar};
  throw config_error("there is no net '" + choice.net + "'; there are mnist and cifar");
}

}  // namespace

std::span<const std::string_view> model_names() {
  return names;
}

named_model make_model(std::string_view name, const model_choice& choice) {
  if (name == logistic::name) return logistic{};
  if (name == hinge_svm::name) return hinge_svm{};
  if (name == least_squares::name) return least_squares{};
  if (name == huber::name) {
    const auto delta = static_cast<float>(choice.huber_delta);
    if (!(delta > 0.0f) || !std::isfinite(delta)) throw config_error("the delta of huber must be positive");
    return huber{.delta = delta};
  }
  if (name == softmax::name) {
    if (choice.classes < 2) throw config_error("softmax needs at least two classes");
    return softmax{.features = choice.features, .classes = choice.classes, .bias = choice.bias};
  }
  if (name == matrix_factorization::name) {
    if (choice.rank < 1 || choice.rank > 65536) throw config_error("the rank of factors is 1 to 65536");
    if (choice.users > choice.features) throw config_error("there are more users than columns");
    return matrix_factorization{.users = choice.users,
                                .items = choice.features - choice.users,
                                .rank = choice.rank,
                                .bias = choice.bias,
                                .mean = static_cast<float>(choice.mean)};
  }
  if (name == mlp::name || name == convnet::name) {
    if (!has_layer_kernels()) throw config_error("the model " + std::string(name) + " " + layer_kernels_missing());
    if (name == mlp::name) return make_mlp(choice);
    return make_convnet(choice);
  }
  if (name == skip_gram::name) return skip_gram{windows_of(choice)};
  if (name == cbow::name) return cbow{windows_of(choice)};
  throw config_error("there is no model '" + std::string(name) + "'; there are " + known_names());
}

bool is_of_words(const named_model& m) {
  return std::holds_alternative<skip_gram>(m) || std::holds_alternative<cbow>(m);
}

word_vectors vectors_of(const named_model& m, std::span<const float> parameters, const vocabulary& words) {
  const auto* const s = std::get_if<skip_gram>(&m);
  const auto* const c = std::get_if<cbow>(&m);
  if (s == nullptr && c == nullptr) throw config_error("a " + std::string(name_of(m)) + " model has no word vectors");
  const window_model& windows = s != nullptr ? static_cast<const window_model&>(*s) : *c;
  if (windows.words != words.size() || parameters.size() != words.size() * windows.row())
    throw config_error("the model was made for " + std::to_string(windows.words) + " words, but the vocabulary has " +
                       std::to_string(words.size()));
  word_vectors vectors{.dimension = windows.dimension};
  vectors.words.reserve(words.size());
  vectors.values.reserve(words.size() * windows.dimension);
  for (std::size_t w = 0; w < words.size(); ++w) {
    vectors.words.emplace_back(words.word(w));
    const auto row = parameters.subspan(windows.input_of(w), windows.dimension);
    vectors.values.insert(vectors.values.end(), row.begin(), row.end());
  }
  return vectors;
}

std::string_view name_of(const named_model& m) {
  return std::visit([](const auto& concrete) { return concrete.name; }, m);
}

label_kind labels_of(const named_model& m) {
  return std::visit([](const auto& concrete) { return labels_of(concrete); }, m);
}

saved_model to_saved(const named_model& m, std::span<const float> parameters, const label_map& labels,
                     std::span<const std::uint32_t> original) {
  saved_model saved{.model = std::string(name_of(m)), .labels = labels};
  if (const auto* h = std::get_if<huber>(&m)) saved.model_options.emplace_back("delta", h->delta);
  if (const auto* s = std::get_if<softmax>(&m)) saved.width = s->classes;
  std::vector<std::uint32_t> ranks(original.size());
  std::iota(ranks.begin(), ranks.end(), 0u);
  std::ranges::sort(ranks, {}, [&](std::uint32_t rank) { return original[rank]; });
  if (const auto* f = std::get_if<matrix_factorization>(&m)) {
    if (parameters.size() != f->dim() || original.size() != f->users + f->items)
      throw config_error("these parameters are not those of this factorisation");
    saved_model factors = factors_to_saved(*f, parameters, original, ranks);
    factors.model = saved.model, factors.labels = labels;
    return factors;
  }
  const auto save_net = [&](const auto& net) {
    saved_model whole = detail::net_to_saved(net, parameters, ranks);
    whole.model = saved.model, whole.labels = labels;
    for (const std::uint32_t rank : ranks) whole.columns.push_back(original[rank]);
    return whole;
  };
  if (const auto* net = std::get_if<mlp>(&m)) return save_net(*net);
  if (const auto* net = std::get_if<convnet>(&m)) return save_net(*net);
  const std::size_t weights = original.size() * saved.width;
  if (parameters.size() != weights && parameters.size() != weights + saved.width) {
    throw config_error("a model of " + std::to_string(original.size()) + " columns cannot have " +
                       std::to_string(parameters.size()) + " parameters");
  }
  saved.weights.reserve(weights);
  for (const std::uint32_t rank : ranks) {
    saved.columns.push_back(original[rank]);
    const auto row = parameters.subspan(rank * saved.width, saved.width);
    saved.weights.insert(saved.weights.end(), row.begin(), row.end());
  }
  saved.bias.assign(parameters.begin() + static_cast<std::ptrdiff_t>(weights), parameters.end());
  return saved;
}

predictor::predictor(const saved_model& saved)
    : model_(make_model(saved.model, choice_of(saved))), labels_(saved.labels), parameters_(saved.weights) {
  if (is_of_words(model_))
    throw input_error("word vectors are no saved model of rows; measure them with 'hogwild evaluate --analogies'");
  if (const auto* f = std::get_if<matrix_factorization>(&model_)) {
    take_factors(saved, *f);
    return;
  }
  if (const auto* net = std::get_if<mlp>(&model_)) net_ = detail::judge_of(*net, saved);
  if (const auto* net = std::get_if<convnet>(&model_)) net_ = detail::judge_of(*net, saved);
  if (net_) return;
  const bool by_class = std::holds_alternative<softmax>(model_);
  if (labels_.kind() != labels_of(model_) || saved.width != (by_class ? labels_.classes() : 1) ||
      saved.weights.size() != saved.columns.size() * saved.width ||
      (!saved.bias.empty() && saved.bias.size() != saved.width)) {
    throw input_error("the labels or the number of parameters do not suit the model " + saved.model);
  }
  if (by_class)
    parameters_.insert(parameters_.end(), saved.bias.begin(), saved.bias.end());
  else if (!saved.bias.empty())
    bias_ = saved.bias.front();
}

void predictor::take_factors(const saved_model& saved, const matrix_factorization& m) {
  if (labels_.kind() != m.labels || saved.width != m.rank + (m.bias ? 1 : 0) || !saved.bias.empty() ||
      saved.weights.size() != saved.columns.size() * saved.width)
    throw input_error("the labels or the number of parameters do not suit the model " + saved.model);
  parameters_.assign(m.dim(), 0.0f);
  std::uint32_t user = 0, item = static_cast<std::uint32_t>(m.users);
  for (std::size_t k = 0; k < saved.columns.size(); ++k) {
    places_.push_back(is_user_column(saved.columns[k]) ? user++ : item++);
    for_saved_rows(m, places_[k], [&](std::size_t to, std::size_t from, std::size_t count) {
      std::ranges::copy(saved.row(k).subspan(from, count), parameters_.begin() + static_cast<std::ptrdiff_t>(to));
    });
  }
}

float predictor::factor_score(const matrix_factorization& m, const sparse_row<float>& z) const {
  std::vector<std::uint32_t> columns;
  columns.reserve(z.size());
  for (const std::uint32_t k : z.index) columns.push_back(places_[k]);
  return m.predict(plain_reader{parameters_}, sparse_row<float>{columns, z.value, z.label});
}

float predictor::margin(const sparse_row<float>& z) const {
  return dot(plain_reader{parameters_}, z) + bias_;
}

float predictor::score(const sparse_row<float>& z) const {
  if (net_) return net_(z).score;
  if (const auto* s = std::get_if<softmax>(&model_)) return s->predict(plain_reader{parameters_}, z);
  if (const auto* f = std::get_if<matrix_factorization>(&model_)) return factor_score(*f, z);
  return margin(z);
}

double predictor::label(const sparse_row<float>& z) const {
  return labels_.decode(static_cast<double>(score(z)));
}

double predictor::loss(const sparse_row<float>& z) const {
  if (net_) return net_(z).loss;
  return std::visit(
      [&](const auto& m) -> double {
        if constexpr (margin_model<std::decay_t<decltype(m)>>)
          return m.loss(margin(z), z.label);
        else if constexpr (factor_model<std::decay_t<decltype(m)>>)
          return m.loss_of(factor_score(m, z), z.label);
        else if constexpr (general_model<std::decay_t<decltype(m)>>)
          return m.loss(plain_reader{parameters_}, z);
        else if constexpr (std::is_same_v<std::decay_t<decltype(m)>, mlp> ||
                           std::is_same_v<std::decay_t<decltype(m)>, convnet>)
          return 0.0;  // a net, which has spoken
        else
          throw config_error("the loss of word vectors is that of a corpus; measure them by their analogies");
      },
      model_);
}

bool predictor::has_probabilities() const {
  return std::holds_alternative<logistic>(model_) || std::holds_alternative<softmax>(model_);
}

std::vector<double> predictor::probabilities(const sparse_row<float>& z) const {
  if (const auto* l = std::get_if<logistic>(&model_)) return {l->probability(margin(z))};
  const auto* s = std::get_if<softmax>(&model_);
  if (s == nullptr) {
    throw config_error("a " + std::string(name_of(model_)) + " model has no probabilities; logistic and softmax have");
  }
  const std::vector<float>& scores = s->scores(plain_reader{parameters_}, z);
  const double top = static_cast<double>(*std::ranges::max_element(scores));
  std::vector<double> shares;
  double sum = 0.0;
  for (const float x : scores) sum += shares.emplace_back(std::exp(static_cast<double>(x) - top));
  for (double& share : shares) share /= sum;
  return shares;
}

}  // namespace hogwild
