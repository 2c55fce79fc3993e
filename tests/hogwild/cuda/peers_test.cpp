// SPDX-License-Identifier: Apache-2.0
// The replicas of several devices meet in the first one's memory if all can access it, else on the host.
#include <hogwild/cuda/engine.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>
#include <stop_token>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/run/rounds.hpp>
#include <hogwild/error.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/observer.hpp>
#include <hogwild/train.hpp>

#include "device_run.hpp"
#include "forwarding_device.hpp"
#include "given_devices.hpp"
#include "near_serial.hpp"
#include "support/counting.hpp"
#include "support/heard_run.hpp"
#include "support/planned_task.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;
using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace {

const test::toy_rows peer_rows =
    test::planted_classification({.rows = 4000, .columns = 200, .per_row = 10, .seed = 23});

/// The emulated device, whose kernels have the given access to the memory of others.
class reaching_device final : public test::forwarding_device {
 public:
  reaching_device(device::peer_access access, std::uint64_t memory_bytes, bool registers)
      : forwarding_device(device::open_emulated(1, memory_bytes)), access_(access), registers_(registers) {}
  device::peer_access reach(const device::device_facts&) override { return access_; }
  void* register_host(void* memory, std::size_t bytes) override {
    if (!registers_) throw resource_error("not here");
    return forwarding_device::register_host(memory, bytes);
  }

 private:
  device::peer_access access_;
  bool registers_;
};

/// Devices with this access; the last one has limited memory.
struct reach_of_devices {
  std::size_t workers = 0;  ///< on the CPU, beside the devices
  device::peer_access access = device::peer_access::atomic;
  std::uint64_t last_memory_bytes = device::unlimited_memory;
  std::size_t devices = 2;
  bool registers = true;
};

test::given_devices reaching_devices(const reach_of_devices& how = {}) {
  return {.open =
              [=](std::size_t k) {
                return std::make_unique<reaching_device>(
                    how.access, k + 1 == how.devices ? how.last_memory_bytes : device::unlimited_memory, how.registers);
              },
          .devices = how.devices,
          .workers = how.workers};
}

using told_notes = std::vector<std::string>;

/// The place where the replicas of a run met, and its notes. The run must end where a serial one does.
template <class Engine>
std::pair<std::string, told_notes> meeting_of(const Engine& engine, update_kind update = update_kind::lossy) {
  test::heard_run told;
  train_options options{.epochs = 10, .step = {.initial = 0.2, .decay = 0.8}, .l2 = 1e-4, .update = update};
  options.observers = {&told};
  const train_result r = test::expect_near_serial(logistic{}, peer_rows.csr(), engine, options);
  for (const device_report& d : r.devices) EXPECT_EQ(d.exchange, r.devices[0].exchange);
  return {r.devices[0].exchange, told.notes};
}

TEST(peers, meet_in_the_memory_of_the_first_one) {
  for (const std::size_t devices : {2u, 3u}) {
    const auto [where, notes] = meeting_of(reaching_devices({.devices = devices}), update_kind::exact);
    EXPECT_EQ(where, "peers");
    EXPECT_THAT(notes, IsEmpty());
  }
  // Loads and stores are enough where an update may be lost.
  EXPECT_EQ(meeting_of(reaching_devices({.access = device::peer_access::plain})).first, "peers");
}

TEST(peers, that_do_not_reach_each_other_meet_on_the_host_and_a_note_says_why) {
  const auto [where, notes] = meeting_of(reaching_devices({.access = device::peer_access::none}));
  EXPECT_EQ(where, "host");
  EXPECT_THAT(notes,
              Contains(EndsWith("exchange through memory of this machine: an emulated device does not reach the memory "
                                "of an emulated device")));
  const auto exact = meeting_of(reaching_devices({.access = device::peer_access::plain}), update_kind::exact);
  EXPECT_EQ(exact.first, "host");
  EXPECT_THAT(exact.second, Contains(HasSubstr("exact updates of an emulated device might be lost")));
}

// The first one's memory gets the parameters and gives them back each round.
TEST(peers, whose_parameters_could_not_be_registered_meet_all_the_same_and_a_note_says_so_once) {
  const auto [where, notes] = meeting_of(reaching_devices({.registers = false}));
  EXPECT_EQ(where, "peers");
  EXPECT_THAT(
      notes,
      ElementsAre(
          "the memory that the replica of the emulated device is copied through could not be registered with CUDA: "
          "the run goes on, and copies take longer"));
}

// A replica's copy of the last seen parameters is as large as the replica: 2,000 floats each.
TEST(peers, leave_three_quarters_of_free_memory_to_what_else_is_there) {
  const auto wide = test::planted_classification({.rows = 500, .columns = 2000, .per_row = 10, .seed = 24});
  const auto with = [&](std::uint64_t bytes) {
    test::heard_run told;
    const train_result r = train(logistic{}, wide.csr(), reaching_devices({.last_memory_bytes = bytes}),
                                 {.epochs = 1, .step = {.initial = 0.1}, .observers = {&told}});
    return std::pair(r.devices[0].exchange, told.notes);
  };
  const auto small = with(31'999);
  EXPECT_EQ(small.first, "host");
  EXPECT_THAT(small.second,
              Contains(HasSubstr("more than a quarter of what is free on an emulated device, 8000 bytes")));
  EXPECT_EQ(with(32'000).first, "peers");
}

TEST(peers, are_all_workers_of_a_run_or_none) {
  const auto hybrid = meeting_of(reaching_devices({.workers = 1}));
  EXPECT_EQ(hybrid.first, "host");
  EXPECT_THAT(hybrid.second, Not(Contains(HasSubstr("exchange through"))));
  const cuda_engine alone{.device = emulated_device}, pinned{.device = emulated_device, .memory = memory_kind::pinned};
  EXPECT_EQ(meeting_of(alone).first, "");
  EXPECT_EQ(meeting_of(pinned).first, "");
}

TEST(peers, lose_no_exact_add) {
  constexpr std::size_t epochs = 3, columns = 1500, devices = 3;
  const test::kept_rows data = test::countable_rows(3000, columns);
  for (const bool reached : {true, false}) {
    auto work = test::counting_task(test::counting_margins{}, data.view(), update_kind::exact, access_kind::buffered,
                                    devices, 8);
    work.plan.options.device_count = devices;
    std::fill_n(work.plan.options.devices.begin(), devices, emulated_device);
    work.plan.options.rows_in_flight = 4;
    const auto run =
        start(reaching_devices({.workers = devices,
                                .access = reached ? device::peer_access::atomic : device::peer_access::none,
                                .devices = devices}),
              *work, work.plan, {});
    run->get_ready();
    EXPECT_EQ(run->devices()[0].exchange, reached ? "peers" : "host");
    round_driver rounds(*work, work.plan, *run);
    for (std::size_t e = 1; e <= epochs; ++e) rounds.train_epoch(e, 1.0);
    EXPECT_TRUE(std::ranges::equal(run->store().parameters<float>(), test::counts_after(data, epochs)));
    for (const worker_slot& slot : run->store().slots()) EXPECT_EQ(slot.unsent.get(), 0u);
  }
}

TEST(peers, go_on_from_a_checkpoint_of_theirs) {
  test::expect_to_go_on_near_serial(logistic{}, peer_rows.csr(), reaching_devices());
}

// Each row adds 1 to both of its columns.
TEST(peers, that_are_stopped_leave_all_that_they_trained) {
  std::stop_source stop;
  const auto toy = test::countable_rows(3000, 200);
  const train_result r = train(test::counting_margins{}, toy.csr(), reaching_devices(),
                               {.epochs = 1000,
                                .step = {.initial = 1.0, .kind = schedule_kind::constant},
                                .l2 = 0.0,
                                .update = update_kind::exact,
                                .observers = {[&](const epoch_report&) { stop.request_stop(); }},
                                .stop = stop.get_token()});
  EXPECT_EQ(r.status, run_status::stopped);
  EXPECT_EQ(r.devices[0].exchange, "peers");
  EXPECT_GE(r.examples, 3000u);
  EXPECT_EQ(std::accumulate(r.parameters.begin(), r.parameters.end(), 0.0), 2.0 * static_cast<double>(r.examples));
}

}  // namespace
