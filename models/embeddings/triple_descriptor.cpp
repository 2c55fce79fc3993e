// SPDX-License-Identifier: Apache-2.0
#include "embeddings/triple_descriptor.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <hogwild/detail/results/saved_options.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/triples.hpp>

#include "factors/factor_options.hpp"

namespace hogwild::detail {
namespace {

struct named_loss {
  const char* word;
  target_loss loss;
};
constexpr named_loss losses_of_triples[] = {{"softmax", target_loss::softmax},
                                            {"logistic", target_loss::logistic},
                                            {"hinge", target_loss::hinge},
                                            {"self_adversarial", target_loss::self_adversarial}};

/// Calls copy(place among the parameters, place in the saved row, number) for the parameters of the model's column.
template <class Copy>
void for_saved_triple_parts(const triple_shape& m, std::size_t column, const Copy& copy) {
  // Real and imaginary parts are padded apart.
  const auto copy_row = [&](std::size_t from, std::size_t to, std::size_t width) {
    const std::size_t part = padded_to_lanes(m.factors);
    for (std::size_t k = 0; k < width / part; ++k) copy(from + k * part, to + k * m.factors, m.factors);
  };
  if (column < m.entities) return copy_row(m.entity_row(column), 0, m.width());
  const std::size_t r = column - m.entities, each = m.relation_width();
  copy_row(m.relation_row(r), 0, each);
  copy_row(m.relation_row(m.relations + r), each / padded_to_lanes(m.factors) * m.factors, each);
}

/// A relation has two directions, and so at least as many numbers as an entity.
std::size_t width_of_saved(const triple_shape& m) {
  return 2 * m.relation_width() / padded_to_lanes(m.factors) * m.factors;
}

}  // namespace

std::vector<model_option> triple_options(const triple_shape& usual) {
  std::vector<model_option> all{
      factors_option(usual.factors,
                     is_complex(usual.composition) ? "of each entity, complex numbers" : "of each entity"),
      count_option("negatives", usual.negatives,
                   "entities drawn at random against which a block of triples is compared"),
      word_option("loss", {"softmax", "logistic", "hinge", "self_adversarial"},
                  "how an answer is compared with the entities drawn against it"),
      number_option("margin", static_cast<double>(usual.margin),
                    "by how much an answer should score above others (--loss hinge)"),
      number_option("temperature", static_cast<double>(usual.temperature),
                    "the larger, the more the best of the drawn entities count (--loss self_adversarial)"),
      number_option("dropout", static_cast<double>(usual.dropout),
                    "fraction of each question's numbers that training leaves out"),
      products_option()};
  if (usual.distance)
    all.push_back(number_option("gamma", static_cast<double>(usual.from), "scores are this less the distance"));
  else
    all.push_back(number_option("n3", static_cast<double>(usual.n3),
                                "regularises each triple's vectors by the third powers of their numbers"));
  return all;
}

void take_triple_options(const model_options& options, triple_shape& m) {
  const auto take = [&](const char* name, float& into) {
    into = static_cast<float>(options.number(name, static_cast<double>(into)));
  };
  m.factors = factors_of(options, m.factors);
  m.negatives = options.count("negatives", m.negatives);
  const std::string loss = options.text("loss", losses_of_triples[0].word);
  m.loss = std::ranges::find(losses_of_triples, loss, &named_loss::word)->loss;
  take("margin", m.margin);
  take("temperature", m.temperature);
  take("dropout", m.dropout);
  take("gamma", m.from);
  take("n3", m.n3);
  m.products = products_of(options);
  if (m.negatives < 1 || m.negatives > most_negatives) throw config_error("--negatives is 1 to 65536");
  if (!(m.dropout >= 0.0f && m.dropout < 1.0f))
    throw config_error("--dropout is a fraction from 0 up to, not including, 1");
  if (!(m.n3 >= 0.0f)) throw config_error("--n3 is a number of at least 0");
  if (options.given("margin") && m.loss != target_loss::hinge)
    throw config_error("--margin is that of --loss hinge: add that, or leave it out");
  if (options.given("temperature") && m.loss != target_loss::self_adversarial)
    throw config_error("--temperature is that of --loss self_adversarial: add that, or leave it out");
  if (options.given("gamma") && (m.loss == target_loss::softmax || m.loss == target_loss::hinge))
    throw config_error("--gamma changes --loss logistic and self_adversarial only: add one of them, or leave it out");
}

void take_triple_sizes(const model_data& data, triple_shape& m) {
  if (!std::ranges::is_partitioned(data.rows.original, is_entity_column))
    throw config_error("triples need one file for all ranks, not one for each");
  m.entities = count_entities(data.rows.original);
  m.relations = data.features() - m.entities;
}

void save_triple_rows(const triple_shape& m, const trained_parameters& trained, saved_model& to) {
  if (trained.values.size() != m.dim() || trained.original.size() != m.entities + m.relations)
    throw config_error("these parameters are not those of this model of triples");
  to.model_options = {{"rank", static_cast<double>(m.factors)},
                      {"negatives", static_cast<double>(m.negatives)},
                      {"loss", static_cast<double>(std::ranges::find(losses_of_triples, m.loss, &named_loss::loss) -
                                                   std::begin(losses_of_triples))},
                      {"margin", static_cast<double>(m.margin)},
                      {"temperature", static_cast<double>(m.temperature)}};
  if (m.distance) to.model_options.emplace_back("gamma", static_cast<double>(m.from));
  to.width = width_of_saved(m);
  to.weights.resize(trained.original.size() * to.width);
  for (std::size_t k = 0; k < trained.saved_order.size(); ++k) {
    for_saved_triple_parts(m, trained.saved_order[k], [&](std::size_t from, std::size_t at, std::size_t count) {
      std::ranges::copy(trained.values.subspan(from, count),
                        to.weights.begin() + static_cast<std::ptrdiff_t>(k * to.width + at));
    });
  }
}

void load_triple_shape(const saved_model& saved, triple_shape& m) {
  m.factors = saved_count(saved, "rank", most_factors);
  m.negatives = saved_count(saved, "negatives", most_negatives);
  m.loss = losses_of_triples[saved_choice(saved, "loss", std::size(losses_of_triples))].loss;
  m.margin = static_cast<float>(saved_number(saved, "margin"));
  m.temperature = static_cast<float>(saved_number(saved, "temperature"));
  if (m.distance) m.from = static_cast<float>(saved_number(saved, "gamma"));
  m.entities = static_cast<std::size_t>(std::ranges::count_if(saved.columns, is_entity_column));
  m.relations = saved.columns.size() - m.entities;
  if (saved.width != width_of_saved(m) || !saved.bias.empty() ||
      saved.weights.size() != saved.columns.size() * saved.width)
    throw input_error("the number of parameters does not suit the model " + saved.model);
}

loaded_triple_rows load_triple_rows(const triple_shape& m, const saved_model& saved) {
  loaded_triple_rows rows{std::vector<float>(m.dim()), std::vector<std::uint32_t>(saved.columns.size()), {}};
  auto entity = std::uint32_t{0}, relation = static_cast<std::uint32_t>(m.entities);
  for (std::size_t k = 0; k < saved.columns.size(); ++k) {
    const std::uint32_t place = is_entity_column(saved.columns[k]) ? entity++ : relation++;
    rows.places.push_back(place);
    rows.columns[place] = saved.columns[k];
    for_saved_triple_parts(m, place, [&](std::size_t to, std::size_t from, std::size_t count) {
      std::ranges::copy(saved.row(k).subspan(from, count), rows.parameters.begin() + static_cast<std::ptrdiff_t>(to));
    });
  }
  return rows;
}

}  // namespace hogwild::detail
