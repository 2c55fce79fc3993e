// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include <hogwild/detail/math/random.hpp>
#include <hogwild/option_values.hpp>

namespace hogwild {

/// A seeded permutation of 0 .. n-1 that needs no memory: a Feistel network of four rounds over the smallest even
/// number of bits that holds n, iterated until the value is below n (Black and Rogaway, Ciphers with arbitrary finite
/// domains, 2002). Expected iterations per look-up: below 4.
class feistel_permutation {
 public:
  constexpr feistel_permutation(std::uint64_t n, std::uint64_t seed, std::uint64_t stream) noexcept
      : n_(n), half_bits_((static_cast<unsigned>(std::bit_width(n > 1 ? n - 1 : 1)) + 1) / 2), round_(seed, stream) {}

  constexpr std::uint64_t size() const noexcept { return n_; }

  /// The i-th element, i < size().
  constexpr std::uint64_t operator()(std::uint64_t i) const noexcept {
    do {
      i = encrypt(i);
    } while (i >= n_);
    return i;
  }

 private:
  constexpr std::uint64_t encrypt(std::uint64_t x) const noexcept {
    const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
    std::uint64_t left = x >> half_bits_, right = x & mask;
    for (std::uint64_t round = 0; round < 4; ++round) {
      const std::uint64_t next = left ^ (round_.bits((right << 2) | round) & mask);
      left = right;
      right = next;
    }
    return (left << half_bits_) | right;
  }

  std::uint64_t n_;
  unsigned half_bits_;
  counter_random round_;
};

/// The row at a position of the pass. Stateless, so every worker computes it by itself.
class row_sampler {
 public:
  row_sampler(row_order order, std::size_t rows, std::uint64_t seed, std::uint64_t pass)
      : order_(order), rows_(rows), permutation_(rows, seed, 2 * pass), draw_(seed, 2 * pass + 1) {}

  std::size_t operator()(std::size_t position) const { return by_chunks(order_) ? position : drawn(position); }

 private:
  std::size_t drawn(std::size_t position) const;

  row_order order_;
  std::size_t rows_;
  feistel_permutation permutation_;
  counter_random draw_;
};

}  // namespace hogwild
