// SPDX-License-Identifier: Apache-2.0
// NCCL itself, by one rank on the first CUDA device: NCCL does not let several ranks share one.
#include <hogwild/nccl/collective.hpp>

#include <gtest/gtest.h>

#include <hogwild/detail/collectives/thread.hpp>
#include <hogwild/error.hpp>

#include "device_task.hpp"
#include "devices.hpp"
#include "functions.hpp"
#include "support/collective_checks.hpp"

using namespace hogwild;

namespace {

struct nccl_on_device_0 : testing::TestWithParam<test::collective_check> {
  void SetUp() override {
    try {
      device::open_device(0);
    } catch (const resource_error& none) {
      return test::go_without_device(none);
    }
    try {
      nccl::load("libnccl.so.2");
    } catch (const resource_error& none) {
      GTEST_SKIP() << none.what();
    }
  }
};

TEST_P(nccl_on_device_0, one_rank_conforms) {
  thread_group group(1);
  const auto member = join_nccl_group(group.join(0), 0);
  EXPECT_EQ(member->size(), 1u);
  EXPECT_EQ(GetParam().run(*member), "");
}

INSTANTIATE_TEST_SUITE_P(every, nccl_on_device_0, testing::ValuesIn(test::collective_checks),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
