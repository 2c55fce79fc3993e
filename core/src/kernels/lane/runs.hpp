// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "kernels/lane/rows.hpp"
#include "kernels/row_rules.hpp"

namespace hogwild::detail {

/// Sums of a row, entries x of columns j, with runs of numbers w[j * n + i], i < n: those of all classes and models,
/// for instance.
template <class Isa, class Index, class Value>
class lane_runs {
  using rules = row_rules<Isa>;
  using entries = typename rules::template entries<Index, Value>;

  /// Vectors of sums that stay in registers during a row.
  template <bool Squares>
  static constexpr std::size_t most_sums = Squares ? Isa::sums / 2 : 8;

  /// Calls body.operator()<n>() with a number from 1 to N.
  template <std::size_t N, class Body>
  static void with_number(std::size_t n, const Body& body) {
    if constexpr (N > 1)
      if (n < N) return with_number<N - 1>(n, body);
    body.template operator()<N>();
  }

  template <std::size_t Sums, class Vector, bool Squares>
  static void add_products(const float* w, std::size_t n, const Index* index, const float* x, std::size_t size,
                           float* out, float* squares) {
    constexpr std::size_t floats = sizeof(Vector) / sizeof(float);
    Vector sum[Sums], square[Sums];
    for (std::size_t i = 0; i < Sums; ++i) {
      sum[i] = loaded<Vector>(out + i * floats);
      if constexpr (Squares) square[i] = loaded<Vector>(squares + i * floats);
    }
    for (std::size_t e = 0; e < size; ++e) {
      const float* const column = w + index[e] * n;
      for (std::size_t i = 0; i < Sums; ++i) {
        const Vector product = x[e] * loaded<Vector>(column + i * floats);
        sum[i] += product;
        if constexpr (Squares) square[i] += product * product;
      }
    }
    for (std::size_t i = 0; i < Sums; ++i) {
      rules::store(out + i * floats, sum[i]);
      if constexpr (Squares) rules::store(squares + i * floats, square[i]);
    }
  }

 public:
  /// Adds to out[i] the sum of w[j * n + i] * x over the entries, and with Squares to squares[i] the sum of the squares
  /// of these products. Makes several passes over the row, each with about the same number of vectors; n is a multiple
  /// of a vector's length.
  template <class Vector, bool Squares = false>
  static void add_up(const float* w, std::size_t n, const entries& z, float* out, float* squares = nullptr) {
    constexpr std::size_t floats = sizeof(Vector) / sizeof(float), most = most_sums<Squares>;
    in_parts_of<Isa>(z, [&](const Index* index, const float* x, std::size_t size) {
      for (std::size_t first = 0; first < n;) {
        const std::size_t left = (n - first) / floats, walks = (left + most - 1) / most;
        const std::size_t sums = (left + walks - 1) / walks;
        with_number<most>(sums, [&]<std::size_t Sums>() {
          add_products<Sums, Vector, Squares>(w + first, n, index, x, size, out + first,
                                              Squares ? squares + first : nullptr);
        });
        first += sums * floats;
      }
    });
  }
};

}  // namespace hogwild::detail
