// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/embeddings/pair_model.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include <hogwild/detail/embeddings/row_figures.hpp>
#include <hogwild/detail/model/quiet_reader.hpp>
#include <hogwild/error.hpp>

namespace hogwild {

pair_parts::pair_parts(const column_parts& features, std::size_t first, bool alone)
    : parts_(features), first_(first), alone_(alone) {
  for (std::size_t column = 0; column + 1 < features.start.size(); ++column) {
    const std::span<const float> weights = features.weights_of(column);
    const double square = (weights.empty() || !alone ? 1.0 : 0.0) + squares_of(weights);
    scale_.push_back(square > 0.0 ? static_cast<float>(1.0 / std::sqrt(square)) : 0.0f);
  }
}

namespace {

double power_of(const pair_shape& m) {
  return m.sampler == item_sampler::uniform ? 0.0 : m.sampler == item_sampler::in_batch ? 1.0 : m.popularity;
}

}  // namespace

column_parts pair_shape::features_of(const sparse_view& rows) const {
  const column_parts found = parts_of(rows);
  if (found.parts != parts || found.start.size() != users + items + 1)
    throw config_error("the model has vectors of " + std::to_string(parts) + " features of " +
                       std::to_string(users + items) +
                       " users and items, and the pairs have other ones: give the rows "
                       "that the model was made for");
  return found;
}

std::shared_ptr<const pair_side> pair_shape::make_side(const sparse_view& rows) const {
  const auto counts =
      rows.degree.size() == users + items ? rows.degree.subspan(users) : std::span<const std::uint32_t>();
  // Items that only the features have are known by these alone, which a negative item would push away.
  const target_sampler sampled(items, counts, power_of(*this), parts == 0);
  double weights = 0.0;
  for (std::size_t r = 0; r < rows.rows(); ++r) weights += static_cast<double>(rows.label[r]);
  const double per_weight = weights > 0.0 ? static_cast<double>(rows.rows()) / weights : 1.0;
  pair_side side{sampled, known_targets(rows, users, items), static_cast<float>(per_weight)};
  if (parts > 0) side.parts = pair_parts(features_of(rows), users + items, features_alone);
  return std::make_shared<const pair_side>(std::move(side));
}

std::optional<std::pair<std::uint32_t, std::uint32_t>> pair_shape::pair_of(
    std::span<const std::uint32_t> columns) const {
  std::optional<std::uint32_t> user, item;
  for (const std::uint32_t column : columns) {
    if (column < users)
      user = column;
    else if (column - users < items)
      item = static_cast<std::uint32_t>(column - users);
  }
  if (!user || !item) return std::nullopt;
  return std::pair(*user, *item);
}

double pair_shape::squares_of_user(std::span<const float> w, const pair_side& side, std::size_t user) const {
  if (parts == 0) return squares_of(w.subspan(user_row(user), width()));
  double sum = 0.0;
  side.parts.for_terms(user, [&](std::size_t row, float) { sum += squares_of(w.subspan(row * width(), width())); });
  return sum;
}

double pair_shape::squares_of_item(std::span<const float> w, const pair_side& side, std::size_t item) const {
  double sum = 0.0;
  const auto add = [&](std::size_t row, float) {
    const double added = bias ? static_cast<double>(w[row_bias() + row]) : 0.0;
    sum += squares_of(w.subspan(row * width(), width())) + added * added;
  };
  if (parts == 0)
    add(users + item, 1.0f);
  else
    side.parts.for_terms(users + item, add);
  return sum;
}

float pair_shape::score_of(std::span<const float> w, std::span<const std::uint32_t> columns) const {
  const auto pair = pair_of(columns);
  if (!pair) return 0.0f;
  const std::span<const float> p = w.subspan(user_row(pair->first), factors),
                               q = w.subspan(item_row(pair->second), factors);
  double product = 0.0, p_square = 0.0, q_square = 0.0;
  for (std::size_t k = 0; k < factors; ++k) {
    const auto x = static_cast<double>(p[k]), y = static_cast<double>(q[k]);
    product += x * y;
    p_square += x * x;
    q_square += y * y;
  }
  if (cosine && p_square > 0.0 && q_square > 0.0) product /= std::sqrt(p_square * q_square);
  const double added = bias ? static_cast<double>(w[item_bias(pair->second)]) : 0.0;
  return static_cast<float>(product / temperature + added);
}

pair_shape pair_shape::without_parts() const {
  pair_shape m = *this;
  m.parts = 0;
  return m;
}

std::vector<float> pair_shape::composed(std::span<const float> w, const pair_parts& of) const {
  const pair_shape to = without_parts();
  std::vector<float> all(to.dim());
  const detail::quiet_reader<> reader{w};
  for (std::size_t column = 0; column < users + items; ++column) {
    of.read(reader, column, std::span(all).subspan(column * width(), width()));
    if (bias && column >= users) all[to.row_bias() + column] = of.bias(reader, column, row_bias());
  }
  return all;
}

pair_space::pair_space(const pair_shape& m, const target_loss_rule& loss, product_numbers products,
                       std::shared_ptr<const pair_side> side, isa set, std::size_t batch)
    : model_(m),
      loss_(loss),
      side_(std::move(side)),
      block_({.width = m.width(),
              .targets = m.sampler == item_sampler::in_batch ? batch : m.negatives,
              .cosine = m.cosine,
              .temperature = static_cast<float>(m.temperature),
              .bias = m.bias,
              .loss = loss,
              .products = products},
             set, batch),
      pairs_(batch),
      drawn_(block_.targets()),
      rows_(m.width()),
      biases_(1),
      losses_(batch) {}

void pair_space::take(std::size_t k, const sparse_row<float>& z, const counter_random& random) {
  pair& p = pairs_[k];
  p = {.random = random};
  if (const auto found = model_.pair_of(z.index)) {
    p.user = found->first;
    p.item = found->second;
    p.times = z.label * side_->per_weight;
    p.weight = z.weight * p.times;
  }
}

void pair_space::draw(std::size_t n) {
  constexpr float nothing = -std::numeric_limits<float>::infinity();
  block_.begin();
  drawn_.clear();
  if (n == 0) return;
  const bool in_batch = model_.sampler == item_sampler::in_batch;
  const std::size_t count = in_batch ? n : block_.targets();
  const float chances = std::log(static_cast<float>(count));
  for (std::size_t j = 0; j < count; ++j) {
    const std::uint32_t item = in_batch ? pairs_[j].item : side_->items.draw(pairs_.front().random.bits(j));
    drawn_.add(item);
    // The sum over drawn items then has the mean of the sum over all items.
    if (loss_.kind == target_loss::softmax) block_.lift(j, side_->items.rarity(item) - chances);
    if (in_batch && pairs_[j].weight == 0.0f) block_.lift(j, nothing);
  }
  for (std::size_t j = count; j < block_.targets(); ++j) block_.lift(j, nothing);
  for (std::size_t i = 0; i < n; ++i) {
    block_.weigh(i, pairs_[i].weight);
    if (pairs_[i].weight == 0.0f) continue;
    const auto leave_out = [&](std::uint32_t item) {
      drawn_.for_places(item, [&](std::size_t place) { block_.leave_out(i, place); });
    };
    leave_out(pairs_[i].item);
    // To look for a known item among the drawn ones takes a bit in the nearest cache; the other way round takes more.
    constexpr std::size_t ahead = 6, times_cheaper = 8;
    if (i + ahead < n) side_->known.prefetch(pairs_[i + ahead].user);
    const std::span<const std::uint32_t> known = side_->known.of(pairs_[i].user);
    if (known.size() <= times_cheaper * count) {
      for (const std::uint32_t item : known) leave_out(item);
    } else {
      for (std::size_t j = 0; j < count; ++j)
        if (side_->known.contains(pairs_[i].user, drawn_.all()[j])) block_.leave_out(i, j);
    }
  }
}

void pair_space::losses(std::size_t n, std::span<row_score> to) {
  block_.losses(n, losses_);
  fill_losses(
      to.first(n), [&](std::size_t i) { return pairs_[i].weight != 0.0f; },
      [&](std::size_t i) { return static_cast<double>(pairs_[i].times) * losses_[i]; });
}

}  // namespace hogwild
