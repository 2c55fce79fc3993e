// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/row_rules.hpp"

namespace hogwild::detail {

/// Operations on a row's dots: numbers of which each model has one.
template <class Isa>
class lane_numbers {
  using rules = row_rules<Isa>;
  typedef double doubles __attribute__((vector_size(64)));

  static doubles those(const double* from) {
    doubles result;
    __builtin_memcpy(&result, from, sizeof result);
    return result;
  }
  static floats8 rounded(doubles x) { return __builtin_convertvector(x, floats8); }

 public:
  static void margins(std::size_t models, double* scale, const double* shrink, const float* bias, float* dot,
                      float* shrunk) {
    for (std::size_t k = 0; k < models; k += width) {
      doubles a = those(scale + k);
      const floats8 margin = rounded(a) * loaded(dot + k) + loaded(bias + k);
      rules::store(dot + k, margin);
      a *= those(shrink + k);
      __builtin_memcpy(scale + k, &a, sizeof a);
      rules::store(shrunk + k, rounded(a));
    }
  }

  static bool changes(std::size_t models, const float* step, const float* slope, const float* shrunk, float* moved,
                      float* change) {
    typename bits_of<floats8>::without any{};
    for (std::size_t k = 0; k < models; k += width) {
      const floats8 move = -loaded(step + k) * loaded(slope + k);
      any |= reinterpret_cast<typename bits_of<floats8>::without>(move != 0.0f);
      rules::store(moved + k, loaded(moved + k) + move);
      rules::store(change + k, move / loaded(shrunk + k));
    }
    std::uint32_t all = 0;
    for (std::size_t l = 0; l < width; ++l) all |= any[l];
    return all != 0;
  }
};

}  // namespace hogwild::detail
