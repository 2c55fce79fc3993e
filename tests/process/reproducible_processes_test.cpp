// SPDX-License-Identifier: Apache-2.0
// Processes have the bits of threads, also where workers are killed or stopped in the middle of a round.
#include <atomic>
#include <bit>
#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/models/hinge_svm.hpp>
#include <hogwild/models/huber.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/softmax.hpp>

#include "process_run.hpp"
#include "support/comes_to.hpp"
#include "support/program_role.hpp"

namespace hogwild {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;

std::vector<std::uint32_t> bits_of(const train_result& run) {
  std::vector<std::uint32_t> bits(run.parameters.size());
  std::ranges::transform(run.parameters, bits.begin(), [](float x) { return std::bit_cast<std::uint32_t>(x); });
  return bits;
}

template <class Model>
void expect_bits_of_serial(const Model& model, const test::toy_rows& toy, const train_options& options) {
  const csr_rows data = toy.csr();
  const auto expected = bits_of(train(model, data, serial_engine{}, options));
  for (const std::size_t workers : {1u, 2u, 4u, 8u}) {
    const train_result run = train(model, data, process_engine{.workers = workers}, options);
    EXPECT_EQ(run.status, run_status::done);
    EXPECT_EQ(bits_of(run), expected) << model_name<Model>() << ", " << workers << " processes";
  }
}

TEST(reproducible_processes, have_the_bits_of_one_serial_worker_with_every_linear_model) {
  constexpr test::toy_shape shape{.rows = 3001, .columns = 5000, .per_row = 12};
  for (const auto optimizer : {optimizer_kind::sgd, optimizer_kind::adagrad}) {
    train_options options{
        .epochs = 3, .optimizer = optimizer, .reproducible = true, .virtual_workers = 8, .bias = true};
    expect_bits_of_serial(logistic{}, test::planted_classification(shape), options);
    expect_bits_of_serial(hinge_svm{}, test::planted_classification(shape), options);
    expect_bits_of_serial(least_squares{}, test::planted_regression(shape), options);
    expect_bits_of_serial(huber{}, test::planted_regression(shape), options);
    options.bias = false;
    const test::toy_rows classes = test::planted_classes({.rows = 1000, .columns = 300, .per_row = 12}, 4);
    expect_bits_of_serial(softmax{.features = 300, .classes = 4}, classes, options);
  }
}

/// Stops the worker in slot 0 in the middle of a chunk, then kills it or leaves it stopped; and its replacement again.
class assailant {
 public:
  assailant(bool kill, int times, std::size_t workers, std::string_view model)
      : thread_([=, this](const std::stop_token& stop) {
          const auto store = test::look_at_run(::getpid(), workers, model);
          if (!store) return;
          const worker_slot& victim = store->slots()[0];
          while (hits_ < times && !stop.stop_requested()) {
            std::this_thread::sleep_for(3ms);
            const pid_t pid = test::send(victim, SIGSTOP);
            if (pid <= 0 || !test::comes_to('T', pid)) continue;
            if (victim.held.get() == 0) {
              ::kill(pid, SIGCONT);
              continue;
            }
            if (kill) ::kill(pid, SIGKILL);
            ++hits_;
            test::eventually(
                20s, [&] { return stop.stop_requested() || (victim.pid.load() > 0 && victim.pid.load() != pid); });
          }
          test::eventually(60s, [&stop] { return stop.stop_requested(); });
          rounds_ = store->control().round.number;
        }) {}
  int finish() {
    thread_.request_stop();
    thread_.join();
    return hits_;
  }
  int hits() const { return hits_; }
  /// After finish(): how many rounds the run took.
  std::uint32_t rounds() const { return rounds_; }

 private:
  std::atomic<int> hits_ = 0;
  std::uint32_t rounds_ = 0;
  std::jthread thread_;
};

struct attacked : testing::TestWithParam<bool> {};

TEST_P(attacked, in_the_middle_of_a_round_have_the_same_bits) {
  const test::toy_rows toy = test::some_rows();
  const csr_rows data = toy.csr();
  const train_options options{
      .epochs = 500, .step = {.initial = 0.2, .decay = 0.9}, .reproducible = true, .virtual_workers = 4};
  for (const std::size_t workers : {1u, 2u, 4u}) {
    test::witness seen(test::slow_logistic::name);
    const int times = GetParam() ? 4 : 1;
    assailant attack(GetParam(), times, workers, test::slow_logistic::name);
    // The run takes as many epochs as the attacks do.
    train_options observed = options;
    observed.observers = {&seen, [&](const epoch_report& epoch) {
                            return epoch.epoch >= 12 && attack.hits() == times ? observer_answer::stop
                                                                               : observer_answer::go_on;
                          }};
    const train_result run = train(test::slow_logistic{}, data, process_engine{.workers = workers}, observed);
    EXPECT_EQ(attack.finish(), times);
    EXPECT_EQ(run.stopped_by, stop_cause::observer);
    train_options alone = options;
    alone.epochs = run.epochs;
    EXPECT_EQ(bits_of(run), bits_of(train(logistic{}, data, serial_engine{}, alone))) << workers << " processes";
    EXPECT_EQ(seen.unfinished, 0u);
    EXPECT_EQ(run.rows_lost, 0u);
    EXPECT_GT(attack.rounds(), run.epochs) << "no round was trained again";
    EXPECT_THAT(seen.notes(), Contains(HasSubstr("another one takes its place")));
    EXPECT_TRUE(test::leftovers().empty());
  }
}

INSTANTIATE_TEST_SUITE_P(by, attacked, testing::Values(true, false),
                         [](const auto& kill) { return kill.param ? "SIGKILL" : "SIGSTOP"; });

TEST(reproducible_processes, leave_together_when_the_run_is_asked_to_stop) {
  const test::toy_rows toy = test::some_rows();
  test::watched_run asks(2, test::slow_logistic::name, [](const param_store& run) {
    EXPECT_TRUE(test::eventually(60s, [&] { return run.slots()[0].rows.get() > 100; }));
  });
  const train_options options{.epochs = 1'000'000, .step = {.initial = 0.2}, .reproducible = true, .stop = asks.stop()};
  const train_result run = train(test::slow_logistic{}, toy.csr(), process_engine{.workers = 2}, options);
  EXPECT_EQ(run.status, run_status::stopped);
  EXPECT_LT(run.epochs, options.epochs);
  EXPECT_TRUE(test::leftovers().empty());
}

}  // namespace
}  // namespace hogwild

const hogwild::test::program_role reproducible_processes_role(
    hogwild::test::worker_role<hogwild::test::slow_logistic, hogwild::logistic, hogwild::hinge_svm,
                               hogwild::least_squares, hogwild::huber, hogwild::softmax>);
