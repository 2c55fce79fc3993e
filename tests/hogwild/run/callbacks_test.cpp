// SPDX-License-Identifier: Apache-2.0
// Observers: their answers, the ways to give them to a run, and their exceptions.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/results/checkpoint.hpp>
#include <hogwild/engines.hpp>
#include <hogwild/error.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/matrix_factorization.hpp>
#include <hogwild/observer.hpp>
#include <hogwild/several_models.hpp>
#include <hogwild/train.hpp>

#include "support/refusal.hpp"
#include "support/scratch_folder.hpp"
#include "support/toy_data.hpp"
#include "support/toy_ratings.hpp"

using namespace hogwild;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

const test::toy_rows told_rows = test::planted_regression({.rows = 2'000, .columns = 20}, 0.5);
const thread_engine two_threads{.workers = 2, .team = thread_team_kind::std, .pin = false};

train_options short_run(std::vector<observer_handle> observers) {
  return {.epochs = 5, .step = {.initial = 0.1, .decay = 0.9}, .l2 = 0.01, .observers = std::move(observers)};
}

train_result run_with(const train_options& options) {
  return train(least_squares{}, told_rows.csr(), serial_engine{}, options);
}

TEST(an_answer, ends_the_run_with_its_checkpoint_and_says_who_asked) {
  const test::scratch_folder folder;
  train_options options =
      short_run({[](const epoch_report& e) { return e.epoch == 2 ? observer_answer::stop : observer_answer::go_on; }});
  options.checkpoint = (folder / "checkpoint").string();
  options.record = (folder / "record").string();
  const train_result stopped = run_with(options);
  EXPECT_EQ(stopped.status, run_status::stopped);
  EXPECT_EQ(stopped.stopped_by, stop_cause::observer);
  EXPECT_EQ(stopped.epochs, 2u);
  EXPECT_EQ(stopped.examples, 4'000u);
  const std::string lines = test::read_text(options.record);
  EXPECT_THAT(lines, HasSubstr(R"("status":"stopped")"));
  EXPECT_THAT(lines, HasSubstr(R"("stopped_by":"observer")"));

  train_options rest = short_run({});
  rest.resume = options.checkpoint;
  const train_result resumed = run_with(rest);
  EXPECT_EQ(resumed.parameters, run_with(short_run({})).parameters) << "the checkpoint is of the second epoch";
  EXPECT_FALSE(resumed.stopped_by);
}

TEST(an_answer, after_the_last_epoch_leaves_the_run_done) {
  const train_options options =
      short_run({[](const epoch_report& e) { return e.epoch == 5 ? observer_answer::stop : observer_answer::go_on; }});
  const train_result of_one = run_with(options);
  const train_result of_two =
      train_ensemble(least_squares{}, told_rows.csr().view(), serial_engine{}, {.models = 2}, options);
  for (const train_result* const run : {&of_one, &of_two}) {
    EXPECT_EQ(run->status, run_status::done);
    EXPECT_FALSE(run->stopped_by);
  }
}

TEST(an_answer, of_several_models_comes_before_the_time) {
  train_options options = short_run({[](const epoch_report&) { return observer_answer::stop; }});
  options.max_seconds = 1e-9;
  const train_result run =
      train_ensemble(least_squares{}, told_rows.csr().view(), serial_engine{}, {.models = 2}, options);
  EXPECT_EQ(run.status, run_status::stopped);
  EXPECT_EQ(run.stopped_by, stop_cause::observer);
}

TEST(a_checkpoint, is_written_after_so_many_epochs_the_last_one_and_where_an_observer_ends_the_run) {
  const test::scratch_folder folder;
  const auto epochs_seen = [&](std::size_t stops_at) {
    const std::string file = (folder / std::to_string(stops_at)).string();
    std::vector<std::uint64_t> seen;
    const auto look = [&] { seen.push_back(std::filesystem::exists(file) ? read_checkpoint(file).epoch : 0); };
    train_options options = short_run({[&](const epoch_report& e) {
      look();
      return e.epoch == stops_at ? observer_answer::stop : observer_answer::go_on;
    }});
    options.checkpoint = file;
    options.checkpoint_every = 2;
    run_with(options);
    look();
    return seen;
  };
  EXPECT_THAT(epochs_seen(6), ElementsAre(0, 0, 2, 2, 4, 5));
  EXPECT_THAT(epochs_seen(3), ElementsAre(0, 0, 2, 3));
  EXPECT_THROW(run_with({.checkpoint_every = 0}), config_error);
}

TEST(an_answer, keeps_no_other_observer_from_hearing_of_the_epoch) {
  std::size_t heard = 0;
  run_with(
      short_run({[](const epoch_report&) { return observer_answer::stop; }, [&](const epoch_report&) { ++heard; }}));
  EXPECT_EQ(heard, 1u);
}

TEST(an_answer, makes_no_difference_where_the_run_ends_anyway) {
  train_options options = short_run({[](const epoch_report&) { return observer_answer::stop; }});
  options.epochs = 1;
  EXPECT_EQ(run_with(options).status, run_status::done);
  options.epochs = 5;
  options.target = target_option{"objective", 1e9};
  const train_result reached = run_with(options);
  EXPECT_EQ(reached.status, run_status::target);
  EXPECT_FALSE(reached.stopped_by);
}

TEST(an_answer, is_told_from_a_request) {
  std::stop_source source;
  train_options options = short_run({[&](const epoch_report&) { source.request_stop(); }});
  options.stop = source.get_token();
  EXPECT_EQ(run_with(options).stopped_by, stop_cause::request);
}

TEST(parameters_of_a_report, are_w_in_the_order_of_the_input) {
  const test::scratch_folder folder;
  // Column 30 is the most popular one, so that training has it first; 7 is the rarest.
  const std::string text = folder.write("rows.svm", "1 7:1 10:1 30:1\n-1 10:-1 30:2\n1 30:1\n-1 10:1 30:-2\n");
  const sparse_dataset data = open_libsvm(text, {.cache = open_options::cache_use::none});
  std::vector<std::vector<float>> seen;
  std::vector<std::uint32_t> columns;
  train_options options = short_run({[&](const epoch_report& e) {
    seen.push_back(e.parameters());
    columns = e.parameters.columns();
  }});
  options.bias = true;
  options.l2 = 0.3;  // the stored weights are v, with w = a v
  const train_result run = train(logistic{}, data, serial_engine{}, options);
  EXPECT_THAT(columns, ElementsAre(7, 10, 30));
  ASSERT_EQ(seen.size(), 5u);
  EXPECT_NE(seen[3], seen[4]);
  const auto position = [&](std::uint32_t column) { return data.numbering().position(column); };
  ASSERT_EQ(position(30), 0u);
  EXPECT_THAT(seen.back(), ElementsAre(run.parameters[position(7)], run.parameters[position(10)],
                                       run.parameters[position(30)], run.parameters.back()));
}

TEST(parameters_of_a_report, of_rows_in_memory_are_as_returned_and_the_mean_where_a_run_averages) {
  std::vector<float> last;
  std::vector<std::uint32_t> columns;
  train_options options =
      short_run({[&](const epoch_report& e) { last = e.parameters(), columns = e.parameters.columns(); }});
  EXPECT_EQ(run_with(options).parameters, last);
  std::vector<std::uint32_t> counted(20);
  std::iota(counted.begin(), counted.end(), 0u);
  EXPECT_EQ(columns, counted);
  options.average = 0.5;
  EXPECT_EQ(run_with(options).parameters, last);
}

TEST(parameters_of_a_report, are_lost_with_the_callback_and_say_so) {
  epoch_report kept;
  std::vector<float> in_time;
  run_with(short_run({[&](const epoch_report& e) {
    kept = e;
    std::thread([&] { in_time = kept.parameters(); }).join();  // by any thread
  }}));
  EXPECT_EQ(in_time.size(), 20u);
  for (const auto& ask : {std::function<void()>([&] { kept.parameters(); }), {[&] { kept.parameters.columns(); }}}) {
    EXPECT_THAT(test::refusal_of([&] { ask(); }), HasSubstr("while the observer is told"));
  }
  EXPECT_THROW(epoch_report{}.parameters(), config_error);
}

/// Writes the reports to a page.
struct diarist final : observer {
  explicit diarist(std::string& page) : page(&page) {}
  void on_start(const run_start&) override { note("start"); }
  observer_answer on_epoch(const epoch_report&) override { return note("epoch"), observer_answer::go_on; }
  observer_answer on_round(const round_report&) override { return note("round"), observer_answer::go_on; }
  void on_finish(const train_result&) override { note("finish"); }
  void on_failure() override { note("failure"); }

  void note(const std::string& event) {
    *page += event + " ";
    if (event == throws) throw std::runtime_error("at " + event);
  }
  std::string* page;
  std::string throws{};
};

TEST(observers_of_a_run, are_given_by_pointer_reference_value_or_shared) {
  std::string page;
  diarist mine(page);
  const auto options_with = [](observer_handle o) {
    train_options options = short_run({std::move(o)});
    options.epochs = 1;
    return options;
  };
  const auto heard = [&](const train_options& options) {
    page.clear();
    run_with(options);
    return page;
  };
  const std::string all = "start epoch finish ";
  EXPECT_EQ(heard(options_with(&mine)), all);
  EXPECT_EQ(heard(options_with(mine)), all);
  EXPECT_EQ(heard(options_with(diarist(page))), all);
  EXPECT_EQ(heard(options_with(std::make_shared<diarist>(page))), all);
  EXPECT_EQ(heard(options_with(std::make_unique<diarist>(page))), all);
  // Copies of the options report to the same observer.
  const train_options first = options_with(diarist(page)), second = first;
  EXPECT_EQ(first.observers[0].get(), second.observers[0].get());
}

TEST(observers_of_a_run, may_be_functions_of_epochs_or_of_rounds) {
  std::size_t epochs = 0, rounds = 0;
  const auto count = [&](const epoch_report&) { ++epochs; };
  train_options options = short_run({count, [&](const round_report&) { ++rounds; }});
  run_with(options);
  EXPECT_EQ(epochs, 5u);
  EXPECT_EQ(rounds, 0u) << "nobody has asked for them";
  options.rounds = 3;
  run_with(options);
  EXPECT_EQ(epochs, 10u);
  EXPECT_EQ(rounds, 15u);
}

std::string thrown_by(const train_options& options) {
  return test::refusal_of<std::runtime_error>([&] { run_with(options); }, "nothing");
}

TEST(what_an_observer_throws, leaves_the_run_as_it_is_and_all_hear_of_the_failure) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"start", "start failure failure "},
      {"round", "start start round failure failure "},
      {"epoch", "start start round round epoch failure failure "},
      {"finish", "start start round round epoch epoch finish failure failure "}};
  for (const auto& [event, expected] : cases) {
    std::string page;
    diarist fails(page), listens(page);
    fails.throws = event;
    train_options options = short_run({&fails, &listens});
    options.epochs = 1, options.rounds = 1;
    EXPECT_EQ(thrown_by(options), "at " + event);
    EXPECT_EQ(page, expected);
  }
}

