// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/platform/threads.hpp>

#include <cstdio>
#include <string>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/scratch_folder.hpp"

using namespace hogwild;
using ::testing::AllOf;
using ::testing::HasSubstr;

namespace {

const std::string no_limit = "no limit";  ///< returned where this user can set no limit that holds

/// The error message in a child process that may have `most` processes and threads, including itself, and asks for `n`
/// more. A user that has other processes may have none in any case.
std::string told(rlim_t most, std::size_t n) {
  int ends[2];
  if (::pipe(ends) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    constexpr uid_t nobody_else = 54322;  // the limit does not hold for root
    const ::rlimit limit{most, most};
    std::string said = "all are there";
    if (::setrlimit(RLIMIT_NPROC, &limit) != 0 || (::geteuid() == 0 && ::setuid(nobody_else) != 0)) said = no_limit;
    try {
      require_threads(n);
      start_thread([] {}).join();
    } catch (const resource_error& e) {
      said = e.what();
    }
    const auto written = ::write(ends[1], said.data(), said.size());
    ::_exit(written < 0 ? 1 : 0);
  }
  ::close(ends[1]);
  std::string said;
  char text[256];
  for (ssize_t got = 0; (got = ::read(ends[0], text, sizeof text)) > 0;)
    said.append(text, static_cast<std::size_t>(got));
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);  // it would count for the next one
  return said;
}

TEST(threads, are_there_where_nothing_limits_them) {
  EXPECT_NO_THROW(require_threads(0));
  for (int again = 0; again < 20; ++again) EXPECT_NO_THROW(require_threads(8));
  EXPECT_NO_THROW(require_tbb_threads(4));
  bool ran = false;
  start_thread([&](int) { ran = true; }, 1).join();
  EXPECT_TRUE(ran);
}

TEST(threads, beyond_the_limit_are_refused_with_its_name) {
  if (told(1, 1) == no_limit) GTEST_SKIP() << "root cannot become another user here, whom a limit holds";
  EXPECT_THAT(told(1, 1), AllOf(HasSubstr("cannot start another thread: "),
                                HasSubstr("this user may have 1 processes and threads (ulimit -u)")));
  EXPECT_THAT(told(1, 3), HasSubstr("cannot start 3 more threads, but only 0: "));
}

TEST(threads, that_were_asked_for_leave_room_for_as_many_afterwards) {
  if (::geteuid() != 0) GTEST_SKIP() << "a user's other processes count; needs root, to become a user without any";
  if (told(2, 1) == no_limit) GTEST_SKIP() << "root cannot become another user here, whom a limit holds";
  for (int again = 0; again < 20; ++again) {
    EXPECT_EQ(told(2, 1), "all are there");
    EXPECT_EQ(told(5, 4), "all are there");
  }
  EXPECT_THAT(told(5, 5), HasSubstr("cannot start 5 more threads, but only 4: "));
}

struct pids_limit : testing::Test {
  const test::scratch_folder folder;
  void group(const std::string& name, const std::string& most, const std::string& now) const {
    folder.write(name + "/pids.max", most + "\n");
    folder.write(name + "/pids.current", now + "\n");
  }
  std::optional<std::uint64_t> reached(const std::string& list) const {
    return detail::reached_pids_limit(folder.write("cgroup", list), folder.path());
  }
};

TEST_F(pids_limit, counts_where_it_is_reached) {
  group("a/b", "20", "20");
  EXPECT_EQ(reached("0::/a/b\n"), 20u);
  group("a/b", "20", "19");
  EXPECT_EQ(reached("0::/a/b\n"), std::nullopt);
  group("a/b", "max", "19");
  EXPECT_EQ(reached("0::/a/b\n"), std::nullopt);
}

TEST_F(pids_limit, is_looked_for_on_the_way_up_and_in_both_versions) {
  group("a/b", "max", "7");
  group("a", "9", "9");
  EXPECT_EQ(reached("0::/a/b\n"), 9u);
  group("pids/c", "3", "4");
  EXPECT_EQ(reached("8:pids:/c\n2:cpu:/\n"), 3u);
  EXPECT_EQ(reached("8:memory:/c\n"), std::nullopt);
}

TEST(machine_limit, counts_where_it_is_reached) {
  const test::scratch_folder proc;
  proc.write("sys/kernel/threads-max", "100\n");
  proc.write("loadavg", "0.20 0.18 0.12 1/100 11206\n");
  EXPECT_EQ(detail::reached_machine_limit(proc.path()), 100u);
  proc.write("loadavg", "0.20 0.18 0.12 1/99 11206\n");
  EXPECT_EQ(detail::reached_machine_limit(proc.path()), std::nullopt);
  EXPECT_EQ(detail::reached_machine_limit(proc / "nowhere"), std::nullopt);
}

}  // namespace
