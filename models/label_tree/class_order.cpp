// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/models/class_order.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/math/random.hpp>

namespace hogwild {
namespace {

constexpr std::size_t sketched = 64, rows_at_once = 1024, most_rounds = 20;
constexpr double least_gain = 1e-4;
using sketch = std::array<float, sketched>;

float product(const sketch& a, const sketch& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0f);
}

/// Makes its length one, unless it is 0; returns the length.
float normalise(sketch& s) {
  const float length = std::sqrt(product(s, s));
  if (length > 0.0f)
    for (float& x : s) x /= length;
  return length;
}

void add(sketch& to, const sketch& from) {
  for (std::size_t i = 0; i < sketched; ++i) to[i] += from[i];
}

sketch sketch_of(const sparse_row<float>& z) {
  sketch made{};
  float squares = 0.0f;
  for (const auto [j, x] : z) {
    const std::uint64_t signs = mix_bits(j);
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
    for (std::size_t i = 0; i < sketched; ++i)
      made[i] += std::bit_cast<float>(bits ^ static_cast<std::uint32_t>(signs >> i & 1) << 31);
    squares += x * x;
  }
  if (squares > 0.0f)
    for (float& x : made) x /= std::sqrt(squares);
  return made;
}

std::vector<sketch> means_of(const sparse_view& rows, const label_map& labels) {
  std::vector<sketch> means(labels.classes());
  std::vector<std::uint32_t> listed(1);
  row_cursor cursor(rows);
  for (std::size_t first = 0; first < rows.rows(); first += rows_at_once) {
    const std::size_t last = std::min(first + rows_at_once, rows.rows());
    rows.ensure(first, last);
    for (std::size_t r = first; r < last; ++r) {
      if (rows.label.lists())
        labels.encode_list(rows.label, r, listed);
      else
        listed[0] = static_cast<std::uint32_t>(labels.encode(rows.label[r]));
      if (listed.empty()) continue;
      const sketch of_row = sketch_of(cursor.row(r));
      for (const std::uint32_t c : listed) add(means[c], of_row);
    }
    if (rows.streams()) rows.release(first, last);
  }
  for (sketch& mean : means) normalise(mean);
  return means;
}

/// Puts a half of the classes, `left` of them, before the others: those that are nearer to the mean of one half than to
/// that of the other, until the halves hardly get denser.
void halve(std::span<std::uint32_t> classes, std::size_t left, const std::vector<sketch>& means) {
  const auto farthest = [&](const sketch& from) {
    return means[*std::ranges::min_element(classes, {}, [&](std::uint32_t c) { return product(means[c], from); })];
  };
  std::array<sketch, 2> centre;
  centre[0] = farthest(means[classes.front()]);
  centre[1] = farthest(centre[0]);
  std::vector<std::pair<float, std::uint32_t>> nearer(classes.size());
  double density = 0.0;
  for (std::size_t round = 0; round < most_rounds; ++round) {
    for (std::size_t k = 0; k < classes.size(); ++k)
      nearer[k] = {product(means[classes[k]], centre[1]) - product(means[classes[k]], centre[0]), classes[k]};
    std::ranges::nth_element(nearer, nearer.begin() + static_cast<std::ptrdiff_t>(left));
    centre = {};
    for (std::size_t k = 0; k < classes.size(); ++k) {
      classes[k] = nearer[k].second;
      add(centre[k < left ? 0 : 1], means[classes[k]]);
    }
    const double now = static_cast<double>(normalise(centre[0])) + static_cast<double>(normalise(centre[1]));
    if (now <= density + least_gain * static_cast<double>(classes.size())) break;
    density = now;
  }
}

}  // namespace

std::vector<std::uint32_t> class_order(const sparse_view& rows, const label_map& labels,
                                       const label_tree_shape& shape) {
  std::vector<std::uint32_t> order(shape.classes());
  std::iota(order.begin(), order.end(), 0u);
  if (shape.halvings() == 0) return order;
  const std::vector<sketch> means = means_of(rows, labels);
  const auto part = [&](std::size_t n, std::size_t k) {
    return std::span(order).subspan(shape.begin(n, k), shape.begin(n, k + 1) - shape.begin(n, k));
  };
  for (std::size_t n = 0; n < shape.halvings(); ++n)
    for (std::size_t k = 0; k < std::size_t{1} << n; ++k) halve(part(n, k), part(n + 1, 2 * k).size(), means);
  for (std::size_t k = 0; k < std::size_t{1} << shape.halvings(); ++k) std::ranges::sort(part(shape.halvings(), k));
  return order;
}

}  // namespace hogwild
