// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/platform/topology.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <hogwild/error.hpp>

#include "support/scratch_folder.hpp"

using namespace hogwild;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

namespace {

TEST(cgroups, have_the_smallest_quota_on_the_way_up) {
  /// Files below /sys/fs/cgroup, the text of /proc/self/cgroup, and the quota.
  const struct {
    const char* name;
    std::vector<std::pair<std::string, std::string>> files;
    const char* list;
    std::optional<double> quota;
  } groups[] = {{"v2", {{"run/cpu.max", "150000 100000\n"}}, "0::/run\n", 1.5},
                {"v2, several levels",
                 {{"cpu.max", "400000 100000\n"},
                  {"a/cpu.max", "100000 50000\n"},
                  {"a/b/cpu.max", "300000 100000\n"},
                  {"a/b/c/cpu.max", "max 100000\n"}},
                 "0::/a/b/c\n",
                 2.0},
                {"v2 without limit", {{"run/cpu.max", "max 100000\n"}}, "0::/run\n", {}},
                {"the root of a container", {{"cpu.max", "250000 100000\n"}}, "0::/\n", 2.5},
                {"not mounted here", {{"cpu.max", "250000 100000\n"}}, "0::/docker/not/mounted/here\n", 2.5},
                {"elsewhere", {{"cpu.max", "250000 100000\n"}}, "0::/../elsewhere\n", 2.5},
                {"v1 and the levels above",
                 {{"cpu,cpuacct/a/cpu.cfs_quota_us", "800000\n"},
                  {"cpu,cpuacct/a/cpu.cfs_period_us", "100000\n"},
                  {"cpu,cpuacct/a/b/cpu.cfs_quota_us", "-1\n"},
                  {"cpu,cpuacct/a/b/cpu.cfs_period_us", "100000\n"}},
                 "5:memory:/x\n4:cpu,cpuacct:/a/b\n",
                 8.0},
                {"v1 by its short name",
                 {{"cpu/a/cpu.cfs_quota_us", "25000\n"}, {"cpu/a/cpu.cfs_period_us", "50000\n"}},
                 "3:cpuset:/\n2:cpuacct,cpu:/a\n",
                 0.5},
                {"both versions",
                 {{"cpu/cpu.cfs_quota_us", "300000\n"},
                  {"cpu/cpu.cfs_period_us", "100000\n"},
                  {"unified/run/cpu.max", "200000 100000\n"}},
                 "1:cpu:/\n0::/run\n",
                 2.0},
                {"zeros", {{"run/cpu.max", "0 0\n"}}, "0::/run\n", {}},
                {"nonsense", {{"run/cpu.max", "nonsense"}}, "0::/run\n", {}},
                {"no list", {{"run/cpu.max", "nonsense"}}, "no colon\n:one\n", {}}};
  for (const auto& [name, files, list, quota] : groups) {
    const test::scratch_folder folder;
    for (const auto& [path, text] : files) folder.write("root/" + path, text);
    EXPECT_EQ(cpu_quota_in(folder.write("list", list), folder / "root"), quota) << name;
  }
  EXPECT_EQ(cpu_quota_in("/no/such/file", "/no/such/folder"), std::nullopt);
}

TEST(default_workers, the_quota_rounds_down_and_one_is_the_least) {
  EXPECT_EQ(default_workers(8, std::nullopt), 8u);
  EXPECT_EQ(default_workers(8, 1.5), 1u);
  EXPECT_EQ(default_workers(8, 2.0), 2u);
  EXPECT_EQ(default_workers(8, 0.1), 1u);
  EXPECT_EQ(default_workers(2, 16.0), 2u);
  EXPECT_EQ(default_workers(), default_workers(usable_cpus(), cpu_quota()));
}

TEST(topology, usable_cpus_are_those_of_the_affinity_mask) {
  const auto all = usable_cpu_list();
  ASSERT_FALSE(all.empty());
  EXPECT_LE(all.size(), logical_cpus());
  std::jthread([&] {
    const std::vector<int> last{all.back()};
    ASSERT_TRUE(bind_this_thread(last));
    EXPECT_THAT(usable_cpu_list(), ElementsAre(all.back()));
    EXPECT_EQ(usable_cpus(), 1u);
    EXPECT_EQ(default_workers(), 1u);
    EXPECT_THAT(worker_cpus(2, usable_cpu_list()), ElementsAre(all.back(), all.back()));
    EXPECT_EQ(::sched_getcpu(), all.back());
    ASSERT_TRUE(bind_this_thread(all));
    EXPECT_EQ(usable_cpu_list(), all);
  }).join();
  EXPECT_EQ(usable_cpu_list(), all);  // only that thread was bound
}

TEST(topology, every_usable_cpu_gets_a_worker_before_one_gets_two) {
  const auto usable = usable_cpu_list();
  auto once = worker_cpus(usable.size(), usable);
  std::ranges::sort(once);
  EXPECT_EQ(once, usable);
  auto twice = worker_cpus(2 * usable.size(), usable);
  EXPECT_EQ(std::vector(twice.begin(), twice.begin() + static_cast<std::ptrdiff_t>(usable.size())),
            std::vector(twice.begin() + static_cast<std::ptrdiff_t>(usable.size()), twice.end()));
}

TEST(topology, cpus_that_nobody_knows_are_used_as_they_come) {
  const std::vector<int> unknown{9001, 9000};
  EXPECT_THAT(worker_cpus(3, unknown), ElementsAre(9001, 9000, 9001));
  EXPECT_THAT(worker_cpus(3, std::span<const int>{}), IsEmpty());
}

TEST(topology, refuses_cpus_that_are_not_there) {
  for (const std::vector<int>& cpus : {std::vector<int>{}, std::vector<int>{0, -1}, std::vector<int>{1 << 20}}) {
    EXPECT_FALSE(bind_this_thread(cpus));
  }
}

TEST(topology, has_at_least_one_memory_node) {
  ASSERT_GE(numa_nodes(), 1u);
  EXPECT_FALSE(cpus_of_node(0).empty());
  EXPECT_THROW(cpus_of_node(numa_nodes()), config_error);
}

}  // namespace
