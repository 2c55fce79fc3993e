// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/data/quantised_rows.hpp>

#include <cmath>

namespace hogwild {

std::vector<float> quantised_rows::decoded() const {
  std::vector<float> all;
  all.reserve(rows() * width);
  for (std::size_t r = 0; r < rows(); ++r) {
    const float factor = lengths.empty() ? 1.0f : lengths[length_codes[r]];
    for (std::size_t p = 0; p < parts(); ++p) {
      const float* const centroid = &centroids[begin_of(p) + codes[r * parts() + p] * size_of(p)];
      for (std::size_t k = 0; k < size_of(p); ++k) all.push_back(factor * centroid[k]);
    }
  }
  return all;
}

std::string quantised_rows::fault(std::size_t count) const {
  const auto below = [](std::size_t most) { return [most](std::uint8_t code) { return code < most; }; };
  const auto moderate = [](float x) { return std::abs(x) < 1e18f; };  // products are finite
  if (width == 0 || part == 0 || part > longest_part) return "parts of rows have 1 to 16 numbers";
  if (centroids.empty() || centroids.size() % width != 0 || choices() > most_centroids)
    return "a part has 1 to 256 centroids";
  if (codes.size() != count * parts() || !std::ranges::all_of(codes, below(choices())))
    return "a row has the number of a centroid for each part";
  if (lengths.size() > most_centroids || length_codes.size() != (lengths.empty() ? 0 : count) ||
      !std::ranges::all_of(length_codes, below(lengths.size())))
    return "a row has the number of one of up to 256 lengths";
  if (!std::ranges::all_of(centroids, moderate) || !std::ranges::all_of(lengths, moderate))
    return "a centroid or a length is no moderate number";
  return {};
}

}  // namespace hogwild
