// SPDX-License-Identifier: Apache-2.0
// Effects of signals on the command, and what is left behind.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

#include <hogwild/detail/memory/segment.hpp>
#include <hogwild/detail/platform/process_identity.hpp>
#include <interrupt/interrupt.hpp>

#include "small_data.hpp"
#include "support/eventually.hpp"
#include "support/kept_segment.hpp"

namespace hogwild::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<std::string> names_in(const std::filesystem::path& folder, const std::string& begin) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().filename().string().starts_with(begin)) found.push_back(entry.path().filename());
  }
  return found;
}

std::vector<std::string> segments_made_by(pid_t process) {
  return names_in("/dev/shm", "hogwild-" + std::to_string(process) + "-");
}

std::vector<process_identity> children_of(pid_t process) {
  std::vector<process_identity> found;
  const std::string number = std::to_string(process);
  std::ifstream list("/proc/" + number + "/task/" + number + "/children");
  for (pid_t child = 0; list >> child;) {
    if (const auto who = process_identity::of(child)) found.push_back(*who);
  }
  return found;
}

/// A script that runs the command when nobody reads its output any more, and prints its exit code.
std::string unread_into(const std::string& code) {
  return "{ trap '' PIPE; while echo; do :; done 2>/dev/null; trap - PIPE; \"$@\"; echo $? >" + code +
         "; } | true; cat " + code;
}

/// Whether the first thread of a process is in the middle of a write to stderr.
bool writes_to_stderr(pid_t process) {
  const std::string call = read_file("/proc/" + std::to_string(process) + "/syscall");
  return call.starts_with(std::to_string(SYS_write) + " 0x2 ");
}

class signals : public with_small_data {
 protected:
  static command_words for_ever(const char* engine, const std::string& model) {
    return {"train", train(), "--engine", engine, "--workers 2 --epochs 100000000 --save", model};
  }
  /// Signals a run that has come to its second epoch, and its workers if `all`: it saves its model and leaves nothing.
  static void expect_saved(const char* engine, int signal, bool all = false) {
    const std::string model = file("signalled.bin");
    SCOPED_TRACE(std::string(engine) + " and signal " + std::to_string(signal));
    std::filesystem::remove(model);
    running_command run({"train", train(), "--epochs 100000000 --json --save", model, "--engine", engine});
    const pid_t pid = run.pid();
    ASSERT_TRUE(run.says("epoch 2/")) << run.err();
    if (all) {
      const auto workers = children_of(pid);
      EXPECT_FALSE(workers.empty());
      for (const process_identity& worker : workers) ::kill(worker.pid, signal);
      ASSERT_TRUE(run.says("epoch " + std::to_string(lines_of(run.err()).size() + 2) + "/")) << run.err();
    }
    run.signal(signal);
    const outcome o = run.wait();
    EXPECT_EQ(o.code, 130) << o.err;
    EXPECT_THAT(o.err, Not(HasSubstr("takes its place")));
    EXPECT_EQ(nlohmann::json::parse(o.out)["status"], "stopped");
    EXPECT_THAT(segments_made_by(pid), IsEmpty());
    EXPECT_EQ(hogwild({"evaluate", model, test()}).code, 0);
  }
};

TEST_F(signals, that_end_a_run_save_the_model_and_leave_no_segment) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    for (const char* const engine : {"threads --workers 2", "processes --workers 2"}) expect_saved(engine, signal);
  for (const char* const engine :
       {"serial", "ring --workers 2 --replicas 2", "ring --workers 2 --replicas 2 --transport shared_segment",
        "all_reduce --workers 2", "local_sgd --workers 2"})
    expect_saved(engine, SIGINT);
}

TEST_F(signals, that_reach_the_workers_too_end_the_run_in_order) {
  for (const char* const engine : {"processes --workers 2", "local_sgd --workers 2 --transport shared_segment"})
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) expect_saved(engine, signal, true);
}

TEST_F(signals, a_run_that_nobody_reads_any_more_saves_its_model) {
  const std::string model = *folder / "unread.bin", code = *folder / "code";
  const outcome o =
      in_shell("{ \"$@\" 2>&1; echo $? >" + code + "; } | sed '/epoch 1/q'; cat " + code, for_ever("processes", model));
  EXPECT_THAT(o.out, HasSubstr("epoch 1/"));
  EXPECT_EQ(lines_of(o.out).back(), "130");
  EXPECT_EQ(hogwild({"evaluate", model, test()}).code, 0);
  // Its segment names a process that only the shell has known; no other run's of this model can be told from it.
  const outcome summary = in_shell(unread_into(code), {"train", train(), "--epochs 1 --quiet --json"});
  EXPECT_EQ(summary.out, "130\n") << "the summary was not read";
}

