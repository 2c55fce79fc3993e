// SPDX-License-Identifier: Apache-2.0
// hogwild train --engine cuda on a machine without a device, or with one that fails.
#include <gmock/gmock.h>

#include <algorithm>

#include "small_data.hpp"

namespace hogwild::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class no_device_command : public with_small_data {
 protected:
  static command_words on_device(const std::string& device, const command_words& more = {}) {
    return {"train", train(), "--engine cuda --device", device, "--epochs 2 --step 0.5 --quiet", more};
  }
  static void expect_one_sentence(const outcome& o, int code) {
    EXPECT_EQ(o.code, code) << o.err;
    EXPECT_EQ(lines_of(o.err).size(), 1u) << o.err;
    EXPECT_THAT(o.err, StartsWith("hogwild: "));
    EXPECT_EQ(o.out, "");
  }
};

TEST_F(no_device_command, of_a_number_that_no_machine_has_is_4_with_a_remedy) {
  for (const std::string device : {"99", "1023"}) {
    const outcome o = hogwild(on_device(device));
    expect_one_sentence(o, 4);
    EXPECT_THAT(o.err, HasSubstr("take --device emulated"));
  }
}

TEST_F(no_device_command, on_a_machine_without_one_is_4_with_a_remedy) {
  const outcome o = hogwild(on_device("0"));
  if (o.code == 0) GTEST_SKIP() << "device 0 is there";
  expect_one_sentence(o, 4);
  EXPECT_THAT(o.err, HasSubstr("take --device emulated"));
}

#if defined(HOGWILD_ON_FAKE_CUDA)
/// The command with a stand-in for CUDA's runtime, in which this call and all after it fail; 0: none.
outcome hogwild_on_fake_cuda(std::size_t failing_call, const command_words& arguments) {
  return run_program(
      {"/usr/bin/env", "HOGWILD_FAKE_CUDA=" + std::to_string(failing_call), HOGWILD_ON_FAKE_CUDA, arguments});
}

TEST_F(no_device_command, whose_device_fails_is_4_with_a_sentence) {
  ASSERT_EQ(hogwild_on_fake_cuda(0, on_device("0")).code, 0);
  for (const std::size_t call : {1, 10, 30, 60, 100}) {
    SCOPED_TRACE(call);
    const outcome o = hogwild_on_fake_cuda(call, on_device("0"));
    expect_one_sentence(o, 4);
    EXPECT_THAT(o.err, AllOf(HasSubstr("the device failed to "), HasSubstr("something that was planned")));
  }
}

TEST_F(no_device_command, whose_device_fails_in_processes_starts_another_one_once) {
  const outcome o = hogwild_on_fake_cuda(
      60, {"train", train(), "--engine cuda --transport shared_segment --workers 1 --epochs 1000000 --step 0.5"});
  EXPECT_EQ(o.code, 4) << o.err;
  EXPECT_THAT(o.err, AllOf(HasSubstr("worker 0 (process "), HasSubstr("has failed, as others before it: the device ")));
  const auto lines = lines_of(o.err);
  EXPECT_EQ(
      std::ranges::count_if(
          lines, [](const std::string& line) { return line.find("another one takes its place") != std::string::npos; }),
      2)
      << o.err;  // the second one is not started
}
#endif

}  // namespace
}  // namespace hogwild::test
