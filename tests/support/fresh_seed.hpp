// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace hogwild::test {

/// A fixture with random numbers that are others each time; where a test fails its seed is told. `Fixture` is what it
/// would be else.
template <class Fixture = testing::Test>
struct fresh_seed : Fixture {
  const std::uint64_t seed = std::random_device{}();
  std::mt19937_64 random{seed};
  testing::ScopedTrace trace{__FILE__, __LINE__, "seed " + std::to_string(seed)};
};

}  // namespace hogwild::test
