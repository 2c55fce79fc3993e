// SPDX-License-Identifier: Apache-2.0
// Replicas that meet in a device's memory have the bits of those that meet in the store, and the host copies nothing.
#include "common_model.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/loop/loop_plan.hpp>
#include <hogwild/detail/memory/private_memory.hpp>
#include <hogwild/detail/sharing/exchange_hook.hpp>

#include "changing_model.hpp"
#include "device_step.hpp"
#include "forwarding_device.hpp"
#include "kernels/replica_meeting.hpp"
#include "support/fresh_seed.hpp"

using namespace hogwild;

namespace {

constexpr std::size_t all_parameters = 3000, rows_between = 4, turns = 18, members = 3;
constexpr std::size_t bytes_of_updates = sizeof(std::uint64_t);  // they are fetched each time

/// The emulated device; it records the copies, and whether the program waited after the last kernel.
class watched_device final : public test::forwarding_device {
 public:
  watched_device() : forwarding_device(device::open_emulated(2)) {}

  void upload(void* to, const void* from, std::size_t bytes) override {
    copied += bytes;
    forwarding_device::upload(to, from, bytes);
  }
  void download(void* to, const void* from, std::size_t bytes) override {
    copied += bytes;
    forwarding_device::download(to, from, bytes);
  }
  void run(const device::kernel_launch& launch) override {
    is_through = false;
    forwarding_device::run(launch);
  }
  void wait(std::uint64_t mark) override {
    forwarding_device::wait(mark);
    is_through = true;
  }

  std::size_t copied = 0;
  bool is_through = true;
};

/// A hook at the place where a ring passes its token: the exchange must be complete.
struct watching_hook final : exchange_hook {
  explicit watching_hook(const watched_device& of) : device(of) {}
  bool may_exchange() override { return ++looks % 3 != 0; }
  void exchanged(std::size_t bytes) override {
    EXPECT_TRUE(device.is_through) << "the token goes on before the device is through";
    met += bytes;
  }
  const watched_device& device;
  std::size_t looks = 0, met = 0;
};

/// Devices, played by this thread one after the other.
struct meeting_devices {
  meeting_devices(update_kind update, std::uint64_t seed) : random(seed) {
    constexpr store_shape shape{.parameters = all_parameters, .state_arrays = 1, .workers = members};
    store = param_store::in_memory(shape);
    plan.options.update = update;
    plan.options.sharing = access_kind::buffered;
    std::normal_distribution<float> normal;
    for (float& w : store.parameters<float>()) w = normal(random);
    for (float& s : store.state<float>(0)) s = normal(random);
  }

  /// Two rounds. The bytes that exchanges copied between devices and host, but for the number of updates.
  std::size_t train(bool by_peers) {
    struct member {
      std::unique_ptr<private_arrays<float>> host;
      std::unique_ptr<test::changing_model> model;
      std::unique_ptr<device::device_step> step;
    };
    std::vector<device::runtime*> runtimes;
    for (watched_device& d : devices) runtimes.push_back(&d);
    std::optional<device::common_model> common;
    if (by_peers) common.emplace(runtimes, store);
    std::array<device::device_arrays, members> arrays{device::device_arrays(devices[0], all_parameters, 1),
                                                      device::device_arrays(devices[1], all_parameters, 1),
                                                      device::device_arrays(devices[2], all_parameters, 1)};
    std::array<worker_memory, members> memory;
    const std::vector<parameter_group> groups{{.rows = all_parameters - 1},
                                              {.offset = all_parameters - 1, .rows = 1, .hot_first = false}};
    std::vector<member> all(members);
    std::vector<race_probe> probes;
    for (std::size_t k = 0; k < members; ++k) {
      const worker_context at{plan, store, k, memory[k], &hooks[k]};
      all[k].host = by_peers ? common->replica_of(at, groups, arrays[k])
                             : private_arrays_of<float>(access_kind::buffered, at, groups, std::size_t(-1));
      all[k].model = std::make_unique<test::changing_model>(arrays[k]);
      all[k].step = std::make_unique<device::device_step>(devices[k], *all[k].model, arrays[k], *all[k].host,
                                                          plan.options, store.slots()[k]);
      probes.emplace_back(store.slots(), k, true);
    }
    std::size_t copied = 0;
    for (const float gain_weight : {1.0f, 0.4f}) {
      if (common) common->take();
      for (member& m : all) m.step->begin_round({.exchange_rows = rows_between, .gain_weight = gain_weight});
      for (std::size_t turn = 0; turn < turns * members; ++turn) {
        const std::size_t k = random() % members;
        all[k].step->train_run(turn, rows_between);
        const std::size_t before = devices[k].copied;
        all[k].step->exchange(rows_between, probes[k]);
        copied += devices[k].copied - before - bytes_of_updates;
      }
      for (member& m : all) m.step->end_round();
      if (common) common->give();
      for (std::size_t k = 0; k < members; ++k) EXPECT_EQ(store.slots()[k].unsent.get(), 0u);
    }
    return copied;
  }

