// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace hogwild {

/// The finaliser of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014): a bijection
/// of 64-bit words whose output bits all depend on all input bits.
constexpr std::uint64_t mix_bits(std::uint64_t x) noexcept {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// Random numbers without state: the value is a function of seed, stream and counter, so it is the same in every
/// engine, and any worker can compute any of them.
class counter_random {
 public:
  constexpr counter_random(std::uint64_t seed, std::uint64_t stream) noexcept
      : key_(mix_bits(mix_bits(seed + golden) ^ (stream * golden + 1))) {}

  constexpr std::uint64_t bits(std::uint64_t counter) const noexcept { return mix_bits(key_ + counter * golden); }

  /// Uniform in [0, 1) with 53 bits.
  constexpr double uniform(std::uint64_t counter) const noexcept {
    return static_cast<double>(bits(counter) >> 11) * 0x1p-53;
  }

  /// Uniform in [0, n), n > 0; the bias is below n / 2^64.
  constexpr std::uint64_t below(std::uint64_t counter, std::uint64_t n) const noexcept {
    return static_cast<std::uint64_t>((static_cast<wide>(bits(counter)) * n) >> 64);
  }

 private:
  __extension__ typedef unsigned __int128 wide;  // nvcc does not accept __extension__ before `using`
  static constexpr std::uint64_t golden = 0x9e3779b97f4a7c15u;
  std::uint64_t key_;
};

}  // namespace hogwild
