// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/kernels/cut_kernels.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/random_rows.hpp"

namespace {

using namespace hogwild;
using hogwild::test::instruction_sets_here;

/// Groups of 0 to cut_lanes edges between nodes that no other edge of the group has, or with a terminal.
class cut_kernel : public testing::Test {
 protected:
  static constexpr std::uint32_t nodes = 50;

  cut_kernel() {
    std::vector<std::uint32_t> order(nodes);
    for (std::uint32_t j = 0; j < nodes; ++j) order[j] = j;
    // No capacity is a multiple of another: points that differ only by rounding could go either way.
    std::uniform_real_distribution<float> capacity(0.0f, 4.0f);
    for (std::size_t g = 0; g < 200; ++g) {
      groups.push_back(static_cast<std::uint32_t>(u.size()));
      std::ranges::shuffle(order, random);
      for (std::size_t k = 0; k < g % (cut_lanes + 1); ++k) {
        u.push_back(order[2 * k]);
        v.push_back(random() % 3 == 0 ? nodes + static_cast<std::uint32_t>(random() % 2) : order[2 * k + 1]);
        forth.push_back(capacity(random));
        back.push_back(capacity(random));
      }
    }
    groups.push_back(static_cast<std::uint32_t>(u.size()));
    // Outside the simplex, too.
    std::uniform_real_distribution<float> any(-0.5f, 1.5f);
    for (std::size_t j = 0; j < 2 * nodes; ++j) start.push_back(any(random));
  }

  std::vector<float> trained(isa set, std::size_t first, std::size_t last) const {
    std::vector<float> at = start;
    const cut_edges edges{u.data(), v.data(), forth.data(), back.data(), groups.data()};
    cut_kernels_of(set).train({at.data(), nodes, step}, edges, first, last);
    return at;
  }

  static constexpr float step = 0.03f;
  std::mt19937_64 random{11};
  std::vector<std::uint32_t> u, v, groups;
  std::vector<float> forth, back, start;
};

// Each edge rounds a point in [0, 1] three times, by 2^-24 at most, and a node has some 60 of them.
TEST_F(cut_kernel, moves_both_ends_as_the_formula_says) {
  std::vector<double> part;
  for (std::size_t j = 0; j < nodes; ++j)
    part.push_back(
        std::clamp(0.5 * (static_cast<double>(start[2 * j]) - static_cast<double>(start[2 * j + 1])) + 0.5, 0.0, 1.0));
  std::vector<bool> moved(nodes);
  for (std::size_t e = 0; e < u.size(); ++e) {
    const bool terminal = v[e] >= nodes;
    const double a = part[u[e]], b = terminal ? (v[e] == nodes ? 1.0 : 0.0) : part[v[e]];
    // The direction of ends that differ only by rounding would be undefined; there are none.
    ASSERT_TRUE(a == b || std::abs(a - b) > 1e-5) << e;
    const double c = static_cast<double>(step) * static_cast<double>(a > b ? forth[e] : back[e]);
    const double by = a > b ? c : a < b ? -c : 0.0;
    part[u[e]] = std::clamp(a - by, 0.0, 1.0);
    moved[u[e]] = true;
    if (!terminal) part[v[e]] = std::clamp(b + by, 0.0, 1.0), moved[v[e]] = true;
  }
  for (const isa set : instruction_sets_here()) {
    const std::vector<float> at = trained(set, 0, groups.size() - 1);
    for (std::size_t j = 0; j < nodes; ++j) {
      ASSERT_TRUE(moved[j]);
      EXPECT_NEAR(static_cast<double>(at[2 * j]), part[j], 5e-6) << name_of(set) << " " << j;
      EXPECT_EQ(at[2 * j + 1], 1.0f - at[2 * j]);
    }
  }
}

TEST_F(cut_kernel, has_the_same_bits_on_every_instruction_set_and_in_any_pieces) {
  const std::size_t all = groups.size() - 1;
  const std::vector<float> expected = trained(isa::scalar, 0, all);
  for (const isa set : instruction_sets_here()) {
    EXPECT_EQ(trained(set, 0, all), expected) << name_of(set);
    EXPECT_EQ(trained(set, all / 2, all / 2), start) << name_of(set);
    EXPECT_EQ(trained(set, 3, 20), trained(isa::scalar, 3, 20)) << name_of(set);
  }
}

TEST_F(cut_kernel, measures_what_lies_between_the_ends) {
  constexpr std::size_t columns = 40;
  std::vector<float> at, part(columns), capacity;
  std::vector<half> narrow;
  std::vector<std::uint32_t> ends;
  std::uniform_real_distribution<float> any(-0.2f, 1.2f);
  for (std::size_t j = 0; j < 2 * columns; ++j) at.push_back(any(random));
  for (std::size_t i = 0; i < 2 * 300; ++i) {
    ends.push_back(static_cast<std::uint32_t>(random() % columns));
    capacity.push_back(static_cast<float>(random() % 100));
    narrow.push_back(to_half(capacity.back()));
  }
  for (const isa set : instruction_sets_here()) {
    const cut_kernels& kernels = cut_kernels_of(set);
    kernels.parts(at.data(), columns, part.data());
    for (std::size_t j = 0; j < columns; ++j)
      ASSERT_EQ(part[j], std::clamp(0.5f * (at[2 * j] - at[2 * j + 1]) + 0.5f, 0.0f, 1.0f)) << name_of(set);
    for (const std::size_t count : {0u, 1u, 15u, 16u, 17u, 300u}) {
      double apart = 0.0, cut = 0.0;
      for (std::size_t i = 0; i < count; ++i) {
        const auto a = static_cast<double>(part[ends[2 * i]]), b = static_cast<double>(part[ends[2 * i + 1]]);
        const auto c = static_cast<double>(a > b ? capacity[2 * i] : capacity[2 * i + 1]);
        apart += c * std::abs(a - b);
        cut += (a >= 0.5) == (b >= 0.5) ? 0.0 : c;
      }
      const cut_sums found = kernels.measure(part.data(), ends.data(), capacity.data(), count);
      EXPECT_NEAR(found.apart, apart, 1e-6 * apart);  // products are rounded once, differences too
      EXPECT_EQ(found.cut, cut) << name_of(set) << " " << count;
      const cut_sums first = cut_kernels_of(isa::scalar).measure(part.data(), ends.data(), capacity.data(), count);
      const cut_sums of_half = kernels.measure_half(part.data(), ends.data(), narrow.data(), count);
      for (const cut_sums& same : {first, of_half}) {
        EXPECT_EQ(found.apart, same.apart) << name_of(set);
        EXPECT_EQ(found.cut, same.cut) << name_of(set);
      }
    }
  }
}

}  // namespace
