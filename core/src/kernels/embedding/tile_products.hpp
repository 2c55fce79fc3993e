// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

namespace hogwild::detail {

/// The product of bf16_kernels by tiles, registers of 16 rows of 64 bytes: 16 pairs, or 16 floats. An object of type
/// Tiles makes tiles 0 to 7 usable as long as it lives, and has, for tiles that are known to the compiler,
///   zero<T>(), load<T>(from) from 1024 bytes, store<T>(to, apart) to rows `apart` floats apart, and
///   add_product<C, A, B>(): C += A B, where C has floats.
template <class Tiles>
class tile_products {
  static constexpr std::size_t side = 16, size = side * side, most_panels = 4;

  /// 16 rows of the columns of `Panels` panels, at c; `a_stride` and `b_stride` lie between panels.
  template <std::size_t... Panels>
  static void strip(Tiles& tiles, std::size_t pairs, const float* a, std::size_t a_stride, const float* b,
                    std::size_t b_stride, float* c, std::size_t apart, std::index_sequence<Panels...>) {
    (tiles.template zero<Panels>(), ...);
    for (std::size_t p = 0; p < pairs; p += side, a += a_stride, b += size) {
      tiles.template load<4>(a);
      ((tiles.template load<5 + Panels % 3>(b + Panels * b_stride),
        tiles.template add_product<Panels, 4, 5 + Panels % 3>()),
       ...);
    }
    (tiles.template store<Panels>(c + Panels * side, apart), ...);
  }

  template <std::size_t Panels>
  static void strips(Tiles& tiles, std::size_t rows, std::size_t pairs, const float* a, const float* b, float* c,
                     std::size_t apart) {
    constexpr std::make_index_sequence<Panels> panels;
    const std::size_t a_stride = (rows + side - 1) / side * size, b_stride = pairs * side;
    std::size_t i = 0;
    for (; i + side <= rows; i += side)
      strip(tiles, pairs, a + i * side, a_stride, b, b_stride, c + i * apart, apart, panels);
    if (i == rows) return;
    // C ends behind its last row.
    alignas(64) float rest[side * Panels * side];
    strip(tiles, pairs, a + i * side, a_stride, b, b_stride, rest, Panels * side, panels);
    for (std::size_t r = 0; i + r < rows; ++r)
      std::copy_n(rest + r * Panels * side, Panels * side, c + (i + r) * apart);
  }

 public:
  static void product(std::size_t rows, std::size_t columns, std::size_t pairs, const float* a, const float* b,
                      float* c, std::size_t apart) {
    Tiles tiles;
    for (std::size_t j = 0; j < columns; j += most_panels * side, b += most_panels * side * pairs) {
      const std::size_t panels = std::min(most_panels, (columns - j) / side);
      const auto by = panels == 4 ? strips<4> : panels == 3 ? strips<3> : panels == 2 ? strips<2> : strips<1>;
      by(tiles, rows, pairs, a, b, c + j, apart);
    }
  }
};

}  // namespace hogwild::detail
