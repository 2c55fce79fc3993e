// SPDX-License-Identifier: Apache-2.0
// The share of the CPUs that others took, from invented files and times: no test looks at the load of this machine.
#include <hogwild/detail/platform/cpu_load.hpp>

#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/scratch_folder.hpp"

using namespace hogwild;
using namespace std::chrono_literals;
using testing::HasSubstr;

namespace {

using std::chrono::nanoseconds;

const nanoseconds one_tick{1'000'000'000 / ::sysconf(_SC_CLK_TCK)};

/// Two CPUs for ten seconds, 20 s in all, with these `idle` and `own` parts.
cpu_account after_ten_seconds(nanoseconds idle, nanoseconds own, nanoseconds withheld = {}) {
  return {.machine = cpu_account::of_machine{.all = 20s, .idle = idle}, .own = own, .withheld = withheld};
}

const cpu_account at_first{.machine = cpu_account::of_machine{}};

TEST(cpu_load, of_an_idle_machine_is_none_however_busy_this_program_is) {
  for (const nanoseconds own : {0s, 1s, 10s, 20s}) {
    const cpu_load load = load_between(at_first, after_ten_seconds(20s - own, own));
    EXPECT_EQ(load.others, 0.0);
    EXPECT_FALSE(is_busy(load));
    EXPECT_EQ(load_text(load), "");
  }
}

TEST(cpu_load, is_what_neither_was_idle_nor_ours) {
  const cpu_load load = load_between(at_first, after_ten_seconds(6s, 4s));
  EXPECT_DOUBLE_EQ(load.others.value(), 0.5);
  EXPECT_TRUE(is_busy(load));
  EXPECT_EQ(load_text(load), "other programs took 50 % of the CPUs' time");
}

TEST(cpu_load, is_counted_from_the_first_moment) {
  const cpu_account later{.machine = cpu_account::of_machine{.all = 40s, .idle = 26s}, .own = 4s};
  EXPECT_DOUBLE_EQ(load_between(after_ten_seconds(20s, 0s), later).others.value(), 0.5);
}

TEST(cpu_load, of_a_tenth_is_still_that_of_an_idle_machine) {
  EXPECT_FALSE(is_busy(load_between(at_first, after_ten_seconds(18s, 0s))));
  EXPECT_TRUE(is_busy(load_between(at_first, after_ten_seconds(17s, 0s))));
}

// The kernel counts in ticks, and this process in nanoseconds.
TEST(cpu_load, is_never_below_nothing_or_beyond_all) {
  EXPECT_EQ(load_between(at_first, after_ten_seconds(19s, 2s)).others, 0.0);
  EXPECT_EQ(load_between(at_first, after_ten_seconds(-1s, 0s)).others, 1.0);
}

TEST(cpu_load, by_a_quota_is_of_what_was_asked_for) {
  const cpu_load load = load_between(at_first, after_ten_seconds(19s, 1s, 3s));
  EXPECT_EQ(load.others, 0.0);
  EXPECT_DOUBLE_EQ(load.withheld, 0.75);
  EXPECT_TRUE(is_busy(load));
  EXPECT_EQ(load_text(load), "a quota kept back 75 % of the CPU time that was asked for");
}

TEST(cpu_load, is_unknown_where_the_system_does_not_tell) {
  const cpu_account stands_still{.machine = cpu_account::of_machine{}, .own = 1s};
  for (const auto& [before, after] :
       {std::pair(cpu_account{}, cpu_account{.own = 1s}), std::pair(at_first, stands_still),
        std::pair(at_first, cpu_account{}), std::pair(cpu_account{}, at_first)}) {
    const cpu_load load = load_between(before, after);
    EXPECT_FALSE(load.others);
    EXPECT_FALSE(is_busy(load));
    EXPECT_THAT(load_text(load), HasSubstr("unknown"));
  }
}

TEST(cpu_load, of_threads_is_what_they_missed) {
  EXPECT_DOUBLE_EQ(missed_fraction(4s, 3s), 0.25);
  EXPECT_EQ(missed_fraction(4s, 5s), 0.0);
  EXPECT_EQ(missed_fraction(0s, 0s), 0.0);
  EXPECT_TRUE(is_busy({.missed = 0.25}));
  EXPECT_THAT(load_text({.others = 0.0, .missed = 0.25}), HasSubstr("did not get 25 % of their CPU time"));
}

struct attempt {
  double missed;
};

/// The fraction accepted when others take these fractions of the attempts, and the number of attempts.
std::pair<double, std::size_t> taken_of(const std::vector<double>& missed) {
  std::size_t made = 0;
  const double taken = least_disturbed([&] { return attempt{missed.at(made++)}; }).missed;
  return {taken, made};
}

TEST(least_disturbed, is_the_first_one_that_nobody_disturbs) {
  EXPECT_EQ(taken_of({0.0}), std::pair(0.0, std::size_t{1}));
  EXPECT_EQ(taken_of({0.1}), std::pair(0.1, std::size_t{1}));
  EXPECT_EQ(taken_of({0.5, 0.9, 0.05}), std::pair(0.05, std::size_t{3}));
}

TEST(least_disturbed, is_the_best_of_four_where_all_are_disturbed) {
  EXPECT_EQ(taken_of({0.5, 0.3, 0.9, 0.4}), std::pair(0.3, std::size_t{4}));
}

struct cpu_files : testing::Test {
  const test::scratch_folder folder;
  std::optional<cpu_account::of_machine> machine(const std::string& stat, const std::vector<int>& cpus) const {
    return detail::machine_times(folder.write("stat", stat), cpus);
  }
};

TEST_F(cpu_files, tell_of_the_cpus_that_may_be_used) {
  const std::string stat =
      "cpu  100 1 2 700 30 4 5 8 50 0\ncpu0 10 1 2 300 20 4 5 8 9 0\ncpu1 90 0 0 400 10 0 0 0 0 0\nintr 7 8\n";
  const auto both = machine(stat, {0, 1}), one = machine(stat, {1});
  EXPECT_EQ(both->all, 850 * one_tick);
  EXPECT_EQ(both->idle, 730 * one_tick);
  EXPECT_EQ(one->all, 500 * one_tick);
  EXPECT_EQ(one->idle, 410 * one_tick);
}

// A container may number its CPUs differently, and older kernels list fewer figures.
TEST_F(cpu_files, tell_of_all_where_one_of_them_is_not_named) {
  const auto all = machine("cpu  100 0 0 700\ncpu0 100 0 0 700\n", {5, 7});
  EXPECT_EQ(all->all, 800 * one_tick);
  EXPECT_EQ(all->idle, 700 * one_tick);
}

TEST_F(cpu_files, tell_nothing_where_they_are_missing_empty_or_hold_zeros) {
  EXPECT_FALSE(detail::machine_times(folder / "nowhere", std::vector<int>{0}));
  EXPECT_FALSE(machine("", {0}));
  EXPECT_FALSE(machine("cpu 1\ncpu0 1\n", {0}));
  EXPECT_FALSE(machine("cpu  0 0 0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0 0 0\n", {0}));
}

TEST_F(cpu_files, tell_of_the_group_that_a_quota_stopped_longest) {
  const auto withheld = [&](const std::string& groups) {
    return detail::withheld_time(folder.write("cgroup", groups), folder.path());
  };
  folder.write("a/cpu.stat", "usage_usec 9000\nnr_throttled 3\nthrottled_usec 70\n");
  folder.write("a/b/cpu.stat", "usage_usec 9000\nnr_throttled 3\nthrottled_usec 50\n");
  folder.write("cpu,cpuacct/c/cpu.stat", "nr_periods 4\nnr_throttled 3\nthrottled_time 90\n");
  EXPECT_EQ(withheld("0::/a/b\n"), 70us);
  EXPECT_EQ(withheld("3:cpu,cpuacct:/c\n"), 90ns);
  EXPECT_EQ(withheld("3:memory:/c\n"), 0ns);
  EXPECT_EQ(withheld("0::/nowhere\n"), 0ns);
}

/// Restores the previous reader.
struct reader_of_test {
  explicit reader_of_test(cpu_account_reader reader) : before(set_cpu_account_reader(std::move(reader))) {}
  ~reader_of_test() { set_cpu_account_reader(std::move(before)); }
  cpu_account_reader before;
};

TEST(cpu_watch, tells_what_its_reader_says) {
  int read = 0;
  const reader_of_test reader([&read] { return read++ == 0 ? at_first : after_ten_seconds(5s, 5s); });
  const cpu_watch watch;
  EXPECT_DOUBLE_EQ(watch.load().others.value(), 0.5);
  EXPECT_EQ(read, 2);
}

TEST(cpu_watch, reads_this_system) {
  const cpu_load load = cpu_watch().load();
  EXPECT_GE(load.others.value_or(0.0), 0.0);
  EXPECT_LE(load.others.value_or(1.0), 1.0);
  EXPECT_GE(load.withheld, 0.0);
  EXPECT_LE(load.withheld, 1.0);
}

}  // namespace
