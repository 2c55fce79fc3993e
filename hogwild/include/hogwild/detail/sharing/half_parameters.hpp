// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include <hogwild/detail/data/half.hpp>
#include <hogwild/detail/loop/loop_options.hpp>

namespace hogwild {

/// The halves [first, first + n) of a replica's array of parameters (stored_halves).
inline std::span<half> halves_in(std::span<float> array, std::size_t first, std::size_t n) {
  return {reinterpret_cast<half*>(array.data()) + first, n};
}

/// What halves that a worker trains and floats that all share tell each other, in the place of param_view's fetch(),
/// exchange() and send(): `shared` are the floats of the run, `work` and `base` belong to the worker. base is what work
/// was when both were rounded from the shared values last, to nearest: what the worker has gained since is known (as
/// half_kernels has gains), and what that rounding took is no part of it. An add may be lost that is overtaken.
class half_exchange {
 public:
  explicit half_exchange(isa set) : isa_(set) {}

  /// work = base = shared, rounded.
  void fetch(std::span<float> shared, std::span<half> work, std::span<half> base) const;
  /// shared += gain_weight * (work - base), and unless it is the last time, fetch(). Where sixteen neighbours have
  /// gained nothing they are only read.
  void meet(std::span<float> shared, std::span<half> work, std::span<half> base, float gain_weight, bool last) const;

 private:
  isa isa_;
};

}  // namespace hogwild
