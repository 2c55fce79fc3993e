// SPDX-License-Identifier: Apache-2.0
// Replicas that meet in a device's memory: what the kernel does there, and runs on two devices.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/cuda/engine.hpp>
#include <hogwild/detail/memory/private_memory.hpp>
#include <hogwild/detail/worker/loop_options.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/train.hpp>

#include "common_model.hpp"
#include "devices.hpp"
#include "support/fresh_seed.hpp"
#include "support/serial_band.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;

namespace {

struct meetings_on : test::fresh_seed<test::each_device> {
  void upload(const std::vector<float>& from, const device::device_arrays& to) {
    device->upload(to.values[0].data(), from.data(), from.size() * sizeof(float));
    device->wait(device->mark());
  }
  std::vector<float> downloaded(const device::device_arrays& from) {
    std::vector<float> to(from.values[0].size());
    device->download(to.data(), from.values[0].data(), to.size() * sizeof(float));
    device->wait(device->mark());
    return to;
  }
};

// The first thousand parameters gain something, and others have added to all meanwhile.
TEST_P(meetings_on, add_what_a_replica_gained_and_fetch_what_others_did) {
  constexpr std::size_t n = 100'003, gained = 1000;
  constexpr float half_of_gains = 0.5f, by_others = 4.0f;
  std::uniform_int_distribution<int> draw(-1000, 1000);
  for (const update_kind update : {update_kind::lossy, update_kind::exact}) {
    constexpr store_shape shape{.parameters = n, .workers = 1};
    const param_store store = param_store::in_memory(shape);
    std::vector<float> begin(n);
    for (float& w : begin) w = static_cast<float>(draw(random));
    std::ranges::copy(begin, store.parameters<float>().begin());
    loop_plan plan;
    plan.options.update = update;
    plan.options.sharing = access_kind::buffered;
    worker_memory memory;
    device::device_arrays own(*device, n, 0);
    device::common_model common({device.get()}, store);
    const auto replica = common.replica_of({plan, store, 0, memory, nullptr}, {{.rows = n, .hot_first = false}}, own);
    race_probe probe(store.slots(), 0, true);
    upload(std::vector<float>(n, std::nanf("")), own);

    common.take();
    replica->begin_round({.exchange_rows = 1, .gain_weight = half_of_gains});
    EXPECT_EQ(downloaded(own), begin);
    for (float& w : store.parameters<float>()) w += by_others;
    common.take();
    std::vector<float> trained = begin;
    for (std::size_t j = 0; j < gained; ++j) trained[j] += 2.0f;
    upload(trained, own);
    replica->exchange(1, probe);
    std::vector<float> expected = begin;
    for (std::size_t j = 0; j < n; ++j) expected[j] += by_others + (j < gained ? 1.0f : 0.0f);
    EXPECT_EQ(downloaded(own), expected);
    for (float& w : trained = expected) w += 6.0f;
    upload(trained, own);
    replica->end_round();
    common.give();
    for (float& w : expected) w += 3.0f;
    EXPECT_TRUE(std::ranges::equal(store.parameters<float>(), expected)) << static_cast<int>(update);
    EXPECT_EQ(downloaded(own), trained) << "who sends fetches nothing";
  }
}

TEST_P(meetings_on, of_two_devices_end_in_the_band_of_the_serial_run) {
  const int first = GetParam(), second = first == emulated_device ? emulated_device : first + 1;
  try {
    device::open_device(second);
  } catch (const resource_error& none) {
    GTEST_SKIP() << none.what();
  }
  device.reset();
  const auto toy = test::planted_classification({.rows = 4000, .columns = 200, .per_row = 10, .seed = 25});
  for (const update_kind update : {update_kind::lossy, update_kind::exact}) {
    const train_options options{.epochs = 10, .step = {.initial = 0.5, .decay = 0.8}, .l2 = 1e-4, .update = update};
    const double serial = train(logistic{}, toy.csr(), serial_engine{}, options).objective;
    const train_result r = train(logistic{}, toy.csr(), cuda_engine{.device = {first, second}, .pin = false}, options);
    EXPECT_EQ(r.status, run_status::done);
    EXPECT_LE(r.objective, test::serial_band(2) * serial) << r.devices[0].exchange;
    RecordProperty("exchange", r.devices[0].exchange);
    if (first == emulated_device) {
      EXPECT_EQ(r.devices[0].exchange, "peers");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(every, meetings_on, test::all_devices(), test::device_of);

}  // namespace
