// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/models/ffm_workspace.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include <hogwild/detail/platform/isa.hpp>
#include <hogwild/formats/libffm.hpp>
#include <hogwild/models/ffm.hpp>

#include "factors/field_fm.hpp"

namespace hogwild {

void ffm::require_data(const sparse_view& rows, std::string_view source) const {
  require_fields(rows, source, name, fields);
}

ffm::workspace ffm::make_workspace(const sparse_view& data, isa set, std::size_t batch) const {
  require_data(data, "the data");
  return {data, field_width(factors), unit_rows, set, batch};
}

double ffm::squares_touched(std::span<const float> w, const workspace& space, std::size_t k) const {
  const ffm_example& z = space.example(k);
  if (z.weight == 0.0f) return 0.0;
  constexpr std::size_t lanes = 4;  // of field_width(): four sums that do not depend on each other
  std::array<double, lanes> sums{};
  const std::size_t of_field = field_width(factors);
  for (const field_entry& e : z.entries) {
    const auto of_entry = static_cast<double>(w[weight(e.column)]);
    sums[0] += of_entry * of_entry;
    const std::span<const float> all = w.subspan(factors_at(e.column, 0), width());
    for (const field_run& run : z.runs) {
      for (std::size_t f = 0; f < run.fields; ++f) {
        // If no other entry has this entry's field, its factors for that field are in no product.
        if (e.begins && e.ends && run.slot + f == e.slot) continue;
        const std::span<const float> of = all.subspan((run.field + f) * of_field, of_field);
        for (std::size_t i = 0; i < of.size(); ++i)
          sums[i % lanes] += static_cast<double>(of[i]) * static_cast<double>(of[i]);
      }
    }
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

ffm_workspace::ffm_workspace(const sparse_view& data, std::size_t width, bool unit_rows, isa set, std::size_t batch)
    : numbers_(data.original),
      width_(width),
      unit_rows_(unit_rows),
      kernels_(field_kernels_of(choose_isa(set))),
      examples_(batch) {}

void ffm_workspace::take(std::size_t k, const sparse_row<float>& z) {
  ffm_example& e = examples_[k];
  e.entries.clear(), e.runs.clear();
  e.slots = 0;
  e.label = z.label;
  e.weight = z.weight;
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
    field_entry& now = e.entries[j];
    now.begins = j == 0 || e.entries[j - 1].field != now.field;
    now.ends = j + 1 == e.entries.size() || e.entries[j + 1].field != now.field;
    if (now.begins) {
      const auto slot = static_cast<std::uint32_t>(e.slots++);
      if (j == 0 || e.entries[j - 1].field + 1 != now.field) e.runs.push_back({now.field, slot, 0});
      ++e.runs.back().fields;
    }
    now.slot = static_cast<std::uint32_t>(e.slots - 1);
  }
}

float* ffm_workspace::room(const ffm_example& z) {
  const std::size_t floats = field_room(z.slots, width_);
  if (room_.size() < floats) room_.resize(floats);
  return room_.data();
}

void ffm_workspace::begin(const ffm_example& z) {
  copied_.entries = z.entries;
  for (std::size_t j = 0; j < z.entries.size(); ++j) {
    copied_.entries[j].column = static_cast<std::uint32_t>(j);
    copied_.entries[j].field = z.entries[j].slot;
  }
  copied_.runs.clear();
  if (z.slots > 0) copied_.runs.push_back({0, 0, static_cast<std::uint32_t>(z.slots)});
  copied_.slots = z.slots;
  stride_ = z.slots * width_;
  factors_.resize(z.entries.size() * stride_);
  weights_.resize(z.entries.size());
  partials_.resize(stride_);
}

float ffm_workspace::score() {
  return kernels_.score({factors_.data(), weights_.data(), &bias_, width_, stride_}, copied_.row(), room(copied_));
}

std::span<const float> ffm_workspace::partials(std::size_t j, float by) {
  const std::size_t own = copied_.entries[j].slot * width_;
  std::ranges::fill(partials_, 0.0f);
  for (std::size_t k = 0; k < copied_.entries.size(); ++k) {
    if (k == j) continue;
    const field_entry& e = copied_.entries[k];
    const float* const met = factors_.data() + k * stride_ + own;
    float* const to = partials_.data() + e.slot * width_;
    for (std::size_t f = 0; f < width_; ++f) to[f] += by * (e.x * met[f]);
  }
  return partials_;
}

}  // namespace hogwild
