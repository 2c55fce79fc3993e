// SPDX-License-Identifier: Apache-2.0
// The end of a supervisor, voluntary or not, and what is left behind.
#include <chrono>
#include <csignal>
#include <ctime>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>

#include <hogwild/detail/platform/child_process.hpp>
#include <hogwild/error.hpp>
#include <hogwild/models/logistic.hpp>

#include "process_run.hpp"
#include "support/kept_segment.hpp"
#include "support/program_role.hpp"
#include "support/scratch_folder.hpp"

namespace hogwild {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

train_options for_ever() {
  return {.epochs = 1000000, .step = {.initial = 0.1, .decay = 1.0}, .sharing = sharing_kind::direct};
}

int supervise() {
  const test::toy_rows rows = test::some_rows();
  train(test::slow_logistic{}, rows.csr(), process_engine{.workers = 3}, for_ever());
  return 0;
}

/// Trains where /dev/shm has 256 KiB, and writes the outcome.
int supervise_in_a_small_room(const std::string& report) {
  if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("none", "/dev/shm", "tmpfs", 0, "size=256k") != 0) {
    return 77;
  }
  const test::toy_rows rows = test::planted_classification({.rows = 1000, .columns = 200000, .per_row = 8});
  try {
    train(logistic{}, rows.csr(), process_engine{.workers = 2}, for_ever());
  } catch (const error& e) {
    std::ofstream(report) << e.what();
    return static_cast<int>(e.code());
  }
  return 0;
}

TEST(killed_supervisor, takes_its_workers_along_and_leaves_a_segment_to_purge) {
  child_process supervisor = spawn(this_program(), {"--supervise"});
  const auto run = test::look_at_run(supervisor.pid(), 3, test::slow_logistic::name);
  ASSERT_TRUE(run);
  std::vector<process_identity> workers;
  for (const worker_slot& slot : run->slots()) {
    if (const auto who = process_identity::of(slot.pid)) workers.push_back(*who);
  }
  ASSERT_EQ(workers.size(), 3u);
  EXPECT_THAT(purge_segments(), Not(Contains(run->name())));
  ASSERT_TRUE(test::segment_of(supervisor.pid()));
  EXPECT_TRUE(test::segment_of(supervisor.pid())->owner_alive);

  supervisor.kill(SIGKILL);
  const auto killed = std::chrono::steady_clock::now();
  auto kept = std::make_unique<test::kept_segment>(run->name());
  EXPECT_TRUE(
      test::eventually(60s, [&] { return std::ranges::none_of(workers, [](const auto& w) { return w.alive(); }); }));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - killed;
  RecordProperty("seconds_until_workers_left", std::to_string(took.count()));

  supervisor.wait_for(60s);
  ASSERT_TRUE(test::segment_of(supervisor.pid()));
  EXPECT_FALSE(test::segment_of(supervisor.pid())->owner_alive);
  kept.reset();
  EXPECT_TRUE(test::eventually(60s, [&] {
    purge_segments();  // perhaps not at the first try: a process that lists segments holds a lock for a moment
    return !test::segment_of(supervisor.pid());
  }));
}

TEST(killed_supervisor, and_a_dead_worker_with_a_stripe_do_not_keep_the_others) {
  // No supervisor is left to find that the stripe's owner is dead: the watch of each worker does.
  child_process supervisor = spawn(this_program(), {"--supervise-locked"});
  const auto run = test::look_at_run(supervisor.pid(), 2, logistic::name);
  ASSERT_TRUE(run);
  const std::vector<std::int32_t> pids{run->slots()[0].pid, run->slots()[1].pid};
  const auto survivor = process_identity::of(pids[1]);
  ASSERT_TRUE(survivor && pids[0] > 0);
  supervisor.kill(SIGSTOP);
  ::kill(pids[0], SIGKILL);
  const std::uint32_t tag = (run->slots()[0].generation.load() << 12) | 1u;
  for (std::uint32_t& stripe : run->stripes()) std::atomic_ref(stripe).store(tag);
  // It spins for a stripe: it computes for as long as thousands of rows take, and finishes none.
  clockid_t clock{};
  ASSERT_EQ(::clock_getcpuclockid(pids[1], &clock), 0);
  std::uint64_t rows = std::numeric_limits<std::uint64_t>::max();
  std::chrono::nanoseconds at_row{0};
  EXPECT_TRUE(test::eventually(60s, [&] {
    const std::uint64_t now_rows = run->slots()[1].rows.get();
    const bool trains = now_rows != std::exchange(rows, now_rows);
    timespec used{};
    ::clock_gettime(clock, &used);
    const std::chrono::nanoseconds now = std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
    if (trains) at_row = now;
    return now > at_row + 5ms;
  }));
  EXPECT_TRUE(survivor->alive());
  supervisor.kill(SIGKILL);
  EXPECT_TRUE(test::eventually(60s, [&] { return !survivor->alive(); }));
  if (survivor->alive()) ::kill(pids[1], SIGKILL);
  supervisor.wait_for(60s);
  purge_segments();
}

struct living_supervisor : testing::TestWithParam<bool> {};

