// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/platform/child_process.hpp>

#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <hogwild/detail/platform/process_watch.hpp>
#include <hogwild/error.hpp>

#include "support/eventually.hpp"
#include "support/refusals.hpp"
#include "support/scratch_folder.hpp"

using namespace hogwild;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

child_process run(const std::vector<std::string>& role) {
  return spawn(this_program(), role);
}

/// How a child ends.
exit_status end_of(child_process& child) {
  const auto status = child.wait_for(60s);
  EXPECT_TRUE(status);
  return status.value_or(exit_status{.code = -1});
}

// Roles of this executable as another process.

/// Bits: 1 blocked signals, 2 ignored signals, 4 standard input, 8 open descriptors.
int report_surroundings() {
  int wrong = 0;
  sigset_t blocked;
  ::sigprocmask(SIG_BLOCK, nullptr, &blocked);
  if (::sigismember(&blocked, SIGUSR1) == 1) wrong |= 1;
  struct sigaction action {};
  ::sigaction(SIGUSR2, nullptr, &action);
  if (action.sa_handler != SIG_DFL) wrong |= 2;
  char byte = 0;
  if (::read(STDIN_FILENO, &byte, 1) != 0) wrong |= 4;
  if (::fcntl(std::atoi(std::getenv("OPEN_IN_PARENT")), F_GETFD) != -1) wrong |= 8;
  return wrong;
}

int start_again_after_own_file_is_gone(const char* file) {
  if (!fs::remove(file)) return 100;
  const auto status = run({"--exit", "7"}).wait_for(60s);
  return status ? status->code : 101;
}

/// Makes pidfd_open fail as on an old kernel. Roles return no_seccomp where that is refused.
constexpr int no_seccomp = 77;
bool forbid_pidfd() {
  sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 0, 1),
                        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
                        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program{.len = 4, .filter = code};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

int live_without_pidfd() {
  if (!forbid_pidfd()) return no_seccomp;
  child_process child = run({"--sleep"});
  const process_watch watch(*process_identity::of(child.pid()));
  if (child.pidfd() != -1) return 1;
  if (child.poll_exit() || child.wait_for(20ms) || watch.ended()) return 2;
  if (!child.kill(SIGTERM)) return 3;
  const auto status = child.wait_for(60s);
  if (!status || status->signal != SIGTERM) return 4;
  return watch.wait_for(60s) && !child.kill(SIGTERM) ? 0 : 5;
}

/// Starts a sleeper that watches this process and then dies by SIGKILL.
int die_watched(const char* pipe_path) {
  child_process watcher = spawn(this_program(), {"--watch", std::to_string(::getpid()), pipe_path});
  return ::pause();
}

int watch(const char* pid, const char* pipe_path) {
  const process_watch supervisor(*process_identity::of(std::atoi(pid)));
  const int pipe = ::open(pipe_path, O_WRONLY | O_CLOEXEC);
  const auto say = [&](char what) { return ::write(pipe, &what, 1) == 1; };
  if (!say('w')) return 1;
  return say(supervisor.wait_for(60s) ? 'e' : 't') ? 0 : 1;
}

TEST(child_process, gives_the_exit_code) {
  child_process child = run({"--exit", "3"});
  const exit_status status = end_of(child);
  EXPECT_EQ(status.code, 3);
  EXPECT_FALSE(status.success());
  EXPECT_EQ(status.describe(), "ended with code 3");
  ASSERT_TRUE(child.poll_exit());  // the same answer again
  EXPECT_EQ(child.poll_exit()->code, 3);
}

TEST(child_process, tells_a_running_child_from_a_killed_one) {
  child_process child = run({"--sleep"});
  EXPECT_FALSE(child.poll_exit());
  EXPECT_FALSE(child.wait_for(10ms));
  EXPECT_TRUE(process_identity::of(child.pid())->alive());
  EXPECT_TRUE(child.kill(SIGKILL));
  const exit_status status = end_of(child);
  EXPECT_EQ(status.signal, SIGKILL);
  EXPECT_EQ(status.describe(), "was killed by signal 9 (Killed)");
  EXPECT_FALSE(child.kill(SIGKILL));
}

TEST(child_process, does_not_outlive_its_handle) {
  process_identity who;
  {
    const child_process child = run({"--sleep"});
    who = *process_identity::of(child.pid());
    EXPECT_TRUE(who.alive());
  }
  EXPECT_FALSE(who.alive());
}

