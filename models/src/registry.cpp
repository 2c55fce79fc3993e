// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/registry.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <string>

#include <hogwild/core/error.hpp>
#include <hogwild/core/formats/graphs.hpp>
#include <hogwild/core/formats/libffm.hpp>
#include <hogwild/core/model.hpp>
#include <hogwild/core/printable.hpp>

#include "saved_cuts.hpp"
#include "saved_factors.hpp"
#include "saved_machines.hpp"
#include "saved_nets.hpp"

namespace hogwild {
namespace {

constexpr std::array<std::string_view, 13> names = {
    logistic::name, hinge_svm::name, least_squares::name, huber::name,     softmax::name, matrix_factorization::name,
    mlp::name,      convnet::name,   graph_cut::name,     skip_gram::name, cbow::name,    factorization_machine::name,
    ffm::name};

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
  std::string known;
  for (std::size_t i = 0; i < image_nets.size(); ++i) {
    if (choice.net == image_nets[i]->name) return {.which = static_cast<convolutional_net>(i)};
    known += (i == 0 ? "" : ", ") + std::string(image_nets[i]->name);
  }
  throw config_error("there is no net " + quote(choice.net) + "; there are " + known);
}

void require_machine(const model_choice& choice) {
  if (choice.rank < 1 || choice.rank > 65536) throw config_error("the rank of factors is 1 to 65536");
  if (choice.labels == label_kind::classes)
    throw config_error("a factorization machine is trained on two labels or on numbers, not on classes");
  const auto scale = static_cast<float>(choice.scale_of_labels);
  if (!std::isfinite(choice.mean) || !std::isfinite(scale) || scale <= 0.0f)
    throw config_error("the mean and the scale of labels must be numbers, and the scale above 0");
}

factorization_machine make_machine(const model_choice& choice) {
  require_machine(choice);
  return {.features = choice.features,
          .rank = choice.rank,
          .labels = choice.labels,
          .mean = static_cast<float>(choice.mean),
          .scale = static_cast<float>(choice.scale_of_labels)};
}

ffm make_ffm(const model_choice& choice) {
  require_machine(choice);
  if (choice.fields < 1 || choice.fields > std::size_t{largest_field} + 1)
    throw config_error("an ffm has 1 to " + std::to_string(largest_field + 1) + " fields");
  return {.features = choice.features,
          .fields = choice.fields,
          .rank = choice.rank,
          .labels = choice.labels,
          .mean = static_cast<float>(choice.mean),
          .scale = static_cast<float>(choice.scale_of_labels),
          .unit_rows = choice.unit_rows};
}

}  // namespace

std::span<const std::string_view> model_names() {
  return names;
}

optimizer_kind default_optimizer(std::string_view model) {
  optimizer_kind kind = optimizer_kind::sgd;
  const auto look = [&]<class... M>(const std::variant<M...>*) {
    ((hogwild::model_name<M>() == model ? void(kind = defaults_of<M>().optimizer) : void()), ...);
  };
  look(static_cast<const named_model*>(nullptr));
  return kind;
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
  if (name == graph_cut::name) {
    if (choice.classes < 2 || choice.classes > most_sides)
      throw config_error("a cut has 2 to " + std::to_string(most_sides) + " sides");
    if (!(choice.unit > 0.0) || !std::isfinite(choice.unit)) throw config_error("the mean capacity must be positive");
    return graph_cut{.nodes = choice.nodes, .sides = choice.classes, .unit = static_cast<float>(choice.unit)};
  }
  if (name == factorization_machine::name) return make_machine(choice);
  if (name == ffm::name) return make_ffm(choice);
  if (name == skip_gram::name) return skip_gram{{windows_of(choice)}};
  if (name == cbow::name) return cbow{{windows_of(choice)}};
  throw config_error("there is no model " + quote(name) + "; there are " + known_names());
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
    saved_model factors = detail::factors_to_saved(*f, parameters, original, ranks);
    factors.model = saved.model, factors.labels = labels;
    return factors;
  }
  if (const auto* cut = std::get_if<graph_cut>(&m)) {
    saved_model sides = detail::cut_to_saved(*cut, parameters, original, ranks);
    sides.model = saved.model, sides.labels = labels;
    return sides;
  }
  const auto complete = [&](saved_model whole) {
    whole.model = saved.model, whole.labels = labels;
    for (const std::uint32_t rank : ranks) whole.columns.push_back(original[rank]);
    return whole;
  };
  if (const auto* net = std::get_if<mlp>(&m)) return complete(detail::net_to_saved(*net, parameters, ranks));
  if (const auto* net = std::get_if<convnet>(&m)) return complete(detail::net_to_saved(*net, parameters, ranks));
  if (const auto* machine = std::get_if<factorization_machine>(&m))
    return complete(detail::machine_to_saved(*machine, parameters, ranks));
  if (const auto* machine = std::get_if<ffm>(&m))
    return complete(detail::machine_to_saved(*machine, parameters, ranks));
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

}  // namespace hogwild
