// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

namespace hogwild::test {

/// A number that is represented by 16 bits.
inline float from_bf16(std::uint32_t bits) {
  return std::bit_cast<float>(bits << 16);
}

/// Tiles as AMX has them, in software: eight registers of 16 rows of 64 bytes, and TDPBF16PS as the manual of the
/// instruction describes it, which sums products of even and of odd depth apart.
class tile_model {
 public:
  tile_model() = default;
  ~tile_model() { std::memset(tile_, 0xff, sizeof tile_); }  // a tile that is used later has no numbers
  tile_model(const tile_model&) = delete;
  tile_model& operator=(const tile_model&) = delete;

  template <int T>
  void zero() {
    std::memset(tile_[T], 0, sizeof tile_[T]);
  }
  template <int T>
  void load(const float* from) {
    std::memcpy(tile_[T], from, sizeof tile_[T]);
  }
  template <int T>
  void store(float* to, std::size_t apart) {
    for (std::size_t m = 0; m < side; ++m) std::memcpy(to + m * apart, tile_[T][m], sizeof tile_[T][m]);
  }
  template <int C, int A, int B>
  void add_product() {
    for (std::size_t m = 0; m < side; ++m) {
      for (std::size_t n = 0; n < side; ++n) {
        float even = 0.0f, odd = 0.0f;
        for (std::size_t k = 0; k < side; ++k) {
          const std::uint32_t x = tile_[A][m][k], y = tile_[B][k][n];
          even = flushed(std::fma(flushed(from_bf16(x & 0xffffu)), flushed(from_bf16(y & 0xffffu)), even));
          odd = flushed(std::fma(flushed(from_bf16(x >> 16)), flushed(from_bf16(y >> 16)), odd));
        }
        const float sum = flushed(even + odd);
        tile_[C][m][n] = std::bit_cast<std::uint32_t>(flushed(std::bit_cast<float>(tile_[C][m][n]) + sum));
      }
    }
  }

 private:
  static constexpr std::size_t side = 16;

  static float flushed(float x) { return std::abs(x) < std::numeric_limits<float>::min() ? 0.0f : x; }

  std::uint32_t tile_[8][side][side] = {};
};

}  // namespace hogwild::test
