// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/platform/child_process.hpp>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <mutex>
#include <set>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <hogwild/detail/platform/cleanup.hpp>
#include <hogwild/detail/platform/threads.hpp>
#include <hogwild/error.hpp>

#include "platform/pidfd.hpp"

namespace hogwild {
namespace {

using variables = std::vector<std::pair<std::string, std::string>>;

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> found;
  for (std::string& text : texts) found.push_back(text.data());
  found.push_back(nullptr);
  return found;
}

std::vector<std::string> environment_with(const variables& additions) {
  std::vector<std::string> all;
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
    const std::string_view entry = *at;
    const auto replaced = [&](const auto& addition) { return entry.starts_with(addition.first + "="); };
    if (std::none_of(additions.begin(), additions.end(), replaced)) all.emplace_back(entry);
  }
  for (const auto& [name, value] : additions) all.push_back(name + "=" + value);
  return all;
}

/// The name that `ps` shows: that of the file behind a path under /proc, whose last part is only a number.
std::string shown_name(const std::string& program) {
  std::error_code failed;
  if (!program.starts_with("/proc/")) return program;
  const auto file = std::filesystem::read_symlink(program, failed);
  return failed ? program : file.string();
}

class file_actions {
 public:
  file_actions() {
    check(::posix_spawn_file_actions_init(&actions_));
    check(::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0));
    check(::posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1));
  }
  file_actions(const file_actions&) = delete;
  file_actions& operator=(const file_actions&) = delete;
  ~file_actions() { ::posix_spawn_file_actions_destroy(&actions_); }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  static void check(int failure) {
    if (failure != 0) throw resource_error("no memory is left to start a process; free some");
  }
  posix_spawn_file_actions_t actions_;
};

class attributes {
 public:
  attributes() {
    if (::posix_spawnattr_init(&attributes_) != 0) throw resource_error("no memory is left to start a process");
    sigset_t none, all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  attributes(const attributes&) = delete;
  attributes& operator=(const attributes&) = delete;
  ~attributes() { ::posix_spawnattr_destroy(&attributes_); }
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

/// The CPU time of all children: of running ones from their clocks, of the others as reported when they were waited
/// for.
class cpu_times {
 public:
  void begin(pid_t pid) {
    const std::scoped_lock lock(mutex_);
    running_.insert(pid);
  }
  /// waitpid(). A child that has ended is counted once, even if another thread asks meanwhile: it is waited for before
  /// the lock is taken, and collected under the lock.
  pid_t collect(pid_t pid, int& raw, int options) {
    siginfo_t ended{};
    while ((options & WNOHANG) == 0 && ::waitid(P_PID, static_cast<id_t>(pid), &ended, WEXITED | WNOWAIT) < 0 &&
           errno == EINTR) {
    }
    const auto span = [](const timeval& t) {
      return std::chrono::seconds(t.tv_sec) + std::chrono::microseconds(t.tv_usec);
    };
    rusage used{};
    const std::scoped_lock lock(mutex_);
    const pid_t rc = ::wait4(pid, &raw, WNOHANG, &used);
    if (rc != 0) running_.erase(pid);
    if (rc == pid) of_ended_ += span(used.ru_utime) + span(used.ru_stime);
    return rc;
  }
  std::chrono::nanoseconds all() {
    const std::scoped_lock lock(mutex_);
    std::chrono::nanoseconds sum = of_ended_;
    for (const pid_t pid : running_) {
      clockid_t clock{};
      timespec time{};
      if (::clock_getcpuclockid(pid, &clock) == 0 && ::clock_gettime(clock, &time) == 0)
        sum += std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
    }
    return sum;
  }

 private:
  std::mutex mutex_;
  std::set<pid_t> running_;
  std::chrono::nanoseconds of_ended_{};
};

/// Never destroyed: children may be waited for while the program ends.
cpu_times& cpu_times_of_children() {
  static auto* const times = new cpu_times;
  return *times;
}

}  // namespace

std::chrono::nanoseconds children_cpu_time() {
  return cpu_times_of_children().all();
}

std::string exit_status::describe() const {
  if (unknown) return "ended, but its status was collected by another part of the program";
  if (signal == 0) return "ended with code " + std::to_string(code);
  const char* const name = ::sigdescr_np(signal);
  return "was killed by signal " + std::to_string(signal) + (name == nullptr ? "" : " (" + std::string(name) + ")");
}

struct child_process::state {
  pid_t pid = 0;
  detail::unique_fd pidfd{};
  std::optional<exit_status> status{};
  cleanup_handler at_once{};  ///< kills the child unless its status has been collected

