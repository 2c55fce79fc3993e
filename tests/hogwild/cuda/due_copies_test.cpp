// SPDX-License-Identifier: Apache-2.0
// Only the columns that an exchange covers are copied between a device and its host, and nothing is lost by that.
// Replicas that meet in a device's memory have the bits of those that meet in the store, and the host copies nothing.
#include "device_step.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/memory/private_memory.hpp>
#include <hogwild/detail/sharing/exchange_hook.hpp>
#include <hogwild/detail/sharing/replica.hpp>
#include <hogwild/detail/sharing/ruler.hpp>
#include <hogwild/detail/worker/loop_options.hpp>

#include "common_model.hpp"
#include "forwarding_device.hpp"
#include "kernel_family.hpp"
#include "kernels/replica_meeting.hpp"
#include "support/fresh_seed.hpp"

using namespace hogwild;

namespace {

/// The emulated device; it counts the bytes that are copied, and knows whether the program waited after the last
/// kernel.
class watched_device final : public test::forwarding_device {
 public:
  watched_device() : forwarding_device(device::open_emulated(2)) {}

  void upload(void* to, const void* from, std::size_t bytes) override {
    uploaded_ += bytes;
    forwarding_device::upload(to, from, bytes);
  }
  void download(void* to, const void* from, std::size_t bytes) override {
    downloaded_ += bytes;
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
  /// Since it was asked last.
  std::size_t uploaded() { return std::exchange(uploaded_, 0); }
  std::size_t downloaded() { return std::exchange(downloaded_, 0); }

  bool is_through = true;

 private:
  std::size_t uploaded_ = 0, downloaded_ = 0;
};

/// A model whose every row changes every number by what it was before.
struct changing_model final : device::device_model {
  explicit changing_model(const device::device_arrays& on) : arrays(on) {}

  void begin(const round_plan&, double) override {}
  std::size_t room_for(std::size_t, std::size_t count) const override { return count; }
  device::kernel_launch train(std::size_t first, std::size_t count) override {
    return {.on_host = [this, first, count](std::size_t, std::size_t) {
      for (const std::span<float> values : arrays.values)
        for (std::size_t r = first; r < first + count; ++r)
          for (float& w : values) w = 0.99f * w + 1.0f / static_cast<float>(r + 3);
      *arrays.updates.data() += count;
    }};
  }
  std::uint64_t nonzeros(std::size_t, std::size_t count) const override { return count; }

  const device::device_arrays& arrays;
};

/// A model whose every row adds to its halves a number that is exact between 1 and 2.
constexpr float half_gain = 0x1p-10f;
struct gaining_halves final : device::device_model {
  gaining_halves(const device::device_arrays& on, std::size_t halves) : arrays(on), pairs(halves / 2) {}

  void begin(const round_plan&, double) override {}
  std::size_t room_for(std::size_t, std::size_t count) const override { return count; }
  device::kernel_launch train(std::size_t, std::size_t count) override {
    return {.on_host = [this, gain = half_gain * static_cast<float>(count)](std::size_t, std::size_t) {
      for (device::half_pair& pair : std::span(arrays.halves->data(), pairs))
        pair = device::to_half_pair(device::number_of(pair, 0) + gain, device::number_of(pair, 1) + gain);
    }};
  }
  std::uint64_t nonzeros(std::size_t, std::size_t count) const override { return count; }

  const device::device_arrays& arrays;
  std::size_t pairs;
};

/// A replica that says that each exchange covers all of it.
struct replica_due_whole final : private_arrays<float> {
  explicit replica_due_whole(replica<float>& of) : private_arrays<float>(nullptr), inner(of) {
    for (std::size_t k = 0; k < of.count(); ++k) values_.push_back(of.values(k));
  }
  void begin_round(const round_plan& round) override {
    inner.begin_round(round);
    period_ = round.exchange_rows;
    rows_ = 0;
  }
  void exchange_now(race_probe& probe) override {
    inner.exchange(rows_, probe);
    rows_ = 0;
  }
  void end_round() override { inner.end_round(); }

