// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/embeddings/triple_model.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <hogwild/detail/embeddings/row_figures.hpp>

namespace hogwild {
namespace {

/// gradient += factor * |x| x, with the moduli of complex numbers.
void add_cubes(bool complex, std::span<const float> x, float factor, std::span<float> gradient) {
  if (!complex) {
    for (std::size_t k = 0; k < x.size(); ++k) gradient[k] += factor * std::abs(x[k]) * x[k];
    return;
  }
  const std::size_t half = x.size() / 2;
  for (std::size_t k = 0; k < half; ++k) {
    const float times = factor * std::sqrt(x[k] * x[k] + x[half + k] * x[half + k]);
    gradient[k] += times * x[k];
    gradient[half + k] += times * x[half + k];
  }
}

}  // namespace

std::shared_ptr<const triple_side> triple_shape::make_side(const sparse_view& rows) const {
  return std::make_shared<const triple_side>(
      triple_side{target_sampler(entities, {}, 0.0), known_answers(rows, entities, relations)});
}

double triple_formula::squares_touched(std::span<const float> w, const triple_space& s, std::size_t k) const {
  const triple_space::triple& z = s.example(k);
  if (z.weight == 0.0f) return 0.0;
  double sum = 0.0;
  for (const std::size_t e : {z.head, z.tail}) sum += squares_of(w.subspan(entity_row(e), width()));
  for (const std::size_t r : {std::size_t{z.relation}, relations + z.relation})
    sum += squares_of(w.subspan(relation_row(r), relation_width()));
  return sum;
}

triple_space::triple_space(const triple_shape& m, std::shared_ptr<const triple_side> side, isa set, std::size_t batch)
    : model_(m),
      side_(std::move(side)),
      width_(m.width()),
      block_({.width = m.width(),
              .targets = m.negatives,
              .distance = m.distance,
              .from = m.from,
              .loss = {.kind = m.loss, .margin = m.margin, .temperature = m.temperature, .targets = m.entities},
              .products = m.products},
             set, 2 * batch),
      triples_(batch),
      drawn_(m.negatives),
      entity_rows_(2 * batch * width_),
      relation_rows_(2 * batch * width_),
      parameters_(width_),
      entity_gradients_(2 * batch * width_),
      relation_gradients_(2 * batch * width_),
      entities_(width_),
      relations_(m.relation_width()),
      losses_(2 * batch) {}

void triple_space::take(std::size_t k, const sparse_row<float>& z, const counter_random& random) {
  triple& t = triples_[k];
  t = {};
  t.random = random;
  const auto found = triple_of(z.index, model_.entities, model_.relations);
  if (!found) return;
  static_cast<known_triple&>(t) = *found;
  t.weight = z.weight;
}

void triple_space::draw(std::size_t n) {
  block_.begin();
  drawn_.clear();
  if (n == 0) return;
  // The sum over drawn entities then has the mean of the sum over all.
  const float chances = std::log(static_cast<float>(model_.negatives));
  for (std::size_t j = 0; j < model_.negatives; ++j) {
    const std::uint32_t entity = side_->entities.draw(triples_.front().random.bits(j));
    drawn_.add(entity);
    if (model_.loss == target_loss::softmax) block_.lift(j, side_->entities.rarity(entity) - chances);
  }
  for (std::size_t q = 0; q < 2 * n; ++q) {
    const triple& z = triples_[q / 2];
    block_.weigh(q, z.weight);
    if (z.weight == 0.0f) continue;
    drawn_.for_places(q % 2 == 0 ? z.tail : z.head, [&](std::size_t place) { block_.leave_out(q, place); });
  }
}

void triple_space::leave_out(std::size_t question, const counter_random& random) {
  // Sixteen generators side by side, of which none is zero (Marsaglia, Xorshift RNGs, 2003).
  std::uint32_t state[embedding_lanes];
  for (std::size_t i = 0; i < embedding_lanes; ++i)
    state[i] = static_cast<std::uint32_t>(random.bits((question % 2 + 1) << 32 | i)) | 1u;
  const auto bound = static_cast<std::int32_t>(static_cast<double>(model_.dropout) * 0x1p31);
  const float kept = 1.0f / (1.0f - model_.dropout);
  const std::span<float> x = block_.source(question);
  for (std::size_t k = 0; k < width_; k += embedding_lanes) {
    for (std::size_t i = 0; i < embedding_lanes; ++i) {
      state[i] ^= state[i] << 13;
      state[i] ^= state[i] >> 17;
      state[i] ^= state[i] << 5;
      x[k + i] *= static_cast<std::int32_t>(state[i] >> 1) < bound ? 0.0f : kept;
    }
  }
}

void triple_space::ask(std::size_t n, bool training) {
  for (std::size_t q = 0; q < 2 * n; ++q) {
    const triple& z = triples_[q / 2];
    if (z.weight == 0.0f) continue;
    std::ranges::copy(entity(q ^ 1), block_.positive(q).begin());
    if (model_.composition == triple_composition::rotation) {
      const std::span<float> parameters = parameters_.part(0, model_.relation_width());
      std::ranges::copy(relation(q).first(parameters.size()), parameters.begin());
      unfold_relation(model_.composition, parameters, relation(q));
    }
    compose(model_.composition, entity(q), relation(q), block_.source(q));
    if (training && model_.dropout > 0.0f) leave_out(q, z.random);
  }
}

void triple_space::differentiate_question(std::size_t q) {
  const std::span<float> of_question = parameters_.part(0, width_);
  const std::span<const float> gradient = block_.source_gradient(q), question = block_.source(q);
  if (model_.dropout > 0.0f) {
    const float kept = 1.0f / (1.0f - model_.dropout);
    for (std::size_t k = 0; k < width_; ++k) of_question[k] = question[k] == 0.0f ? 0.0f : gradient[k] * kept;
  } else {
    std::ranges::copy(gradient, of_question.begin());
  }
  const std::span<float> of_entity = entity_gradients_.part(q * width_, width_),
                         of_relation = relation_gradients_.part(q * width_, width_);
  through_composition(model_.composition, entity(q), relation(q), of_question, of_entity, of_relation);
  fold_relation_gradient(model_.composition, relation(q), of_relation);
  if (model_.n3 == 0.0f) return;
  // An entity also answers the other question of its triple.
  const float factor = model_.n3 * triples_[q / 2].weight;
  add_cubes(is_complex(model_.composition), entity(q), 2.0f * factor, of_entity);
  add_cubes(is_complex(model_.composition), relation(q), factor, of_relation);
}

void triple_space::losses(std::size_t n, std::span<row_score> to) {
  block_.losses(2 * n, losses_);
  fill_losses(
      to.first(n), [&](std::size_t k) { return triples_[k].weight != 0.0f; },
      [&](std::size_t k) { return losses_[2 * k] + losses_[2 * k + 1]; });
}

}  // namespace hogwild
