// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include <hogwild/detail/kernels/embedding_kernels.hpp>

#include "kernels/lanes.hpp"

namespace hogwild::detail {

/// The products of embedding_kernels. Isa has the vector type `widest`, how many rows of C a tile keeps in registers
/// (`tile_rows`) and how many panels (`tile_panels`), and fused(x, y, z) = x * y + z, rounded once.
template <class Isa>
class embedding_products {
  using lanes = lanes_of<Isa, typename Isa::widest>;
  using floats = typename lanes::floats;
  static constexpr std::size_t lane_count = lanes::lane_count, panel = embedding_lanes;
  /// So many rows of a panel stay in the first-level cache, with those of the other panel of a tile.
  static constexpr std::size_t deepest = 256;

  struct factor {
    const float* at;
    std::size_t row_stride, column_stride;
  };

  /// Rows x (16 * Panels) elements of C, all in registers; `panel_stride` lies between panels of B.
  template <std::size_t Rows, std::size_t Panels>
  static void tile(const factor& a, const float* b, std::size_t panel_stride, std::size_t depth, float* c,
                   std::size_t apart, bool add) {
    constexpr std::size_t vectors = Panels * panel / lane_count, of_panel = panel / lane_count;
    floats sum[Rows][vectors];
#pragma GCC unroll 16
    for (std::size_t i = 0; i < Rows; ++i) {
#pragma GCC unroll 16
      for (std::size_t v = 0; v < vectors; ++v)
        sum[i][v] = add ? lanes::loaded(c + i * apart + v * lane_count) : floats{};
    }
    const float* x = a.at;
    for (std::size_t p = 0; p < depth; ++p, x += a.column_stride, b += panel) {
      floats y[vectors];
#pragma GCC unroll 16
      for (std::size_t v = 0; v < vectors; ++v)
        y[v] = lanes::loaded(b + v / of_panel * panel_stride + v % of_panel * lane_count);
#pragma GCC unroll 16
      for (std::size_t i = 0; i < Rows; ++i) {
        const floats left = lanes::splat(x[i * a.row_stride]);
#pragma GCC unroll 16
        for (std::size_t v = 0; v < vectors; ++v) sum[i][v] = Isa::fused(left, y[v], sum[i][v]);
      }
    }
#pragma GCC unroll 16
    for (std::size_t i = 0; i < Rows; ++i) {
#pragma GCC unroll 16
      for (std::size_t v = 0; v < vectors; ++v) lanes::store(c + i * apart + v * lane_count, sum[i][v]);
    }
  }

  /// All rows of the columns of `Panels` panels.
  template <std::size_t Panels>
  static void strip(std::size_t rows, const factor& a, const float* b, std::size_t panel_stride, std::size_t depth,
                    float* c, std::size_t apart, bool add) {
    const auto from = [&](std::size_t i) { return factor{a.at + i * a.row_stride, a.row_stride, a.column_stride}; };
    std::size_t i = 0;
    for (; i + Isa::tile_rows <= rows; i += Isa::tile_rows)
      tile<Isa::tile_rows, Panels>(from(i), b, panel_stride, depth, c + i * apart, apart, add);
    for (; i + 4 <= rows; i += 4) tile<4, Panels>(from(i), b, panel_stride, depth, c + i * apart, apart, add);
    for (; i < rows; ++i) tile<1, Panels>(from(i), b, panel_stride, depth, c + i * apart, apart, add);
  }

 public:
  static void product(std::size_t rows, std::size_t columns, std::size_t depth, const float* a, std::size_t row_stride,
                      std::size_t column_stride, const float* b, float* c, std::size_t apart, bool add) {
    constexpr std::size_t wide = Isa::tile_panels * panel;
    const std::size_t panel_stride = depth * panel;
    // Without a term, the sum still has to be stored.
    for (std::size_t p = 0; p == 0 || p < depth; p += deepest) {
      const factor from{a + p * column_stride, row_stride, column_stride};
      const std::size_t part = std::min(deepest, depth - p);
      const bool more = add || p > 0;
      std::size_t j = 0;
      for (; j + wide <= columns; j += wide)
        strip<Isa::tile_panels>(rows, from, b + j * depth + p * panel, panel_stride, part, c + j, apart, more);
      for (; j < columns; j += panel)
        strip<1>(rows, from, b + j * depth + p * panel, panel_stride, part, c + j, apart, more);
    }
  }

  static void into_panels(const float* row, std::size_t length, std::size_t r, std::size_t rows, float* to) {
    for (std::size_t j = 0; j < length; j += panel)
      __builtin_memcpy(to + j * rows + r * panel, row + j, panel * sizeof(float));
  }

  static void columns_into_panels(const float* rows, std::size_t count, std::size_t length, float* to) {
    for (std::size_t j = 0; j < count; j += 4) {
      float* const at = to + j / panel * panel * length + j % panel;
      const float* const from = rows + j * length;
      for (std::size_t k = 0; k < length; k += 4) transpose(from + k, length, at + k * panel);
    }
  }

 private:
  /// Four floats of four rows become four floats of four columns.
  static void transpose(const float* from, std::size_t length, float* to) {
    const auto row = [&](std::size_t i) { return detail::loaded<floats4>(from + i * length); };
    const floats4 a = row(0), b = row(1), c = row(2), d = row(3);
    const floats4 ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), ab2 = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const floats4 cd = __builtin_shufflevector(c, d, 0, 4, 1, 5), cd2 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    const floats4 columns[4] = {
        __builtin_shufflevector(ab, cd, 0, 1, 4, 5), __builtin_shufflevector(ab, cd, 2, 3, 6, 7),
        __builtin_shufflevector(ab2, cd2, 0, 1, 4, 5), __builtin_shufflevector(ab2, cd2, 2, 3, 6, 7)};
    for (std::size_t k = 0; k < 4; ++k) __builtin_memcpy(to + k * panel, &columns[k], sizeof columns[k]);
  }
};

}  // namespace hogwild::detail
