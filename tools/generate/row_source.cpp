// SPDX-License-Identifier: Apache-2.0
#include <generate/row_source.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>

#include <hogwild/detail/math/random.hpp>
#include <hogwild/error.hpp>

namespace hogwild::generate {
namespace {

// Random streams that belong to no row; rows have the streams from 0 on.
constexpr std::uint64_t hidden_stream = ~std::uint64_t{0}, number_stream = hidden_stream - 1;

constexpr std::size_t most_repeats = 20;
constexpr double repeat_probability = 0.35;
constexpr double shared_scale = 1.0, rare_scale = 0.35;  ///< size of the hidden weights of common and of rare columns

/// Draws numbers one after another from one stream.
class draws {
 public:
  draws(std::uint64_t seed, std::uint64_t stream) : random_(seed, stream) {}
  double uniform() { return random_.uniform(next_++); }
  std::uint64_t below(std::uint64_t n) { return random_.below(next_++, n); }
  /// Nearly normal, without a library function: the sum of twelve uniform numbers has variance 1.
  double normal() {
    double sum = -6.0;
    for (int k = 0; k < 12; ++k) sum += uniform();
    return sum;
  }

 private:
  counter_random random_;
  std::uint64_t next_ = 0;
};

double on_grid(double x) {
  return std::round(x * 1024.0) / 1024.0;
}

/// 1 + log(how often a word occurs in a document), for 1 to most_repeats times.
std::array<double, most_repeats> frequency_weights() {
  std::array<double, most_repeats> weights{};
  for (std::size_t k = 0; k < most_repeats; ++k) weights[k] = on_grid(1.0 + std::log(static_cast<double>(k + 1)));
  return weights;
}

void require(bool holds, const char* sentence) {
  if (!holds) throw config_error(sentence);
}

const options& checked(const options& o) {
  check(o);
  return o;
}

}  // namespace

void check(const options& o) {
  require(o.rows > 0, "there must be at least one row");
  require(o.columns >= 8 && o.columns < 0xfffffffe, "there must be 8 to 4294967293 columns");
  require(o.nonzeros >= 1.0 && o.nonzeros <= 0.25 * static_cast<double>(o.columns),
          "the mean number of nonzeros a row lies between 1 and a quarter of the columns");
  require(o.length_spread >= 0.0 && o.length_spread <= 2.0, "the spread of row lengths lies between 0 and 2");
  require(o.delta > 0.0 && o.delta < 1.0, "delta is a fraction of rows: between 0 and 1");
  require(o.zipf > 0.0 && o.zipf <= 3.0, "the Zipf exponent lies between 0 and 3");
  require(o.noise >= 0.0 && o.noise <= 0.5, "the noise is a fraction of labels: 0 to 0.5");
  require(o.margin >= 0.0 && o.margin <= 0.5, "the margin lies between 0 and 0.5");
  require(o.test_fraction >= 0.0 && o.test_fraction < 1.0, "the test fraction lies between 0 and 1");
}

row_source::row_source(const options& o)
    : options_(checked(o)), popularity_(o), number_(o.columns), rarity_(o.columns), hidden_(o.columns) {
  std::iota(number_.begin(), number_.end(), 0u);
  draws order(o.seed, number_stream), weights(o.seed, hidden_stream);
  for (std::size_t i = o.columns; i > 1; --i) std::swap(number_[i - 1], number_[order.below(i)]);
  for (std::size_t i = 0; i < o.columns; ++i) {
    rarity_[i] = std::max(on_grid(-std::log(popularity_.fraction(i))), 1.0 / 1024.0);
    hidden_[i] = weights.normal() * (i < o.columns / 16 ? shared_scale : rare_scale);
  }
}

std::size_t row_source::length(double normal) const {
  const double s = options_.length_spread;
  const double drawn = options_.nonzeros * std::exp(s * normal - 0.5 * s * s);
  const double most = 0.5 * static_cast<double>(options_.columns);
  return static_cast<std::size_t>(std::lround(std::clamp(drawn, 1.0, most)));
}

void row_source::make(std::size_t r, generated_row& row) const {
  static const auto frequency = frequency_weights();
  draws draw(options_.seed, r);
  row.test = draw.uniform() < options_.test_fraction;
  const bool turned = draw.uniform() < options_.noise;
  double plane = 0.0;
  do {
    row.positions.clear();
    const std::size_t wanted = length(draw.normal());
    while (row.positions.size() < wanted) {
      // Repeats are few in rows of this length, so they are removed when there are enough draws, not one by one.
      while (row.positions.size() < wanted) {
        row.positions.push_back(static_cast<std::uint32_t>(popularity_.position(draw.uniform())));
      }
      std::ranges::sort(row.positions);
      row.positions.erase(std::unique(row.positions.begin(), row.positions.end()), row.positions.end());
    }
    double squares = 0.0;
    row.values.clear();
    for (const std::uint32_t position : row.positions) {
      std::size_t repeats = 1;
      while (repeats < most_repeats && draw.uniform() < repeat_probability) ++repeats;
      row.values.push_back(frequency[repeats - 1] * rarity_[position]);
      squares += row.values.back() * row.values.back();
    }
    const double scale = 1.0 / std::sqrt(squares);
    plane = 0.0;
    for (std::size_t k = 0; k < row.positions.size(); ++k) {
      row.values[k] *= scale;
      plane += row.values[k] * hidden_[row.positions[k]];
    }
  } while (std::abs(plane) < options_.margin);
  row.positive = (plane > 0.0) != turned;

  row.entries.clear();
  for (std::size_t k = 0; k < row.positions.size(); ++k) {
    const auto units = static_cast<std::uint32_t>(std::lround(row.values[k] / value_unit));
    row.entries.push_back({number_[row.positions[k]], std::clamp(units, 1u, 1'000'000u)});
  }
  std::ranges::sort(row.entries, {}, &generated_row::entry::column);
}

}  // namespace hogwild::generate
