// SPDX-License-Identifier: Apache-2.0
// The library itself, and the errors if it or devices are missing.
#include <chrono>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/nccl/collective.hpp>

#include "nccl_member.hpp"

#include "support/refusal.hpp"

using namespace hogwild;
using ::testing::AllOf;
using ::testing::HasSubstr;

namespace {

TEST(nccl_library, one_that_is_missing_or_is_another_ends_in_a_sentence) {
  EXPECT_THAT(test::refusal_of<resource_error>([&] { nccl::load("libnccl-of-nowhere.so"); }),
              AllOf(HasSubstr("libnccl-of-nowhere.so"), HasSubstr("install it"), HasSubstr("LD_LIBRARY")));
  EXPECT_THAT(test::refusal_of<resource_error>([&] { nccl::load("libm.so.6"); }),
              AllOf(HasSubstr("ncclGetUniqueId"), HasSubstr("2.14")));
}

/// The emulated device is none of CUDA's, so that NCCL cannot start where there is no driver.
TEST(nccl_library, without_a_driver_nccl_itself_ends_in_a_sentence) {
  if (std::string_view(NCCL_LIBRARY).empty()) GTEST_SKIP() << "there is no libnccl.so.2";
  try {
    device::open_cuda(0);
    GTEST_SKIP() << "there is a CUDA device";
  } catch (const resource_error&) {
  }
  const nccl::functions real = nccl::load(NCCL_LIBRARY);
  thread_group group(1);
  const auto join = [&] {
    nccl::join(group.join(0), device::open_emulated(1), real, {.timeout = std::chrono::seconds(20)});
  };
  EXPECT_THAT(test::refusal_of<resource_error>(join), AllOf(HasSubstr("NCCL failed to join the ranks' devices: "),
                                                            HasSubstr("cuda error"), HasSubstr("NCCL_DEBUG=INFO")));
}

/// No machine has that many.
TEST(nccl_members, more_ranks_than_devices_are_refused) {
  constexpr std::size_t ranks = 3;
  thread_group group(ranks);
  std::vector<std::unique_ptr<collective>> members;
  for (std::size_t r = 0; r < ranks; ++r) members.push_back(group.join(r));
  EXPECT_THAT(test::refusal_of<resource_error>([&] { join_nccl_members(std::move(members), 1000); }),
              AllOf(HasSubstr("of 3 of --collective nccl has no CUDA device of its own: "),
                    HasSubstr("use no more ranks than devices"), Not(HasSubstr("emulated"))));
}

}  // namespace
