// SPDX-License-Identifier: Apache-2.0
// The places of a ring's processes, on a machine that hwloc simulates for them and their supervisor: memory nodes 0 and
// 1, with CPUs 0 and 1.
#include <cstdlib>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <hogwild/detail/platform/topology.hpp>
#include <hogwild/models/logistic.hpp>

#include "ring_run.hpp"
#include "support/program_role.hpp"

namespace hogwild {
namespace {

using cpu_list = std::vector<int>;
using ::testing::Contains;
using ::testing::HasSubstr;

/// Records the CPUs of each worker after the first epoch.
class looker : public observer {
 public:
  std::vector<cpu_list> workers;
  std::vector<std::string> notes;

  void on_note(std::string_view sentence) override { notes.emplace_back(sentence); }
  observer_answer on_epoch(const epoch_report& epoch) override {
    if (epoch.epoch > 1) return observer_answer::go_on;
    const param_store store = detail::attached_store::open(test::segment_of(::getpid())->name, logistic::name);
    workers = test::cpus_of_workers(store);
    return observer_answer::go_on;
  }
};

class ring_of_processes : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(numa_nodes(), 2u);
    if (numa_nodes(allowed_cpus()) < 2) GTEST_SKIP() << "this process may not use both CPU 0 and CPU 1";
  }

  train_result run(std::size_t workers, bool pin) {
    const test::toy_rows rows = test::some_rows();
    return train(logistic{}, rows.csr(),
                 ring_engine{.workers = workers, .transport = transport_kind::shared_segment, .pin = pin},
                 {.epochs = 2, .step = {.initial = 0.1}, .observers = {&eyes}});
  }

  looker eyes;
};

TEST_F(ring_of_processes, has_a_worker_on_each_node) {
  const train_result r = run(2, true);
  ASSERT_TRUE(r.ring);
  EXPECT_EQ(r.ring->nodes, (std::vector<std::vector<int>>{{0}, {1}}));
  EXPECT_EQ(r.ring->memory, placed_memory::touched);
  EXPECT_THAT(eyes.notes, Contains(HasSubstr("memory nodes 0, 1")).Times(1));
  EXPECT_EQ(eyes.workers, (std::vector<cpu_list>{{0}, {1}}));
}

TEST_F(ring_of_processes, keeps_workers_on_their_node_where_they_are_more_than_cpus) {
  const std::size_t cpus = allowed_cpus().size();
  if (cpus != 2) GTEST_SKIP() << "there are CPUs that are on neither node";
  run(6, true);
  EXPECT_EQ(eyes.workers, (std::vector<cpu_list>{{0}, {0}, {0}, {1}, {1}, {1}}));
}

TEST_F(ring_of_processes, leaves_workers_alone_where_they_are_not_to_be_bound) {
  run(2, false);
  EXPECT_EQ(eyes.workers, (std::vector<cpu_list>{allowed_cpus(), allowed_cpus()}));
}

}  // namespace
}  // namespace hogwild

const hogwild::test::program_role ring_placement_role([](int argc, char** argv) -> std::optional<int> {
  ::setenv("HWLOC_SYNTHETIC", "numa:2 core:1 pu:1", 1);
  return hogwild::test::ring_role<hogwild::logistic>(argc, argv);
});