TEST(child_process, starts_with_clean_signals_and_no_descriptors) {
  sigset_t one, before;
  ::sigemptyset(&one);
  ::sigaddset(&one, SIGUSR1);
  ::pthread_sigmask(SIG_BLOCK, &one, &before);
  ::signal(SIGUSR2, SIG_IGN);
  const int open = ::dup(STDERR_FILENO);  // without close-on-exec
  child_process child = spawn(this_program(), {"--surroundings"}, {{"OPEN_IN_PARENT", std::to_string(open)}});
  EXPECT_EQ(end_of(child).code, 0);
  ::close(open);
  ::signal(SIGUSR2, SIG_DFL);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST(child_process, adds_to_the_environment_and_replaces_in_it) {
  ::setenv("HOGWILD_TEST_OLD", "old", 1);
  ::setenv("HOGWILD_TEST_KEPT", "kept", 1);
  const std::string check = R"(test "$HOGWILD_TEST_OLD$HOGWILD_TEST_NEW$HOGWILD_TEST_KEPT" = "a b=ckept")";
  child_process child = spawn("/bin/sh", {"-c", check}, {{"HOGWILD_TEST_OLD", "a b"}, {"HOGWILD_TEST_NEW", "=c"}});
  EXPECT_EQ(end_of(child).describe(), "ended with code 0");
}

TEST(child_process, says_what_cannot_be_started) {
  const std::string said = test::message_of<resource_error>([] { spawn("/no/such/program", {}); });
  EXPECT_NE(said.find("/no/such/program (No such file or directory)"), std::string::npos) << said;
}

TEST(child_process, starts_this_program_even_when_its_file_is_gone) {
  const test::scratch_folder folder;
  const fs::path copy = folder / "program";
  fs::copy_file("/proc/self/exe", copy);
  child_process child = spawn(copy.string(), {"--orphaned-file", copy.string()});
  EXPECT_EQ(end_of(child).code, 7);
}

TEST(child_process, lives_without_pidfds) {
  child_process child = run({"--without-pidfd"});
  const exit_status status = end_of(child);
  if (status.code == no_seccomp) GTEST_SKIP() << "seccomp is not available here";
  EXPECT_TRUE(status.success()) << status.describe();
}

TEST(process_watch, a_worker_notices_its_killed_supervisor) {
  const test::scratch_folder folder;
  const fs::path path = folder / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const int pipe = ::open(path.c_str(), O_RDWR | O_CLOEXEC);  // both ways, so that opening waits for nobody
  child_process supervisor = run({"--die-watched", path.string()});
  char said = 0;
  EXPECT_EQ(::read(pipe, &said, 1), 1);
  EXPECT_EQ(said, 'w');
  supervisor.kill(SIGKILL);
  EXPECT_EQ(::read(pipe, &said, 1), 1);
  EXPECT_EQ(said, 'e');
  ::close(pipe);
}

TEST(process_watch, somebody_with_the_same_number_is_not_meant) {
  process_identity earlier = process_identity::current();
  EXPECT_FALSE(process_watch(earlier).ended());
  earlier.start_time -= 2;
  EXPECT_FALSE(earlier.alive());
  EXPECT_TRUE(process_watch(earlier).ended());
}

TEST(process_identity, is_dead_as_a_zombie_or_after_another_boot) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  const auto who = process_identity::of(child);
  ASSERT_TRUE(who);  // a zombie still has its entry
  EXPECT_TRUE(test::eventually(20s, [&] { return !who->alive(); }));
  EXPECT_TRUE(process_identity::of(child));
  ::waitpid(child, nullptr, 0);
  EXPECT_FALSE(process_identity::of(child));

  process_identity other_boot = process_identity::current();
  EXPECT_TRUE(other_boot.alive());
  other_boot.boot ^= 1;
  EXPECT_FALSE(other_boot.alive());
  EXPECT_FALSE(process_identity{}.alive());
}

/// While it lives, this process cannot open anything.
class no_descriptors {
 public:
  no_descriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const int next = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::close(next);
    struct rlimit none = before_;
    none.rlim_cur = static_cast<rlim_t>(next);
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  no_descriptors(const no_descriptors&) = delete;
  no_descriptors& operator=(const no_descriptors&) = delete;
  ~no_descriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  struct rlimit before_ {};
};

