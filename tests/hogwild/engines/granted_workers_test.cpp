// SPDX-License-Identifier: Apache-2.0
// The number of workers, and the notes if there are fewer than were asked for.
#include <atomic>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <hogwild/detail/platform/topology.hpp>
#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwild/engines.hpp>
#include <hogwild/error.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/train.hpp>
#include <hogwildpp/ring_engine.hpp>

#include "support/planned_task.hpp"
#include "support/refusal.hpp"
#include "support/scratch_folder.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

namespace {

struct granted_listener final : observer {
  void on_note(std::string_view sentence) override {
    // A busy machine adds this note.
    if (!sentence.starts_with("other programs or a quota took ")) notes.emplace_back(sentence);
  }
  std::vector<std::string> notes;
};

struct told_run {
  train_result result;
  std::vector<std::string> notes;
  std::int64_t workers_in_record = 0;
};

template <class Engine>
told_run run_told(std::size_t rows, const Engine& engine, train_options options = {}) {
  const test::toy_rows toy = test::planted_classification({.rows = rows, .columns = 20});
  const test::scratch_folder folder;
  granted_listener heard;
  options.epochs = 2;
  options.step.initial = 0.1;
  options.observers = {&heard};
  options.record = folder / "run.jsonl";
  told_run told{.result = train(logistic{}, toy.csr(), engine, options), .notes = {}};
  told.notes = heard.notes;
  EXPECT_EQ(told.result.examples, 2 * rows);
  const std::string record = test::read_text(options.record);
  told.workers_in_record = nlohmann::json::parse(record.substr(0, record.find('\n')))["options"]["workers"];
  return told;
}

/// Calls f within a parallel region of the program, in which OpenMP grants one thread.
void within_a_region(const std::function<void()>& f) {
  thread_team::make(thread_team_kind::openmp, 2, false)->run([&](std::size_t i) {
    if (i == 0) f();
  });
}

TEST(granted_workers, are_told_within_a_parallel_region_of_the_program) {
  for (const sharing_kind sharing : {sharing_kind::direct, sharing_kind::automatic}) {
    told_run told;
    within_a_region([&] { told = run_told(600, thread_engine{.workers = 3}, {.sharing = sharing}); });
    EXPECT_EQ(told.result.workers, 1u);
    EXPECT_EQ(told.workers_in_record, 1);
    EXPECT_THAT(told.notes, ElementsAre(StartsWith("1 of the 3 workers that were asked for trains: OpenMP grants 1 ")));
  }
  // Other libraries' threads are available there.
  told_run told;
  const thread_engine three{.workers = 3, .team = thread_team_kind::std};
  within_a_region([&] { told = run_told(600, three, {.sharing = sharing_kind::direct}); });
  EXPECT_EQ(told.result.workers, 3u);
  EXPECT_THAT(told.notes, IsEmpty());
}

TEST(granted_workers, are_all_where_a_sharing_is_named) {
  const told_run told = run_told(600, thread_engine{.workers = 3}, {.sharing = sharing_kind::direct});
  EXPECT_EQ(told.result.workers, 3u);
  EXPECT_EQ(told.workers_in_record, 3);
  EXPECT_THAT(told.notes, IsEmpty());
}

// A run finds the number of granted workers by itself.
TEST(granted_workers, are_what_a_round_had) {
  const test::kept_rows data = test::planted_classification({.rows = 100, .columns = 20});
  const test::planned_task work =
      make_task(logistic{}, data.view(), label_map::learn(label_kind::binary, data.view().label, "data"),
                {.isa = choose_isa(isa::automatic)});
  for (const bool listens : {true, false}) {
    std::vector<std::string> notes;
    note_function note;
    if (listens) note = [&](std::string_view n) { notes.emplace_back(n); };
    within_a_region([&] {
      const auto started = start(thread_engine{.workers = 3}, *work, work.plan, note);
      EXPECT_EQ(started->workers(), 3u);
      for (int again = 0; again < 2; ++again) {
        started->get_ready();
        EXPECT_EQ(started->workers(), 1u);
      }
    });
    EXPECT_EQ(notes, std::vector<std::string>(listens ? 1 : 0, "the library granted 1 of 3 threads"));
  }
}

TEST(granted_workers, too_few_for_a_ring_are_told_with_the_reason) {
  std::string sentence;
  within_a_region(
      [&] { sentence = test::refusal_of([] { run_told(600, ring_engine{.workers = 3, .replicas = 2}); }); });
  EXPECT_THAT(sentence, AllOf(StartsWith("2 replicas need as many workers at least, but there are 1: OpenMP grants 1 "),
                              HasSubstr("take a std team, or ask for fewer replicas")));
}

// Seven rows are too few for two workers to exchange anything, whatever a row takes and however many CPUs there are.
TEST(idle_workers, are_told_with_the_reason) {
  const auto alone = AllOf(StartsWith("1 of the 16 workers that were asked for trains: an epoch of one worker alone"),
                           HasSubstr("an explicit sharing"));
  told_run told = run_told(7, thread_engine{.workers = 16});
  EXPECT_EQ(told.result.workers, 1u);
  EXPECT_EQ(told.workers_in_record, 1);
  EXPECT_THAT(told.notes, ElementsAre(alone));
  told = run_told(7, ring_engine{.workers = 16, .replicas = 1});
  EXPECT_THAT(told.notes, Contains(alone));
  told = run_told(600, thread_engine{.workers = 16}, {.reproducible = true});
  EXPECT_THAT(told.notes, ElementsAre(AllOf(StartsWith(std::to_string(told.result.workers) + " of the 16 workers"),
                                            HasSubstr("virtual workers to deal rows to; ask for more of them"))));
}

TEST(idle_workers, are_those_for_whom_there_is_no_chunk) {
  const auto five =
      ElementsAre("5 of the 7 workers that were asked for train: there are no more than 5 chunks of rows");
  const thread_engine seven{.workers = 7, .team = thread_team_kind::std};
  for (const sharing_kind sharing : {sharing_kind::direct, sharing_kind::buffered}) {
    const told_run told = run_told(5, seven, {.sharing = sharing});
    EXPECT_EQ(told.result.workers, 5u);
    EXPECT_EQ(told.workers_in_record, 5);
    EXPECT_THAT(told.notes, five);
  }
  const told_run ring = run_told(5, ring_engine{.workers = 7, .replicas = 7, .team = thread_team_kind::std});
  EXPECT_EQ(ring.result.workers, 5u);
  EXPECT_THAT(ring.notes, Contains(StartsWith("5 of the 7 workers")));
}

TEST(idle_workers, take_part_in_lockstep_though_they_have_no_rows) {
  const told_run told = run_told(5, sync_engine{.workers = 7, .rule = sync_rule::average});
  EXPECT_EQ(told.result.workers, 7u);
  EXPECT_EQ(told.workers_in_record, 7);
  EXPECT_THAT(told.notes, Contains(StartsWith("there are no more than 5 chunks of rows, so that 2 of the 7 workers")));
  EXPECT_THAT(told.notes, Not(Contains(HasSubstr("that were asked for"))));
}

TEST(idle_workers, are_nobody_s_business_who_has_not_asked_for_any) {
  EXPECT_THAT(run_told(600, thread_engine{}).notes, IsEmpty());
  EXPECT_THAT(run_told(600, thread_engine{}, {.reproducible = true}).notes, IsEmpty());
  EXPECT_THAT(run_told(600, serial_engine{}).notes, IsEmpty());
}

TEST(few_steps, of_a_synchronous_run_are_told_with_the_remedy) {
  const auto few =
      AllOf(StartsWith("an epoch is only 1 step of 64 rows of each worker"), HasSubstr("after fewer rows"));
  EXPECT_THAT(run_told(600, sync_engine{.workers = 16}).notes, Contains(few));
  EXPECT_THAT(run_told(600, sync_engine{.workers = 2, .rows = 4}).notes, Not(Contains(HasSubstr("an epoch is only"))));
  const sync_engine average{.workers = 3, .rule = sync_rule::average};
  EXPECT_THAT(run_told(15, average).notes,
              Contains("an epoch is only 5 steps of each worker, which get nowhere near as far "
                       "as a step a row; use fewer workers"));
  EXPECT_THAT(run_told(600, average).notes, Not(Contains(HasSubstr("an epoch is only"))));
}

/// A team of a kind and a size.
class threads_of : public testing::TestWithParam<std::tuple<thread_team_kind, std::size_t>> {
 protected:
  std::size_t size() const { return std::get<1>(GetParam()); }
  std::unique_ptr<thread_team> threads = thread_team::make(std::get<0>(GetParam()), size(), true);
};

TEST_P(threads_of, runs_each_body_once_in_every_run) {
  EXPECT_EQ(threads->size(), size());
  for (int run = 0; run < 50; ++run) {
    std::vector<std::atomic<int>> calls(size());
    const std::size_t granted = threads->run([&](std::size_t i) { calls.at(i).fetch_add(1); });
    ASSERT_GE(granted, 1u);
    ASSERT_LE(granted, size());
    for (std::size_t i = 0; i < size(); ++i) ASSERT_EQ(calls[i].load(), i < granted ? 1 : 0) << i;
  }
}

TEST_P(threads_of, throws_what_a_body_throws_after_all_have_ended_and_works_on) {
  for (std::size_t thrower = 0; thrower < size(); ++thrower) {
    std::atomic<std::size_t> ended{0};
    std::size_t granted = size();
    try {
      granted = threads->run([&](std::size_t i) {
        if (i == thrower) throw std::runtime_error("from " + std::to_string(i));
        std::this_thread::yield();
        ended.fetch_add(1);
      });
      EXPECT_LE(granted, thrower) << "an exception was lost";
    } catch (const std::runtime_error& e) {
      EXPECT_EQ(e.what(), "from " + std::to_string(thrower));
      EXPECT_EQ(ended.load(), size() - 1);
    }
  }
  std::atomic<int> calls{0};
  const std::size_t granted = threads->run([&](std::size_t) { calls.fetch_add(1); });
  EXPECT_EQ(static_cast<std::size_t>(calls.load()), granted);
}

TEST_P(threads_of, throws_one_of_many_exceptions) {
  EXPECT_THROW(threads->run([](std::size_t) { throw std::runtime_error("all"); }), std::runtime_error);
}

INSTANTIATE_TEST_SUITE_P(every, threads_of,
                         testing::Combine(testing::Values(thread_team_kind::openmp, thread_team_kind::tbb,
                                                          thread_team_kind::std),
                                          testing::Values(1u, 2u, 5u)));

TEST(worker_count, is_as_asked_or_what_the_machine_grants_and_bounded) {
  EXPECT_EQ(worker_count(), default_workers(allowed_cpus().size(), cpu_quota()));
  EXPECT_EQ(worker_count(3), 3u);
  EXPECT_EQ(worker_count(2000), 2000u);
  EXPECT_THROW(worker_count(2001), config_error);
  EXPECT_THROW(worker_count(0), config_error);
}

TEST(thread_team, of_one_is_the_caller_itself) {
  for (const thread_team_kind kind : {thread_team_kind::openmp, thread_team_kind::tbb, thread_team_kind::std}) {
    std::thread::id who;
    thread_team::make(kind, 1, true)->run([&](std::size_t) { who = std::this_thread::get_id(); });
    EXPECT_EQ(who, std::this_thread::get_id());
  }
}

}  // namespace
