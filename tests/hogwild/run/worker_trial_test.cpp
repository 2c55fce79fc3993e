// SPDX-License-Identifier: Apache-2.0
// How many workers train a shared array follows from times, which are invented here.
#include <hogwild/detail/run/worker_trial.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/memory/private_memory.hpp>
#include <hogwild/detail/run/engine_run.hpp>
#include <hogwild/detail/run/rank_checkpoints.hpp>
#include <hogwild/detail/run/rounds.hpp>
#include <hogwild/detail/run/run_planner.hpp>
#include <hogwild/detail/run/run_training.hpp>
#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/train.hpp>
#include <hogwildpp/ring_engine.hpp>

#include "support/counting.hpp"
#include "support/heard_run.hpp"
#include "support/planned_task.hpp"
#include "support/scratch_folder.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

namespace {

TEST(rounds_of_a_trial, leave_each_worker_some_chunks_and_cost_a_small_part_of_the_run) {
  const std::optional<std::uint32_t> none;
  struct {
    std::size_t chunks, workers, epochs;
    std::optional<std::uint32_t> rounds;
  } const cases[] = {{1'000, 2, 25, 16}, {48, 2, 25, 6},    {48, 2, 5, none},    {7, 2, 32, 1},       {7, 2, 31, none},
                     {470, 16, 5, 7},    {1'000, 2, 2, 16}, {1'000, 2, 1, none}, {1'000, 1, 25, none}};
  for (const auto& c : cases)
    EXPECT_EQ(worker_trial::rounds_of_epoch(c.chunks, c.workers, c.epochs), c.rounds)
        << c.chunks << " chunks, " << c.workers << " workers, " << c.epochs << " epochs";
}

/// The times of a round of 1,000 rows by so many workers in milliseconds, and by how much others lengthen some rounds.
struct invented {
  const char* of;
  std::size_t workers;
  std::map<std::size_t, double> ms;
  std::map<int, double> lengthened;
  std::vector<std::size_t> tried;  ///< the workers of all rounds until the trial is over
  std::size_t left;                ///< of the workers
};

worker_trial trial_of(const invented& machine, std::vector<std::size_t>& tried) {
  double now = 5.0;
  worker_trial trial(machine.workers, 4, [&now] { return now; });
  for (int round = 0; round < 40 && !trial.is_over(); ++round) {
    tried.push_back(trial.workers());
    trial.begin_round();
    const auto longer = machine.lengthened.find(round);
    now += 1e-3 * machine.ms.at(trial.workers()) * (longer == machine.lengthened.end() ? 1.0 : longer->second);
    trial.end_round(1'000.0);
  }
  EXPECT_TRUE(trial.is_over());
  return trial;
}

TEST(worker_trial, keeps_the_workers_that_are_fastest) {
  const invented cases[] = {
      {"rows that hardly meet", 2, {{2, 5}, {1, 9.6}}, {}, {2, 1, 2}, 2},
      {"hot rows, which two workers still train sooner", 2, {{2, 5}, {1, 7}}, {}, {2, 1, 2}, 2},
      {"one worker that is hardly faster", 2, {{2, 5}, {1, 4.6}}, {}, {2, 1, 2}, 2},
      {"eight labels", 2, {{2, 5}, {1, 4}}, {}, {2, 1, 2, 1, 2, 1, 2}, 1},
      {"many cores", 8, {{8, 9}, {4, 7}, {2, 5}, {1, 4.8}}, {}, {8, 4, 8, 4, 8, 4, 8, 2, 4, 2, 4, 2, 4, 1, 2}, 2},
      {"an odd number", 3, {{3, 9}, {1, 4}}, {}, {3, 1, 3, 1, 3, 1, 3}, 1},
      {"a first round that reads the data", 2, {{2, 5}, {1, 7}}, {{0, 10.0}}, {2, 1, 2}, 2},
      {"others, in a round of both", 2, {{2, 5}, {1, 4.8}}, {{2, 4.0}}, {2, 1, 2}, 2},
      {"others, in two rounds of both", 2, {{2, 5}, {1, 9}}, {{0, 4.0}, {2, 4.0}}, {2, 1, 2, 1, 2}, 2},
      {"others, in a round of one", 2, {{2, 5}, {1, 4}}, {{3, 4.0}}, {2, 1, 2, 1, 2}, 2},
      {"rounds that are too short to tell", 2, {{2, 0.5}, {1, 0.2}}, {}, {2}, 2},
      {"workers that wait for each other", 2, {{2, 3}, {1, 0.9}}, {}, {2, 1, 2, 1, 2, 1, 2}, 1},
  };
  for (const invented& machine : cases) {
    std::vector<std::size_t> tried;
    const worker_trial trial = trial_of(machine, tried);
    EXPECT_EQ(tried, machine.tried) << machine.of;
    EXPECT_EQ(trial.workers(), machine.left) << machine.of;
    EXPECT_EQ(trial.rounds(), 1u) << machine.of;
    EXPECT_EQ(trial.reason().empty(), machine.left == machine.workers) << machine.of;
  }
}

TEST(worker_trial, says_why_workers_are_left_out) {
  std::vector<std::size_t> tried;
  EXPECT_THAT(trial_of({"", 2, {{2, 5}, {1, 4}}, {{0, 2.0}, {6, 1.2}}, {}, 0}, tried).reason(),
              StartsWith("1 of 2 workers trains: a row took it 4000 ns, and all of them 5000 ns"));
  EXPECT_THAT(trial_of({"", 4, {{4, 9}, {2, 6}, {1, 8}}, {}, {}, 0}, tried).reason(),
              AllOf(StartsWith("2 of 4 workers train: a row took them 6000 ns, and all of them 9000 ns"),
                    HasSubstr("with an explicit sharing or number of workers all of them train")));
}

TEST(worker_trial, does_not_count_rounds_that_were_not_finished) {
  double now = 0.0;
  worker_trial trial(2, 4, [&now] { return now; });
  const auto round = [&](double seconds, bool finished) {
    trial.begin_round();
    now += seconds;
    if (finished) trial.end_round(1'000.0);
  };
  round(0.005, true);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(trial.workers(), 1u);
    round(0.001, false);
  }
  round(0.008, true);
  round(0.005, true);
  EXPECT_TRUE(trial.is_over());
  EXPECT_EQ(trial.workers(), 2u);
}

/// A general model whose workers share its array, if the user does not say otherwise.
struct shared_columns : test::counting_columns {
  static constexpr std::string_view name = "shared_columns";
  static constexpr sharing_kind sharing = sharing_kind::direct;
};

test::kept_rows rows_apart(std::size_t rows) {
  test::toy_rows data;
  data.columns = rows;
  for (std::uint32_t r = 0; r < rows; ++r) data.push({r}, {1.0f}, 0.0f);
  return data;
}

/// Two workers in this thread, the second one first: it leaves the first one nothing. Keeps the rows of each round that
/// the second one trained. A round of the first one alone takes `one` of the time of the others.
class second_first final : public engine_run {
 public:
  second_first(const test::planned_task& work, double one, int loses)
      : work_(work), one_(one), loses_(loses), store_(param_store::in_memory(work.shape(2))) {
    for (worker_slot& slot : store_.slots()) slot.state = worker_state::active;
  }

  std::string_view engine() const override { return "second_first"; }
  std::size_t workers() const override { return 2; }
  const param_store& store() const override { return store_; }
  thread_team& helpers() override { return *helpers_; }
  void run_round() override {
    if (std::cmp_equal(rows_of_second.size(), loses_))  // somebody draws a ticket, and dies
      store_.counters()[0].draw(store_.control().round.number, work_.plan.chunks.count());
    const std::uint64_t before = store_.slots()[1].rows.get();
    for (const std::size_t slot : {1u, 0u}) work_->work({work_.plan, store_, slot, memory_[slot], nullptr});
    rows_of_second.push_back(store_.slots()[1].rows.get() - before);
    now += rows_of_second.back() > 0 ? 0.01 : 0.01 * one_;
  }
  double now = 0.0;
  std::vector<std::uint64_t> rows_of_second{};

 private:
  const test::planned_task& work_;
  double one_;
  int loses_;  ///< the round that loses a ticket
  param_store store_;
  worker_memory memory_[2];
  std::unique_ptr<thread_team> helpers_ = thread_team::make(thread_team_kind::std, 1, false);
};

struct trained_trial : testing::Test {
  test::kept_rows data = rows_apart(1'024);  // 64 chunks: eight rounds an epoch
  test::planned_task work = [this] {
    test::planned_task made = make_task(shared_columns{{1'024}}, data.view(), label_map{}, {});
    made.set_sharing(access_kind::direct, {});
    return made;
  }();
  test::heard_run heard;
  std::vector<std::uint64_t> rows_of_second;
  std::uint32_t end_slot = 0;  ///< of the last round

  train_result run(train_options options, double one, bool tries = true, int loses = -1) {
    options.observers.emplace_back(&heard);
    second_first started(work, one, loses);
    resolved_run run{.options = options,
                     .schedule = {schedule_kind::constant, 1.0, 0.0},
                     .tries_workers = tries,
                     .trial_clock = [&started] { return started.now; }};
    if (!options.resume.empty())
      run.resumed = std::make_shared<const resumed_checkpoint>(resume_of_rank(options.resume, agreement(nullptr)));
    train_result result = work.train(started, run);
    rows_of_second = started.rows_of_second;
    end_slot = started.store().control().round.end_slot;
    return result;
  }
};

TEST_F(trained_trial, leaves_a_worker_out_of_all_later_rounds) {
  const train_result result = run({.epochs = 5}, 0.5);
  std::vector<std::uint64_t> expected(8 + 4, 0);  // rounds, one an epoch after the first
  for (const std::size_t round : {0u, 2u, 4u, 6u}) expected[round] = 128;
  EXPECT_EQ(rows_of_second, expected);
  EXPECT_EQ(result.workers, 1u);
  EXPECT_EQ(result.examples, 5u * 1'024u);
  EXPECT_THAT(result.parameters, testing::Each(5.0f));
  EXPECT_THAT(heard.notes, ElementsAre(StartsWith("1 of 2 workers trains: ")));
}

TEST_F(trained_trial, costs_one_round_where_all_workers_are_faster) {
  const train_result result = run({.epochs = 5}, 1.5);
  std::vector<std::uint64_t> expected(8 + 4, 128);
  expected[1] = 0;
  std::fill(expected.begin() + 8, expected.end(), 1'024u);
  EXPECT_EQ(rows_of_second, expected);
  EXPECT_EQ(end_slot, round_plan::no_slot) << "workers that join late would not train";
  EXPECT_EQ(result.workers, 2u);
  EXPECT_THAT(result.parameters, testing::Each(5.0f));
  EXPECT_THAT(heard.notes, IsEmpty());
}

TEST_F(trained_trial, tries_the_same_workers_again_after_a_round_that_lost_a_ticket) {
  const train_result result = run({.epochs = 5}, 1.5, true, 1);
  // The round of one, the lost ticket, the round of one again, and the rest.
  EXPECT_THAT(std::vector(rows_of_second.begin(), rows_of_second.begin() + 5), ElementsAre(128, 0, 0, 0, 128));
  EXPECT_EQ(rows_of_second.size(), 8u + 1 + 4);
  EXPECT_THAT(result.parameters, testing::Each(5.0f));
}

TEST_F(trained_trial, keeps_to_the_rounds_that_observers_ask_for) {
  struct : observer {
    observer_answer on_round(const round_report& r) override {
      examples.push_back(r.examples);
      return observer_answer::go_on;
    }
    void on_note(std::string_view) override {}
    std::vector<std::uint64_t> examples;
  } rounds;
  run({.epochs = 5, .observers = {&rounds}, .rounds = 3}, 1.5);
  EXPECT_EQ(rounds.examples.size(), 15u);
  EXPECT_EQ(rows_of_second.size(), 9u + 4 * 3);  // the first epoch in the next multiple of three
}

TEST_F(trained_trial, is_not_made_where_it_is_not_wanted_or_the_run_is_short) {
  run({.epochs = 5}, 0.5, false);
  EXPECT_EQ(rows_of_second, std::vector<std::uint64_t>(5, 1'024));
  run({.epochs = 3}, 0.5);
  EXPECT_EQ(rows_of_second, std::vector<std::uint64_t>(3, 1'024));
  EXPECT_THAT(heard.notes, IsEmpty());
}

TEST_F(trained_trial, is_not_made_again_by_a_run_that_is_resumed) {
  const test::scratch_folder folder;
  for (const double one : {0.5, 1.5}) {
    const std::string file = folder / "run.ckpt";
    run({.epochs = 5, .checkpoint = file}, one);
    heard.notes.clear();
    const train_result result = run({.epochs = 50, .resume = file}, 2.0 - one);
    EXPECT_EQ(rows_of_second, std::vector<std::uint64_t>(45, one < 1.0 ? 0 : 1'024));
    EXPECT_EQ(result.workers, one < 1.0 ? 1u : 2u);
    EXPECT_THAT(heard.notes, IsEmpty());
  }
}

/// Whether a run of two CPUs or more makes the trial.
template <class M, class Engine>
bool tries(const M& m, const Engine& engine, const train_options& options) {
  static const test::kept_rows data = rows_apart(64);
  test::heard_run heard;
  train_options heard_options = options;
  heard_options.observers = {&heard};
  const prepared_task ready = prepare(m, data.view(), heard_options);
  resolved_run run = begin_run(ready);
  run_planner planner(*ready.task, run);
  engine_of<Engine>(engine).plan(planner);
  return run.tries_workers;
}

TEST(worker_trial, is_for_models_with_one_array_where_the_user_has_left_sharing_and_workers_open) {
  const train_options options{.epochs = 2, .step = {.initial = 1.0}};
  const shared_columns m{{64}};
  const auto with = [&](auto change) {
    train_options changed = options;
    change(changed);
    return tries(m, thread_engine{.pin = false}, changed);
  };
  EXPECT_EQ(tries(m, thread_engine{.pin = false}, options), worker_count(std::nullopt) > 1);
  EXPECT_EQ(tries(m, process_engine{.pin = false}, options), worker_count(std::nullopt) > 1);
  EXPECT_EQ(with([](train_options& o) { o.update = update_kind::exact; }), worker_count(std::nullopt) > 1);
  EXPECT_FALSE(tries(m, thread_engine{.workers = 2, .pin = false}, options));
  EXPECT_FALSE(tries(m, serial_engine{}, options));
  EXPECT_FALSE(tries(m, all_reduce_engine{}, options));
  EXPECT_FALSE(tries(m, local_sgd_engine{}, options));
  if (worker_count(std::nullopt) > 1) {
    EXPECT_FALSE(tries(m, ring_engine{.replicas = 2}, options));
  }
  EXPECT_FALSE(tries(test::counting_columns{64}, thread_engine{.pin = false}, options));
  EXPECT_FALSE(tries(least_squares{}, thread_engine{.pin = false}, options));
  EXPECT_FALSE(with([](train_options& o) { o.sharing = sharing_kind::direct; }));
  EXPECT_FALSE(with([](train_options& o) { o.sharing = sharing_kind::buffered; }));
  EXPECT_FALSE(with([](train_options& o) { o.reproducible = true; }));
  EXPECT_FALSE(with([](train_options& o) { o.shards = sharding::fixed; }));
  for (const update_kind update : {update_kind::locked, update_kind::edge_locked, update_kind::ordered})
    EXPECT_FALSE(with([&](train_options& o) { o.update = update; }));
}

}  // namespace
