// SPDX-License-Identifier: Apache-2.0
// Data that are brought to a device: a run that is asked to stop meanwhile does not wait for the rest.
#include <hogwild/cuda/engine.hpp>

#include <cstddef>
#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/models/logistic.hpp>
#include <hogwild/train.hpp>

#include "device_rows.hpp"
#include "device_run.hpp"
#include "forwarding_device.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;

namespace {

constexpr std::uint64_t own_memory = 64 << 20;  // a device that has some copies what it trains on

struct copies {
  std::stop_source stop;
  std::size_t until_stop = 0, before = 0, after = 0;  ///< a stop is asked for with the copy that comes after so many
};

class stopping_device final : public test::forwarding_device {
 public:
  explicit stopping_device(copies& counted)
      : forwarding_device(device::open_emulated(2, own_memory)), copies_(counted) {}
  void upload(void* to, const void* from, std::size_t bytes) override {
    ++(copies_.stop.stop_requested() ? copies_.after : copies_.before);
    if (copies_.before > copies_.until_stop) copies_.stop.request_stop();
    forwarding_device::upload(to, from, bytes);
  }

 private:
  copies& copies_;
};

/// cuda_engine on that device, and a worker on the CPU.
struct stopping_engine {
  copies* counted;
};

std::size_t plan_sharing(const stopping_engine&, run_planner& run) {
  return plan_sharing(cuda_engine{.workers = 1, .device = emulated_device}, run);
}

std::unique_ptr<engine_run> start(const stopping_engine& engine, const training_task& task, const loop_plan& plan,
                                  const note_function& note) {
  std::vector<std::unique_ptr<device::runtime>> devices;
  devices.push_back(std::make_unique<stopping_device>(*engine.counted));
  return device::start_threads(std::move(devices), task, plan, note, [&](const training_task& work) {
    return start(thread_engine{.workers = 1, .team = thread_team_kind::std, .pin = false}, work, plan, note);
  });
}

TEST(bringing, ends_with_the_copy_that_is_under_way) {
  const test::toy_rows toy = test::planted_classification({.rows = 500, .columns = 50, .per_row = 5, .seed = 6});
  for (std::size_t k = 0; k < 3; ++k) {  // row starts, columns and values: labels come behind them
    copies counted;
    counted.until_stop = k;
    const train_result r = train(logistic{}, toy.csr(), stopping_engine{&counted},
                                 {.epochs = 1, .step = {.initial = 0.1}, .stop = counted.stop.get_token()});
    EXPECT_EQ(r.status, run_status::stopped) << k;
    EXPECT_EQ(counted.before, k + 1);
    EXPECT_EQ(counted.after, 0u) << k;
  }
}

TEST(bringing, leaves_nothing_on_the_device) {
  const test::toy_rows toy = test::planted_classification({.rows = 500, .columns = 50, .per_row = 5, .seed = 6});
  const csr_rows rows = toy.csr();
  const sparse_view view = rows.view();
  const label_map labels = label_map::learn(label_kind::binary, view.label, "rows");
  const auto emulated = device::open_emulated(1, own_memory);
  const std::uint64_t free = emulated->free_bytes();
  std::size_t asked = 0, allowed = 0;
  emulated->stopping = [&] { return asked++ == allowed; };
  for (;; ++allowed, asked = 0) {
    try {
      const device::device_rows brought(*emulated, view, labels, 0);
      break;
    } catch (const device::bringing_stopped&) {
      EXPECT_EQ(emulated->free_bytes(), free) << allowed;
    }
  }
  EXPECT_GE(allowed, 5u);  // once for what is read, and for each of four arrays
}

}  // namespace
