// SPDX-License-Identifier: Apache-2.0
#include "data/packed_numbers.hpp"

#include <bit>
#include <cstring>
#include <limits>
#include <utility>

namespace hogwild::detail {
namespace {

static_assert(std::endian::native == std::endian::little, "bits are loaded eight bytes at a time, as they lie");

constexpr unsigned place_width = 9;
static_assert(std::size_t{1} << place_width == packed_block);

unsigned width_of(std::uint64_t number) {
  return static_cast<unsigned>(std::bit_width(number));
}

constexpr std::uint64_t mask(unsigned width) {
  return (std::uint64_t{1} << width) - 1;
}

struct block_shape {
  unsigned width;
  std::uint64_t base;
  std::size_t exceptions;
};

/// counted[w] numbers need `w` bits above the least or below the largest one. Fewer bits a number make more exceptions;
/// `best` becomes the cheapest choice.
template <class Base>
void choose(const std::array<std::uint32_t, 65>& counted, std::size_t numbers, unsigned exception_width,
            std::size_t& cost, block_shape& best, Base&& base) {
  std::size_t exceptions = 0;
  for (unsigned w = exception_width + 1; w-- > 0;) {
    const std::size_t bits = numbers * w + exceptions * (place_width + exception_width);
    if (bits < cost) cost = bits, best = {w, base(w), exceptions};
    exceptions += counted[w];
  }
}

block_shape shape_of(std::span<const std::uint64_t> numbers, std::uint64_t least, std::uint64_t most) {
  std::array<std::uint32_t, 65> above{}, below{};
  // Counts the bits of twice the number plus one: since that is never zero, no branch is needed.
  const auto width = [](std::uint64_t n) { return width_of(n << 1 | 1) - 1; };
  for (const std::uint64_t n : numbers) ++above[width(n - least)], ++below[width(most - n)];
  std::size_t cost = std::numeric_limits<std::size_t>::max();
  block_shape best{};
  choose(above, numbers.size(), width_of(most), cost, best, [&](unsigned) { return least; });
  choose(below, numbers.size(), width_of(most), cost, best, [&](unsigned w) { return most - std::min(most, mask(w)); });
  return best;
}

/// Appends bits. Used by value, so that the word being filled is in a register.
class bit_writer {
 public:
  /// `words` must have room for all bits to come, and zeros from bit `position` on.
  bit_writer(std::uint64_t* words, std::uint64_t position)
      : to_(words + position / 64), used_(static_cast<unsigned>(position % 64)) {
    word_ = used_ > 0 ? *to_ : 0;
  }
  void put(std::uint64_t number, unsigned width) {
    word_ |= number << used_;
    used_ += width;
    if (used_ < 64) return;
    *to_++ = word_;
    used_ -= 64;
    word_ = used_ > 0 ? number >> (width - used_) : 0;
  }
  void end() {
    if (used_ > 0) *to_ = word_;
  }

 private:
  std::uint64_t* to_;
  std::uint64_t word_;
  unsigned used_;
};

std::uint64_t load(const std::byte* bytes, std::uint64_t position, std::uint64_t kept) {
  std::uint64_t word;
  std::memcpy(&word, bytes + position / 8, sizeof word);
  return word >> position % 8 & kept;
}

}  // namespace

void number_packer::write_block() {
  const auto numbers = std::span(block_).first(count_);
  std::uint64_t least = numbers[0], most = numbers[0];
  for (const std::uint64_t n : numbers) least = std::min(least, n), most = std::max(most, n);
  const block_shape shape = shape_of(numbers, least, most);
  const unsigned base_width = width_of(shape.base), exception_width = width_of(most);
  const std::uint64_t begin = bits_;
  bits_ += 28 + base_width + numbers.size() * shape.width + shape.exceptions * (place_width + exception_width);
  words_.resize((bits_ + 63) / 64);
  bit_writer to(words_.data(), begin);
  to.put(shape.width, 6), to.put(base_width, 6), to.put(exception_width, 6), to.put(shape.exceptions, 10);
  to.put(shape.base, base_width);
  const std::uint64_t largest = mask(shape.width);
  // No branch depends on which numbers are exceptions: that is unpredictable.
  std::array<std::uint16_t, packed_block> place;
  std::size_t exceptions = 0;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const std::uint64_t above = numbers[k] - shape.base, is_exception = above > largest ? 1 : 0;
    place[exceptions] = static_cast<std::uint16_t>(k);
    exceptions += is_exception;
    to.put(above & (is_exception - 1), shape.width);
  }
  for (std::size_t e = 0; e < exceptions; ++e)
    to.put(place[e], place_width), to.put(numbers[place[e]], exception_width);
  to.end();
  count_ = 0;
}

std::vector<std::uint64_t> number_packer::finish() && {
  if (count_ > 0) write_block();
  words_.push_back(0);
  return std::move(words_);
}

bool number_unpacker::next(std::span<std::uint64_t> numbers) {
  if (!has(28)) return false;
  const std::byte* const bytes = packed_.data();
  std::uint64_t at = position_;  // a local copy, because stores to `numbers` might alias the members
  const auto take = [&](unsigned width) {
    const std::uint64_t n = load(bytes, at, mask(width));
    at += width;
    return n;
  };
  const auto width = static_cast<unsigned>(take(6)), base_width = static_cast<unsigned>(take(6)),
             exception_width = static_cast<unsigned>(take(6));
  const std::uint64_t exceptions = take(10);
  if (std::max({width, base_width, exception_width}) > widest_packed) return false;
  if (!has(28 + base_width + numbers.size() * width + exceptions * (place_width + exception_width))) return false;
  const std::uint64_t base = take(base_width);
  for (std::uint64_t& n : numbers) n = base + take(width);
  for (std::uint64_t k = 0; k < exceptions; ++k) {
    const std::uint64_t place = take(place_width);
    if (place >= numbers.size()) return false;
    numbers[place] = take(exception_width);
  }
  position_ = at;
  return true;
}

std::vector<std::uint64_t> pack_differences(std::span<const std::uint32_t> numbers) {
  number_packer packer;
  std::int64_t last = 0;
  for (const std::uint32_t n : numbers) {
    const std::int64_t difference = n - last;
    packer.add(static_cast<std::uint64_t>(difference * 2 ^ difference >> 63));
    last = n;
  }
  return std::move(packer).finish();
}

std::optional<std::vector<std::uint32_t>> unpack_differences(std::span<const std::byte> packed, std::size_t count) {
  if (count > most_packed(packed.size())) return std::nullopt;
  std::vector<std::uint32_t> numbers(count);
  std::int64_t last = 0;
  const bool possible = unpack_numbers(packed, count, [&](std::size_t first, std::span<const std::uint64_t> block) {
    for (std::size_t k = 0; k < block.size(); ++k) {
      const auto half = static_cast<std::int64_t>(block[k] >> 1);
      last += (block[k] & 1) != 0 ? -half - 1 : half;
      if (last < 0 || last > std::numeric_limits<std::uint32_t>::max()) return false;
      numbers[first + k] = static_cast<std::uint32_t>(last);
    }
    return true;
  });
  return possible ? std::optional(std::move(numbers)) : std::nullopt;
}

}  // namespace hogwild::detail
