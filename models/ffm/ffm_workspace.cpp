// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/models/ffm_workspace.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

#include <hogwild/error.hpp>
#include <hogwild/formats/libffm.hpp>
#include <hogwild/models/ffm.hpp>

namespace hogwild {

void ffm::require_data(const sparse_view& rows, std::string_view source) const {
  if (rows.original.size() != rows.columns || std::ranges::find(rows.original, 0u) != rows.original.end())
    throw config_error(std::string(source) +
                       " do not say of which field each column is: an ffm reads libffm text, or rows in memory with "
                       "their 'original', made by field_column()");
  for (const std::uint32_t number : rows.original)
    if (field_of(number) >= fields)
      throw config_error(std::string(source) + " have the field " + std::to_string(field_of(number)) +
                         ", but the ffm only " + std::to_string(fields) + " fields (counted from 0)");
}

ffm::workspace ffm::make_workspace(const sparse_view& data, isa, std::size_t batch) const {
  require_data(data, "the data");
  return {data, factors, unit_rows, batch};
}

ffm_workspace::ffm_workspace(const sparse_view& data, std::size_t factors, bool unit_rows, std::size_t batch)
    : numbers_(data.original), factors_(factors), unit_rows_(unit_rows), examples_(batch), lanes_(factors) {}

void ffm_workspace::take(std::size_t k, const sparse_row<float>& z) {
  ffm_example& e = examples_[k];
  e.entries.clear(), e.first.clear(), e.runs.clear();
  e.label = z.label;
  double squares = 0.0;
  for (auto [j, x] : z) {
    if (x == 0.0f) continue;
    e.entries.push_back({.column = static_cast<std::uint32_t>(j), .field = field_of(numbers_[j]), .x = x});
    squares += static_cast<double>(x) * static_cast<double>(x);
  }
  if (unit_rows_ && squares > 0.0) {
    const double scale = 1.0 / std::sqrt(squares);
    for (auto& entry : e.entries) entry.x = static_cast<float>(static_cast<double>(entry.x) * scale);
  }
  const auto by_field = [](const auto& a, const auto& b) {
    return std::tie(a.field, a.column) < std::tie(b.field, b.column);
  };
  if (!std::ranges::is_sorted(e.entries, by_field)) std::ranges::sort(e.entries, by_field);
  for (std::size_t j = 0; j < e.entries.size(); ++j) {
    const std::uint32_t field = e.entries[j].field;
    if (j == 0 || e.entries[j - 1].field != field) {
      const std::size_t slot = e.first.size();
      e.first.push_back(j);
      if (j == 0 || e.entries[j - 1].field + 1 != field) e.runs.push_back({.field = field, .slot = slot});
      ++e.runs.back().fields;
    }
    e.entries[j].slot = e.first.size() - 1;
  }
  e.first.push_back(e.entries.size());
}

void ffm_workspace::begin(const ffm_example& z) {
  width_ = z.slots() * factors_;
  rows_.resize(z.entries.size() * width_);
  partials_.resize(width_);
}

void ffm_workspace::sum_up(const ffm_example& z) {
  own_sums_.resize(z.slots() * width_);
  sums_.resize(z.slots());
  for (std::size_t slot = 0; slot < z.slots(); ++slot) {
    const std::size_t first = z.first[slot], last = z.first[slot + 1];
    sums_[slot] = rows_.data() + first * width_;
    if (last - first == 1) continue;
    const std::span<float> sum = std::span(own_sums_).subspan(slot * width_, width_);
    std::ranges::copy(row(first), sum.begin());
    for (std::size_t j = first + 1; j < last; ++j)
      for (std::size_t i = 0; i < width_; ++i) sum[i] += rows_[j * width_ + i];
    sums_[slot] = sum.data();
  }
}

float ffm_workspace::pairs(const ffm_example& z) {
  for (std::size_t j = 0; j < z.entries.size(); ++j)
    for (float& v : row(j)) v *= z.entries[j].x;
  sum_up(z);
  std::ranges::fill(lanes_, 0.0f);
  float* const lanes = lanes_.data();
  for (std::size_t f = 0; f < z.slots(); ++f) {
    for (std::size_t g = f + 1; g < z.slots(); ++g) {
      const float *const a = sum(f, g), *const b = sum(g, f);
      for (std::size_t i = 0; i < factors_; ++i) lanes[i] += a[i] * b[i];
    }
    // Pairs within a field: half of the sum's square less the entries' own.
    const std::size_t first = z.first[f], last = z.first[f + 1];
    if (last - first == 1) continue;
    const float* const a = sum(f, f);
    for (std::size_t i = 0; i < factors_; ++i) lanes[i] += 0.5f * a[i] * a[i];
    for (std::size_t j = first; j < last; ++j) {
      const float* const own = rows_.data() + j * width_ + f * factors_;
      for (std::size_t i = 0; i < factors_; ++i) lanes[i] -= 0.5f * own[i] * own[i];
    }
  }
  float all = 0.0f;
  for (const float lane : lanes_) all += lane;
  return all;
}

std::span<float> ffm_workspace::partials(const ffm_example& z, std::size_t j, float by) {
  const std::size_t f = z.entries[j].slot;
  for (std::size_t g = 0; g < z.slots(); ++g) {
    const float* const other = sum(g, f);
    float* const to = partials_.data() + g * factors_;
    for (std::size_t i = 0; i < factors_; ++i) to[i] = by * other[i];
  }
  const float *const all = sum(f, f), *const own = rows_.data() + j * width_ + f * factors_;
  for (std::size_t i = 0; i < factors_; ++i) partials_[f * factors_ + i] = by * (all[i] - own[i]);
  return partials_;
}

}  // namespace hogwild
