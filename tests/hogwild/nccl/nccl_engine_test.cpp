// SPDX-License-Identifier: Apache-2.0
// Synchronous engines whose ranks meet over a stand-in for NCCL.
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/hogwild.hpp>
#include <hogwild/models/logistic.hpp>

#include "nccl_member.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;
using namespace std::chrono_literals;

namespace {

std::vector<std::unique_ptr<collective>> join_fakes(std::vector<std::unique_ptr<collective>> members,
                                                    std::chrono::nanoseconds timeout) {
  std::vector<std::unique_ptr<collective>> joined(members.size());
  const auto together = std::make_shared<nccl::closing>();
  test::run_together(members.size(), [&](std::size_t i) {
    joined[i] = test::join_fake(std::move(members[i]), {.timeout = timeout}, together);
  });
  return joined;
}

struct nccl_engine : testing::TestWithParam<sync_rule> {
  const test::toy_rows toy = test::planted_classification({.rows = 211, .columns = 40});

  train_result run(const joining_function& join_members, std::chrono::milliseconds timeout,
                   transport_kind transport = transport_kind::in_process) const {
    const sync_engine engine{.workers = 3,
                             .rule = GetParam(),
                             .rows = 8,
                             .transport = transport,
                             .pin = false,
                             .timeout = timeout,
                             .join_members = join_members};
    return train(logistic{}, toy.csr(), engine, {.epochs = 2, .step = {.initial = 0.5}, .seed = 5});
  }
};

TEST_P(nccl_engine, gives_the_bits_of_memory) {
  const std::size_t aborted_before = test::aborted_fake_communicators();
  const auto usual = run({}, 1min), by_nccl = run(join_fakes, 1min);
  EXPECT_EQ(by_nccl.parameters, usual.parameters);
  EXPECT_EQ(by_nccl.examples, usual.examples);
  EXPECT_EQ(test::open_fake_communicators(), 0u);
  EXPECT_EQ(test::aborted_fake_communicators(), aborted_before);
}

TEST_P(nccl_engine, ends_where_messages_get_stuck) {
  test::break_fake_nccl(test::nccl_fault::stuck, 2, 20);
  EXPECT_THROW(run(join_fakes, 600ms), worker_error);
  test::break_fake_nccl(test::nccl_fault::refused, 2, 20);
  EXPECT_THROW(run(join_fakes, 600ms), resource_error);
  test::break_fake_nccl(test::nccl_fault::none, 0, 0);
  EXPECT_EQ(test::open_fake_communicators(), 0u);
}

TEST_P(nccl_engine, has_no_worker_processes) {
  EXPECT_THROW(run(join_fakes, 1min, transport_kind::shared_segment), config_error);
}

INSTANTIATE_TEST_SUITE_P(rules, nccl_engine, testing::Values(sync_rule::gradients, sync_rule::average));

}  // namespace
