// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include <hogwild/detail/data/half.hpp>
#include <hogwild/detail/worker/loop_options.hpp>

namespace hogwild {

/// The halves [first, first + n) of a replica's array of parameters (stored_halves).
inline std::span<half> halves_in(std::span<float> array, std::size_t first, std::size_t n) {
  return {reinterpret_cast<half*>(array.data()) + first, n};
}

/// Exchanges between halves that a worker trains and floats that all workers share, instead of param_view's fetch(),
/// exchange() and send(). `shared` are the run's floats; `work` and `base` belong to the worker. `base` has the values
/// of `work` when both were last rounded, to nearest, from the shared values. So the worker's gain since then is known
/// (half_kernels computes it) and does not contain that rounding's error. An add that another one overtakes may be
/// lost.
class half_exchange {
 public:
  explicit half_exchange(isa set) : isa_(set) {}

  /// work = base = shared, rounded.
  void fetch(std::span<float> shared, std::span<half> work, std::span<half> base) const;
  /// shared += gain_weight * (work - base); then fetch() unless `last`. Runs of sixteen parameters without gains are
  /// only read.
  void meet(std::span<float> shared, std::span<half> work, std::span<half> base, float gain_weight, bool last) const;

 private:
  isa isa_;
};

}  // namespace hogwild
