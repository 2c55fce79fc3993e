// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "libsvm_stages.hpp"

// The loops that the instruction sets share. Each instruction set's type belongs to its own file, so that template
// instances with it do as well: if files shared them, the linker might keep a copy that this CPU cannot run. For the
// same reason nothing here calls an inline function of another header.

namespace hogwild::detail {

/// `Set` provides vectors of `width` numbers (32 bits), of as many words (64 bits: eight characters) and of flags.
template <class Set>
struct libsvm_loops {
  using numbers = typename Set::numbers;
  using words = typename Set::words;
  using flags = typename Set::flags;

  static void mark(const char* text, std::uint32_t from, std::uint32_t to, text_marks& marks) {
    std::uint32_t* end = marks.ends + marks.end_count;
    std::uint32_t* colon = marks.colons + marks.colon_count;
    text_marks::row* row = marks.rows + marks.row_count;
    for (std::uint32_t at = from; at < to; at += 64) {
      typename Set::delimiters found = Set::find_delimiters(text + at);
      if (to - at < 64) {
        const std::uint64_t ours = (std::uint64_t{1} << (to - at)) - 1;
        found.ends &= ours, found.colons &= ours, found.newlines &= ours;
      }
      for (std::uint64_t left = found.newlines; left != 0; left &= left - 1) {
        const std::uint64_t before = (left & (0 - left)) - 1;
        *row++ = {static_cast<std::uint32_t>(end - marks.ends + __builtin_popcountll(found.ends & before)),
                  static_cast<std::uint32_t>(colon - marks.colons + __builtin_popcountll(found.colons & before))};
      }
      end = Set::write_places(end, found.ends, at);
      colon = Set::write_places(colon, found.colons, at);
    }
    for (std::size_t k = 0; k < Set::width; ++k) end[k] = colon[k] = to - 1;
    marks.end_count = static_cast<std::size_t>(end - marks.ends);
    marks.colon_count = static_cast<std::size_t>(colon - marks.colons);
    marks.row_count = static_cast<std::size_t>(row - marks.rows);
  }

  static bool read_entries(const char* text, const std::uint32_t* ends, const std::uint32_t* colons, std::size_t count,
                           std::uint32_t* index, float* value) {
    numbers before = Set::all(0);
    for (std::size_t done = 0; done < count; done += Set::width) {
      const std::size_t left = count - done;
      const unsigned live = left < Set::width ? (1u << left) - 1 : Set::every;
      if ((read_indices(text, ends + done, colons + done, index + done, before) & live) != 0) return false;
      unsigned slow = read_values(text, ends + done, colons + done, value + done, live) & live;
      for (; slow != 0; slow &= slow - 1) {
        const std::size_t k = done + static_cast<unsigned>(__builtin_ctz(slow));
        if (!read_long_value(text + colons[k] + 1, text + ends[k], value[k])) return false;
      }
    }
    return true;
  }

  static constexpr libsvm_stages table{mark, read_entries};

 private:
  /// Reads indices of one to eight digits. Returns the lanes that hold something else or whose index does not exceed
  /// the previous one. This also detects marks that do not match: an index of digits only contains no end of a token.
  static unsigned read_indices(const char* text, const std::uint32_t* ends, const std::uint32_t* colons,
                               std::uint32_t* index, numbers& before) {
    const numbers length = Set::minus(Set::minus(Set::load(colons), Set::load(ends - 1)), Set::all(1));
    // Characters outside of the token are shifted out; a length out of range leaves none, hence the index 0.
    const words digits = Set::shift_up(Set::less_zero_digit(Set::gather(text + 1, ends - 1)),
                                       Set::minus(Set::all(64), Set::times_eight(length)));
    const numbers number = Set::eight_digits(digits);
    const flags disorder = Set::at_most(number, Set::one_lane_later(number, before));
    before = number;
    Set::store(index, Set::minus(number, Set::all(1)));
    return Set::other_than_digits(digits) | Set::bits(disorder);
  }

  /// Reads values such as 0.0312502, -17 and 3.25 and returns the lanes that hold something else. Mantissa and power of
  /// ten are exact, so their quotient, rounded once, is the nearest float: in single precision up to 2^24, in double
  /// beyond.
  static unsigned read_values(const char* text, const std::uint32_t* ends, const std::uint32_t* colons, float* value,
                              unsigned live) {
    const numbers zero = Set::all(0), one = Set::all(1);
    numbers start = Set::first_bytes(Set::gather(text + 1, colons));
    const flags negative = Set::equal(Set::both(start, Set::all(0xff)), Set::all('-'));
    start = Set::choose(negative, Set::shift_down_eight(start), start);
    const flags fraction = Set::equal(Set::both(start, Set::all(0xffff)),
                                      Set::all(0x2e30));  // "0."
    numbers length = Set::minus(Set::minus(Set::load(ends), Set::load(colons)), one);
    length = Set::minus(length, Set::choose(negative, one, zero));
    length = Set::minus(length, Set::choose(fraction, Set::all(2), zero));
    numbers decimals = Set::choose(fraction, length, zero);

    const numbers unused = Set::minus(Set::all(64), Set::times_eight(length));
    words tail = Set::keep_top(Set::less_zero_digit(Set::gather(text - 8, ends)), Set::at_least_zero(unused));
    unsigned odd = 0;
    if (Set::has_point(tail)) {
      const numbers behind = Set::drop_point(tail);
      const flags pointed = Set::at_most(behind, Set::all(8));
      odd = Set::bits(pointed) & (Set::bits(fraction) | Set::bits(Set::equal(behind, zero)));
      decimals = Set::choose(pointed, behind, decimals);
    }
    const numbers mantissa = Set::eight_digits(tail);
    odd |= Set::other_than_digits(tail);
    const unsigned too_long = ~Set::bits(Set::at_most(Set::minus(length, one), Set::all(7)));
    const unsigned large = ~Set::bits(Set::at_most(mantissa, Set::all(1u << 24)));
    if (((large | (too_long & Set::bits(fraction))) & live) == 0) {
      Set::store_quotients(value, mantissa, decimals, negative);
      return odd | too_long;
    }
    // Up to fifteen decimals. A quotient in double that lies halfway between two floats may have been rounded to that
    // point.
    const numbers unused_head = Set::minus(Set::all(128), Set::times_eight(length));
    const words head =
        Set::keep_top(Set::less_zero_digit(Set::gather(text - 16, ends)), Set::at_least_zero(unused_head));
    const numbers longest = Set::choose(fraction, Set::all(14), Set::all(7));
    odd |= Set::other_than_digits(head) | ~Set::bits(Set::at_most(Set::minus(length, one), longest));
    return odd | Set::store_wide_quotients(value, Set::eight_digits(head), mantissa, decimals, negative);
  }
};

}  // namespace hogwild::detail
