// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>

#include "libsvm_loops.hpp"

namespace hogwild::detail {
namespace {

struct avx2 {
  static constexpr unsigned width = 8, every = 0xff;
  using numbers = __m256i;
  using flags = __m256i;
  /// Lanes 0, 1, 4, 5 and 2, 3, 6, 7: unpacking numbers gives this order, and packing reverses it.
  struct words {
    __m256i even, odd;
  };
  struct delimiters {
    std::uint64_t ends, colons, newlines;
  };

  static delimiters find_delimiters(const char* text) {
    const half_delimiters a = find_half(text), b = find_half(text + 32);
    return {a.ends | std::uint64_t{b.ends} << 32, a.colons | std::uint64_t{b.colons} << 32,
            a.newlines | std::uint64_t{b.newlines} << 32};
  }

  static std::uint32_t* write_places(std::uint32_t* out, std::uint64_t bits, std::uint32_t base) {
    const int found = __builtin_popcountll(bits);
    // A fixed number first, because the total is hard to predict.
    for (int k = 0; k < 6; ++k, bits &= bits - 1) out[k] = base + static_cast<std::uint32_t>(_tzcnt_u64(bits));
    for (int k = 6; k < found; ++k, bits &= bits - 1) out[k] = base + static_cast<std::uint32_t>(_tzcnt_u64(bits));
    return out + found;
  }