  replica<float>& inner;
};

constexpr std::size_t parameters = 3000, period = 4, exchanges = 18;
constexpr std::size_t bytes_of(std::size_t numbers) {
  return 2 * numbers * sizeof(float);  // parameters and state
}
constexpr std::size_t updates_bytes = sizeof(std::uint64_t);  // always fetched

struct copied {
  std::size_t downloaded, uploaded;
  bool operator==(const copied&) const = default;
};
void PrintTo(const copied& c, std::ostream* out) {
  *out << c.downloaded << " bytes down, " << c.uploaded << " up";
}

struct driven_replica {
  explicit driven_replica(std::uint64_t seed) : others(seed) {
    // Shape and store are made separately: GCC 12 takes the shape for a dangling pointer.
    constexpr store_shape shape{.parameters = parameters, .state_arrays = 1, .workers = 2};
    store = param_store::in_memory(shape);
  }

  /// Two rounds of a device whose exchanges cover the columns that the replica says, or all. Returns the bytes that
  /// each exchange copied.
  std::vector<copied> train(bool whole) {
    worker_memory memory;
    replica<float> own(store, 0, memory,
                       {{.rows = parameters - 1}, {.offset = parameters - 1, .rows = 1, .hot_first = false}},
                       static_cast<std::size_t>(-1), static_cast<std::size_t>(-1), update_kind::exact);
    replica_due_whole all(own);
    private_arrays<float>& host = whole ? static_cast<private_arrays<float>&>(all) : own;
    changing_model model(arrays);
    device::device_step step(counting, model, arrays, host, {.sharing = access_kind::buffered}, store.slots()[0]);
    race_probe probe(store.slots(), 0, false);
    std::vector<copied> each;
    const auto note = [&] {
      const std::size_t downloaded = counting.downloaded();
      each.push_back({downloaded, counting.uploaded()});
    };
    for (int round = 0; round < 2; ++round) {
      step.begin_round({.exchange_rows = period});
      note();
      for (std::size_t k = 0; k < exchanges; ++k) {
        step.train_run(k * period, period);
        std::uniform_real_distribution<float> gain(-1.0f, 1.0f);
        for (float& w : store.parameters<float>()) w += gain(others);
        step.exchange(period, probe);
        note();
      }
      step.end_round();
      note();
    }
    return each;
  }

