// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <hogwild/detail/cuda/weights.hpp>
#include <hogwild/detail/platform/device_code.hpp>

#include "factor_rows.hpp"
#include "half_pairs.hpp"

// How factors are stored, in words of `together` numbers that belong to one lane.

namespace hogwild::device {

/// One number in each word.
template <update_kind Update, memory_scope Scope>
class single_factors {
 public:
  static constexpr unsigned together = 1;
  using word = float;

  /// The factors from number `at` on.
  HOGWILD_DEVICE_CODE single_factors(const factor_work& work, std::size_t at) : weights_(work.weights + at) {}

  HOGWILD_DEVICE_CODE word load(std::size_t k) const { return weights_.load(k); }
  HOGWILD_DEVICE_CODE static float number(word w, unsigned) { return w; }
  /// Like weights::add_to().
  HOGWILD_DEVICE_CODE void add_to(std::size_t k, word seen, const float (&delta)[together]) const {
    weights_.add_to(k, seen, delta[0]);
  }

 private:
  weights<Update, Scope> weights_;
};

/// Two numbers as 16-bit floats. Only for lossy updates: a sum is rounded, so an exact one could not keep the rest.
class half_factors {
 public:
  static constexpr unsigned together = 2;
  using word = half_pair;

  /// The factors from number `at` on, which is even.
  HOGWILD_DEVICE_CODE half_factors(const factor_work& work, std::size_t at) : pairs_(work.halves + at / together) {}

  HOGWILD_DEVICE_CODE word load(std::size_t k) const { return pairs_.load(k); }
  HOGWILD_DEVICE_CODE static float number(word w, unsigned which) { return number_of(w, which); }
  HOGWILD_DEVICE_CODE void add_to(std::size_t k, word seen, const float (&delta)[together]) const {
    pairs_.store(k, to_half_pair(number(seen, 0) + delta[0], number(seen, 1) + delta[1]));
  }

 private:
  half_pairs pairs_;
};

}  // namespace hogwild::device