  static numbers all(std::uint32_t number) { return _mm256_set1_epi32(static_cast<int>(number)); }
  static numbers load(const std::uint32_t* from) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)); }
  static void store(std::uint32_t* to, numbers x) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), x); }
  static numbers minus(numbers a, numbers b) { return _mm256_sub_epi32(a, b); }
  static numbers both(numbers a, numbers b) { return _mm256_and_si256(a, b); }
  static numbers times_eight(numbers a) { return _mm256_slli_epi32(a, 3); }
  static numbers shift_down_eight(numbers a) { return _mm256_srli_epi32(a, 8); }
  static numbers at_least_zero(numbers a) { return _mm256_max_epi32(a, _mm256_setzero_si256()); }
  static numbers one_lane_later(numbers now, numbers before) {
    return _mm256_alignr_epi8(now, _mm256_permute2x128_si256(before, now, 0x21), 12);
  }
  static numbers choose(flags which, numbers yes, numbers no) { return _mm256_blendv_epi8(no, yes, which); }
  static flags equal(numbers a, numbers b) { return _mm256_cmpeq_epi32(a, b); }
  static flags at_most(numbers a, numbers b) { return _mm256_cmpeq_epi32(_mm256_min_epu32(a, b), a); }
  static unsigned bits(flags a) { return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(a))); }

  static words gather(const char* text, const std::uint32_t* place) {
    return {
        _mm256_set_epi64x(word(text + place[5]), word(text + place[4]), word(text + place[1]), word(text + place[0])),
        _mm256_set_epi64x(word(text + place[7]), word(text + place[6]), word(text + place[3]), word(text + place[2]))};
  }
  static words less_zero_digit(words w) {
    const __m256i zeros = _mm256_set1_epi8('0');
    return {_mm256_xor_si256(w.even, zeros), _mm256_xor_si256(w.odd, zeros)};
  }
  static words shift_up(words w, numbers count) {
    return {_mm256_sllv_epi64(w.even, even(count)), _mm256_sllv_epi64(w.odd, odd(count))};
  }
  static words keep_top(words w, numbers count) {
    const words kept = shift_up({_mm256_set1_epi64x(-1), _mm256_set1_epi64x(-1)}, count);
    return {_mm256_and_si256(w.even, kept.even), _mm256_and_si256(w.odd, kept.odd)};
  }
  static numbers first_bytes(words w) { return joined(w.even, w.odd); }

  static numbers eight_digits(words w) {
    return _mm256_madd_epi16(_mm256_packus_epi32(fours(w.even), fours(w.odd)), _mm256_set1_epi32(0x00012710));
  }
  static unsigned other_than_digits(words w) {
    const __m256i a = digits(w.even), b = digits(w.odd), all_set = _mm256_set1_epi64x(-1);
    if (_mm256_testc_si256(_mm256_and_si256(a, b), all_set) != 0) return 0;
    return ~bits(joined(_mm256_cmpeq_epi64(a, all_set), _mm256_cmpeq_epi64(b, all_set)));
  }

  static bool has_point(words w) {
    const __m256i any = _mm256_or_si256(points(w.even), points(w.odd));
    return _mm256_testz_si256(any, any) == 0;
  }
  /// Removes the first point of each word and returns how many characters follow it; more than 8 if there is none.
  static numbers drop_point(words& w) {
    const __m256i a = drop_point(w.even), b = drop_point(w.odd);
    return joined(a, b);
  }

  static void store_quotients(float* to, numbers mantissa, numbers decimals, flags negative) {
    const __m256 powers = _mm256_setr_ps(1e0f, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f, 1e6f, 1e7f);
    const __m256 eight = _mm256_castsi256_ps(equal(decimals, all(8)));
    const __m256 power = _mm256_blendv_ps(_mm256_permutevar8x32_ps(powers, decimals), _mm256_set1_ps(1e8f), eight);
    store_signed(to, _mm256_div_ps(_mm256_cvtepi32_ps(mantissa), power), negative);
  }
  static unsigned store_wide_quotients(float* to, numbers high, numbers low, numbers decimals, flags negative) {
    const half_quotients a =
        wide_quotients(_mm256_castsi256_si128(high), _mm256_castsi256_si128(low), _mm256_castsi256_si128(decimals));
    const half_quotients b = wide_quotients(_mm256_extracti128_si256(high, 1), _mm256_extracti128_si256(low, 1),
                                            _mm256_extracti128_si256(decimals, 1));
    store_signed(to, _mm256_set_m128(b.value, a.value), negative);
    return a.halfway | b.halfway << 4;
  }

 private:
  struct half_delimiters {
    std::uint32_t ends, colons, newlines;
  };
  struct half_quotients {
    __m128 value;
    unsigned halfway;
  };

  static half_delimiters find_half(const char* text) {
    // The low four bits of the three characters differ, so each has an index of its own.
    const __m256i set = _mm256_setr_epi8(' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', '\n', 0, 0, 0, 0, 0,  //
                                         ' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', '\n', 0, 0, 0, 0, 0);
    const __m256i block = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text));
    return {bytes_set(_mm256_cmpeq_epi8(_mm256_shuffle_epi8(set, block), block)),
            bytes_set(_mm256_cmpeq_epi8(block, _mm256_set1_epi8(':'))),
            bytes_set(_mm256_cmpeq_epi8(block, _mm256_set1_epi8('\n')))};
  }
  static std::uint32_t bytes_set(__m256i x) { return static_cast<std::uint32_t>(_mm256_movemask_epi8(x)); }
  static long long word(const char* p) {
    long long w;
    __builtin_memcpy(&w, p, sizeof w);
    return w;
  }
  static __m256i even(numbers x) { return _mm256_unpacklo_epi32(x, _mm256_setzero_si256()); }
  static __m256i odd(numbers x) { return _mm256_unpackhi_epi32(x, _mm256_setzero_si256()); }
  static numbers joined(__m256i even, __m256i odd) {
    return _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(even), _mm256_castsi256_ps(odd), 0x88));
  }
  /// Turns eight digits into two numbers of four digits.
  static __m256i fours(__m256i x) {
    return _mm256_madd_epi16(_mm256_maddubs_epi16(x, _mm256_set1_epi16(0x010a)), _mm256_set1_epi32(0x00010064));
  }
  static __m256i digits(__m256i w) {
    const __m256i nine = _mm256_set1_epi8(9);
    return _mm256_cmpeq_epi8(_mm256_max_epu8(w, nine), nine);
  }
  static __m256i points(__m256i w) { return _mm256_cmpeq_epi8(w, _mm256_set1_epi8('.' ^ '0')); }
  static __m256i drop_point(__m256i& w) {
    const __m256i zero = _mm256_setzero_si256(), one = _mm256_set1_epi64x(1), point = points(w);
    const __m256i lowest = _mm256_and_si256(point, _mm256_sub_epi64(zero, point));  // bit 0 of the point's byte
    const __m256i before = _mm256_sub_epi64(lowest, one);
    const __m256i through = _mm256_sub_epi64(_mm256_slli_epi64(lowest, 8), one);
    const __m256i none = _mm256_cmpeq_epi64(point, zero);
    const __m256i without =
        _mm256_or_si256(_mm256_slli_epi64(_mm256_and_si256(w, before), 8), _mm256_andnot_si256(through, w));
    w = _mm256_blendv_epi8(without, w, none);
    const __m256i behind = _mm256_sad_epu8(_mm256_andnot_si256(through, _mm256_set1_epi8(1)), zero);
    return _mm256_blendv_epi8(behind, _mm256_set1_epi64x(99), none);
  }

  static half_quotients wide_quotients(__m128i high, __m128i low, __m128i decimals) {
    static constexpr double powers[16] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                          1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const __m256i mantissa = _mm256_add_epi64(
        _mm256_mul_epu32(_mm256_cvtepu32_epi64(high), _mm256_set1_epi64x(100'000'000)), _mm256_cvtepu32_epi64(low));
    const __m256d power =
        _mm256_set_pd(powers[_mm_extract_epi32(decimals, 3) & 15], powers[_mm_extract_epi32(decimals, 2) & 15],
                      powers[_mm_extract_epi32(decimals, 1) & 15], powers[_mm_extract_epi32(decimals, 0) & 15]);
    // Below 2^52, adding an integer to the bits of 2^52 makes it the mantissa.
    const __m256d offset = _mm256_set1_pd(0x1p52);
    const __m256d exact =
        _mm256_sub_pd(_mm256_castsi256_pd(_mm256_or_si256(mantissa, _mm256_castpd_si256(offset))), offset);
    const __m256d quotient = _mm256_div_pd(exact, power);
    const __m256i cut_off = _mm256_and_si256(_mm256_castpd_si256(quotient), _mm256_set1_epi64x(0x1fffffff));
    const __m256i halfway = _mm256_cmpeq_epi64(cut_off, _mm256_set1_epi64x(0x10000000));
    return {_mm256_cvtpd_ps(quotient), static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(halfway)))};
  }
  static void store_signed(float* to, __m256 x, flags negative) {
    const __m256i sign = _mm256_and_si256(negative, all(0x80000000u));
    _mm256_storeu_ps(to, _mm256_xor_ps(x, _mm256_castsi256_ps(sign)));
  }
};

}  // namespace

const libsvm_stages avx2_stages = libsvm_loops<avx2>::table;

}  // namespace hogwild::detail
