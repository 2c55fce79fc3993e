// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/detail/collectives/collective.hpp>
#include <hogwild/detail/math/random.hpp>

#include "support/sanitizers.hpp"

// Checks that every kind of collective must pass. Each check is run by all members of a group at the same time and
// returns the first fault that this member saw, or nothing; so threads, processes and MPI ranks run the same checks.

namespace hogwild::test {

/// The longest array takes four windows of shared memory, eight if it has doubles.
inline constexpr std::size_t longest = thread_sanitized ? 100'000 : 1 << 18, repetitions = thread_sanitized ? 60 : 300;
inline constexpr std::array<std::size_t, 5> collective_lengths{0, 1, 7, 1000, longest};

/// The numbers of rank r before a call: integers small enough for exact sums, or numbers of all sizes.
template <class T>
std::vector<T> integers_of(std::size_t rank, std::size_t n) {
  std::vector<T> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<T>((i * 7 + rank * 31) % 1001) - T{500};
  return x;
}
template <class T>
std::vector<T> randoms_of(std::size_t rank, std::size_t n) {
  const counter_random random(17, rank);
  std::vector<T> x(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = static_cast<T>((random.uniform(2 * i) - 0.5) * std::exp2(static_cast<double>(random.below(2 * i + 1, 24))));
  }
  return x;
}

template <class T>
bool same_bits(std::span<const T> a, std::span<const T> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

inline std::string fault(const collective& c, const std::string& what, std::size_t n, std::size_t root = 0) {
  return "rank " + std::to_string(c.rank()) + " of " + std::to_string(c.size()) + ": " + what + ", length " +
         std::to_string(n) + ", root " + std::to_string(root);
}

/// The sum over the ranks, in their order.
template <class T, class Numbers>
std::vector<T> serial_sum(std::size_t size, std::size_t n, const Numbers& numbers_of) {
  std::vector<T> sum = numbers_of(std::size_t{0}, n);
  for (std::size_t r = 1; r < size; ++r) {
    const std::vector<T> x = numbers_of(r, n);
    for (std::size_t i = 0; i < n; ++i) sum[i] += x[i];
  }
  return sum;
}

template <class T>
std::string check_sums(collective& c) {
  for (const std::size_t n : collective_lengths) {
    std::vector<T> whole = integers_of<T>(c.rank(), n);
    c.all_reduce(whole);
    for (std::size_t i = 0; i < n; ++i) {
      std::int64_t exact = 0;
      for (std::size_t r = 0; r < c.size(); ++r) exact += static_cast<std::int64_t>((i * 7 + r * 31) % 1001) - 500;
      if (whole[i] != static_cast<T>(exact)) return fault(c, "a sum of integers is wrong at " + std::to_string(i), n);
    }
    std::vector<T> any = randoms_of<T>(c.rank(), n);
    c.all_reduce(any);
    if (!same_bits<T>(any, serial_sum<T>(c.size(), n, randoms_of<T>))) return fault(c, "not the sum by rank", n);
  }
  return {};
}

/// Every member compares its result with those of the others, not with an expected one.
template <class T>
std::string check_equal_bits(collective& c) {
  for (const std::size_t n : {std::size_t{33}, std::size_t{100'003}}) {
    std::vector<T> x = randoms_of<T>(c.rank() + 100, n);
    c.all_reduce(x);
    std::vector<T> all(c.size() * n);
    c.gather(x, all, 0);
    c.broadcast(all, 0);
    for (std::size_t r = 0; r < c.size(); ++r) {
      if (!same_bits<T>(std::span(all).subspan(r * n, n), x)) return fault(c, "ranks have other bits", n);
    }
  }
  return {};
}

template <class T>
std::string check_repeats(collective& c) {
  const counter_random lengths(3, 3);  // the same on all ranks
  for (std::size_t k = 0; k < repetitions; ++k) {
    const std::size_t n = lengths.below(k, k % 50 == 0 ? 100'000 : 3000);
    std::vector<T> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<T>((i + k + c.rank()) % 97);
    c.all_reduce(x);
    for (std::size_t i = 0; i < n; ++i) {
      std::size_t exact = 0;
      for (std::size_t r = 0; r < c.size(); ++r) exact += (i + k + r) % 97;
      if (x[i] != static_cast<T>(exact)) return fault(c, "wrong in repetition " + std::to_string(k), n);
    }
  }
  return {};
}

template <class T>
std::string check_roots(collective& c) {
  for (const std::size_t n : {0u, 1u, 7u, 1000u, 70'000u}) {
    for (std::size_t root = 0; root < c.size(); ++root) {
      const std::vector<T> mine = randoms_of<T>(c.rank(), n);
      std::vector<T> x = mine;
      c.broadcast(x, root);
      if (!same_bits<T>(x, randoms_of<T>(root, n))) return fault(c, "broadcast is wrong", n, root);

      x = mine;
      c.reduce(x, root);
      const std::vector<T> expected = c.rank() == root ? serial_sum<T>(c.size(), n, randoms_of<T>) : mine;
      if (!same_bits<T>(x, expected)) return fault(c, "reduce is wrong", n, root);

      std::vector<T> all(c.rank() == root ? c.size() * n : 0);
      c.gather(mine, all, root);
      for (std::size_t r = 0; c.rank() == root && r < c.size(); ++r) {
        if (!same_bits<T>(std::span(all).subspan(r * n, n), randoms_of<T>(r, n))) {
          return fault(c, "gather is wrong", n, root);
        }
      }
    }
    std::vector<T> all(c.size() * n);
    c.all_gather(randoms_of<T>(c.rank(), n), all);
    for (std::size_t r = 0; r < c.size(); ++r) {
      if (!same_bits<T>(std::span(all).subspan(r * n, n), randoms_of<T>(r, n)))
        return fault(c, "all_gather is wrong", n);
    }
  }
  return {};
}

/// No rank leaves a barrier before all have come: a number that is passed around shows the order of the calls.
inline std::string check_mixture(collective& c) {
  std::vector<float> narrow(10);
  std::vector<double> wide(3);
  for (std::size_t k = 0; k < 300; ++k) {
    c.barrier();
    const std::size_t root = k % c.size();
    if (c.rank() == root) narrow.assign(10, static_cast<float>(k));
    c.broadcast(narrow, root);
    wide.assign(3, static_cast<double>(narrow[9]));
    c.reduce(wide, root);
    const double expected = static_cast<double>(k) * static_cast<double>(c.rank() == root ? c.size() : 1);
    if (wide[0] != expected || wide[2] != expected) return fault(c, "calls got mixed up", k, root);
  }
  return {};
}

struct collective_check {
  std::string_view name;
  std::string (*run)(collective&);
};

inline constexpr std::array<collective_check, 9> collective_checks{{
    {"float_sums", check_sums<float>},
    {"double_sums", check_sums<double>},
    {"float_bits", check_equal_bits<float>},
    {"double_bits", check_equal_bits<double>},
    {"float_repeats", check_repeats<float>},
    {"double_repeats", check_repeats<double>},
    {"float_roots", check_roots<float>},
    {"double_roots", check_roots<double>},
    {"mixture", check_mixture},
}};

}  // namespace hogwild::test
