// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/platform/machine.hpp>

#include <chrono>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/platform/topology.hpp>

#include "support/scratch_folder.hpp"

namespace {

using hogwild::test::scratch_folder;

TEST(machine, reads_the_files_of_the_kernel) {
  const scratch_folder folder;
  folder.write("proc/cpuinfo", "processor\t: 0\nmodel\t\t: 143\nmodel name\t: Some CPU: 2 GHz \n\nprocessor\t: 1\n");
  folder.write("proc/meminfo", "MemTotal:       24684084 kB\nMemFree:        1 kB\n");
  folder.write("proc/sys/kernel/osrelease", "6.1.0-18-amd64\n");
  folder.write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");

  const hogwild::machine_facts facts = hogwild::this_machine(folder / "proc", folder / "sys");
  EXPECT_EQ(facts.cpu_model, "Some CPU: 2 GHz");
  EXPECT_EQ(facts.memory_bytes, std::uint64_t{24'684'084} * 1024);
  EXPECT_EQ(facts.kernel, "6.1.0-18-amd64");
  EXPECT_EQ(facts.governor, "performance");
  EXPECT_EQ(facts.usable_cpus, hogwild::usable_cpus());
  EXPECT_EQ(facts.cpu_quota, hogwild::cpu_quota());
}

TEST(machine, an_arm_kernel_names_the_hardware) {
  const scratch_folder folder;
  folder.write("proc/cpuinfo", "processor\t: 0\nBogoMIPS\t: 108.00\n\nHardware\t: BCM2835\n");
  EXPECT_EQ(hogwild::this_machine(folder / "proc", folder / "sys").cpu_model, "BCM2835");
}

TEST(machine, what_cannot_be_read_is_unknown) {
  const scratch_folder folder;
  const hogwild::machine_facts facts = hogwild::this_machine(folder / "proc", folder / "sys");
  EXPECT_EQ(facts.cpu_model, "unknown");
  EXPECT_EQ(facts.memory_bytes, 0u);
  EXPECT_EQ(facts.kernel, "unknown");
  EXPECT_EQ(facts.governor, std::nullopt);
  EXPECT_GE(facts.logical_cpus, 1u);
  EXPECT_GE(facts.numa_nodes, 1u);
}

TEST(machine, the_peak_of_memory_grows_with_what_is_touched) {
  const std::uint64_t before = hogwild::peak_rss_bytes();
  EXPECT_GT(before, 0u);
  const std::vector<char> touched(before + (std::size_t{32} << 20), 'x');
  EXPECT_GE(hogwild::peak_rss_bytes(), touched.size());
}

TEST(machine, a_thread_has_cpu_time_while_it_works_and_at_most_as_long_as_it_takes) {
  const auto begin = std::chrono::steady_clock::now();
  const auto before = hogwild::thread_cpu_time();
  EXPECT_GT(before.count(), 0);
  while (hogwild::thread_cpu_time() - before < std::chrono::milliseconds(1)) {
  }
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::microseconds(900));
}

}  // namespace
