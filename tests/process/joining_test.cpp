// SPDX-License-Identifier: Apache-2.0
// Workers that join a run by hand, and why some may not.
#include <csignal>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/platform/child_process.hpp>
#include <hogwild/error.hpp>
#include <hogwild/models/logistic.hpp>

#include "process_run.hpp"
#include "support/program_role.hpp"

namespace hogwild {
namespace {

using namespace std::chrono_literals;
using test::slow_logistic;
using testing::Contains;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// Runs `script` beside a run with one worker, and stops the run when it is through.
train_result beside_a_run(test::witness& seen, const std::function<void(const param_store&)>& script) {
  const test::toy_rows rows = test::some_rows();
  const test::watched_run beside(1, slow_logistic::name, script);
  return train(
      slow_logistic{}, rows.csr(), process_engine{.workers = 1},
      {.epochs = 1000000, .step = {.initial = 0.1, .decay = 1.0}, .observers = {&seen}, .stop = beside.stop()});
}

TEST(joining, by_hand_trains_and_ends_well) {
  test::witness seen(slow_logistic::name);
  std::optional<child_process> guest;
  bool trained = false;
  const train_result run = beside_a_run(seen, [&](const param_store& store) {
    guest.emplace(spawn(this_program(), {"--join", store.name()}));
    trained = test::eventually(60s, [&] { return store.slots().back().rows.get() > 100; });
  });
  EXPECT_TRUE(trained);
  EXPECT_EQ(run.status, run_status::stopped);
  EXPECT_EQ(run.workers_replaced, 0u);
  EXPECT_EQ(seen.unfinished, 0u);
  EXPECT_THAT(seen.notes(), Contains("process " + std::to_string(guest->pid()) + " has joined as a worker"));
  const auto status = guest->wait_for(60s);
  ASSERT_TRUE(status);
  EXPECT_TRUE(status->success()) << status->describe();
}

TEST(joining, and_being_killed_costs_nothing) {
  test::witness seen(slow_logistic::name);
  bool freed = false;
  beside_a_run(seen, [&](const param_store& store) {
    child_process guest = spawn(this_program(), {"--join", store.name()});
    const worker_slot& slot = store.slots().back();
    test::eventually(60s, [&] { return slot.rows.get() > 50; });
    guest.kill(SIGKILL);
    freed = test::eventually(60s, [&] { return slot.pid == 0 && slot.state == worker_state::free; });
    const std::uint64_t before = slot.rows.get();
    child_process next = spawn(this_program(), {"--join", store.name()});
    EXPECT_TRUE(test::eventually(60s, [&] { return slot.rows.get() > before; }));
  });
  EXPECT_TRUE(freed);
  EXPECT_EQ(seen.unfinished, 0u);
  EXPECT_THAT(seen.notes(), Contains(HasSubstr(") has gone")));
}

/// Starts `program` where processes began a day later than here.
child_process in_another_time(const std::string& program, const std::vector<std::string>& arguments) {
  std::vector<std::string> all{"-T", "--boottime", "100000", "--fork", program};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return spawn("/usr/bin/unshare", all);
}

bool has_time_namespaces() {
  try {
    const auto end = in_another_time("/bin/true", {}).wait_for(60s);
    return end && end->success();
  } catch (const resource_error&) {
    return false;
  }
}

TEST(joining, from_another_time_namespace_is_as_good) {
  if (!has_time_namespaces()) GTEST_SKIP() << "needs unshare, a kernel with time namespaces, and the rights of root";
  test::witness seen(slow_logistic::name);
  bool trained = false;
  const train_result run = beside_a_run(seen, [&](const param_store& store) {
    child_process guest = in_another_time(this_program(), {"--join", store.name()});
    const worker_slot& slot = store.slots().back();
    trained = test::eventually(60s, [&] { return slot.rows.get() > 500 || guest.poll_exit(); }) && !guest.poll_exit();
    test::send(slot, SIGKILL);
    guest.wait_for(60s);
  });
  EXPECT_TRUE(trained);
  EXPECT_EQ(run.status, run_status::stopped);
  EXPECT_EQ(seen.unfinished, 0u);
}

template <class... Models>
auto joined_as(const std::string& name) {
  return [name] { work_as<Models...>({.segment = name}); };
}

TEST(joining, is_refused_with_the_reason) {
  test::witness seen(slow_logistic::name);
  beside_a_run(seen, [&](const param_store& store) {
    EXPECT_THAT(
        (joined_as<logistic>(store.name())),
        ThrowsMessage<segment_error>(HasSubstr("trains the model slow_logistic, which this program does not have")));
    // Another layout, as a program of another version would see it.
    const int fd = ::open(("/dev/shm/" + store.name()).c_str(), O_RDWR | O_CLOEXEC);
    const std::uint64_t true_hash = layout_hash(), other_hash = true_hash + 1;
    EXPECT_EQ(::pwrite(fd, &other_hash, 8, offsetof(segment_header, layout_hash)), 8);
    EXPECT_THAT(joined_as<slow_logistic>(store.name()), ThrowsMessage<segment_error>(HasSubstr("another layout")));
    EXPECT_EQ(::pwrite(fd, &true_hash, 8, offsetof(segment_header, layout_hash)), 8);
    ::close(fd);
    // Every slot is taken.
    std::vector<worker_slot*> taken;
    for (worker_slot& slot : store.slots()) {
      std::int32_t nobody = 0;
      if (slot.pid.compare_exchange_strong(nobody, ::getpid())) taken.push_back(&slot);
    }
    EXPECT_THAT(joined_as<slow_logistic>(store.name()),
                ThrowsMessage<segment_error>(HasSubstr("has no slot left for another worker")));
    for (worker_slot* slot : taken) slot->pid = 0;
  });
}

TEST(joining, what_does_not_exist_is_refused) {
  EXPECT_THAT(joined_as<slow_logistic>("hogwild-none"),
              ThrowsMessage<segment_error>(HasSubstr("there is no segment hogwild-none")));
  const char* const line[] = {"program", worker_marker, "hogwild-none", "0"};
  EXPECT_EQ(worker_main<slow_logistic>(4, line), static_cast<int>(exit_code::resources));
  const char* const unmarked[] = {"program", "--verbose", "hogwild-none", "0"};
  EXPECT_EQ(worker_main<slow_logistic>(4, unmarked), std::nullopt);
}

TEST(joining, a_slot_that_was_not_reserved_is_refused) {
  test::witness seen(slow_logistic::name);
  beside_a_run(seen, [&](const param_store& store) {
    for (const std::size_t slot : {std::size_t{0}, std::size_t{3}, std::size_t{100000}}) {
      EXPECT_THAT(([&] { work_as<slow_logistic>({.segment = store.name(), .slot = slot}); }),
                  ThrowsMessage<segment_error>(HasSubstr("was not reserved for a worker")));
    }
  });
}

}  // namespace
}  // namespace hogwild

const hogwild::test::program_role joining_role([](int argc, char** argv) -> std::optional<int> {
  using namespace hogwild;
  if (argc == 3 && std::string_view(argv[1]) == "--join") return work_as<test::slow_logistic>({.segment = argv[2]});
  return worker_main<test::slow_logistic>(argc, argv);
});
