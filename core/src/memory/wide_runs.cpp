// SPDX-License-Identifier: Apache-2.0
// Operations on long runs of parameters, with the widest vectors.
#include <hogwild/detail/memory/param_view.hpp>

#include <hogwild/detail/platform/isa.hpp>

#ifdef HOGWILD_X86_KERNELS
#include <immintrin.h>
#endif

namespace hogwild::detail {
namespace {

void add_rest(float* to, const float* from, std::size_t i, std::size_t n, float factor) {
  for (; i < n; ++i) store_relaxed(to[i], load_relaxed(to[i]) + factor * from[i]);
}
void copy_rest(float* to, const float* from, std::size_t i, std::size_t n) {
  for (; i < n; ++i) store_relaxed(to[i], load_relaxed(from[i]));
}

struct runs {
  void (*add)(float*, const float*, std::size_t, float);
  void (*copy)(float*, const float*, std::size_t);
};

#ifdef HOGWILD_X86_KERNELS

void add_fours(float* to, const float* from, std::size_t n, float factor) {
  const __m128 f = _mm_set1_ps(factor);
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4)
    _mm_storeu_ps(to + i, _mm_add_ps(_mm_loadu_ps(to + i), _mm_mul_ps(f, _mm_loadu_ps(from + i))));
  add_rest(to, from, i, n, factor);
}
void copy_fours(float* to, const float* from, std::size_t n) {
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) _mm_storeu_ps(to + i, _mm_loadu_ps(from + i));
  copy_rest(to, from, i, n);
}

[[gnu::target("avx2")]] void add_eights(float* to, const float* from, std::size_t n, float factor) {
  const __m256 f = _mm256_set1_ps(factor);
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8)
    _mm256_storeu_ps(to + i, _mm256_add_ps(_mm256_loadu_ps(to + i), _mm256_mul_ps(f, _mm256_loadu_ps(from + i))));
  add_rest(to, from, i, n, factor);
}
[[gnu::target("avx2")]] void copy_eights(float* to, const float* from, std::size_t n) {
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) _mm256_storeu_ps(to + i, _mm256_loadu_ps(from + i));
  copy_rest(to, from, i, n);
}

[[gnu::target("avx512f")]] void add_sixteens(float* to, const float* from, std::size_t n, float factor) {
  const __m512 f = _mm512_set1_ps(factor);
  std::size_t i = 0;
  for (; i + 16 <= n; i += 16)
    _mm512_storeu_ps(to + i, _mm512_add_ps(_mm512_loadu_ps(to + i), _mm512_mul_ps(f, _mm512_loadu_ps(from + i))));
  add_rest(to, from, i, n, factor);
}
[[gnu::target("avx512f")]] void copy_sixteens(float* to, const float* from, std::size_t n) {
  std::size_t i = 0;
  for (; i + 16 <= n; i += 16) _mm512_storeu_ps(to + i, _mm512_loadu_ps(from + i));
  copy_rest(to, from, i, n);
}

[[gnu::always_inline]] inline const runs& widest() {
  static constexpr runs fours{add_fours, copy_fours}, eights{add_eights, copy_eights},
      sixteens{add_sixteens, copy_sixteens};
  static const runs& chosen = has_isa(isa::avx512) ? sixteens : has_isa(isa::avx2) ? eights : fours;
  return chosen;
}

#else

[[gnu::always_inline]] inline const runs& widest() {
  static constexpr runs ones{
      .add = [](float* to, const float* from, std::size_t n, float factor) { add_rest(to, from, 0, n, factor); },
      .copy = [](float* to, const float* from, std::size_t n) { copy_rest(to, from, 0, n); }};
  return ones;
}

#endif

}  // namespace

void add_scaled_run(float* to, const float* from, std::size_t n, float factor) {
  widest().add(to, from, n, factor);
}

void copy_run(float* to, const float* from, std::size_t n) {
  widest().copy(to, from, n);
}

}  // namespace hogwild::detail
