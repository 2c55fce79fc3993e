// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace hogwild::test {

/// A fixture with a new random seed each time; a failing test prints its seed. `Fixture` is the base.
template <class Fixture = testing::Test>
struct fresh_seed : Fixture {
  const std::uint64_t seed = std::random_device{}();
  std::mt19937_64 random{seed};
  testing::ScopedTrace trace{__FILE__, __LINE__, "seed " + std::to_string(seed)};
};

}  // namespace hogwild::test
