// SPDX-License-Identifier: Apache-2.0
// Synchronous training by worker processes: the bits of threads, and an end in time when a rank is lost.
#include <fstream>

#include <gmock/gmock.h>

#include <hogwild/detail/platform/child_process.hpp>
#include <hogwild/detail/platform/thread_activity.hpp>
#include <hogwild/engines.hpp>
#include <hogwild/error.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/softmax.hpp>

#include "process_run.hpp"
#include "support/program_role.hpp"
#include "support/scratch_folder.hpp"

namespace hogwild::test {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr sync_rule rules[] = {sync_rule::gradients, sync_rule::average};

sync_engine processes(std::size_t workers, sync_rule rule, std::chrono::nanoseconds timeout = 60s) {
  return {.workers = workers,
          .rule = rule,
          .rows = 8,
          .transport = transport_kind::shared_segment,
          .pin = false,
          .timeout = timeout};
}

/// Logistic regression that throws at work, in worker processes only, once it has learned something.
struct throws_at_work : logistic {
  static constexpr std::string_view name = "throws_at_work";
  inline static bool at_work = false;
  float derivative(float margin, float label) const {
    if (at_work && margin != 0.0f) throw input_error("a row that the model cannot take");
    return logistic::derivative(margin, label);
  }
};

TEST(sync_processes, give_the_bits_of_threads) {
  const auto two = planted_classification({.rows = 900, .columns = 60});
  const auto three = planted_classes({.rows = 900, .columns = 20'000}, 3);
  for (const sync_rule rule : rules) {
    for (const std::size_t workers : {1u, 2u, 3u}) {
      sync_engine threads = processes(workers, rule);
      threads.transport = transport_kind::in_process;
      const bool means = rule == sync_rule::average;
      const train_options options{.epochs = 3,
                                  .step = {.initial = 0.3, .decay = 0.8},
                                  .l2 = 0.01,
                                  .optimizer = means ? optimizer_kind::adagrad : optimizer_kind::sgd};
      const auto a = train(logistic{}, two.csr(), threads, options);
      const auto b = train(logistic{}, two.csr(), processes(workers, rule), options);
      EXPECT_EQ(b.parameters, a.parameters);
      EXPECT_EQ(b.objective, a.objective);
      EXPECT_EQ(b.updates, a.updates);
      ASSERT_TRUE(b.meetings);
      EXPECT_EQ(b.meetings->dense, a.meetings->dense);
      EXPECT_EQ(b.meetings->bytes, a.meetings->bytes);
      const softmax classes{.features = 20'000, .classes = 3};
      const auto c = train(classes, three.csr(), threads, options);
      const auto d = train(classes, three.csr(), processes(workers, rule), options);
      EXPECT_EQ(d.parameters, c.parameters);
      EXPECT_EQ(d.meetings->sparse, c.meetings->sparse);
      if (!means) {
        EXPECT_GT(d.meetings->sparse, 0u);
      }
    }
  }
  EXPECT_THAT(leftovers(), IsEmpty());
}

/// The error of a run that would take hours when `harm` is done to it, once all ranks train.
template <class Harm>
std::string end_of_run(const sync_engine& engine, const Harm& harm) {
  const auto toy = some_rows();
  std::string said;
  std::jthread hand([&] {
    const auto store = look_at_run(::getpid(), *engine.workers, "slow_logistic");
    ASSERT_TRUE(store);
    // In the middle of an epoch, which takes a tenth of a second: the rank has come to meetings.
    ASSERT_TRUE(eventually(60s, [&] { return store->slots()[0].dense_meetings.get() > 20; }));
    harm(*store);
  });
  try {
    train(slow_logistic{}, toy.csr(), engine, {.epochs = 1'000'000, .step = {.initial = 0.1}});
  } catch (const worker_error& e) {
    EXPECT_EQ(e.code(), exit_code::internal);
    said = e.what();
  }
  hand.join();
  EXPECT_THAT(leftovers(), IsEmpty());
  return said;
}

// The supervisor may first see the end of the killed rank, or that of another one, which says why it ended.
TEST(sync_processes, a_killed_rank_ends_the_run_with_its_name) {
  for (const sync_rule rule : rules) {
    for (const std::size_t victim : {0u, 2u}) {
      pid_t pid = 0;
      const std::string said =
          end_of_run(processes(3, rule), [&](const param_store& store) { pid = send(store.slots()[victim], SIGKILL); });
      EXPECT_THAT(
          said,
          AllOf(HasSubstr("rank " + std::to_string(victim) + " of 3 (process " + std::to_string(pid) + ")"),
                AnyOf(HasSubstr("was killed by signal 9"), HasSubstr("has ended")), HasSubstr("last checkpoint")));
    }
  }
}

TEST(sync_processes, a_stopped_rank_is_waited_for_until_the_timeout) {
  const std::string said = end_of_run(processes(3, sync_rule::gradients, 500ms),
                                      [](const param_store& store) { send(store.slots()[1], SIGSTOP); });
  EXPECT_THAT(said, AllOf(HasSubstr("rank 1 of 3 has not come to all_"), HasSubstr("within 0.5 s")));
}

TEST(sync_processes, a_rank_that_throws_tells_the_others_why) {
  const auto toy = some_rows();
  for (const sync_rule rule : rules) {
    try {
      train(throws_at_work{}, toy.csr(), processes(2, rule), {.epochs = 3, .step = {.initial = 0.1}});
      ADD_FAILURE() << "nothing was thrown";
    } catch (const input_error& e) {  // of the kind that it threw
      EXPECT_THAT(e.what(), AllOf(HasSubstr("of 2 gave up: a row that the model cannot take")));
    }
  }
  EXPECT_THAT(leftovers(), IsEmpty());
}

/// Trains in lockstep, and writes the outcome.
int supervise(const std::string& report) {
  const auto toy = some_rows();
  sync_engine engine = processes(2, sync_rule::gradients);
  engine.arguments = {"--fleeting"};
  try {
    train(slow_logistic{}, toy.csr(), engine, {.epochs = 1000, .step = {.initial = 0.1}});
  } catch (const error& e) {
    std::ofstream(report) << e.what();
    return static_cast<int>(e.code());
  }
  return 0;
}

/// A worker; the second rank is killed as soon as it has joined, and was not seen when it did: the supervisor sleeps
/// meanwhile, and finds the slot's state as it was before.
std::optional<int> fleeting_rank(int argc, char** argv) {
  const auto place = worker_place(argc, argv);
  if (place->slot != 1u) return worker_main<slow_logistic>(argc, argv);
  ::kill(::getppid(), SIGSTOP);
  const std::jthread death([segment = place->segment] {
    const param_store store = detail::attached_store::open(segment, slow_logistic::name);
    worker_slot& slot = store.slots()[1];
    eventually(60s, [&] { return slot.arrived.load() != 0; });
    slot.state = worker_state::joining;
    ::kill(::getpid(), SIGKILL);
  });
  return worker_main<slow_logistic>(argc, argv);
}

TEST(sync_processes, a_rank_that_was_killed_before_it_was_seen_ends_the_run_with_its_name) {
  const scratch_folder folder;
  const std::string report = folder / "report";
  child_process supervisor = spawn(this_program(), {"--supervise", report});
  const auto is_stopped = [&] {
    const auto now = thread_activity::of(supervisor.pid(), supervisor.pid());
    return now && now->is_stopped();
  };
  ASSERT_TRUE(eventually(60s, is_stopped));
  const auto segment = segment_of(supervisor.pid());
  ASSERT_TRUE(segment);
  const param_store store = detail::attached_store::open(segment->name, slow_logistic::name);
  const worker_slot& slot = store.slots()[1];
  const auto is_dead = [&] {
    const auto who = process_identity::of(slot.pid.load());
    return slot.pid.load() > 0 && slot.state.load() == worker_state::joining && who && !who->alive();
  };
  ASSERT_TRUE(eventually(60s, is_dead));
  const pid_t dead = slot.pid.load();
  supervisor.kill(SIGCONT);
  const auto end = supervisor.wait_for(60s);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->code, static_cast<int>(exit_code::internal));
  EXPECT_THAT(read_text(report), AllOf(HasSubstr("rank 1 of 2 (process " + std::to_string(dead) + ") was killed by"),
                                       HasSubstr("no rank of a synchronous run goes on without the others")));
}

TEST(sync_processes, nobody_joins_by_hand) {
  std::string refused;
  end_of_run(processes(2, sync_rule::average), [&](const param_store& store) {
    try {
      work_for_segment({.segment = store.name()},
                       [](std::string_view name) { return factory_of<slow_logistic>(name); });
    } catch (const segment_error& e) {
      refused = e.what();
    }
    send(store.slots()[0], SIGKILL);
  });
  EXPECT_THAT(refused, HasSubstr("no worker can join it"));
}

TEST(sync_processes, go_on_from_a_checkpoint_after_a_rank_was_killed) {
  const scratch_folder folder;
  const auto toy = some_rows();
  const train_options options{.epochs = 6, .step = {.initial = 0.5, .decay = 0.9}, .l2 = 0.01};
  const auto whole = train(logistic{}, toy.csr(), processes(2, sync_rule::gradients), options);
  struct killer final : observer {
    observer_answer on_epoch(const epoch_report& r) override {
      const auto s = r.epoch == 3 ? segment_of(::getpid()) : std::nullopt;
      if (s) send(detail::attached_store::open(s->name, "logistic").slots()[1], SIGKILL);
      return observer_answer::go_on;
    }
  } hand;
  train_options first = options, second = options;
  first.checkpoint = second.resume = folder / "run.ckpt";
  first.observers = {&hand};
  EXPECT_THROW(train(logistic{}, toy.csr(), processes(2, sync_rule::gradients), first), worker_error);
  const auto resumed = train(logistic{}, toy.csr(), processes(2, sync_rule::gradients), second);
  EXPECT_EQ(resumed.epochs, 6u);
  EXPECT_EQ(resumed.parameters, whole.parameters);
}

}  // namespace
}  // namespace hogwild::test

const hogwild::test::program_role sync_processes_role([](int argc, char** argv) -> std::optional<int> {
  using namespace hogwild::test;
  const std::string_view role = argc > 1 ? argv[1] : "";
  if (role == "--supervise") return supervise(argv[2]);
  if (role == "--fleeting") return fleeting_rank(argc, argv);
  hogwild::test::throws_at_work::at_work = hogwild::worker_place(argc, argv).has_value();
  return hogwild::worker_main<hogwild::logistic, hogwild::softmax, hogwild::test::slow_logistic,
                              hogwild::test::throws_at_work>(argc, argv);
});