TEST(what_an_observer_throws, is_not_hidden_by_another_one_that_fails_to_hear_of_it) {
  std::string page;
  diarist first(page), last(page);
  first.throws = "failure";
  train_options options = short_run({&first, &last, [](const epoch_report&) { throw std::runtime_error("enough"); }});
  EXPECT_EQ(thrown_by(options), "enough");
  EXPECT_EQ(page, "start start epoch epoch failure failure ");
}

TEST(what_an_observer_throws, leaves_the_checkpoint_of_the_epoch_before) {
  const test::scratch_folder folder;
  train_options options = short_run({[](const epoch_report& e) {
    if (e.epoch == 3) throw std::runtime_error("enough");
  }});
  options.checkpoint = (folder / "checkpoint").string();
  EXPECT_EQ(thrown_by(options), "enough");
  std::vector<std::size_t> heard;
  train_options rest = short_run({[&](const epoch_report& e) { heard.push_back(e.epoch); }});
  rest.resume = options.checkpoint;
  EXPECT_EQ(run_with(rest).parameters, run_with(short_run({})).parameters);
  EXPECT_THAT(heard, ElementsAre(3, 4, 5));
}

TEST(rounds_of_an_epoch, are_told_as_they_end) {
  std::vector<round_report> told;
  std::vector<float> last;
  train_options options = short_run({[&](const round_report& r) { told.push_back(r), last = r.parameters(); }});
  options.epochs = 2, options.rounds = 4;
  const train_result run = run_with(options);
  ASSERT_EQ(told.size(), 8u);
  for (std::size_t k = 0; k < told.size(); ++k) {
    EXPECT_EQ(told[k].epoch, k / 4 + 1);
    EXPECT_EQ(told[k].round, k % 4 + 1);
    EXPECT_EQ(told[k].rounds, 4u);
    EXPECT_NEAR(static_cast<double>(told[k].examples), 500.0 * static_cast<double>(k + 1), 100.0);
    EXPECT_EQ(told[k].nonzeros, 5 * told[k].examples);
    EXPECT_GT(told[k].train_seconds, k == 0 ? 0.0 : told[k - 1].train_seconds);
    EXPECT_GT(told[k].wall_seconds, told[k].train_seconds);
  }
  EXPECT_EQ(last, run.parameters);
  EXPECT_GE(run.train_seconds, told.back().train_seconds);
}

