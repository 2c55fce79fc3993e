// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>

#include "libsvm_loops.hpp"

namespace hogwild::detail {
namespace {

struct avx512 {
  static constexpr unsigned width = 16, every = 0xffff;
  using numbers = __m512i;
  using flags = __mmask16;
  /// Lanes 0, 1, 4, 5, 8, ... and 2, 3, 6, 7, 10, ...: unpacking numbers gives this order, and packing reverses it.
  struct words {
    __m512i even, odd;
  };
  struct delimiters {
    std::uint64_t ends, colons, newlines;
  };

  static delimiters find_delimiters(const char* text) {
    // The low four bits of the three characters differ, so each has an index of its own.
    const __m512i set = _mm512_broadcast_i32x4(_mm_setr_epi8(' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', '\n', 0, 0, 0, 0, 0));
    const __m512i block = _mm512_loadu_si512(text);
    return {_mm512_cmpeq_epi8_mask(_mm512_shuffle_epi8(set, block), block),
            _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8(':')),
            _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8('\n'))};
  }

  static std::uint32_t* write_places(std::uint32_t* out, std::uint64_t bits, std::uint32_t base) {
    const __m512i count =
        _mm512_set_epi64(0x3f3e3d3c3b3a3938, 0x3736353433323130, 0x2f2e2d2c2b2a2928, 0x2726252423222120,
                         0x1f1e1d1c1b1a1918, 0x1716151413121110, 0x0f0e0d0c0b0a0908, 0x0706050403020100);
    const __m512i places = _mm512_maskz_compress_epi8(bits, count), first = all(base);
    const int found = __builtin_popcountll(bits);
    store(out, _mm512_add_epi32(first, _mm512_cvtepu8_epi32(_mm512_castsi512_si128(places))));
    if (found > 16) {
      store(out + 16, _mm512_add_epi32(first, _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(places, 1))));
      store(out + 32, _mm512_add_epi32(first, _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(places, 2))));
      store(out + 48, _mm512_add_epi32(first, _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(places, 3))));
    }
    return out + found;
  }

  static numbers all(std::uint32_t number) { return _mm512_set1_epi32(static_cast<int>(number)); }
  static numbers load(const std::uint32_t* from) { return _mm512_loadu_si512(from); }
  static void store(std::uint32_t* to, numbers x) { _mm512_storeu_si512(to, x); }
  static numbers minus(numbers a, numbers b) { return _mm512_sub_epi32(a, b); }
  static numbers both(numbers a, numbers b) { return _mm512_and_si512(a, b); }
  static numbers times_eight(numbers a) { return _mm512_slli_epi32(a, 3); }
  static numbers shift_down_eight(numbers a) { return _mm512_srli_epi32(a, 8); }
  static numbers at_least_zero(numbers a) { return _mm512_max_epi32(a, _mm512_setzero_si512()); }
  static numbers one_lane_later(numbers now, numbers before) { return _mm512_alignr_epi32(now, before, 15); }
  static numbers choose(flags which, numbers yes, numbers no) { return _mm512_mask_mov_epi32(no, which, yes); }
  static flags equal(numbers a, numbers b) { return _mm512_cmpeq_epi32_mask(a, b); }
  static flags at_most(numbers a, numbers b) { return _mm512_cmple_epu32_mask(a, b); }
  static unsigned bits(flags a) { return a; }

  static words gather(const char* text, const std::uint32_t* place) {
    return {
        _mm512_set_epi64(word(text + place[13]), word(text + place[12]), word(text + place[9]), word(text + place[8]),
                         word(text + place[5]), word(text + place[4]), word(text + place[1]), word(text + place[0])),
        _mm512_set_epi64(word(text + place[15]), word(text + place[14]), word(text + place[11]), word(text + place[10]),
                         word(text + place[7]), word(text + place[6]), word(text + place[3]), word(text + place[2]))};
  }
  static words less_zero_digit(words w) {
    const __m512i zeros = _mm512_set1_epi8('0');
    return {_mm512_xor_si512(w.even, zeros), _mm512_xor_si512(w.odd, zeros)};
  }
  static words shift_up(words w, numbers count) {
    return {_mm512_sllv_epi64(w.even, even(count)), _mm512_sllv_epi64(w.odd, odd(count))};
  }
  static words keep_top(words w, numbers count) {
    const words kept = shift_up({_mm512_set1_epi64(-1), _mm512_set1_epi64(-1)}, count);
    return {_mm512_and_si512(w.even, kept.even), _mm512_and_si512(w.odd, kept.odd)};
  }
  static numbers first_bytes(words w) { return joined(w.even, w.odd); }

  static numbers eight_digits(words w) {
    return _mm512_madd_epi16(_mm512_packus_epi32(fours(w.even), fours(w.odd)), _mm512_set1_epi32(0x00012710));
  }
  static unsigned other_than_digits(words w) {
    const __m512i nine = _mm512_set1_epi8(9);
    const __mmask64 a = _mm512_cmpgt_epu8_mask(w.even, nine), b = _mm512_cmpgt_epu8_mask(w.odd, nine);
    return (a | b) == 0 ? 0 : lanes(_mm512_movm_epi8(a), _mm512_movm_epi8(b));
  }

  static bool has_point(words w) { return (points(w.even) | points(w.odd)) != 0; }
  /// Removes the first point of each word and returns how many characters follow it; more than 8 if there is none.
  static numbers drop_point(words& w) {
    const __m512i a = drop_point(w.even), b = drop_point(w.odd);
    return joined(a, b);
  }

  static void store_quotients(float* to, numbers mantissa, numbers decimals, flags negative) {
    const __m512 powers = _mm512_setr_ps(1e0f, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f, 1e6f, 1e7f, 1e8f, 1, 1, 1, 1, 1, 1, 1);
    store_signed(to, _mm512_div_ps(_mm512_cvtepi32_ps(mantissa), _mm512_permutexvar_ps(decimals, powers)), negative);
  }
  static unsigned store_wide_quotients(float* to, numbers high, numbers low, numbers decimals, flags negative) {
    const half_quotients a =
        wide_quotients(_mm512_castsi512_si256(high), _mm512_castsi512_si256(low), _mm512_castsi512_si256(decimals));
    const half_quotients b = wide_quotients(_mm512_extracti64x4_epi64(high, 1), _mm512_extracti64x4_epi64(low, 1),
                                            _mm512_extracti64x4_epi64(decimals, 1));
    store_signed(to, _mm512_insertf32x8(_mm512_castps256_ps512(a.value), b.value, 1), negative);
    return a.halfway | b.halfway << 8;
  }

 private:
  struct half_quotients {
    __m256 value;
    unsigned halfway;
  };

  static long long word(const char* p) {
    long long w;
    __builtin_memcpy(&w, p, sizeof w);
    return w;
  }
  static __m512i even(numbers x) { return _mm512_unpacklo_epi32(x, _mm512_setzero_si512()); }
  static __m512i odd(numbers x) { return _mm512_unpackhi_epi32(x, _mm512_setzero_si512()); }
  static numbers joined(__m512i even, __m512i odd) {
    return _mm512_castps_si512(_mm512_shuffle_ps(_mm512_castsi512_ps(even), _mm512_castsi512_ps(odd), 0x88));
  }
  /// The lanes with a bit set in either half of their word.
  static unsigned lanes(__m512i even, __m512i odd) {
    const __m512i any =
        joined(_mm512_or_si512(even, _mm512_srli_epi64(even, 32)), _mm512_or_si512(odd, _mm512_srli_epi64(odd, 32)));
    return _mm512_test_epi32_mask(any, any);
  }
  /// Turns eight digits into two numbers of four digits.
  static __m512i fours(__m512i digits) {
    return _mm512_madd_epi16(_mm512_maddubs_epi16(digits, _mm512_set1_epi16(0x010a)), _mm512_set1_epi32(0x00010064));
  }
  static __mmask64 points(__m512i w) { return _mm512_cmpeq_epi8_mask(w, _mm512_set1_epi8('.' ^ '0')); }
  static __m512i drop_point(__m512i& w) {
    const __m512i zero = _mm512_setzero_si512(), one = _mm512_set1_epi64(1), point = _mm512_movm_epi8(points(w));
    const __m512i lowest = _mm512_and_si512(point, _mm512_sub_epi64(zero, point));  // bit 0 of the point's byte
    const __m512i before = _mm512_sub_epi64(lowest, one);
    const __m512i through = _mm512_sub_epi64(_mm512_slli_epi64(lowest, 8), one);
    const __mmask8 there = _mm512_test_epi64_mask(point, point);
    w = _mm512_mask_or_epi64(w, there, _mm512_slli_epi64(_mm512_and_si512(w, before), 8),
                             _mm512_andnot_si512(through, w));
    const __m512i behind = _mm512_sad_epu8(_mm512_andnot_si512(through, _mm512_set1_epi8(1)), zero);
    return _mm512_mask_mov_epi64(_mm512_set1_epi64(99), there, behind);
  }

  static half_quotients wide_quotients(__m256i high, __m256i low, __m256i decimals) {
    const __m512d small = _mm512_setr_pd(1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7);
    const __m512d large = _mm512_setr_pd(1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15);
    const __m512i mantissa = _mm512_add_epi64(
        _mm512_mul_epu32(_mm512_cvtepu32_epi64(high), _mm512_set1_epi64(100'000'000)), _mm512_cvtepu32_epi64(low));
    const __m512d power = _mm512_permutex2var_pd(small, _mm512_cvtepu32_epi64(decimals), large);
    const __m512d quotient = _mm512_div_pd(_mm512_cvtepu64_pd(mantissa), power);
    const __m512i cut_off = _mm512_and_si512(_mm512_castpd_si512(quotient), _mm512_set1_epi64(0x1fffffff));
    return {_mm512_cvtpd_ps(quotient), _mm512_cmpeq_epi64_mask(cut_off, _mm512_set1_epi64(0x10000000))};
  }
  static void store_signed(float* to, __m512 x, flags negative) {
    const __m512i sign = _mm512_maskz_mov_epi32(negative, all(0x80000000u));
    _mm512_storeu_si512(to, _mm512_xor_si512(_mm512_castps_si512(x), sign));
  }
};

}  // namespace

const libsvm_stages avx512_stages = libsvm_loops<avx512>::table;

}  // namespace hogwild::detail
