// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/embeddings/product_quantiser.hpp>

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <hogwild/detail/embeddings/row_figures.hpp>
#include <hogwild/detail/math/random.hpp>

namespace hogwild {
namespace {

constexpr std::size_t lanes = 16, most_rounds = 25, rows_per_centroid = 64;
/// Rounds go on while one lowers the error by more than this part.
constexpr double least_gain = 1e-4;

/// The parts of rows at one place.
struct points {
  std::span<const float> rows;
  std::size_t stride, offset, size;

  std::size_t count() const { return rows.size() / stride; }
  const float* operator[](std::size_t r) const { return &rows[r * stride + offset]; }
};

struct nearest {
  std::size_t centroid;
  double squared;  ///< distance to it
};

/// Centroids by number of the coordinate, so that as many as there are lanes are compared at once.
class centroid_table {
 public:
  centroid_table(std::size_t count, std::size_t size)
      : count_(count),
        size_(size),
        padded_((count + lanes - 1) / lanes * lanes),
        values_(size * padded_),
        half_squares_(padded_, std::numeric_limits<float>::infinity()) {}

  void set(std::size_t c, const float* point) {
    float sum = 0.0f;
    for (std::size_t k = 0; k < size_; ++k) sum += (values_[k * padded_ + c] = point[k]) * point[k];
    half_squares_[c] = 0.5f * sum;
  }
  float at(std::size_t c, std::size_t k) const { return values_[k * padded_ + c]; }
  std::size_t count() const { return count_; }

  /// Of several that are equally near the first one.
  nearest nearest_to(const float* point) const {
    std::array<float, lanes> best;
    std::array<std::uint32_t, lanes> block{};
    best.fill(std::numeric_limits<float>::infinity());
    for (std::size_t from = 0; from < padded_; from += lanes) {
      std::array<float, lanes> far;
      std::copy_n(&half_squares_[from], lanes, far.begin());
      for (std::size_t k = 0; k < size_; ++k)
        for (std::size_t l = 0; l < lanes; ++l) far[l] -= point[k] * values_[k * padded_ + from + l];
      for (std::size_t l = 0; l < lanes; ++l) {
        const bool nearer = far[l] < best[l];
        best[l] = nearer ? far[l] : best[l];
        block[l] = nearer ? static_cast<std::uint32_t>(from / lanes) : block[l];
      }
    }
    const float least = *std::ranges::min_element(best);
    std::size_t first = count_ - 1;
    for (std::size_t l = 0; l < lanes; ++l)
      if (best[l] == least) first = std::min(first, block[l] * lanes + l);
    double squared = 0.0;
    for (std::size_t k = 0; k < size_; ++k) {
      const double gap = static_cast<double>(point[k]) - static_cast<double>(at(first, k));
      squared += gap * gap;
    }
    return {first, squared};
  }

 private:
  std::size_t count_, size_, padded_;
  std::vector<float> values_, half_squares_;
};

/// Different numbers below `count` in an order of chance, `wanted` or all of them.
std::vector<std::size_t> drawn(std::size_t count, std::size_t wanted, const counter_random& random) {
  std::vector<std::size_t> all(count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  wanted = std::min(wanted, count);
  for (std::size_t k = 0; k < wanted; ++k) std::swap(all[k], all[k + random.below(k, count - k)]);
  all.resize(wanted);
  return all;
}

/// Moves each centroid to the mean of the points that it is nearest to, and one that has none to the point that is the
/// farthest from its own. Returns the error before.
double move(centroid_table& table, const points& all, std::span<const std::size_t> sample) {
  std::vector<std::size_t> members(table.count());
  std::vector<double> sums(table.count() * all.size), errors(sample.size());
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const float* const point = all[sample[i]];
    const nearest found = table.nearest_to(point);
    ++members[found.centroid];
    errors[i] = found.squared;
    for (std::size_t k = 0; k < all.size; ++k) sums[found.centroid * all.size + k] += static_cast<double>(point[k]);
  }
  const double before = std::accumulate(errors.begin(), errors.end(), 0.0);
  std::vector<float> mean(all.size);
  for (std::size_t c = 0; c < table.count(); ++c) {
    if (members[c] == 0) {
      const auto farthest = std::ranges::max_element(errors);
      table.set(c, all[sample[static_cast<std::size_t>(farthest - errors.begin())]]);
      *farthest = 0.0;
      continue;
    }
    for (std::size_t k = 0; k < all.size; ++k)
      mean[k] = static_cast<float>(sums[c * all.size + k] / static_cast<double>(members[c]));
    table.set(c, mean.data());
  }
  return before;
}

/// The centroids of `choices` clusters of the sampled points, which begin with the first ones.
centroid_table means_of(const points& all, std::span<const std::size_t> sample, std::size_t choices) {
  centroid_table table(choices, all.size);
  for (std::size_t c = 0; c < choices; ++c) table.set(c, all[sample[c]]);
  double before = std::numeric_limits<double>::infinity();
  for (std::size_t round = 0; round < most_rounds; ++round) {
    const double error = move(table, all, sample);
    if (!(error < before * (1.0 - least_gain))) break;
    before = error;
  }
  return table;
}

/// Writes centroids of such points, and the codes of all of them, which lie `step` apart.
void quantise(const points& all, std::span<const std::size_t> sample, std::span<float> centroids, std::uint8_t* codes,
              std::size_t step) {
  const centroid_table table = means_of(all, sample, centroids.size() / all.size);
  for (std::size_t c = 0; c < table.count(); ++c)
    for (std::size_t k = 0; k < all.size; ++k) centroids[c * all.size + k] = table.at(c, k);
  for (std::size_t r = 0; r < all.count(); ++r)
    codes[r * step] = static_cast<std::uint8_t>(table.nearest_to(all[r]).centroid);
}

/// Divides the rows by their lengths, which it returns.
std::vector<float> divide_by_lengths(std::span<float> rows, std::size_t width) {
  std::vector<float> lengths;
  for (std::size_t from = 0; from < rows.size(); from += width) {
    const std::span<float> row = rows.subspan(from, width);
    const double length = std::sqrt(squares_of(row));
    if (length > 0.0)
      for (float& x : row) x = static_cast<float>(static_cast<double>(x) / length);
    lengths.push_back(static_cast<float>(length));
  }
  return lengths;
}

}  // namespace

quantised_rows quantised(std::span<const float> rows, std::size_t width, const quantisation& how) {
  const std::size_t count = rows.size() / width, choices = std::min(how.centroids, count);
  const std::vector<std::size_t> sample = drawn(count, rows_per_centroid * choices, counter_random(how.seed, 0));
  quantised_rows made{.width = width, .part = how.part};
  made.centroids.resize(choices * width);
  made.codes.resize(count * made.parts());
  std::vector<float> directions;
  if (how.lengths) {
    directions.assign(rows.begin(), rows.end());
    const std::vector<float> lengths = divide_by_lengths(directions, width);
    made.lengths.resize(choices);
    made.length_codes.resize(count);
    quantise({lengths, 1, 0, 1}, sample, made.lengths, made.length_codes.data(), 1);
    rows = directions;
  }
  tbb::parallel_for(std::size_t{0}, made.parts(), [&](std::size_t p) {
    const std::size_t size = made.size_of(p);
    quantise({rows, width, p * made.part, size}, sample,
             std::span(made.centroids).subspan(made.begin_of(p), choices * size), &made.codes[p], made.parts());
  });
  return made;
}

}  // namespace hogwild
