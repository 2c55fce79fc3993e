// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include <hogwild/model.hpp>

namespace hogwild {

/// The sum of the squares of a row's numbers.
inline double squares_of(std::span<const float> row) {
  double sum = 0.0;
  for (const float x : row) sum += static_cast<double>(x) * static_cast<double>(x);
  return sum;
}

/// Emits the gradient of a row that `examples` examples touch: as many times it takes l2, where the emitter can tell.
inline void emit_touched(const auto& emit, std::size_t offset, std::span<const float> partials, float examples) {
  if constexpr (requires { emit.touched_block(offset, partials, examples); })
    emit.touched_block(offset, partials, examples);
  else
    emit.block(offset, partials);
}

/// Fills in the losses of some examples: loss(k) of those that count, and the mean of these for the others, which must
/// not change the mean; 0 if none counts.
template <class Counts, class Loss>
void fill_losses(std::span<row_score> to, const Counts& counts, const Loss& loss) {
  double sum = 0.0, counted = 0.0;
  for (std::size_t k = 0; k < to.size(); ++k) {
    if (!counts(k)) continue;
    to[k] = {.loss = loss(k)};
    sum += to[k].loss;
    ++counted;
  }
  for (std::size_t k = 0; k < to.size(); ++k)
    if (!counts(k)) to[k] = {.loss = counted > 0.0 ? sum / counted : 0.0};
}

}  // namespace hogwild
