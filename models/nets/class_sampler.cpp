// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/models/class_sampler.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace hogwild {
namespace {

std::vector<double> masses(sample_distribution by, std::span<const std::uint32_t> counts) {
  std::vector<double> mass(counts.size(), 1.0);
  switch (by) {
    case sample_distribution::frequency:
      std::ranges::transform(counts, mass.begin(),
                             [](std::uint32_t n) { return std::sqrt(static_cast<double>(n) + 1.0); });
      break;
    case sample_distribution::log_uniform: {
      std::vector<std::uint32_t> by_rows(counts.size());
      std::iota(by_rows.begin(), by_rows.end(), 0u);
      std::ranges::stable_sort(by_rows, [&](std::uint32_t a, std::uint32_t b) { return counts[a] > counts[b]; });
      for (std::size_t r = 0; r < by_rows.size(); ++r) mass[by_rows[r]] = std::log1p(1.0 / static_cast<double>(r + 1));
      break;
    }
    case sample_distribution::uniform:
      break;
  }
  return mass;
}

}  // namespace

std::string_view name_of(sample_distribution by) {
  switch (by) {
    case sample_distribution::frequency:
      return "frequency";
    case sample_distribution::log_uniform:
      return "log_uniform";
    case sample_distribution::uniform:
      break;
  }
  return "uniform";
}

std::vector<std::uint32_t> class_counts(const sparse_view& rows, const label_map& labels, std::size_t classes) {
  std::vector<std::uint32_t> counts(classes), listed(1);
  if (labels.classes() == 0) return counts;
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    if (rows.label.lists())
      labels.encode_list(rows.label, r, listed);
    else
      listed[0] = static_cast<std::uint32_t>(labels.encode(rows.label[r]));
    for (const std::uint32_t c : listed)
      if (c < classes) ++counts[c];
  }
  return counts;
}

class_sampler::class_sampler(sample_distribution by, std::span<const std::uint32_t> counts, std::size_t draws)
    : draws_(draws), log_chance_(counts.size()), log_left_out_(counts.size()), log_other_label_(counts.size()) {
  const double rows = std::accumulate(counts.begin(), counts.end(), 0.0);
  if (rows > 0.0)
    std::ranges::transform(counts, log_other_label_.begin(), [&](std::uint32_t n) {
      return static_cast<float>(std::log1p(-static_cast<double>(n) / rows));
    });
  if (takes_all()) {
    std::ranges::fill(log_left_out_, -std::numeric_limits<float>::infinity());
    return;
  }
  std::vector<double> mass = masses(by, counts);
  const double sum = std::accumulate(mass.begin(), mass.end(), 0.0);
  for (std::size_t c = 0; c < mass.size(); ++c) {
    const double left_out = static_cast<double>(draws) * std::log1p(-mass[c] / sum);
    log_left_out_[c] = static_cast<float>(left_out);
    log_chance_[c] = static_cast<float>(std::log(-std::expm1(left_out)));
  }
  table_ = alias_table(std::move(mass));
}

float class_sampler::chance_in_batch(std::size_t c, std::size_t n) const {
  return -std::expm1(log_left_out_[c] + static_cast<float>(n) * log_other_label_[c]);
}

}  // namespace hogwild