  param_store store = param_store::in_memory({});
  watched_device counting;
  device::device_arrays arrays{counting, parameters, 1};
  std::mt19937_64 others;
};

TEST(an_exchange, copies_what_it_covers_and_a_round_begins_and_ends_with_all) {
  driven_replica driven(1);
  std::vector<copied> expected;
  for (int round = 0; round < 2; ++round) {
    expected.push_back({0, bytes_of(parameters)});
    for (std::size_t k = 0; k < exchanges; ++k) {
      const std::size_t covered = std::min(ruler_prefix(k + 1), parameters - 1) + 1;
      expected.push_back({bytes_of(covered) + updates_bytes, bytes_of(covered)});
    }
    expected.push_back({bytes_of(parameters) + updates_bytes, 0});
  }
  EXPECT_EQ(driven.train(false), expected);
}

struct an_exchange_of_some : test::fresh_seed<testing::Test> {};

TEST_F(an_exchange_of_some, has_the_bits_of_one_that_copies_all) {
  driven_replica part(seed), all(seed);
  part.train(false);
  EXPECT_EQ(all.train(true)[1], (copied{bytes_of(parameters) + updates_bytes, bytes_of(parameters)}));
  EXPECT_TRUE(std::ranges::equal(part.store.parameters<float>(), all.store.parameters<float>()));
  EXPECT_TRUE(std::ranges::equal(part.store.state<float>(0), all.store.state<float>(0)));
  for (std::size_t k = 0; k < 2; ++k)
    EXPECT_TRUE(std::ranges::equal(part.arrays.values[k], all.arrays.values[k])) << "on the device, array " << k;
  EXPECT_EQ(part.store.slots()[0].unsent.get(), 0u);
}

// Columns that it does not cover stay in the halves until they are due. The rounding of floats to halves is not a gain.
TEST(an_exchange, hands_on_once_what_halves_have_gained) {
  constexpr std::size_t halves = 2000, rounds = 2;
  constexpr store_shape shape{.parameters = parameters, .workers = 2};
  const param_store store = param_store::in_memory(shape);
  const std::span<float> shared = store.parameters<float>();
  constexpr float begun = 1.0f + 0x1p-13f;  // halves are 2^-10 apart here
  std::ranges::fill(shared, begun);
  const auto emulated = device::open_emulated(1);
  device::device_arrays arrays(*emulated, parameters, 0, halves);
  worker_memory memory;
  constexpr std::size_t all = static_cast<std::size_t>(-1);
  replica<float> own(store, 0, memory, {{.rows = parameters}}, all, all, update_kind::exact);
  gaining_halves model(arrays, halves);
  device::device_step step(*emulated, model, arrays, own, {.sharing = access_kind::buffered}, store.slots()[0]);
  race_probe probe(store.slots(), 0, false);
  for (std::size_t round = 0; round < rounds; ++round) {
    step.begin_round({.exchange_rows = period});
    for (std::size_t k = 0; k < exchanges; ++k) {
      step.train_run(k * period, period);
      for (float& w : shared) w += half_gain;
      step.exchange(period, probe);
    }
    step.end_round();
  }
  for (std::size_t j = 0; j < parameters; ++j) {
    const std::size_t gains = rounds * exchanges * (j < halves ? period + 1 : 1);
    ASSERT_EQ(shared[j], begun + half_gain * static_cast<float>(gains)) << j;
  }
}

constexpr std::size_t members = 3;

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
    constexpr store_shape shape{.parameters = parameters, .state_arrays = 1, .workers = members};
    store = param_store::in_memory(shape);
    plan.options.update = update;
    plan.options.sharing = access_kind::buffered;
    std::normal_distribution<float> normal;
    for (float& w : store.parameters<float>()) w = normal(random);
    for (float& s : store.state<float>(0)) s = normal(random);
  }

  /// Trains two rounds. Returns the bytes that exchanges copied between devices and host, except for update counts.
  std::size_t train(bool by_peers) {
    struct member {
      std::unique_ptr<private_arrays<float>> host;
      std::unique_ptr<changing_model> model;
      std::unique_ptr<device::device_step> step;
    };
    std::vector<device::runtime*> runtimes;
    for (watched_device& d : devices) runtimes.push_back(&d);
    std::optional<device::common_model> common;
    if (by_peers) common.emplace(runtimes, store);
    std::array<device::device_arrays, members> arrays{device::device_arrays(devices[0], parameters, 1),
                                                      device::device_arrays(devices[1], parameters, 1),
                                                      device::device_arrays(devices[2], parameters, 1)};
    std::array<worker_memory, members> memory;
    const std::vector<parameter_group> groups{{.rows = parameters - 1},
                                              {.offset = parameters - 1, .rows = 1, .hot_first = false}};
    std::vector<member> all(members);
    std::vector<race_probe> probes;
    for (std::size_t k = 0; k < members; ++k) {
      const worker_context at{plan, store, k, memory[k], &hooks[k]};
      all[k].host = by_peers ? common->replica_of(at, groups, arrays[k])
                             : private_arrays_of<float>(access_kind::buffered, at, groups, std::size_t(-1));
      all[k].model = std::make_unique<changing_model>(arrays[k]);
      all[k].step = std::make_unique<device::device_step>(devices[k], *all[k].model, arrays[k], *all[k].host,
                                                          plan.options, store.slots()[k]);
      probes.emplace_back(store.slots(), k, true);
    }
    std::size_t copied = 0;
    for (const float gain_weight : {1.0f, 0.4f}) {
      if (common) common->take();
      for (member& m : all) m.step->begin_round({.exchange_rows = period, .gain_weight = gain_weight});
      for (std::size_t turn = 0; turn < exchanges * members; ++turn) {
        const std::size_t k = random() % members;
        all[k].step->train_run(turn, period);
        devices[k].uploaded(), devices[k].downloaded();
        all[k].step->exchange(period, probes[k]);
        copied += devices[k].uploaded() + devices[k].downloaded() - updates_bytes;
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