  std::mt19937_64 random;
  loop_plan plan;
  param_store store = param_store::in_memory({});
  std::array<watched_device, members> devices;
  std::array<watching_hook, members> hooks{watching_hook(devices[0]), watching_hook(devices[1]),
                                           watching_hook(devices[2])};
};

struct a_common_model : test::fresh_seed<testing::TestWithParam<update_kind>> {};

TEST_P(a_common_model, has_the_bits_of_the_store_and_its_exchanges_copy_nothing) {
  meeting_devices there(GetParam(), seed), in_store(GetParam(), seed);
  EXPECT_EQ(there.train(true), 0u);
  EXPECT_GT(in_store.train(false), 0u);
  EXPECT_TRUE(std::ranges::equal(there.store.parameters<float>(), in_store.store.parameters<float>()));
  EXPECT_TRUE(std::ranges::equal(there.store.state<float>(0), in_store.store.state<float>(0)));
  for (std::size_t k = 0; k < members; ++k) {
    EXPECT_EQ(there.hooks[k].met, in_store.hooks[k].met);
    EXPECT_GT(there.hooks[k].met, 0u);
    EXPECT_GT(there.store.slots()[k].blocks.get(), 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(by, a_common_model, testing::Values(update_kind::lossy, update_kind::exact));

TEST(several_replicas, add_what_others_do_not_lose) {
  // Each adds ones to the same numbers at the same time as others, by whole exchanges.
  constexpr std::size_t n = 4096, times = 50, devices = 2;
  const auto one = device::open_emulated(2), other = device::open_emulated(2);
  std::vector<float> shared(n);
  std::array<std::vector<float>, devices> work{std::vector<float>(n), std::vector<float>(n)}, base = work;
  const std::array<device::runtime*, devices> runtimes{one.get(), other.get()};
  for (std::size_t t = 0; t < times; ++t) {
    for (std::size_t d = 0; d < devices; ++d) {
      runtimes[d]->run({.warps = 1, .on_host = [&, d](std::size_t, std::size_t) {
                          for (float& w : work[d]) w += 1.0f;
                        }});
      const device::replica_meeting meeting{.shared = shared.data(),
                                            .work = work[d].data(),
                                            .base = base[d].data(),
                                            .count = n,
                                            .update = update_kind::exact,
                                            .rows_in_flight = device::warps_for(n)};
      runtimes[d]->run({.warps = meeting.rows_in_flight, .on_host = [meeting](std::size_t part, std::size_t parts) {
                          device::meet_replica(meeting, part, parts);
                        }});
    }
  }
  for (device::runtime* const r : runtimes) r->wait(r->mark());
  EXPECT_EQ(shared, std::vector<float>(n, devices * times));
}

TEST(a_replica_meeting, is_dealt_out_whole) {
  for (const std::uint64_t count : {1u, 31u, 32u, 33u, 1000u, 4096u}) {
    for (const std::uint64_t parts : {1u, 2u, 7u, 200u}) {
      std::uint64_t next = 0;
      for (std::uint64_t part = 0; part < parts; ++part) {
        const device::replica_piece piece = device::piece_of(count, part, parts);
        EXPECT_EQ(piece.first, next);
        next += piece.count;
      }
      EXPECT_EQ(next, count) << parts << " parts";
    }
  }
}

}  // namespace
