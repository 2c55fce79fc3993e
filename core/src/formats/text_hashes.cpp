// SPDX-License-Identifier: Apache-2.0
#include "formats/text_hashes.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

namespace hogwild::detail {

std::uint32_t murmur_hash(std::string_view bytes, std::uint32_t seed) {
  constexpr std::uint32_t c1 = 0xcc9e2d51u, c2 = 0x1b873593u;
  std::uint32_t h = seed;
  const auto mixed = [](std::uint32_t k) { return std::rotl(k * c1, 15) * c2; };
  std::size_t at = 0;
  for (; at + 4 <= bytes.size(); at += 4) {
    std::uint32_t k = 0;
    std::memcpy(&k, bytes.data() + at, 4);
    h = std::rotl(h ^ mixed(k), 13) * 5 + 0xe6546b64u;
  }
  std::uint32_t last = 0;
  for (std::size_t k = bytes.size(); k > at; --k) last = last << 8 | static_cast<unsigned char>(bytes[k - 1]);
  if (at < bytes.size()) h ^= mixed(last);
  h ^= static_cast<std::uint32_t>(bytes.size());
  h = (h ^ h >> 16) * 0x85ebca6bu;
  h = (h ^ h >> 13) * 0xc2b2ae35u;
  return h ^ h >> 16;
}

std::uint64_t vowpal_wabbit_hash(std::string_view name, std::uint64_t seed) {
  std::uint64_t number = 0;
  for (const char c : name) {
    if (c < '0' || c > '9') return murmur_hash(name, static_cast<std::uint32_t>(seed));
    number = 10 * number + static_cast<std::uint64_t>(c - '0');
  }
  return number + seed;
}

std::uint32_t fasttext_hash(std::string_view word) {
  std::uint32_t h = 2166136261u;
  for (const char c : word)
    h = (h ^ static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<signed char>(c)))) * 16777619u;
  return h;
}

}  // namespace hogwild::detail
