// SPDX-License-Identifier: Apache-2.0
#include "plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace hogwild::bench {
namespace {

bench_options axes() {
  bench_options o;
  o.models = {"logistic"};
  o.engines = {engine_kind::serial, engine_kind::threads, engine_kind::processes};
  o.workers = {1, 2, 4};
  o.updates = {update_kind::lossy};
  o.sharing = {sharing_kind::direct, sharing_kind::automatic};
  o.reproducible = true;
  return o;
}

TEST(plan, spans_engines_workers_and_ways_of_sharing_and_has_one_serial_point) {
  const auto points = plan_points(axes(), 4);
  EXPECT_EQ(points.size(), 1u + 2u * 3u * 3u);
  EXPECT_EQ(std::ranges::count_if(points, [](const auto& p) { return p.what.engine == engine_kind::serial; }), 1);
  EXPECT_EQ(std::ranges::count_if(points, [](const auto& p) { return p.what.reproducible; }), 6);
  EXPECT_TRUE(std::ranges::all_of(points, [](const auto& p) { return p.skip.empty(); }));
}

TEST(plan, skips_more_workers_than_cpus_with_a_reason_unless_asked) {
  bench_options o = axes();
  const auto skipped = [&] {
    return std::ranges::count_if(plan_points(o, 2), [](const auto& p) { return !p.skip.empty(); });
  };
  EXPECT_EQ(skipped(), 6);
  o.oversubscribe = true;
  EXPECT_EQ(skipped(), 0);
}

TEST(plan, skips_what_does_not_go_together_with_the_reason_that_users_are_told) {
  bench_options o = axes();
  o.models = {"logistic", "softmax"};
  o.updates = {update_kind::locked};
  o.sharing = {sharing_kind::automatic, sharing_kind::buffered};
  for (const auto& [what, skip] : plan_points(o, 4)) {
    EXPECT_EQ(skip.empty(), !what.reproducible && what.sharing == sharing_kind::automatic) << words_of(what);
  }
  o.updates = {update_kind::lossy};
  o.sharing = {sharing_kind::head};
  for (const auto& [what, skip] : plan_points(o, 4)) {
    EXPECT_EQ(skip.empty(), what.sharing != sharing_kind::head || what.model == "logistic") << words_of(what);
  }
}

TEST(plan, has_a_ring_for_each_rule_and_number_of_replicas_from_two_on) {
  bench_options o = axes();
  o.engines = {engine_kind::ring};
  o.exchange = {ring_rule::deltas, ring_rule::average};
  const auto points = plan_points(o, 4);
  ASSERT_EQ(points.size(), 4u);
  EXPECT_EQ(words_of(points[1].what), "ring 4 lossy deltas");
  EXPECT_EQ(words_of(points[2].what), "ring 2 lossy average");
  EXPECT_TRUE(std::ranges::all_of(points, [](const auto& p) { return p.skip.empty(); }));
  o.updates = {update_kind::locked};
  for (const auto& p : plan_points(o, 4)) EXPECT_NE(p.skip.find("without locks"), std::string::npos);
}

TEST(plan, points_have_words) {
  const point p{"logistic", engine_kind::threads, 2, update_kind::exact, sharing_kind::buffered};
  EXPECT_EQ(words_of(p), "threads 2 exact buffered");
  EXPECT_EQ(way_of({.reproducible = true}), "reproducible");
}

}  // namespace
}  // namespace hogwild::bench
