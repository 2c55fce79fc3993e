// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/models/deepfm_workspace.hpp>

#include <algorithm>
#include <string>

#include <hogwild/detail/kernels/layer_kernels.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/libffm.hpp>
#include <hogwild/models/deepfm.hpp>

#include "factors/field_fm.hpp"

namespace hogwild {
namespace {

/// Adds x times a column's factors to the sums, and to those of its field, and their squares to the squares. Runs do
/// not overlap, so the compiler can vectorise.
void add_factors(const float* __restrict factors, float x, std::size_t n, float* __restrict sums,
                 float* __restrict squares, float* __restrict field) {
  for (std::size_t i = 0; i < n; ++i) {
    const float product = x * factors[i];
    sums[i] += product, squares[i] += product * product, field[i] += product;
  }
}

/// Adds the partials of a column's factors: those from its field in the net, and those from its pairs in the machine.
void add_partials(const float* __restrict factors, float x, std::size_t n, const float* __restrict sums,
                  const float* __restrict of_field, float slope, float* __restrict to) {
  for (std::size_t i = 0; i < n; ++i) to[i] += x * (of_field[i] + slope * (sums[i] - x * factors[i]));
}

}  // namespace

void deepfm::require_data(const sparse_view& rows, std::string_view source) const {
  if (!has_layer_kernels()) throw config_error("the model deepfm " + layer_kernels_missing());
  require_fields(rows, source, name, fields);
  if (inputs() > most_inputs)
    throw config_error("the net of a deepfm has fields x factors inputs, at most " + std::to_string(most_inputs) +
                       "; " + std::to_string(fields) + " x " + std::to_string(factors) +
                       " are more: ask for fewer factors");
}

deepfm::workspace deepfm::make_workspace(const sparse_view& data, isa set, std::size_t batch) const {
  require_data(data, "the data");
  return {data, net(), factors, set, batch};
}

deepfm_workspace::deepfm_workspace(const sparse_view& data, const net_plan& net, std::size_t factors, isa set,
                                   std::size_t batch)
    : numbers_(data.original),
      factors_(factors),
      net_(net, set, batch, true),
      columns_(data.columns, factors + 1, std::max<std::size_t>(batch, 1)),
      examples_(std::max<std::size_t>(batch, 1)),
      sums_(examples_.size() * factors),
      squares_(factors),
      input_(net.input().size()) {}

std::size_t deepfm_workspace::field_at(std::uint32_t column) const {
  return field_of(numbers_[column]) * factors_;
}

void deepfm_workspace::take(std::size_t k, const sparse_row<float>& z, std::uint64_t key) {
  net_.describe(k, key, 0.0f, z.weight);
  examples_[k] = {.label = z.label};
  columns_.take(k, z, 1.0f);
}

void deepfm_workspace::feed(std::size_t n, float bias) {
  for (std::size_t k = 0; k < n; ++k) {
    const std::span<float> sum = sums(k);
    std::ranges::fill(sum, 0.0f);
    std::ranges::fill(input_, 0.0f);
    std::ranges::fill(squares_, 0.0f);
    float linear = bias, pairs = 0.0f;
    for (const sparse_layer::entry& e : columns_.entries(k)) {
      const float* const column = columns_.weights(columns_.slot_of(e)).data();
      linear += e.x * column[factors_];
      add_factors(column, e.x, factors_, sum.data(), squares_.data(), input_.data() + field_at(e.column));
    }
    for (std::size_t i = 0; i < factors_; ++i) pairs += sum[i] * sum[i] - squares_[i];
    examples_[k].score = linear + 0.5f * pairs;
    float* const to = net_.input(k);
    for (std::size_t v = 0; v < input_.size(); ++v) to[v * net_.stride()] = input_[v];
  }
}

float deepfm_workspace::backward(std::size_t n) {
  float of_bias = 0.0f;
  for (std::size_t k = 0; k < n; ++k) {
    const float slope = examples_[k].slope;
    const float* const from = net_.input_partials(k);
    for (std::size_t v = 0; v < input_.size(); ++v) input_[v] = from[v * net_.stride()];
    for (const sparse_layer::entry& e : columns_.entries(k)) {
      const std::size_t slot = columns_.slot_of(e);
      float* const to = columns_.partials(slot).data();
      add_partials(columns_.weights(slot).data(), e.x, factors_, sums(k).data(), input_.data() + field_at(e.column),
                   slope, to);
      to[factors_] += slope * e.x;
    }
    of_bias += slope;
  }
  return of_bias;
}

}  // namespace hogwild