// No reader is left for the model.
TEST_F(signals, a_model_that_nobody_reads_ends_the_command_as_a_broken_pipe_does) {
  const std::string code = *folder / "code";
  const outcome o = in_shell(unread_into(code), {"train", train(), "--epochs 1 --save /dev/stdout"});
  EXPECT_EQ(o.out, "141\n");
  EXPECT_THAT(o.err, Not(HasSubstr("stopping")));
  EXPECT_THAT(o.err, Not(HasSubstr("cannot write")));
}

/// A run that cannot come to its end by itself: the reader of its output has stopped, and its first thread waits for it
/// in the middle of a write.
class held_up_run {
 public:
  held_up_run(const std::string& pipe, const command_words& arguments)
      : made_(::mkfifo(pipe.c_str(), 0600)),
        held_(::open(pipe.c_str(), O_RDWR | O_CLOEXEC)),
        run_(arguments, "", "", pipe) {
    EXPECT_TRUE(eventually(60s, [&] {
      int now = 0;
      ::ioctl(held_, FIONREAD, &now);
      return now > 4096;
    }));
    ::fcntl(held_, F_SETFL, ::fcntl(held_, F_GETFL) | O_NONBLOCK);
    while (::write(held_, "-", 1) == 1) {  // from here it is full, however slow the run is
    }
    EXPECT_TRUE(eventually(60s, [&] { return writes_to_stderr(run_.pid()); }));
  }
  ~held_up_run() { ::close(held_); }
  held_up_run(const held_up_run&) = delete;
  held_up_run& operator=(const held_up_run&) = delete;

  running_command& command() { return run_; }
  /// Sends it, and returns when the program has taken it.
  void signal(int number) const {
    run_.signal(number);
    EXPECT_TRUE(eventually(60s, [&] { return !is_pending(number); })) << number;
  }
  /// Lets it go on, until it has ended.
  outcome read_to_the_end() {
    const std::jthread reader([this](const std::stop_token& stop) {
      std::array<char, 4096> some{};
      while (!stop.stop_requested())
        if (::read(held_, some.data(), some.size()) <= 0) std::this_thread::sleep_for(1ms);
    });
    return run_.wait();
  }

 private:
  bool is_pending(int number) const {
    std::ifstream status("/proc/" + std::to_string(run_.pid()) + "/status");
    for (std::string line; std::getline(status, line);)
      if (line.starts_with("ShdPnd:")) return (std::stoull(line.substr(7), nullptr, 16) >> (number - 1)) & 1;
    return false;
  }

  int made_, held_;
  running_command run_;
};

TEST_F(signals, that_follow_within_two_seconds_are_the_same_request) {
  const std::string model = *folder / "twice.bin";
  held_up_run run(*folder / "twice", for_ever("processes", model));
  // timeout(1) sends it to the program and to its group; a service manager sends two kinds.
  for (const int number : {SIGTERM, SIGTERM, SIGHUP, SIGINT, SIGXCPU, SIGUSR1}) run.signal(number);
  EXPECT_EQ(run.read_to_the_end().code, 130);
  EXPECT_EQ(hogwild({"evaluate", model, test()}).code, 0);
}

TEST_F(signals, a_later_one_ends_at_once_and_leaves_nothing) {
  const std::string model = *folder / "second.bin";
  held_up_run run(*folder / "later", for_ever("processes", model));
  const pid_t pid = run.command().pid();
  const auto workers = children_of(pid);
  EXPECT_FALSE(workers.empty());
  run.signal(SIGINT);
  run.signal(SIGXCPU);  // is taken once the program has dealt with the one before
  EXPECT_EQ(segments_made_by(pid).size(), 1u);
  std::this_thread::sleep_for(interrupt::one_request);  // the clock of the program is real
  for (int k = 0; k < 2; ++k) run.signal(SIGXCPU);      // the system repeats it, and it never is a later one
  EXPECT_EQ(segments_made_by(pid).size(), 1u);
  run.command().signal(SIGINT);
  EXPECT_EQ(run.command().wait().code, 130);
  for (const process_identity& worker : workers) EXPECT_TRUE(eventually(60s, [&] { return !worker.alive(); }));
  EXPECT_TRUE(segments_made_by(pid).empty());
  EXPECT_FALSE(std::filesystem::exists(model));
}

// Signals as a batch system sends them before the end of a job, perhaps to all of its processes.
TEST_F(signals, of_batch_systems_save_the_model) {
  expect_saved("processes --workers 2", SIGXCPU);
  for (const int signal : {SIGUSR1, SIGUSR2, SIGALRM}) expect_saved("processes --workers 2", signal, true);
}

// The limit is each process's own, and workers reach theirs long before the process that waits for them.
TEST_F(signals, a_worker_at_its_limit_of_cpu_time_ends_the_run_in_order) {
  for (const char* const engine : {"processes", "local_sgd --transport shared_segment"}) {
    const std::string model = *folder / "limit.bin";
    std::filesystem::remove(model);
    // Rows that take long, and no measurements, which that one would have to make.
    const outcome o = in_shell("ulimit -S -t 1; exec \"$@\"",
                               {for_ever(engine, model), "--measure-every 1000000 --model factorization_machine",
                                "--factors 64 --step 0.001"});
    EXPECT_EQ(o.code, 130) << engine << "\n" << o.err;
    EXPECT_THAT(o.err, HasSubstr("has used up its CPU time"));
    EXPECT_THAT(o.err, Not(HasSubstr("takes its place")));
    EXPECT_EQ(hogwild({"evaluate", model, test()}).code, 0);
  }
}

