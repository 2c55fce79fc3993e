// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/collectives/thread.hpp>

#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/error.hpp>

#include "support/collective_checks.hpp"
#include "support/threads.hpp"

using namespace hogwild;

namespace {

struct thread_collective : testing::TestWithParam<std::tuple<std::size_t, test::collective_check>> {};

TEST_P(thread_collective, conforms) {
  const auto [size, check] = GetParam();
  thread_group group(size);
  std::vector<std::string> faults(size);
  test::run_together(size, [&, run = check.run](std::size_t rank) { faults[rank] = run(*group.join(rank)); });
  for (const std::string& f : faults) EXPECT_EQ(f, "");
}

INSTANTIATE_TEST_SUITE_P(sizes, thread_collective,
                         testing::Combine(testing::Values(1, 2, 3, 4, 8), testing::ValuesIn(test::collective_checks)),
                         [](const auto& test) {
                           return std::string(std::get<1>(test.param).name) + "_" +
                                  std::to_string(std::get<0>(test.param));
                         });

TEST(thread_group, refuses_what_does_not_exist) {
  EXPECT_THROW(thread_group(0), config_error);
  thread_group group(2);
  EXPECT_THROW(group.join(2), config_error);
  const auto member = group.join(0);
  EXPECT_THROW(group.join(0), config_error);
  std::vector<float> x(4), all(7);
  EXPECT_THROW(member->broadcast(x, 2), config_error);
  EXPECT_THROW(member->reduce(x, 2), config_error);
  EXPECT_THROW(member->gather(x, all, 0), config_error);
}

}  // namespace