TEST_P(living_supervisor, that_is_taken_for_dead_ends_the_run_with_an_error) {
  const test::toy_rows rows = test::some_rows();
  std::jthread mistaken([] {
    const auto run = test::look_at_run(::getpid(), 2, test::slow_logistic::name);
    ASSERT_TRUE(run);
    // Acts like a worker that takes its supervisor for dead (worker_process.cpp).
    run->control().stop = stop_request::orphaned;
    for (worker_slot& slot : run->slots()) slot.state = worker_state::left_out;
    run->control().board.break_off();
    futex_wake_all(run->control().gate);
  });
  train_options options = for_ever();
  options.epochs = 1000;
  if (GetParam()) options.sharing = sharing_kind::automatic, options.reproducible = true;
  EXPECT_THAT([&] { train(test::slow_logistic{}, rows.csr(), process_engine{.workers = 2}, options); },
              ThrowsMessage<worker_error>(HasSubstr("took this process, which supervises the run, for dead")));
  EXPECT_TRUE(test::leftovers().empty());
}

INSTANTIATE_TEST_SUITE_P(of, living_supervisor, testing::Values(false, true),
                         [](const auto& kind) { return kind.param ? "a_reproducible_run" : "a_run"; });

TEST(living_supervisor, whose_number_means_nothing_to_a_worker_is_known_by_its_lock) {
  const test::toy_rows rows = test::some_rows();
  test::witness seen(test::slow_logistic::name);
  std::stop_source end;
  bool replaced = false, trained = false;
  std::jthread watcher([&] {
    const auto run = test::look_at_run(::getpid(), 2, test::slow_logistic::name);
    if (!run) return end.request_stop(), void();
    // From here on, workers that start find that the supervisor's number belongs to a process that began at another
    // time.
    const int fd = ::open(("/dev/shm/" + run->name()).c_str(), O_RDWR | O_CLOEXEC);
    const std::uint64_t other = process_identity::current().start_time + 2;
    EXPECT_EQ(
        ::pwrite(fd, &other, sizeof other, offsetof(segment_header, owner) + offsetof(process_identity, start_time)),
        8);
    ::close(fd);
    const worker_slot& slot = run->slots()[0];
    const pid_t victim = test::send(slot, SIGKILL);
    replaced = test::eventually(60s, [&] { return slot.pid.load() > 0 && slot.pid.load() != victim; });
    const std::uint64_t before = slot.rows.get();
    trained = test::eventually(60s, [&] { return slot.rows.get() > before + 500; });
    end.request_stop();
  });
  train_options options = for_ever();
  options.observers = {&seen};
  options.stop = end.get_token();
  const train_result run = train(test::slow_logistic{}, rows.csr(), process_engine{.workers = 2}, options);
  watcher.join();
  EXPECT_TRUE(replaced);
  EXPECT_TRUE(trained);
  EXPECT_EQ(run.status, run_status::stopped);
  EXPECT_EQ(run.workers_replaced, 1u);
}

TEST(stopped_run, ends_at_a_consistent_point) {
  const test::toy_rows rows = test::some_rows();
  std::stop_source end;
  std::vector<process_identity> workers;
  std::jthread watcher([&] {
    if (const auto run = test::look_at_run(::getpid(), 2, test::slow_logistic::name)) {
      for (const worker_slot& slot : run->slots()) {
        if (const auto who = process_identity::of(slot.pid)) workers.push_back(*who);
      }
      EXPECT_TRUE(test::eventually(60s, [&] { return run->slots()[0].rows.get() > rows.rows(); }));
    }
    end.request_stop();
  });
  train_options options = for_ever();
  options.stop = end.get_token();
  const train_result run = train(test::slow_logistic{}, rows.csr(), process_engine{.workers = 2}, options);
  watcher.join();
  EXPECT_EQ(run.status, run_status::stopped);
  EXPECT_GT(run.examples, 0u);
  EXPECT_TRUE(run.epochs == 0 || std::isfinite(run.train_loss));
  for (const float w : run.parameters) EXPECT_TRUE(std::isfinite(w));
  EXPECT_EQ(workers.size(), 2u);
  for (const auto& w : workers) EXPECT_FALSE(w.alive());
  EXPECT_TRUE(test::leftovers().empty());
}

TEST(small_shared_memory, is_refused_before_training_with_the_size_that_is_needed) {
  const test::scratch_folder folder;
  const std::string report = folder / "report";
  child_process supervisor = spawn(this_program(), {"--small-room", report});
  const auto status = supervisor.wait_for(60s);
  ASSERT_TRUE(status);
  if (status->code == 77) GTEST_SKIP() << "mounting a small /dev/shm needs the rights of root";
  EXPECT_EQ(status->signal, 0);
  EXPECT_EQ(status->code, static_cast<int>(exit_code::resources));
  EXPECT_THAT(test::read_text(report), HasSubstr("of shared memory, but /dev/shm has only 262144 bytes"));
}

int supervise_locked() {
  const test::toy_rows rows = test::planted_classification({.rows = 20000, .columns = 200, .per_row = 20});
  train_options options = for_ever();
  options.update = update_kind::locked;
  train(logistic{}, rows.csr(), process_engine{.workers = 2}, options);
  return 0;
}

}  // namespace
}  // namespace hogwild

const hogwild::test::program_role supervisor_role([](int argc, char** argv) -> std::optional<int> {
  using namespace hogwild;
  if (const auto rc = worker_main<test::slow_logistic, logistic>(argc, argv)) return *rc;
  const std::string role = argc > 1 ? argv[1] : "";
  if (role == "--supervise") return supervise();
  if (role == "--supervise-locked") return supervise_locked();
  if (role == "--small-room") return supervise_in_a_small_room(argv[2]);
  return {};
});
