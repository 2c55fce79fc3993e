// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

namespace hogwild::test {

/**
 * Lets a program of tests act as something else, e.g. as a worker that a test of the same source has started: if `act`
 * returns a code, the program ends with it and runs no test. Declared once at the top of a source, for that source's
 * tests and the processes that they start; other sources of the program have their own.
 */
class program_role {
 public:
  using action = std::optional<int> (*)(int argc, char** argv);

  // clang 14 has no std::source_location.
  explicit program_role(action act, const char* source = __builtin_FILE());
};

}  // namespace hogwild::test
