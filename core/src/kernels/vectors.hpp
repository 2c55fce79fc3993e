// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace hogwild::detail {

/// Eight floats that are processed at once: in one register or several, depending on the instruction set. The
/// compilers' vector types keep the written order of operations.
typedef float floats8 __attribute__((vector_size(32)));

/// Half of that and twice that, where results do not depend on how many are processed at once.
typedef float floats4 __attribute__((vector_size(16)));
typedef float floats16 __attribute__((vector_size(64)));

/// Integers of the same size and number.
template <class Floats>
struct bits_of {
  typedef std::int32_t with_sign;
  typedef std::uint32_t without;
};
template <>
struct bits_of<floats4> {
  typedef std::int32_t with_sign __attribute__((vector_size(16)));
  typedef std::uint32_t without __attribute__((vector_size(16)));
};
template <>
struct bits_of<floats8> {
  typedef std::int32_t with_sign __attribute__((vector_size(32)));
  typedef std::uint32_t without __attribute__((vector_size(32)));
};
template <>
struct bits_of<floats16> {
  typedef std::int32_t with_sign __attribute__((vector_size(64)));
  typedef std::uint32_t without __attribute__((vector_size(64)));
};

// Static: each instruction set's file has its own copy.

template <class Floats = floats8>
static inline Floats loaded(const float* from) {
  Floats result;
  __builtin_memcpy(&result, from, sizeof result);
  return result;
}

/// Two halves joined into one, and each half of one.
[[maybe_unused]] static inline floats8 joined(floats4 a, floats4 b) {
  return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
}
[[maybe_unused]] static inline floats16 joined(floats8 a, floats8 b) {
  return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}
[[maybe_unused]] static inline floats4 lower(floats8 a) {
  return __builtin_shufflevector(a, a, 0, 1, 2, 3);
}
[[maybe_unused]] static inline floats8 lower(floats16 a) {
  return __builtin_shufflevector(a, a, 0, 1, 2, 3, 4, 5, 6, 7);
}
[[maybe_unused]] static inline floats4 upper(floats8 a) {
  return __builtin_shufflevector(a, a, 4, 5, 6, 7);
}
[[maybe_unused]] static inline floats8 upper(floats16 a) {
  return __builtin_shufflevector(a, a, 8, 9, 10, 11, 12, 13, 14, 15);
}

/// Four floats whose sum is that of the argument.
[[maybe_unused]] static inline floats4 quarter(floats4 a) {
  return a;
}
[[maybe_unused]] static inline floats4 quarter(floats8 a) {
  return lower(a) + upper(a);
}
[[maybe_unused]] static inline floats4 quarter(floats16 a) {
  return quarter(lower(a) + upper(a));
}

/// Adds in pairs: the two halves of a vector, then theirs.
[[maybe_unused]] static inline float total(floats4 a) {
  return (a[0] + a[2]) + (a[1] + a[3]);
}
[[maybe_unused]] static inline float total(floats8 a) {
  return ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]));
}

}  // namespace hogwild::detail
