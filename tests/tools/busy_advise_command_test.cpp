// SPDX-License-Identifier: Apache-2.0
// hogwild advise when other programs use the CPUs, do not, or the system does not say: the load is invented. The time
// that two threads miss is real, so that the test only looks at the words about it.
#include <gmock/gmock.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "small_data.hpp"

namespace hogwild::test {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class busy_advise : public with_small_data {
 protected:
  static outcome advice_on(const std::string& cpus, const command_words& more) {
    ::setenv("HOGWILD_TOLD_CPUS", cpus.c_str(), 1);
    return run_program({HOGWILD_BY_TOLD_CPUS, "advise", train(), "--workers 2 --step 0.5", more});
  }
  static nlohmann::json json_on(const std::string& cpus, const char* more = "") {
    return result_of(advice_on(cpus, {more, "--json"}));
  }
  static std::string text_on(const std::string& cpus, const command_words& more = {}) {
    const outcome o = advice_on(cpus, more);
    EXPECT_EQ(o.code, 0) << o.err;
    return o.out;
  }
  /// The marks of the runs that are not refused.
  static std::vector<nlohmann::json> marks_of(const nlohmann::json& all) {
    std::vector<nlohmann::json> marks;
    for (const auto& run : all["runs"])
      if (!run.contains("refused")) marks.push_back(run["busy"]);
    return marks;
  }
};

TEST_F(busy_advise, marks_each_prediction_with_what_others_took) {
  const auto all = json_on("2 3 0");
  EXPECT_EQ(all["load"]["others_fraction"], 0.5);
  EXPECT_EQ(all["load"]["withheld_fraction"], 0.0);
  EXPECT_EQ(all["busy"], true);
  EXPECT_THAT(marks_of(all), AllOf(Not(testing::IsEmpty()), testing::Each(true)));
  const std::string text = text_on("2 3 0");
  EXPECT_THAT(text, HasSubstr("busy        other programs took 50 % of the CPUs' time"));
  EXPECT_THAT(text, HasSubstr("  on a busy machine\n"));
  // Several remarks on a run make one phrase.
  EXPECT_THAT(text, ContainsRegex("  fewer steps an epoch, (extrapolated, )?on a busy machine\n"));
  EXPECT_THAT(text, Not(ContainsRegex("[a-z]  on a busy machine")));
}

TEST_F(busy_advise, counts_a_quota) {
  const auto all = json_on("7 3 1");
  EXPECT_EQ(all["load"]["others_fraction"], 0.0);
  EXPECT_EQ(all["load"]["withheld_fraction"], 0.25);
  EXPECT_EQ(all["busy"], true);
  EXPECT_THAT(text_on("7 3 1"), HasSubstr("a quota kept back 25 % of the CPU time"));
}

// This machine may be busy during the test: then only the time that two threads missed may be reported.
TEST_F(busy_advise, leaves_an_idle_machine_unmarked) {
  const auto all = json_on("7 3 0");
  EXPECT_EQ(all["load"]["others_fraction"], 0.0);
  const bool missed = all["load"]["missed_fraction"].get<double>() > 0.1;
  EXPECT_EQ(all["busy"], missed);
  EXPECT_THAT(marks_of(all), testing::Each(missed));
  const std::string text = text_on("7 3 0");
  EXPECT_THAT(text, AllOf(Not(HasSubstr("other programs")), Not(HasSubstr("quota")), Not(HasSubstr("unknown"))));
  if (text.find("threads that wait for nothing") == std::string::npos) {
    EXPECT_THAT(text, Not(HasSubstr("busy")));
  }
}

TEST_F(busy_advise, says_what_is_unknown) {
  const auto all = json_on("unknown");
  EXPECT_TRUE(all["load"]["others_fraction"].is_null());
  EXPECT_TRUE(all["busy"].is_null() || all["load"]["missed_fraction"].get<double>() > 0.1) << all["busy"];
  EXPECT_THAT(text_on("unknown"), HasSubstr("what other programs took is unknown, since /proc/stat does not tell"));
}

TEST_F(busy_advise, marks_what_was_measured) {
  const auto all = json_on("2 3 0", {"--verify"});
  EXPECT_EQ(all["measured_load"]["others_fraction"], 0.5);
  EXPECT_EQ(all["measured_busy"], true);
  EXPECT_EQ(json_on("7 3 0", {"--verify"})["measured_busy"], false);
  EXPECT_FALSE(json_on("7 3 0").contains("measured_busy"));
  EXPECT_THAT(text_on("2 3 0", {"--verify"}), HasSubstr("measured times are those of a busy machine"));
}

}  // namespace
}  // namespace hogwild::test
