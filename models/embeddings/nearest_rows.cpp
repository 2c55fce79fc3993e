// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/embeddings/nearest_rows.hpp>

#include <algorithm>
#include <cmath>

#include <hogwild/detail/embeddings/target_finder.hpp>

namespace hogwild {
namespace {

/// The rows, each filled up with zeros to whole cache lines.
std::vector<float> padded(std::span<const float> rows, std::size_t width) {
  const std::size_t wide = padded_to_lanes(width), count = rows.size() / width;
  std::vector<float> all(count * wide);
  for (std::size_t k = 0; k < count; ++k)
    std::ranges::copy(rows.subspan(k * width, width), all.begin() + static_cast<std::ptrdiff_t>(k * wide));
  return all;
}

}  // namespace

float length_of(std::span<const float> row) {
  double square = 0.0;
  for (const float x : row) square += static_cast<double>(x) * static_cast<double>(x);
  return square > 0.0 ? static_cast<float>(std::sqrt(square)) : 1.0f;
}

nearest_rows::nearest_rows(std::span<const float> rows, std::size_t width, std::size_t unseen)
    : rows_(rows),
      width_(width),
      table_(padded(rows.first(rows.size() - unseen * width), width), padded_to_lanes(width), {}, true,
             isa::automatic) {}

std::vector<std::vector<scored_target>> nearest_rows::of(std::span<const std::uint32_t> asked, std::size_t top) const {
  std::vector<std::vector<scored_target>> nearest(asked.size());
  find_for_all(table_, top,
               {.count = asked.size(),
                .write =
                    [&](std::size_t k, std::span<float> to) {
                      const float length = length_of(row(asked[k]));
                      std::ranges::fill(to.subspan(width_), 0.0f);
                      std::ranges::transform(row(asked[k]), to.begin(), [&](float x) { return x / length; });
                    },
                .left_out = [&](std::size_t k) { return asked.subspan(k, 1); },
                .found = [&](std::size_t k, auto best) { nearest[k].assign(best.begin(), best.end()); }});
  return nearest;
}

}  // namespace hogwild
