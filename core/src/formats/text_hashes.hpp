// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace hogwild::detail {

/// MurmurHash3, x86, 32 bits (Austin Appleby, 2011), as Vowpal Wabbit calls it.
std::uint32_t murmur_hash(std::string_view bytes, std::uint32_t seed);

/// Vowpal Wabbit's hash of a name: a name of digits is its number + seed, any other one is hashed without the blanks
/// around it.
std::uint64_t vowpal_wabbit_hash(std::string_view name, std::uint64_t seed);

/// fastText's hash of a word or a part of one: FNV-1a, 32 bits, with bytes as signed numbers.
std::uint32_t fasttext_hash(std::string_view word);

}  // namespace hogwild::detail
