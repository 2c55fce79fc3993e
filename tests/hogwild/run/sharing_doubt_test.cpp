// SPDX-License-Identifier: Apache-2.0
// A run notes that its sharing was chosen by measurements on a busy machine; the speeds are invented.
#include <hogwild/detail/run/sharing_doubt.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/platform/topology.hpp>
#include <hogwild/detail/run/run_planner.hpp>
#include <hogwild/detail/run/run_training.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/train.hpp>

#include "support/heard_run.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

namespace {

/// Two workers, to whom lines are so dear that one alone is faster, and would not be if they cost half of that.
sharing_facts facts_in_doubt() {
  sharing_facts facts{.workers = 2,
                      .cpus = 2,
                      .rows = 10'000,
                      .parameters = 1'000,
                      .nonzeros = 100'000,
                      .step = 0.1,
                      .curvature = 0.01,
                      .row_ns = 100.0,
                      .line_ns = 1.0,
                      .shared_ns = 30.0,
                      .cache_bytes = 2u << 20};
  while (choose_sharing(facts).workers == 2) facts.line_ns *= 1.1;
  return facts;
}

std::string doubt_of(const sharing_facts& facts, double missed) {
  return doubt_about(facts, choose_sharing(facts), missed);
}

TEST(sharing_doubt, is_told_where_the_time_that_others_took_decides) {
  EXPECT_THAT(doubt_of(facts_in_doubt(), 0.5),
              AllOf(StartsWith("other programs or a quota took 50 %"),
                    HasSubstr("that decided how many workers train and how they share"),
                    HasSubstr("1 worker (alone); without them it might be 2 workers (buffered)")));
}

TEST(sharing_doubt, is_told_where_threads_that_have_not_met_decide) {
  sharing_facts facts = facts_in_doubt();
  facts.line_ns /= 1.1;
  EXPECT_THAT(doubt_of(facts, 0.5), HasSubstr("2 workers (buffered); without them it might be 1 worker (alone)"));
}

TEST(sharing_doubt, is_nobody_s_business_on_an_idle_machine) {
  EXPECT_EQ(doubt_of(facts_in_doubt(), 0.0), "");
  EXPECT_EQ(doubt_of(facts_in_doubt(), 0.1), "");
}

TEST(sharing_doubt, is_none_where_the_choice_is_the_same_without_others) {
  sharing_facts facts = facts_in_doubt();
  facts.line_ns *= 100.0;
  EXPECT_EQ(doubt_of(facts, 0.5), "");
  facts.line_ns = 0.01;
  EXPECT_EQ(doubt_of(facts, 0.5), "");
}

TEST(sharing_doubt, is_for_a_choice_that_the_user_has_left_open) {
  sharing_facts facts = facts_in_doubt();
  for (const sharing_kind asked : {sharing_kind::direct, sharing_kind::buffered, sharing_kind::head}) {
    facts.asked = asked;
    EXPECT_EQ(doubt_of(facts, 0.5), "");
  }
}

struct doubt_listener final : doubt_observer {
  void on_note(std::string_view sentence) override { other_notes.emplace_back(sentence); }
  void on_sharing_in_doubt(std::string_view sentence) override { doubts.emplace_back(sentence); }
  std::vector<std::string> doubts, other_notes;
};

/// The plan for two workers on a machine of this speed: how many train, all notes, the notes heard by observers that
/// distinguish their kinds, and the predicted time of an epoch.
struct planned {
  std::size_t workers;
  std::vector<std::string> notes, doubts, other_notes;
  std::optional<double> epoch_seconds;
};

planned plan_at(const line_speed& lines) {
  static const test::kept_rows data = test::planted_rows({.rows = 5'000, .columns = 500, .per_row = 20, .seed = 11});
  test::heard_run heard;
  doubt_listener apart;
  const prepared_task ready =
      prepare(least_squares{}, data.view(), {.step = {.initial = 0.1}, .observers = {&heard, &apart}});
  resolved_run run = begin_run(ready);
  run.speed = machine_speed{.row_ns = 50.0, .lines = lines};
  run_planner planner(*ready.task, run);
  const std::size_t workers = planner.decide_sharing(2);
  return {workers, heard.notes, apart.doubts, apart.other_notes, run.predicted_epoch_seconds};
}

TEST(sharing_doubt, is_noted_by_a_run) {
  if (default_workers(usable_cpus(), cpu_quota()) < 2) GTEST_SKIP() << "needs two CPUs";
  line_speed lines{.exchange_ns = 1.0, .shared_ns = 30.0};
  ASSERT_EQ(plan_at(lines).workers, 2u);
  EXPECT_TRUE(plan_at(lines).epoch_seconds);
  EXPECT_FALSE(plan_at({.exchange_ns = 1.0, .shared_ns = 30.0, .missed = 0.5}).epoch_seconds);
  while (plan_at(lines).workers == 2) lines.exchange_ns *= 1.2;
  EXPECT_THAT(plan_at(lines).notes, IsEmpty());
  lines.missed = 0.5;
  const planned in_doubt = plan_at(lines);
  EXPECT_THAT(in_doubt.notes, ElementsAre(HasSubstr("that decided how many workers train and how they share")));
  EXPECT_EQ(in_doubt.doubts, in_doubt.notes);
  EXPECT_THAT(in_doubt.other_notes, IsEmpty());
  EXPECT_TRUE(plan_at(lines).epoch_seconds);  // for a single worker, whose speed does not depend on shared lines
}

}  // namespace
