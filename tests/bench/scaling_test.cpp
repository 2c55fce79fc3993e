// SPDX-License-Identifier: Apache-2.0
#include "scaling.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include <hogwild/error.hpp>

#include "records.hpp"
#include "support/scratch_folder.hpp"

namespace hogwild::bench {
namespace {

using ::testing::HasSubstr;

/// A few rows of three labels: logistic regression refuses them.
bench_options small(const test::scratch_folder& folder) {
  std::string text;
  for (int r = 0; r < 60; ++r) text += std::to_string(r % 3) + " " + std::to_string(1 + r % 7) + ":1\n";
  bench_options o;
  o.train = o.test = folder.write("rows.svm", text);
  o.models = {"softmax"};
  o.engines = {engine_kind::serial, engine_kind::threads};
  o.workers = {1};
  o.updates = {update_kind::lossy};
  o.sharing = {sharing_kind::direct};
  o.epochs = 2;
  o.repeats = 2;
  o.step = 0.1;
  o.tolerance = 10.0;
  return o;
}

struct scaling : ::testing::Test {
  test::scratch_folder folder;
  bench_options options = small(folder);
  scaling_report report() const {
    const workload data(options);
    return measure_scaling(options, data, 2);
  }
};

TEST_F(scaling, is_sound_where_everything_ran) {
  const scaling_report r = report();
  ASSERT_EQ(r.points.size(), 2u);
  for (const point_report& p : r.points) EXPECT_EQ(p.state, point_state::measured) << p.reason;
  EXPECT_TRUE(is_sound(r));
}

TEST_F(scaling, a_model_whose_reference_fails_is_broken_and_the_others_go_on) {
  options.models = {"logistic", "softmax"};
  const scaling_report r = report();
  ASSERT_EQ(r.points.size(), 4u);
  EXPECT_EQ(r.points[0].state, point_state::broken);
  EXPECT_THAT(r.points[0].reason, HasSubstr("its reference: "));
  EXPECT_TRUE(r.points[0].runs.empty());
  EXPECT_EQ(r.points[3].state, point_state::measured) << r.points[3].reason;
  EXPECT_FALSE(is_sound(r));
}

TEST_F(scaling, what_cannot_be_is_skipped_and_no_fault) {
  options.sharing = {sharing_kind::head};  // for margin models
  options.workers = {1, 4};
  const scaling_report r = report();
  ASSERT_EQ(r.points.size(), 3u);
  EXPECT_EQ(r.points[1].state, point_state::skipped);
  EXPECT_THAT(r.points[1].reason, HasSubstr("margin models"));
  EXPECT_TRUE(is_sound(r));
}

/// Rivals need two labels.
struct rivals : scaling {
  rivals() {
    std::string text;
    for (int r = 0; r < 60; ++r)
      text += std::string(r % 2 == 0 ? "1" : "-1") + " " + std::to_string(1 + r % 7) + ":1\n";
    options.train = options.test = folder.write("two.svm", text);
    options.models = {"logistic"};
    options.rivals.names = {"stick"};
  }
};

TEST_F(rivals, that_are_not_there_are_skipped_and_no_fault) {
  const scaling_report r = report();
  ASSERT_FALSE(r.rivals.empty());
  for (const rival_report& rival : r.rivals) EXPECT_EQ(rival.state, point_state::skipped);
  EXPECT_TRUE(is_sound(r));
}

TEST_F(rivals, that_end_with_an_error_are_broken) {
  options.rivals.stick = "/bin/false";
  const scaling_report r = report();
  ASSERT_FALSE(r.rivals.empty());
  EXPECT_EQ(r.rivals[0].state, point_state::broken);
  EXPECT_THAT(r.rivals[0].reason, HasSubstr("it "));
  EXPECT_FALSE(is_sound(r));
}

TEST_F(rivals, whose_quality_is_poor_are_no_fault_of_ours) {
  scaling_report r;
  r.rivals.push_back({.state = point_state::failed});
  EXPECT_TRUE(is_sound(r));
  r.points.push_back({.state = point_state::failed});
  EXPECT_FALSE(is_sound(r));
}

TEST_F(scaling, the_record_says_whether_values_were_rounded) {
  for (const bool half : {false, true}) {
    options.half = half;
    const workload data(options);
    bench_record((folder / "record").string()).write(options, data, this_machine());
    EXPECT_THAT(test::read_text(folder / "record" / "scaling.jsonl"),
                HasSubstr(half ? R"("half":true)" : R"("half":false)"));
  }
}

TEST(temporary_folder, is_new_each_time_open_to_its_owner_alone_and_gone_in_the_end) {
  std::filesystem::path first, second;
  {
    const temporary_folder a("test"), b("test");
    first = a / "";
    second = b / "";
    EXPECT_NE(first, second);
    EXPECT_EQ(std::filesystem::status(first).permissions(), std::filesystem::perms::owner_all);
  }
  EXPECT_FALSE(std::filesystem::exists(first));
  EXPECT_FALSE(std::filesystem::exists(second));
}

}  // namespace
}  // namespace hogwild::bench
