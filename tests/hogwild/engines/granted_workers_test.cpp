// SPDX-License-Identifier: Apache-2.0
// The number of workers, and the notes if there are fewer than were asked for.
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/engines.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/train.hpp>
#include <hogwildpp/ring_engine.hpp>
#include <nlohmann/json.hpp>

#include "support/planned_task.hpp"
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
    if (!sentence.starts_with("how many workers train, and where they write, was decided while"))
      notes.emplace_back(sentence);
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

TEST(granted_workers, are_told_within_a_parallel_region_of_the_program) {
  for (const sharing_kind sharing : {sharing_kind::direct, sharing_kind::automatic}) {
    told_run told;
    thread_team::make(thread_team_kind::openmp, 2, false)->run([&](std::size_t i) {
      if (i == 0) told = run_told(600, thread_engine{.workers = 3}, {.sharing = sharing});
    });
    EXPECT_EQ(told.result.workers, 1u);
    EXPECT_EQ(told.workers_in_record, 1);
    EXPECT_THAT(told.notes, ElementsAre(StartsWith("1 of the 3 workers that were asked for trains: OpenMP grants 1 ")));
  }
  // Other libraries' threads are available there.
  told_run told;
  thread_team::make(thread_team_kind::openmp, 2, false)->run([&](std::size_t i) {
    if (i == 0)
      told =
          run_told(600, thread_engine{.workers = 3, .team = thread_team_kind::std}, {.sharing = sharing_kind::direct});
  });
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
  const test::toy_rows toy = test::planted_classification({.rows = 100, .columns = 20});
  const csr_rows data = toy.csr();
  const test::planned_task work =
      make_task(logistic{}, data.view(), label_map::learn(label_kind::binary, data.view().label, "toy"),
                {.isa = choose_isa(isa::automatic)});
  std::vector<std::string> notes;
  thread_team::make(thread_team_kind::openmp, 2, false)->run([&](std::size_t i) {
    if (i != 0) return;
    const auto started =
        start(thread_engine{.workers = 3}, *work, work.plan, [&](std::string_view n) { notes.emplace_back(n); });
    EXPECT_EQ(started->workers(), 3u);
    for (int again = 0; again < 2; ++again) {
      started->get_ready();
      EXPECT_EQ(started->workers(), 1u);
    }
  });
  EXPECT_THAT(notes, ElementsAre("the library granted 1 of 3 threads"));
}

TEST(granted_workers, are_what_a_round_had_though_nobody_listens) {
  const test::toy_rows toy = test::planted_classification({.rows = 100, .columns = 20});
  const csr_rows data = toy.csr();
  const test::planned_task work =
      make_task(logistic{}, data.view(), label_map::learn(label_kind::binary, data.view().label, "toy"),
                {.isa = choose_isa(isa::automatic)});
  std::size_t workers = 0;
  thread_team::make(thread_team_kind::openmp, 2, false)->run([&](std::size_t i) {
    if (i != 0) return;
    const auto started = start(thread_engine{.workers = 3}, *work, work.plan, {});
    started->get_ready();
    workers = started->workers();
  });
  EXPECT_EQ(workers, 1u);
}

TEST(granted_workers, too_few_for_a_ring_are_told_with_the_reason) {
  std::string sentence;
  thread_team::make(thread_team_kind::openmp, 2, false)->run([&](std::size_t i) {
    if (i != 0) return;
    try {
      run_told(600, ring_engine{.workers = 3, .replicas = 2});
    } catch (const config_error& e) {
      sentence = e.what();
    }
  });
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
                                            HasSubstr("virtual workers; ask for more of those"))));
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

}  // namespace
