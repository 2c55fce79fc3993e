// SPDX-License-Identifier: Apache-2.0
// On a machine that hwloc simulates, with two memory nodes: CPU 0 and CPU 1. An executable of its own, since the
// topology is read once. Memory cannot be bound to simulated nodes, so the fallback is taken; threads can be bound.
#include <cstdlib>
#include <mutex>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <hogwild/detail/platform/topology.hpp>
#include <hogwild/error.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/observer.hpp>
#include <hogwild/train.hpp>
#include <hogwildpp/ring_engine.hpp>

#include "support/program_role.hpp"
#include "support/scratch_folder.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

namespace {

using cpu_list = std::vector<int>;
using node_lists = std::vector<std::vector<int>>;

/// Logistic regression that records where its rows are trained.
struct rooted : logistic {
  static constexpr std::string_view name = "rooted";
  inline static std::mutex mutex;
  inline static std::set<cpu_list> seen;
  float derivative(float margin, float label) const {
    const cpu_list here = usable_cpu_list();
    const std::lock_guard lock(mutex);
    seen.insert(here);
    return logistic::derivative(margin, label);
  }
};

struct listener : observer {
  std::vector<std::string> notes;
  void on_note(std::string_view sentence) override { notes.emplace_back(sentence); }
};

class ring_of_memory_nodes : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(numa_nodes(), 2u);
    if (numa_nodes(allowed_cpus()) < 2) GTEST_SKIP() << "this process may not use both CPU 0 and CPU 1";
  }
  const test::toy_rows toy = test::planted_classification({.rows = 5'000, .columns = 40});
};

TEST_F(ring_of_memory_nodes, has_a_replica_for_each_node_but_no_more_than_workers) {
  EXPECT_EQ(ring_engine{}.layout(8).replicas, 2u);
  EXPECT_EQ(ring_engine{}.layout(1).replicas, 1u);
  EXPECT_EQ((ring_engine{.replicas = 3}.layout(8).replicas), 3u);
}

// Ring runs of two replicas end near the serial objective: within a tenth on rows that a plane cuts in two.
TEST_F(ring_of_memory_nodes, trains_as_a_ring_elsewhere_does_and_says_where_its_replicas_lie) {
  const train_options options{.epochs = 6, .step = {.initial = 0.1}};
  const train_result serial = train(logistic{}, toy.csr(), serial_engine{}, options);
  for (const thread_team_kind kind : {thread_team_kind::openmp, thread_team_kind::tbb, thread_team_kind::std}) {
    const test::scratch_folder folder;
    listener ears;
    train_options mine = options;
    mine.observers = {&ears};
    mine.record = folder / "record";
    const train_result r = train(logistic{}, toy.csr(), ring_engine{.workers = 4, .team = kind}, mine);
    ASSERT_TRUE(r.ring);
    EXPECT_EQ(r.ring->replicas, 2u);
    EXPECT_EQ(r.workers, 4u);
    EXPECT_EQ(r.ring->nodes, (node_lists{{0}, {1}}));
    EXPECT_EQ(r.ring->memory, placed_memory::touched);
    EXPECT_LT(r.objective, 1.1 * serial.objective);
    EXPECT_THAT(ears.notes, Contains(AllOf(HasSubstr("memory nodes 0, 1"), HasSubstr("refuses"))).Times(1));
    const std::string text = test::read_text(mine.record);
    const auto last = nlohmann::json::parse(text.substr(text.rfind('\n', text.size() - 2) + 1));
    EXPECT_EQ(last["ring"]["nodes"], (node_lists{{0}, {1}}));
    EXPECT_EQ(last["ring"]["memory"], "touched");
  }
}

TEST_F(ring_of_memory_nodes, binds_threads_while_they_train_and_only_then) {
  const cpu_list before = usable_cpu_list();
  for (const thread_team_kind kind : {thread_team_kind::openmp, thread_team_kind::tbb, thread_team_kind::std}) {
    for (const bool pin : {true, false}) {
      rooted::seen.clear();
      train(rooted{}, toy.csr(), ring_engine{.workers = 2, .team = kind, .pin = pin},
            {.epochs = 2, .step = {.initial = 0.1}, .shards = sharding::fixed});  // no worker is without rows
      const bool bound = pin && !(kind == thread_team_kind::openmp && openmp_binds());
      if (bound) {
        EXPECT_THAT(rooted::seen, AllOf(Contains(cpu_list{0}), Contains(cpu_list{1})));
      } else {
        EXPECT_THAT(rooted::seen, Contains(before));
      }
      if (!pin && before.size() > 1 && !openmp_binds()) {
        EXPECT_THAT(rooted::seen, testing::ElementsAre(before));
      }
      EXPECT_EQ(usable_cpu_list(), before);
    }
  }
}

// If all replicas lie on one node there is nothing to choose, and nothing to report.
TEST_F(ring_of_memory_nodes, keeps_quiet_where_all_replicas_lie_on_one) {
  listener ears;
  const std::vector<int> first{0};
  const thread_binding only(first);
  if (allowed_cpus() != first) GTEST_SKIP() << "the OpenMP library has places of its own";
  EXPECT_EQ(ring_engine{}.layout(8).replicas, 1u);
  const train_result r =
      train(logistic{}, toy.csr(), ring_engine{.workers = 2, .replicas = 2, .team = thread_team_kind::std},
            {.epochs = 2, .step = {.initial = 0.1}, .observers = {&ears}});
  ASSERT_TRUE(r.ring);
  EXPECT_EQ(r.ring->nodes, (node_lists{{0}, {0}}));
  EXPECT_EQ(r.ring->memory, placed_memory::anywhere);
  EXPECT_THAT(ears.notes, Not(Contains(HasSubstr("memory node"))));
}

}  // namespace

const hogwild::test::program_role ring_nodes_role([](int, char**) -> std::optional<int> {
  ::setenv("HWLOC_SYNTHETIC", "numa:2 core:1 pu:1", 1);
  return {};
});