// Equal limits, as `ulimit -t` sets them, end a process without a warning: the soft one is lowered.
TEST_F(signals, a_limit_of_cpu_time_leaves_time_to_save) {
  const std::string model = *folder / "limit.bin";
  std::filesystem::remove(model);
  const outcome o = in_shell("ulimit -t 2; exec \"$@\"", for_ever("threads", model));
  EXPECT_EQ(o.code, 130) << o.err;
  EXPECT_EQ(hogwild({"evaluate", model, test()}).code, 0);
}

TEST_F(signals, that_end_the_program_without_saving_leave_no_segment) {
  for (const int signal : {SIGQUIT, SIGABRT}) {
    running_command run(shell_program("ulimit -c 0; exec \"$@\"", for_ever("processes", *folder / "never.bin")));
    const pid_t pid = run.pid();
    ASSERT_TRUE(run.says("epoch 2/")) << run.err();
    EXPECT_EQ(segments_made_by(pid).size(), 1u);
    run.signal(signal);
    EXPECT_EQ(run.wait().code, -signal);
    EXPECT_THAT(segments_made_by(pid), IsEmpty()) << signal;
  }
}

TEST_F(signals, leave_nothing_of_files_that_are_being_written) {
  const scratch_folder place;
  const std::vector<std::pair<int, int>> ends = {{SIGINT, 130},       {SIGTERM, 130},     {SIGHUP, 130},
                                                 {SIGXCPU, 130},      {SIGUSR1, 130},     {SIGQUIT, -SIGQUIT},
                                                 {SIGABRT, -SIGABRT}, {SIGPIPE, -SIGPIPE}};
  for (const auto& [signal, code] : ends) {
    running_command run(
        shell_program("ulimit -c 0; exec \"$@\"",
                      {"generate", place / "made.svm", "--test", place / "test.svm", "--rows 100000000 --nonzeros 1"}));
    ASSERT_TRUE(eventually(60s, [&] {
      std::size_t begun = 0;
      for (const auto& entry : std::filesystem::directory_iterator(place.path())) begun += entry.file_size() > 0;
      return begun == 2;
    })) << run.err();
    run.signal(signal);
    EXPECT_EQ(run.wait().code, code) << signal;
    EXPECT_THAT(names_in(place.path(), ""), IsEmpty()) << signal;
  }
}

TEST_F(signals, that_are_ignored_at_the_start_stay_ignored) {
  const std::string taken = std::string("trap '' HUP; LD_PRELOAD='") + TAKES_HANGUP + "'";
  for (const std::string& begin : {std::string("trap '' HUP;"), std::string("trap '' INT;"), taken}) {
    SCOPED_TRACE(begin);
    running_command run(shell_program(begin + " exec \"$@\"", for_ever("processes", *folder / "m.bin")));
    ASSERT_TRUE(run.says("epoch 2/")) << run.err();
    run.signal(begin.find("HUP") != std::string::npos ? SIGHUP : SIGINT);
    const std::size_t so_far = lines_of(run.err()).size();
    EXPECT_TRUE(eventually(60s, [&] { return lines_of(run.err()).size() > so_far + 20; }));
    run.signal(SIGTERM);
    EXPECT_EQ(run.wait().code, 130);
  }
}

TEST_F(signals, what_a_dead_run_left_goes_with_the_next_one) {
  running_command living(for_ever("processes", *folder / "living.bin")), dead(for_ever("processes", *folder / "x.bin"));
  const pid_t alive = living.pid(), killed = dead.pid();
  ASSERT_TRUE(living.says("epoch 1/") && dead.says("epoch 1/"));
  const auto left = segments_made_by(killed);
  ASSERT_EQ(left.size(), 1u);
  dead.signal(SIGKILL);
  auto kept = std::make_unique<kept_segment>(left.front());
  dead.wait();
  ASSERT_EQ(segments_made_by(killed).size(), 1u);
  const outcome other = hogwild({"train", train(), "--epochs 1"});
  EXPECT_EQ(other.code, 0);
  EXPECT_THAT(other.err, Not(HasSubstr("dead run"))) << "it makes no segment";
  kept.reset();
  const outcome next = hogwild({"train", train(), "--epochs 1 --engine processes"});
  EXPECT_EQ(next.code, 0) << next.err;
  EXPECT_THAT(segments_made_by(killed), IsEmpty()) << "removed by it, or by a run elsewhere";
  EXPECT_EQ(segments_made_by(alive).size(), 1u);
  living.signal(SIGINT);
  EXPECT_EQ(living.wait().code, 130);
}

}  // namespace
}  // namespace hogwild::test
