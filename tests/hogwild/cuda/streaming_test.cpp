// SPDX-License-Identifier: Apache-2.0
// Runs on a device that has no room for all rows.
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/error.hpp>
#include <hogwild/general_model.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/matrix_factorization.hpp>
#include <hogwild/models/softmax.hpp>
#include <hogwild/observer.hpp>
#include <hogwild/train.hpp>

#include "given_devices.hpp"
#include "kernel_family.hpp"
#include "named_models.hpp"
#include "near_serial.hpp"
#include "support/toy_data.hpp"
#include "support/toy_ratings.hpp"

using namespace hogwild;

namespace {

const test::toy_rows many_rows =
    test::planted_classification({.rows = 4000, .columns = 200, .per_row = 10, .seed = 18});

/// Memory for parameters, degrees and blocks of 2 to 4 KB, of 320 KB of rows or more.
test::small_device streaming(std::size_t parameters, std::size_t state_arrays, std::size_t workers = 0) {
  return {.workers = workers, .memory_bytes = device::device_arrays::bytes(parameters, state_arrays) + 16'384};
}

void expect_streamed(const train_result& r) {
  ASSERT_EQ(r.devices.size(), 1u);
  EXPECT_GE(r.devices[0].block_bytes, 2'000u);
  EXPECT_LE(r.devices[0].block_bytes, 4'096u);
}

TEST(a_streamed_run, ends_where_a_serial_one_does) {
  for (const optimizer_kind optimizer : {optimizer_kind::sgd, optimizer_kind::adagrad}) {
    for (const std::size_t workers : {0u, 1u}) {
      const train_options options{.epochs = 10,
                                  .step = {.initial = 0.5, .decay = 0.8},
                                  .l2 = 1e-4,
                                  .update = update_kind::exact,
                                  .optimizer = optimizer,
                                  .bias = true};
      const train_result r = test::expect_near_serial(
          logistic{}, many_rows.csr(), streaming(201, optimizer == optimizer_kind::adagrad ? 1 : 0, workers), options);
      EXPECT_GE(r.examples, 40'000u);
      expect_streamed(r);
    }
  }
}

TEST(a_streamed_run, trains_every_family) {
  const test::toy_rows classes = test::planted_classes({.rows = 4000, .columns = 200, .per_row = 10, .seed = 20}, 5);
  const train_options options{.epochs = 10, .step = {.initial = 0.5, .decay = 0.8}};
  const auto expect = [&](const auto& m, const test::toy_rows& rows, const train_options& o) {
    expect_streamed(test::expect_near_serial(m, rows.csr(), streaming(m.dim(), 0), o));
  };
  expect(softmax{.features = 200, .classes = 5, .bias = true}, classes, options);
  expect(test::device_huber{.features = 200}, many_rows, options);
}

TEST(a_streamed_run, learns_ratings) {
  const train_options options{.epochs = 60, .step = {.initial = 0.1, .decay = 0.94}, .update = update_kind::exact};
  const test::toy_rows ratings = test::planted_ratings();
  const auto m = test::factors_of({});
  const train_result r = train(m, ratings.csr(), streaming(m.dim(), 0), options);
  EXPECT_LE(r.objective, 1.05 * train(m, ratings.csr(), serial_engine{}, options).objective);
  expect_streamed(r);
}

TEST(a_streamed_run, has_the_bits_of_one_whose_rows_stay) {
  const train_options options{.epochs = 3, .step = {.initial = 0.3}, .bias = true};
  test::small_device one_warp = streaming(201, 0);
  one_warp.threads = 1;
  const train_result streamed = train(logistic{}, many_rows.csr(), one_warp, options);
  one_warp.memory_bytes = 10'000'000;
  const train_result resident = train(logistic{}, many_rows.csr(), one_warp, options);
  one_warp.memory_bytes = device::unlimited_memory;
  const train_result in_place = train(logistic{}, many_rows.csr(), one_warp, options);
  expect_streamed(streamed);
  EXPECT_EQ(resident.devices[0].block_bytes, 0u);
  EXPECT_EQ(in_place.devices[0].block_bytes, 0u);
  EXPECT_EQ(streamed.parameters, in_place.parameters);
  EXPECT_EQ(resident.parameters, in_place.parameters);
}

TEST(a_streamed_run, says_so_in_its_record) {
  const auto last = test::record_of(logistic{}, many_rows.csr(), streaming(200, 0)).back();
  EXPECT_GE(last["devices"][0]["block_bytes"], 2'000u);
  EXPECT_LE(last["devices"][0]["block_bytes"], 4'096u);
}

TEST(a_streamed_run, has_room_for_its_longest_row_or_is_refused) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  test::toy_rows rows = test::planted_classification({.rows = 1000, .columns = 2000, .per_row = 5, .seed = seed});
  std::vector<std::uint32_t> all(2000);
  for (std::uint32_t j = 0; j < 2000; ++j) all[j] = j;
  rows.push(all, std::vector<float>(2000, 0.01f), 1.0f);
  const train_options options{.epochs = 2, .step = {.initial = 0.1}};
  // 8,000 bytes of columns and as many of values, with padding.
  const std::uint64_t arrays = device::device_arrays::bytes(2000, 0), block = 8192 + 8192 + 256 + 256;
  const train_result r = train(logistic{}, rows.csr(), test::small_device{.memory_bytes = arrays + 2 * block}, options);
  EXPECT_EQ(r.examples, 2002u);
  EXPECT_EQ(r.devices[0].block_bytes, block);
  const auto with_less = [&] {
    train(logistic{}, rows.csr(), test::small_device{.memory_bytes = arrays + 2 * block - 1}, options);
  };
  EXPECT_THAT(test::refusal_of<resource_error>(with_less),
              testing::AllOf(testing::HasSubstr(std::to_string(2 * block)),
                             testing::HasSubstr(std::to_string(arrays + 2 * block - 1) + " bytes are free")));
}

TEST(a_streamed_run, stops_when_it_is_asked_to) {
  std::stop_source stop;
  std::size_t told_later = 0;
  std::jthread asks;
  const auto ask_beside = [&](const epoch_report& e) {
    told_later += stop.stop_requested();
    if (e.epoch == 2) asks = std::jthread([&] { stop.request_stop(); });
  };
  const train_result r =
      train(logistic{}, many_rows.csr(), streaming(200, 0),
            {.epochs = 1'000'000, .step = {.initial = 0.1}, .observers = {ask_beside}, .stop = stop.get_token()});
  EXPECT_EQ(r.status, run_status::stopped);
  EXPECT_LE(told_later, 1u);  // that whose rows were all trained by then
  expect_streamed(r);
}

TEST(a_streamed_run, tells_of_rounds_and_ends_with_one) {
  const train_options whole{.epochs = 2, .step = {.initial = 0.1, .decay = 1.0}, .l2 = 1e-4};
  for (const std::size_t workers : {0u, 1u}) {
    const double objective = train(logistic{}, many_rows.csr(), streaming(200, 0, workers), whole).objective;
    std::vector<std::size_t> told;
    std::vector<float> last;
    train_options options = whole;
    options.rounds = 3;
    options.observers = {[&](const round_report& r) {
      told.push_back(10 * r.epoch + r.round);
      last = r.parameters();
      return told.size() == 8 ? observer_answer::stop : observer_answer::go_on;
    }};
    const train_result cut = train(logistic{}, many_rows.csr(), streaming(200, 0, workers), options);
    expect_streamed(cut);
    EXPECT_THAT(told, testing::ElementsAre(11, 12, 13, 21, 22, 23));
    EXPECT_EQ(cut.parameters, last);
    EXPECT_EQ(cut.examples, 8'000u);
    EXPECT_NEAR(cut.objective, objective, 0.05 * objective);
    options.epochs = 5;
    const train_result stopped = train(logistic{}, many_rows.csr(), streaming(200, 0, workers), options);
    EXPECT_EQ(stopped.stopped_by, stop_cause::observer);
    EXPECT_EQ(stopped.epochs, 0u) << "the eighth of all rounds is the second of this run";
  }
}

}  // namespace
