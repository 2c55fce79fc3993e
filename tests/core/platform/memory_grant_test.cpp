// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/platform/memory_grant.hpp>

#include <string>

#include <gtest/gtest.h>

#include "support/scratch_folder.hpp"

namespace hogwild {
namespace {

class memory_granted : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const { folder_.write(name, text); }
  std::optional<memory_grant> found() const { return granted_memory(folder_ / "proc", folder_ / "cgroup"); }

 private:
  test::scratch_folder folder_;
};

TEST_F(memory_granted, by_nobody_is_none) {
  EXPECT_FALSE(found());
  write("proc/self/cgroup", "0::/a/b\n");
  write("cgroup/a/b/memory.max", "max\n");
  write("cgroup/a/b/memory.current", "1000\n");
  EXPECT_FALSE(found());
}

TEST_F(memory_granted, is_the_limit_less_what_cannot_be_taken_back) {
  write("proc/self/cgroup", "0::/a/b\n");
  write("cgroup/a/b/memory.max", "1000000\n");
  write("cgroup/a/b/memory.current", "700000\n");
  write("cgroup/a/b/memory.stat", "anon 400000\nfile 300000\nshmem 100000\ninactive_file 150000\nactive_file 50000\n");
  ASSERT_TRUE(found());
  EXPECT_EQ(found()->limit, 1'000'000u);
  EXPECT_EQ(found()->left, 500'000u);
  write("cgroup/a/b/memory.current", "2000000\n");
  EXPECT_EQ(found()->left, 0u);
}

TEST_F(memory_granted, is_of_the_group_with_the_least_left) {
  write("proc/self/cgroup", "0::/a/b\n");
  write("cgroup/a/b/memory.max", "1000000\n");
  write("cgroup/a/b/memory.current", "100000\n");
  write("cgroup/a/memory.max", "2000000\n");
  write("cgroup/a/memory.current", "1500000\n");
  ASSERT_TRUE(found());
  EXPECT_EQ(found()->limit, 2'000'000u);
  EXPECT_EQ(found()->left, 500'000u);
}

TEST_F(memory_granted, by_a_group_of_the_first_version_is_told_by_its_words) {
  write("proc/self/cgroup", "4:memory:/c\n");
  write("cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  write("cgroup/memory/memory.usage_in_bytes", "5000\n");
  EXPECT_FALSE(found());
  write("cgroup/memory/c/memory.limit_in_bytes", "800000\n");
  write("cgroup/memory/c/memory.usage_in_bytes", "500000\n");
  write("cgroup/memory/c/memory.stat", "active_file 1\ntotal_inactive_file 100000\ntotal_active_file 100000\n");
  ASSERT_TRUE(found());
  EXPECT_EQ(found()->left, 500'000u);
}

}  // namespace
}  // namespace hogwild
