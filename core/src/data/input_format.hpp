// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace hogwild::detail {

/// The format from which rows were read; it determines which numbers are valid (cache_meaning.hpp). Stored in files:
/// numbers are never reused.
enum class input_format : std::uint16_t {
  libsvm = 0,
  ratings = 1,
  idx = 2,
  cifar = 3,
  graph = 4,
  libffm = 5,
  corpus = 6,
  of_program = 7,  ///< made by a program, or a copy of some rows: not from a file
};
inline constexpr input_format last_input_format = input_format::of_program;

}  // namespace hogwild::detail
