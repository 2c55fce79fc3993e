// SPDX-License-Identifier: Apache-2.0
// Processes and a device train on the same bytes of one named segment, and the supervisor notes the findings of the
// process that drives the device.
#include <algorithm>
#include <optional>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/cuda/engine.hpp>

#include "process_run.hpp"
#include "support/counting.hpp"
#include "support/program_role.hpp"

namespace hogwild {
namespace {

cuda_engine of_processes(std::size_t workers, memory_kind memory) {
  return {.workers = workers,
          .device = emulated_device,
          .memory = memory,
          .transport = transport_kind::shared_segment,
          .pin = false};
}

// Each row adds exactly 1 to each of its columns, which floats count exactly.
TEST(device_in_pinned_memory, keeps_every_exact_add_beside_processes) {
  const test::toy_rows toy = test::countable_rows(100'000, 4);
  for (const std::size_t workers : {1u, 2u}) {
    const train_options options{.epochs = 10,
                                .step = {.initial = 1.0, .kind = schedule_kind::constant},
                                .l2 = 0.0,
                                .update = update_kind::exact};
    const train_result r =
        train(test::counting_margins{}, toy.csr(), of_processes(workers, memory_kind::pinned), options);
    EXPECT_EQ(r.parameters, test::counts_after(toy, 10));
    EXPECT_EQ(r.workers, workers + 1);
    EXPECT_EQ(r.workers_replaced, 0u);
    EXPECT_EQ(r.rows_lost, 0u);
    EXPECT_EQ(r.updates, 10 * 100'000u);
  }
  EXPECT_TRUE(test::leftovers().empty());
}

// A device's process raises this flag if registration is refused (training_memory_test.cpp).
TEST(device_in_its_own_memory, that_its_process_could_not_have_memory_registered_is_noted) {
  const test::toy_rows rows = test::some_rows();
  test::witness seen(test::slow_logistic::name);
  std::jthread refusal([&] {
    const auto run = test::look_at_run(::getpid(), 1, test::slow_logistic::name);
    if (run) run->slots()[0].pageable = 1;
  });
  const train_options options{.epochs = 20, .step = {.initial = 0.2, .decay = 0.95}, .observers = {&seen}};
  train(test::slow_logistic{}, rows.csr(), of_processes(0, memory_kind::device), options);
  EXPECT_EQ(std::ranges::count_if(seen.notes(),
                                  [](const std::string& note) {
                                    return note.find("could not be registered with CUDA") != std::string::npos;
                                  }),
            1);
}

}  // namespace
}  // namespace hogwild

const hogwild::test::program_role device_segment_role(
    hogwild::test::worker_role<hogwild::test::counting_margins, hogwild::test::slow_logistic>);
