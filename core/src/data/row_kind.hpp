// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace hogwild::detail {

/// Which format rows were read from; it says what their numbers may be (cache_meaning.hpp). Numbers in files: never
/// reused.
enum class row_kind : std::uint16_t {
  libsvm = 0,
  ratings = 1,
  idx = 2,
  cifar = 3,
  graph = 4,
  libffm = 5,
  corpus = 6,
  of_program = 7,  ///< what a program has made, or a copy of some rows: of no file
};
inline constexpr row_kind last_row_kind = row_kind::of_program;

}  // namespace hogwild::detail
