// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "kernels/embedding/bf16_forms.hpp"
#include "kernels/embedding/tile_products.hpp"

namespace hogwild::detail {
namespace {

/// The tiles of AMX. A thread has them while an object lives, so that the system need not keep them otherwise.
/// Instructions are written out, because compilers' functions for them take no numbers of templates, and gcc 12 does
/// not know that they read memory.
class amx_tiles {
 public:
  amx_tiles() {
    alignas(64) const configuration eight;
    asm volatile("ldtilecfg %0" : : "m"(eight));
  }
  ~amx_tiles() { asm volatile("tilerelease" : : : "memory"); }
  amx_tiles(const amx_tiles&) = delete;
  amx_tiles& operator=(const amx_tiles&) = delete;

  template <int T>
  void zero() {
    asm volatile("tilezero %%tmm%c0" : : "i"(T));
  }
  template <int T>
  void load(const float* from) {
    asm volatile("tileloadd (%1,%2,1), %%tmm%c0" : : "i"(T), "r"(from), "r"(row_bytes) : "memory");
  }
  template <int T>
  void store(float* to, std::size_t apart) {
    asm volatile("tilestored %%tmm%c0, (%1,%2,1)" : : "i"(T), "r"(to), "r"(apart * sizeof(float)) : "memory");
  }
  template <int C, int A, int B>
  void add_product() {
    asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(C), "i"(A), "i"(B));
  }

 private:
  static constexpr std::size_t row_bytes = 64;

  /// As the processor reads it: eight tiles of 16 rows of 64 bytes.
  struct configuration {
    std::uint8_t palette = 1, start_row = 0, unused[14] = {};
    std::uint16_t bytes_of_rows[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
  };
  static_assert(sizeof(configuration) == 64);
};

}  // namespace

constinit const bf16_kernels bf16_by_amx{"amx", tile_products<amx_tiles>::product};

}  // namespace hogwild::detail
