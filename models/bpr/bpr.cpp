// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/bpr.hpp>

#include <cmath>

#include <hogwild/detail/math/vector_math.hpp>

#include "embeddings/pair_descriptor.hpp"

namespace hogwild {

std::optional<std::uint32_t> bpr::other_item(const pair_side& side, std::uint32_t user,
                                             const counter_random& random) const {
  constexpr std::uint64_t tries = 16;
  for (std::uint64_t k = 0; k < tries; ++k) {
    const std::uint32_t item = side.items.draw(random.bits(k));
    if (!side.known.contains(user, item)) return item;
  }
  return std::nullopt;
}

void bpr::take(compared_space& s, std::size_t k, const sparse_row<float>& z, const counter_random& random) const {
  compared_space::compared& c = s.pair(k);
  c = {};
  const auto pair = pair_of(z.index);
  if (!pair) return;
  const auto other = other_item(s.side(), pair->first, random);
  if (!other || *other == pair->second) return;
  const float times = z.label * s.side().per_weight;
  c = {pair->first, pair->second, *other, times, z.weight * times};
}

float bpr::difference(compared_space& s) {
  float sums[embedding_lanes] = {};
  for (std::size_t k = 0; k < s.row(0).size(); k += embedding_lanes)
    for (std::size_t i = 0; i < embedding_lanes; ++i) sums[i] += s.row(0)[k + i] * (s.row(1)[k + i] - s.row(2)[k + i]);
  float sum = 0.0f;
  for (const float x : sums) sum += x;
  return sum;
}

double bpr::loss_of(float x) {
  return soft_plus(-static_cast<double>(x));
}

float bpr::differentiate(compared_space& s, float weight, float x) {
  const float pull = weight / (1.0f + std::exp(x));
  for (std::size_t k = 0; k < s.row(0).size(); ++k) {
    s.row(3)[k] = -pull * (s.row(1)[k] - s.row(2)[k]);
    s.row(4)[k] = -pull * s.row(0)[k];
    s.row(5)[k] = pull * s.row(0)[k];
  }
  return pull;
}

double bpr::squares_touched(std::span<const float> w, const compared_space& s, std::size_t k) const {
  const compared_space::compared& c = s.pair(k);
  if (c.weight == 0.0f) return 0.0;
  return squares_of_user(w, s.side(), c.user) + squares_of_item(w, s.side(), c.item) +
         squares_of_item(w, s.side(), c.other);
}

template <>
const model_descriptor& descriptor_of<bpr>() {
  static const detail::pair_descriptor<bpr> descriptor(
      "which items to recommend, from pairs of users and items, each against an item drawn at random");
  return descriptor;
}

}  // namespace hogwild