// A serial run goes on where it was: the same rows in the same order, with weights that have shrunk as much.
TEST(rounds_of_an_epoch, change_nothing_in_what_one_worker_trains) {
  for (const double l2 : {0.0, 0.01, 0.3}) {
    train_options options = short_run({});
    options.l2 = l2;
    const std::vector<float> whole = run_with(options).parameters;
    for (const std::size_t rounds : {2u, 7u, 5'000u}) {
      options.rounds = rounds;
      const std::vector<float> cut = run_with(options).parameters;
      for (std::size_t j = 0; j < whole.size(); ++j) EXPECT_NEAR(cut[j], whole[j], 1e-5) << rounds << " rounds, " << l2;
    }
  }
}

TEST(rounds_of_an_epoch, end_where_an_observer_answers_so) {
  train_options options = short_run({[](const round_report& r) {
    return r.epoch == 2 && r.round == 1 ? observer_answer::stop : observer_answer::go_on;
  }});
  options.rounds = 4;
  const train_result run = run_with(options);
  EXPECT_EQ(run.status, run_status::stopped);
  EXPECT_EQ(run.stopped_by, stop_cause::observer);
  EXPECT_EQ(run.epochs, 1u);
  EXPECT_NEAR(static_cast<double>(run.examples), 2'500.0, 100.0);
}

TEST(rounds_of_an_epoch, do_not_count_what_observers_take) {
  using clock = std::chrono::steady_clock;
  clock::time_point left;
  double counted = 0.0;
  train_options options = short_run({[&](const round_report& r) {
    if (r.round > 1) {
      EXPECT_LE(r.train_seconds - counted, std::chrono::duration<double>(clock::now() - left).count());
    }
    counted = r.train_seconds;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    left = clock::now();
  }});
  options.epochs = 1, options.rounds = 10;
  const train_result run = run_with(options);
  EXPECT_GT(run.wall_seconds - run.train_seconds, 0.1);
}

TEST(rounds_of_an_epoch, repeat_to_the_bit_in_reproducible_runs) {
  train_options options = short_run({});
  options.reproducible = true, options.rounds = 3;
  const auto with = [&](std::size_t workers) {
    return train(least_squares{}, told_rows.csr(),
                 thread_engine{.workers = workers, .team = thread_team_kind::std, .pin = false}, options)
        .parameters;
  };
  EXPECT_EQ(with(1), with(3));
}

TEST(rounds_of_an_epoch, are_trained_with_owners_of_ratings_by_nobody) {
  const test::toy_rows ratings = test::planted_ratings({.users = 40, .items = 30, .ratings = 1'000});
  const matrix_factorization m{.users = 40, .items = 30, .factors = 4};
  std::size_t rounds = 0;
  train_options options{
      .epochs = 2, .step = {.initial = 0.05}, .observers = {[&](const round_report&) { ++rounds; }}, .rounds = 5};
  const train_result run = train(m, ratings.csr(), two_threads, options);
  EXPECT_EQ(rounds, 10u);
  EXPECT_GE(run.examples, 2'000u);
  EXPECT_LT(run.examples, 2'100u) << "each rating once an epoch";
  options.ownership = ownership_kind::blocks;
  EXPECT_THROW(train(m, ratings.csr(), two_threads, options), config_error);
}

TEST(rounds_of_an_epoch, are_a_number_in_range) {
  train_options options = short_run({});
  for (const std::size_t rounds : {std::size_t{0}, std::size_t{65'537}}) {
    options.rounds = rounds;
    EXPECT_THROW(run_with(options), config_error);
  }
}

}  // namespace
