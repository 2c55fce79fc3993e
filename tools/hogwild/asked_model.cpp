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

bool has_factors(const train_request& request) {
  return request.model == matrix_factorization::name || request.model == factorization_machine::name ||
         request.model == ffm::name;
}

/// What a saved model with factors has besides its parameters: the shape of the factors, as far as nobody asks for
/// another one, and what its numbers mean, where all groups are taken.
void take_constants(const train_request& request, model_choice& choice) {
  const predictor known = predictor_of(load_model(request.init), request.init);
  if (name_of(known.model()) != request.model) return;
  const bool whole = request.init_groups.empty();
  const bool factors = whole || std::ranges::any_of(request.init_groups, [](const std::string& group) {
                         return group == "factors" || group == "users" || group == "items";
                       });
  const bool numbers = labels_of(known.model()) == label_kind::real &&
                       (request.squared_loss || request.model == matrix_factorization::name);
  const auto take = [&](const auto& m) {
    if constexpr (requires { m.rank; }) {
      if (factors && request.rank == 0) choice.rank = m.rank;
      if (whole && numbers) choice.mean = static_cast<double>(m.mean);
    }
    if constexpr (requires { m.rank, m.scale; })
      if (whole && numbers) choice.scale_of_labels = static_cast<double>(m.scale);
    if constexpr (requires { m.fields; }) {
      if (factors) choice.fields = std::max(choice.fields, m.fields);
      if (whole && !request.unit_rows_given) choice.unit_rows = m.unit_rows;
    }
  };
  std::visit(take, known.model());
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
  if (has_factors(request) && !request.init.empty()) take_constants(request, choice);
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
