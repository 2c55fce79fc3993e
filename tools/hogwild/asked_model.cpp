// SPDX-License-Identifier: Apache-2.0
#include "asked_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/core/error.hpp>
#include <hogwild/core/formats/libffm.hpp>
#include <hogwild/core/formats/ratings.hpp>
#include <hogwild/core/saved_model.hpp>
#include <hogwild/core/word_vectors.hpp>
#include <hogwild/models/warm_start.hpp>
#include <hogwild/prepare.hpp>

namespace hogwild::cli {
namespace {

/// Over the rows of all ranks, which all call it.
template <class F>
double mean_of(const label_column& labels, const agreement& ranks, const F& f) {
  std::array<double, 2> sums{0.0, static_cast<double>(labels.size())};
  for (const double label : labels) sums[0] += f(label);
  ranks.sum(sums);
  return sums[0] / sums[1];
}

double mean_of(const label_column& labels, const agreement& ranks) {
  return mean_of(labels, ranks, [](double label) { return label; });
}

/// 1 where all labels are alike.
double deviation_of(const label_column& labels, double mean, const agreement& ranks) {
  const double variance = mean_of(labels, ranks, [&](double label) { return (label - mean) * (label - mean); });
  return variance > 0.0 ? std::sqrt(variance) : 1.0;
}

/// What is part of a saved model, though no parameter.
void take_constants(const std::string& saved, model_choice& choice) {
  const predictor known(load_model(saved));
  const auto take = [&](const auto& m) {
    choice.mean = static_cast<double>(m.mean);
    if constexpr (requires { m.scale; }) choice.scale_of_labels = static_cast<double>(m.scale);
  };
  if (const auto* const f = std::get_if<matrix_factorization>(&known.model())) take(*f);
  if (const auto* const machine = std::get_if<factorization_machine>(&known.model())) take(*machine);
  if (const auto* const machine = std::get_if<ffm>(&known.model())) take(*machine);
}

}  // namespace

bool is_of_graph(const train_request& request) {
  return request.model == graph_cut::name;
}

bool is_of_words(const train_request& request) {
  return request.model == skip_gram::name || request.model == cbow::name;
}

named_model model_of(train_request& request, const sparse_view& rows, const agreement& ranks) {
  if (is_of_graph(request)) return graph_cut_of(rows);
  const word_request& words = request.words;
  model_choice choice{.huber_delta = request.huber_delta,
                      .features = rows.columns,
                      .windows = {.dimension = words.dimension,
                                  .window = static_cast<std::uint32_t>(words.window),
                                  .negative = static_cast<std::uint32_t>(words.negative),
                                  .sample = words.sample}};
  if (request.model == softmax::name) {
    choice.classes = learn_labels(label_kind::classes, rows.label, request.data, ranks).classes();
    // A margin model's bias is the engine's work; softmax has one for each class in itself.
    choice.bias = std::exchange(request.options.bias, false);
  }
  if (request.model == mlp::name) {
    choice.classes = learn_labels(label_kind::classes, rows.label, request.data, ranks).classes();
    choice.hidden = request.hidden;
    choice.dropout = request.dropout;
    if (rows.image.known()) choice.scale = 1.0 / 255.0;
  }
  if (request.model == convnet::name) choice.net = request.net;
  if (request.model == factorization_machine::name) choice.rank = factorization_machine{}.rank;
  if (request.model == ffm::name) {
    choice.rank = ffm{}.rank;
    choice.fields = std::max<std::size_t>(count_fields(rows.original), 1);
    choice.unit_rows = request.unit_rows;
  }
  if (request.squared_loss) {
    choice.labels = label_kind::real;
    choice.mean = mean_of(rows.label, ranks);
    choice.scale_of_labels = deviation_of(rows.label, choice.mean, ranks);
  }
  if (request.rank > 0) choice.rank = request.rank;
  if (request.model == matrix_factorization::name) {
    // Where each rank has ratings of its own, columns are ranked anew, without regard to whose they are.
    if (!std::ranges::is_partitioned(rows.original, is_user_column))
      throw config_error("factors need one file of ratings for all ranks, not one for each");
    choice.users = count_users(rows.original);
    choice.bias = request.own_bias.value_or(true);
    request.options.bias = false;
    choice.mean = mean_of(rows.label, ranks);
  }
  const bool may_have_constants = request.model == matrix_factorization::name || request.squared_loss;
  if (may_have_constants && !request.init.empty() && request.init_groups.empty()) take_constants(request.init, choice);
  return make_model(request.model, choice);
}

void begin_with_saved(const train_request& request, const named_model& m, const rank_rows& rows,
                      const vocabulary& words, train_options& options) {
  if (request.init.empty()) return;
  // Trials of a step begin so, too; that is told once.
  const auto tell = [from = request.init, told = std::make_shared<bool>(request.files.quiet)](std::size_t taken,
                                                                                              std::size_t all) {
    if (!std::exchange(*told, true))
      say("begins with " + std::to_string(taken) + " of " + std::to_string(all) + " parameters from " + from);
  };
  if (is_of_words(m)) {
    if (!request.init_groups.empty()) throw config_error("--init-groups: word vectors are one group");
    const auto saved = std::make_shared<const word_vectors>(load_word_vectors(request.init));
    options.initial = [=](std::span<float> parameters) {
      tell(warm_start(*saved, m, words, parameters), parameters.size());
    };
    return;
  }
  const auto saved = std::make_shared<const saved_model>(load_model(request.init));
  const auto columns = rows.numbering().original();
  const std::vector<std::uint32_t> original(columns.begin(), columns.end());
  options.initial = [=, groups = request.init_groups](std::span<float> parameters) {
    tell(warm_start(*saved, m, original, groups, parameters), parameters.size());
  };
}

void share_names(train_request& request) {
  if (request.init.empty() || request.model != matrix_factorization::name) return;
  const saved_model saved = load_model(request.init);
  if (saved.model != request.model) return;  // refused later, for what its groups are
  if (saved.names.empty() != !request.files.named_ids)
    throw config_error("the model " + request.init + " knows users and items by " +
                       (saved.names.empty() ? "number: leave out --named-ids" : "name: give --named-ids"));
  request.files.choose_format(saved);
}

}  // namespace hogwild::cli