  void collect(int options) {
    if (status) return;
    int raw = 0;
    const pid_t rc = cpu_times_of_children().collect(pid, raw, options);
    if (rc < 0) status = exit_status{.unknown = true};
    if (rc == pid && WIFEXITED(raw)) status = exit_status{.code = WEXITSTATUS(raw)};
    if (rc == pid && WIFSIGNALED(raw)) status = exit_status{.signal = WTERMSIG(raw)};
    if (status) at_once = {};
  }

  bool send(int signal) {
    collect(WNOHANG);
    if (status) return false;
    return send_now(signal);
  }
  bool send_now(int signal) const {
    if (pidfd) return ::syscall(SYS_pidfd_send_signal, pidfd.get(), signal, nullptr, 0u) == 0;
    return ::kill(pid, signal) == 0;
  }

  ~state() {
    if (send(SIGKILL)) collect(0);
  }
};

child_process::child_process(std::unique_ptr<state> s) noexcept : state_(std::move(s)) {}
child_process::child_process(child_process&&) noexcept = default;
child_process& child_process::operator=(child_process&&) noexcept = default;
child_process::~child_process() = default;

pid_t child_process::pid() const noexcept {
  return state_->pid;
}
int child_process::pidfd() const noexcept {
  return state_->pidfd.get();
}
bool child_process::kill(int signal) {
  return state_->send(signal);
}

std::optional<exit_status> child_process::poll_exit() {
  state_->collect(WNOHANG);
  return state_->status;
}

std::optional<exit_status> child_process::wait_for(std::chrono::nanoseconds timeout) {
  const auto deadline = detail::deadline_after(timeout);
  if (state_->pidfd && !poll_exit()) detail::ended_by(state_->pidfd.get(), deadline);
  if (!state_->pidfd) detail::poll_until(deadline, [&] { return poll_exit().has_value(); });
  return poll_exit();
}

child_process spawn(const std::string& program, const std::vector<std::string>& arguments,
                    const variables& environment) {
  std::vector<std::string> words{shown_name(program)};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> settings = environment_with(environment);
  const file_actions actions;
  const attributes signals;
  const std::vector<char*> argv = pointers(words), envp = pointers(settings);
  std::unique_ptr<child_process::state> started(new child_process::state{});
  const int failure =
      ::posix_spawn(&started->pid, program.c_str(), actions.get(), signals.get(), argv.data(), envp.data());
  if (failure != 0) {
    started->status = exit_status{.unknown = true};  // nothing to wait for
    throw resource_error(
        "cannot start " + words.front() + " (" + std::generic_category().message(failure) + "); " +
        (failure == EAGAIN ? thread_limit_text() : "check that the file is there and may be executed"));
  }
  cpu_times_of_children().begin(started->pid);
  started->pidfd = detail::open_pidfd(started->pid);
  started->at_once = cleanup_handler([s = started.get()] { s->send_now(SIGKILL); });
  return child_process(std::move(started));
}

std::string this_program() {
  // The descriptor refers to the running program's file itself, whatever its path leads to now.
  static const detail::unique_fd file(::open("/proc/self/exe", O_PATH | O_CLOEXEC));
  if (!file) throw resource_error("cannot open /proc/self/exe; mount /proc: worker processes are started through it");
  return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(file.get());
}

}  // namespace hogwild
