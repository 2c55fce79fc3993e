// SPDX-License-Identifier: Apache-2.0
// Copying data to a device: a run that is asked to stop meanwhile does not wait for the rest.
#include <hogwild/cuda/engine.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <stop_token>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/general_model.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/train.hpp>

#include "bringing.hpp"
#include "device_rows.hpp"
#include "forwarding_device.hpp"
#include "given_devices.hpp"
#include "kernel_family.hpp"
#include "support/toy_data.hpp"
#include "support/toy_ratings.hpp"

using namespace hogwild;

namespace {

constexpr std::uint64_t own_memory = 64 << 20;  // a device with memory of its own copies its training data

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

/// An engine with that device and a worker on the CPU.
test::given_devices stopping_devices(copies& counted) {
  return {.open = [&](std::size_t) { return std::make_unique<stopping_device>(counted); }, .workers = 1};
}

TEST(bringing, ends_with_the_copy_that_is_under_way) {
  const test::toy_rows toy = test::planted_classification({.rows = 500, .columns = 50, .per_row = 5, .seed = 6});
  for (std::size_t k = 0; k < 3; ++k) {  // row starts, columns and values: labels come behind them
    copies counted;
    counted.until_stop = k;
    const train_result r = train(logistic{}, toy.csr(), stopping_devices(counted),
                                 {.epochs = 1, .step = {.initial = 0.1}, .stop = counted.stop.get_token()});
    EXPECT_EQ(r.status, run_status::stopped) << k;
    EXPECT_EQ(counted.before, k + 1);
    EXPECT_EQ(counted.after, 0u) << k;
  }
}

TEST(bringing, leaves_nothing_on_the_device) {
  const test::kept_rows rows = test::planted_classification({.rows = 500, .columns = 50, .per_row = 5, .seed = 6});
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

/// A device to which copying 64 KiB takes a millisecond: less than a tenth of the slowest bus's rate.
class device_far_away final : public test::forwarding_device {
 public:
  device_far_away() : forwarding_device(device::open_emulated(1, own_memory)) {}
  void upload(void* to, const void* from, std::size_t bytes) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(1) * (bytes >> 16));
    longest = std::max(longest, bytes);
    all += bytes;
    forwarding_device::upload(to, from, bytes);
  }
  std::size_t longest = 0, all = 0;
};

// However long a part took, the device's rate bounds the next one: it has 20 units at most.
TEST(bringing, is_in_parts_of_twenty_milliseconds_however_slow_copies_are) {
  std::vector<std::uint32_t> from((std::size_t{5} << 20) / sizeof(std::uint32_t) + 7);  // 80 units, and some
  std::iota(from.begin(), from.end(), 1u);
  device_far_away device;
  const device::buffer<std::uint32_t> to(device, from.size());
  device::bring(device, to.data(), std::as_bytes(std::span(from)));
  EXPECT_LE(device.longest, 20u << 16);
  EXPECT_EQ(device.all, from.size() * sizeof(std::uint32_t));
  EXPECT_TRUE(std::ranges::equal(std::span(to.data(), from.size()), from));
}

// The host's work before a copy comes in short parts as well. If the run stops, the parts that it has read are dropped.
TEST(bringing, of_what_takes_long_to_read_ends_between_two_parts) {
  const auto emulated = device::open_emulated(1);
  std::size_t done = 0, longest = 0;
  emulated->stopping = [&] { return done >= 100; };
  EXPECT_THROW(device::in_short_parts(*emulated, 10'000,
                                      [&](std::size_t first, std::size_t count) {
                                        EXPECT_EQ(first, done);
                                        std::this_thread::sleep_for(std::chrono::milliseconds(1) * count);
                                        done += count;
                                        longest = std::max(longest, count);
                                      }),
               device::bringing_stopped);
  EXPECT_LE(longest, 20u);
  EXPECT_LT(done, 120u);
}

// Ratings are read into a form of their own before they are copied, which is interrupted as well.
TEST(bringing, of_ratings_ends_while_they_are_read) {
  const test::kept_rows rows = test::planted_ratings();
  const sparse_view view = rows.view();
  const auto task = make_task(test::factors_of({}), view, label_map::learn(label_kind::real, view.label, "rows"), {});
  const auto emulated = device::open_emulated(1, own_memory);
  device::device_arrays arrays(*emulated, task->facts().parameters, 0);
  const std::uint64_t free = emulated->free_bytes();
  std::size_t asked = 0;
  emulated->stopping = [&] {
    EXPECT_EQ(emulated->free_bytes(), free) << "there is room for a copy already";
    return ++asked > 2;
  };
  EXPECT_THROW(device::rating_kernels().bring(*emulated, *task, arrays, {}), device::bringing_stopped);
  EXPECT_EQ(asked, 3u);
}

}  // namespace