TEST(process_identity, is_not_dead_where_no_descriptor_is_left_to_look) {
  child_process child = run({"--sleep"});
  const auto who = process_identity::of(child.pid());
  ASSERT_TRUE(who);
  {
    const no_descriptors now;
    ASSERT_FALSE(process_identity::of(child.pid()));
    EXPECT_TRUE(who->alive());
    EXPECT_FALSE(process_watch(*who).certain());
    EXPECT_FALSE(process_watch(*who).ended());
    child.kill(SIGKILL);
    ASSERT_TRUE(child.wait_for(60s));
    EXPECT_FALSE(who->alive());
  }
  EXPECT_TRUE(process_watch(*who).ended());
}

/// Runs this program with a role and this process's identity, in a time namespace where processes began a day later.
std::optional<exit_status> in_another_time(const std::string& role) {
  const auto self = process_identity::current();
  const std::vector<std::string> there{"-T",
                                       "--boottime",
                                       "100000",
                                       "--fork",
                                       this_program(),
                                       role,
                                       std::to_string(self.pid),
                                       std::to_string(self.start_time)};
  try {
    return spawn("/usr/bin/unshare", there).wait_for(60s);
  } catch (const resource_error&) {
    return exit_status{.code = 1};
  }
}

class in_time_namespace : public testing::TestWithParam<const char*> {};

TEST_P(in_time_namespace, a_process_is_the_same_and_alive) {
  const auto status = in_another_time(GetParam());
  ASSERT_TRUE(status);
  if (status->code == 1) GTEST_SKIP() << "time namespaces need a kernel that has them, and the rights of root";
  EXPECT_TRUE(status->success()) << status->describe();
}

INSTANTIATE_TEST_SUITE_P(process_identity, in_time_namespace, testing::Values("--sees", "--sees-among-others"));

TEST(process_identity, is_the_same_where_clocks_are_part_of_a_tick_apart) {
  const auto self = process_identity::current();
  for (const int ticks : {-2, -1, 0, 1, 2}) {
    process_identity seen = self;
    seen.start_time += static_cast<std::uint64_t>(ticks);
    EXPECT_EQ(seen.is_same(self), std::abs(ticks) < 2) << ticks;
    EXPECT_EQ(self.is_same(seen), std::abs(ticks) < 2) << ticks;
    EXPECT_EQ(seen.alive(), std::abs(ticks) < 2) << ticks;
  }
}

TEST(process_watch, sends_signals_to_nobody_but_the_process) {
  child_process child = run({"--sleep"});
  const process_watch watch(*process_identity::of(child.pid()));
  EXPECT_TRUE(watch.certain());
  EXPECT_TRUE(watch.kill(SIGTERM));
  EXPECT_EQ(end_of(child).signal, SIGTERM);
  EXPECT_FALSE(watch.kill(SIGTERM));
  process_identity earlier = process_identity::current();
  earlier.start_time -= 2;
  EXPECT_FALSE(process_watch(earlier).certain());
  EXPECT_FALSE(process_watch(earlier).kill(SIGTERM));
}

/// In another time namespace: whether process `pid` is the one that began at `start` elsewhere.
int sees(const char* pid, const char* start) {
  const auto who = process_identity::of(std::atoi(pid));
  return who && who->alive() && std::to_string(who->start_time) == start ? 0 : 7;
}

/// The same, while another thread has the only descriptor every now and then.
int sees_among_others(const char* pid) {
  const auto who = process_identity::of(std::atoi(pid));
  if (!who) return 7;
  const int next = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::close(next);
  struct rlimit limit {};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = static_cast<rlim_t>(next) + 1;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  const std::jthread other([](const std::stop_token& stop) {
    while (!stop.stop_requested()) ::close(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  });
  for (int look = 0; look < 30'000; ++look)
    if (!who->alive()) return 8;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string role = argc > 1 ? argv[1] : "";
  if (role == "--exit") return std::atoi(argv[2]);
  if (role == "--sleep") return ::pause();
  if (role == "--surroundings") return report_surroundings();
  if (role == "--orphaned-file") return start_again_after_own_file_is_gone(argv[2]);
  if (role == "--without-pidfd") return live_without_pidfd();
  if (role == "--die-watched") return die_watched(argv[2]);
  if (role == "--sees") return sees(argv[2], argv[3]);
  if (role == "--sees-among-others") return sees_among_others(argv[2]);
  if (role == "--watch") return watch(argv[2], argv[3]);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
