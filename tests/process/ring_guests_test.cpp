// SPDX-License-Identifier: Apache-2.0
// Workers that join a ring of processes by hand: each finds a replica to help, and the run ends as well as it would
// have.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/platform/child_process.hpp>
#include <hogwild/models/logistic.hpp>

#include "ring_run.hpp"
#include "support/program_role.hpp"

namespace hogwild {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::ring_size;
using test::slow_at_work;

/// Invites guests when the first epoch is over; the second begins when all of them are there.
class host final : public observer {
 public:
  host(const ring_size& size, std::size_t guests) : size_(size), wanted_(guests) {}

  observer_answer on_epoch(const epoch_report& e) override {
    if (e.epoch == 1) invite();
    if (!store_) return observer_answer::go_on;
    const auto slots = store_->slots();
    rows_of_guests = exchanges_of_guests = 0;
    for (std::size_t s = size_.workers; s < slots.size(); ++s) {
      rows_of_guests += slots[s].rows.get();
      exchanges_of_guests += slots[s].ring_exchanges.get();
    }
    return observer_answer::go_on;
  }
  /// When the run is over: whether all of them had come, and left in order.
  bool all_leave_well() {
    bool well = guests_.size() == wanted_ && came_;
    for (child_process& guest : guests_) {
      const auto end = guest.wait_for(60s);
      well = well && end && end->success();
    }
    return well;
  }

  std::uint64_t rows_of_guests = 0, exchanges_of_guests = 0;

 private:
  void invite() {
    const auto segment = test::segment_of(::getpid());
    if (!segment) return;
    store_.emplace(detail::attached_store::open(segment->name, slow_at_work::name));
    while (guests_.size() < wanted_) guests_.push_back(spawn(this_program(), {"--join", segment->name}));
    came_ = eventually(60s, [&] {
      std::size_t active = 0;
      for (const worker_slot& slot : store_->slots()) active += slot.state.load() == worker_state::active;
      return active == size_.workers + wanted_;
    });
  }

  ring_size size_;
  std::size_t wanted_;
  std::optional<param_store> store_;
  std::vector<child_process> guests_;
  bool came_ = false;
};

struct ring_guests : testing::TestWithParam<std::size_t> {};

TEST_P(ring_guests, do_their_part_and_keep_the_quality) {
  const ring_size size{2, 2};
  const test::toy_rows rows = test::some_rows();
  train_options options{.epochs = 30, .step = {.initial = 0.2, .decay = 0.85}};
  const double serial = train(logistic{}, rows.csr(), serial_engine{}, options).objective;
  host seen(size, GetParam());
  options.observers = {&seen};
  const train_result run = train(slow_at_work{}, rows.csr(), size.engine(), options);
  EXPECT_EQ(run.status, run_status::done);
  EXPECT_TRUE(seen.all_leave_well());
  EXPECT_EQ(run.examples, options.epochs * rows.rows());
  EXPECT_EQ(run.rows_lost, 0u);
  const double fraction = static_cast<double>(seen.rows_of_guests) / static_cast<double>(run.examples);
  RecordProperty("fraction_of_guests", std::to_string(fraction));
  RecordProperty("exchanges_of_guests", std::to_string(seen.exchanges_of_guests));
  RecordProperty("above_serial", std::to_string(run.objective / serial - 1.0));
  // All sleep in each row, so that guests do about their share; a tenth is what a guest that hardly gets a CPU does.
  EXPECT_GE(fraction, 0.1);
  EXPECT_GT(seen.exchanges_of_guests, 0u);  // they hold the token for the replica that they train
  EXPECT_NEAR(run.objective, serial, 0.01 * serial);
  EXPECT_TRUE(test::leftovers().empty());
}

INSTANTIATE_TEST_SUITE_P(one_to_three, ring_guests, testing::Values(1u, 2u, 3u));

}  // namespace
}  // namespace hogwild

const hogwild::test::program_role ring_guests_role([](int argc, char** argv) -> std::optional<int> {
  using namespace hogwild;
  if (argc == 3 && std::string_view(argv[1]) == "--join") {
    test::slow_at_work::at_work = true;
    return work_as<test::slow_at_work>({.segment = argv[2]});
  }
  return test::ring_role<test::slow_at_work>(argc, argv);
});
