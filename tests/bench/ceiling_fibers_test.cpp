// SPDX-License-Identifier: Apache-2.0
// The source of the kernels that measure a GPU, run thread by thread.
#include "support/simt.hpp"
//
#include "ceiling_kernels.cu"
#include "support/on_fibers.hpp"

#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

using namespace hogwild;
using namespace hogwild::bench;

namespace {

// As many warps as a multiprocessor holds must wait for additions or copies at once; otherwise the ceilings would be
// too low.
template <class Body>
constexpr unsigned warps_with_room = device::least_blocks<Body>() * device::most_warps_in_block;
static_assert(warps_with_room<copy_part> == 64);
static_assert(warps_with_room<scattered_adds_part<update_kind::exact>> == 64);
static_assert(warps_with_room<adds_to_one_part<update_kind::lossy>> == 64);

struct ceiling_fibers : test::on_fibers<> {
  std::uint64_t below(std::uint64_t n) { return std::uniform_int_distribution<std::uint64_t>(1, n)(random); }
};

TEST_F(ceiling_fibers, every_quad_is_copied) {
  const std::uint64_t count = 100 + below(400);
  std::vector<quad> from(count), to(count);
  for (std::size_t i = 0; i < count; ++i) from[i].value[i % 4] = static_cast<float>(i + 1);
  EXPECT_EQ(launch_ceiling(ceiling_kernel::copy,
                           {.from = from.data(), .to = to.data(), .count = count, .rows_in_flight = 3}, nullptr),
            0);
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(std::to_array(to[i].value), std::to_array(from[i].value)) << i;
}

TEST_F(ceiling_fibers, exact_adds_are_as_many_as_were_asked_for) {
  for (const ceiling_kernel kernel : {ceiling_kernel::scattered_adds, ceiling_kernel::adds_to_one}) {
    std::vector<float> weights(100);
    const std::uint64_t count = 100 + below(400);
    const ceiling_work work{.weights = weights.data(),
                            .floats = weights.size(),
                            .count = count,
                            .update = update_kind::exact,
                            .rows_in_flight = 5};
    EXPECT_EQ(launch_ceiling(kernel, work, nullptr), 0);
    EXPECT_EQ(std::accumulate(weights.begin(), weights.end(), 0.0), static_cast<double>(count));
  }
}

TEST_F(ceiling_fibers, one_warp_adds_to_each_column_of_each_row) {
  constexpr std::uint32_t rows = 10, entries = 40;
  std::vector<std::uint32_t> start, index;
  std::vector<float> weights(100), expected(100);
  for (std::uint32_t r = 0; r < rows; ++r) {
    start.push_back(static_cast<std::uint32_t>(index.size()));
    for (std::uint32_t k = 0; k < entries; ++k) {
      index.push_back((7 * r + 3 * k) % 100);
      expected[index.back()] += 1.0f;
    }
  }
  const ceiling_work work{.weights = weights.data(),
                          .floats = weights.size(),
                          .start = start.data(),
                          .index = index.data(),
                          .entries = entries,
                          .count = rows};
  EXPECT_EQ(launch_ceiling(ceiling_kernel::row_latency, work, nullptr), 0);
  EXPECT_EQ(weights, expected);
}

}  // namespace
