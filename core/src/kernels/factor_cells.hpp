// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <hogwild/detail/data/half.hpp>

#include "kernels/gathered_values.hpp"

// As in margin/loops.hpp, each instruction set's type belongs to its own file, and nothing here calls an inline
// function of other headers on floats.

namespace hogwild::detail {

/// Factors in memory, as floats or as halves. For halves, Isa has widened<Floats>(from), and cut_off(to, value), which
/// rounds towards 0, for vectors of up to `most_halves` floats.
template <class Isa>
struct factor_cells {
  template <class Floats = floats8>
  static Floats load(const float* from) {
    return loaded<Floats>(from);
  }
  template <class Floats = floats8>
  static Floats load(const half* from) {
    if constexpr (length<Floats> <= Isa::most_halves) {
      return Isa::template widened<Floats>(from);
    } else {
      using part = part_of<Floats>;
      return joined(load<part>(from), load<part>(from + length<part>));
    }
  }

  /// How one row stores factors. Halves are rounded stochastically (row_kernels.hpp): a 13-bit number, different for
  /// each row and place, is added to the 13 bits that a half does not have, and these are then cut off. The row's
  /// number is well mixed, so that each place gets all numbers equally often and in no order. From place to place it
  /// advances by the golden ratio, so that the numbers of a row's places are evenly spread.
  class row_chance {
   public:
    /// For row `row` of a batch.
    explicit row_chance(std::uint32_t batch, std::size_t row = 0)
        : row_(mixed(batch + static_cast<std::uint32_t>(row) * golden)) {}

    template <class Floats>
    void store(float* to, std::size_t place, Floats value) const {
      __builtin_memcpy(to + place, &value, sizeof value);
    }
    template <class Floats>
    void store(half* to, std::size_t place, Floats value) const {
      using words = typename bits_of<Floats>::without;
      words bits;
      __builtin_memcpy(&bits, &value, sizeof bits);
      bits += (steps<words>() + (row_ + static_cast<std::uint32_t>(place) * golden)) >> 19;
      __builtin_memcpy(&value, &bits, sizeof bits);
      cut_off(to + place, value);
    }

   private:
    static constexpr std::uint32_t golden = 0x9e3779b9u;

    /// Each bit of the result depends on all of x.
    static std::uint32_t mixed(std::uint32_t x) {
      x = (x ^ x >> 16) * 0x85ebca6bu;
      x = (x ^ x >> 13) * 0xc2b2ae35u;
      return x ^ x >> 16;
    }
    template <class Words>
    static Words steps() {
      Words result{};
      for (std::uint32_t l = 0; l < sizeof(Words) / 4; ++l) result[l] = l * golden;
      return result;
    }
    template <class Floats>
    static void cut_off(half* to, Floats value) {
      if constexpr (length<Floats> <= Isa::most_halves) {
        Isa::cut_off(to, value);
      } else {
        cut_off(to, lower(value));
        cut_off(to + length<Floats> / 2, upper(value));
      }
    }

    std::uint32_t row_;
  };

 private:
  template <class Floats>
  static constexpr std::size_t length = sizeof(Floats) / sizeof(float);
  template <class Floats>
  using part_of = decltype(lower(Floats{}));
};

}  // namespace hogwild::detail
