// SPDX-License-Identifier: Apache-2.0
// Only the columns that an exchange covers are copied between a device and its host, and nothing is lost by that.
#include "device_step.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/memory/private_memory.hpp>
#include <hogwild/detail/sharing/replica.hpp>
#include <hogwild/detail/sharing/ruler.hpp>

#include "changing_model.hpp"
#include "forwarding_device.hpp"

using namespace hogwild;

namespace {

/// The emulated device, which counts the bytes that are copied.
class counting_device final : public test::forwarding_device {
 public:
  counting_device() : forwarding_device(device::open_emulated(1)) {}

  void upload(void* to, const void* from, std::size_t bytes) override {
    uploaded_ += bytes;
    forwarding_device::upload(to, from, bytes);
  }
  void download(void* to, const void* from, std::size_t bytes) override {
    downloaded_ += bytes;
    forwarding_device::download(to, from, bytes);
  }
  /// Since it was asked last.
  std::size_t uploaded() { return std::exchange(uploaded_, 0); }
  std::size_t downloaded() { return std::exchange(downloaded_, 0); }

 private:
  std::size_t uploaded_ = 0, downloaded_ = 0;
};

/// A model whose every row adds to its halves what rounds none of them between 1 and 2.
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
constexpr std::size_t updates_bytes = sizeof(std::uint64_t);  // they are fetched each time

struct copied {
  std::size_t downloaded, uploaded;
  bool operator==(const copied&) const = default;
};
void PrintTo(const copied& c, std::ostream* out) {
  *out << c.downloaded << " bytes down, " << c.uploaded << " up";
}

struct driven_replica {
  explicit driven_replica(std::uint64_t seed) : others(seed) {
    // Shape and store are made apart: GCC 12 takes the one for a pointer that dangles.
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
    test::changing_model model(arrays);
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
  counting_device counting;
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

TEST(an_exchange, has_the_bits_of_one_that_copies_all) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
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

}  // namespace
