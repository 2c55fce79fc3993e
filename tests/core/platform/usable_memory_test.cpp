// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/platform/memory_grant.hpp>

#include <gtest/gtest.h>

#include "support/scratch_folder.hpp"

namespace hogwild::detail {
namespace {

class usable_memory_of : public ::testing::Test {
 protected:
  usable_memory_of() { write("proc/meminfo", "MemFree: 1 kB\nMemTotal:  4000 kB\n"); }
  void write(const std::string& name, const std::string& text) const { folder_.write(name, text); }
  std::uint64_t found() const { return usable_memory(folder_ / "proc", folder_ / "cgroup"); }

 private:
  test::scratch_folder folder_;
};

TEST_F(usable_memory_of, a_machine_is_what_it_has) {
  EXPECT_EQ(found(), 4000u * 1024);
}

TEST_F(usable_memory_of, a_group_is_its_limit_or_that_of_one_above) {
  write("proc/self/cgroup", "0::/a/b\n");
  write("cgroup/a/b/memory.max", "max\n");
  EXPECT_EQ(found(), 4000u * 1024);
  write("cgroup/a/memory.max", "1000000\n");
  EXPECT_EQ(found(), 1'000'000u);
  write("cgroup/a/b/memory.max", "900000\n");
  EXPECT_EQ(found(), 900'000u);
}

TEST_F(usable_memory_of, a_group_of_the_first_version_is_its_limit) {
  write("proc/self/cgroup", "4:memory:/c\n");
  write("cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(found(), 4000u * 1024);
  write("cgroup/memory/c/memory.limit_in_bytes", "800000\n");
  EXPECT_EQ(found(), 800'000u);
}

TEST_F(usable_memory_of, what_nothing_tells_of_is_unknown) {
  EXPECT_EQ(usable_memory("/no/such/folder", "/no/such/folder"), 0u);
}

}  // namespace
}  // namespace hogwild::detail
