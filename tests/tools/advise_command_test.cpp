// SPDX-License-Identifier: Apache-2.0
// hogwild advise, as users run it.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "small_data.hpp"

namespace hogwild::test {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

class advise : public with_small_data {
 protected:
  static nlohmann::json advice_for(const std::string& data, const command_words& more) {
    return result_of({"advise", data, "--json", more});
  }
};

TEST_F(advise, tells_of_data_engines_and_what_to_take) {
  const auto all = advice_for(train(), {"--workers 2 --step 0.5"});
  EXPECT_NEAR(all["rows"].get<double>(), 2700, 150);  // of 3,000, a tenth at random held back
  EXPECT_GT(all["Omega"], 10);
  EXPECT_GT(all["rho"], 0.25);
  EXPECT_GT(all["curvature"], 0.0);
  EXPECT_EQ(all["step"], 0.5);
  EXPECT_FALSE(all["step_found"]);
  std::vector<std::string> engines;
  for (const auto& run : all["runs"]) {
    engines.push_back(run["engine"]);
    EXPECT_GT(run["predicted_epoch_seconds"], 0.0) << run;
    EXPECT_GT(run["memory_bytes"], 1500 * 4) << run;
  }
  EXPECT_THAT(engines, ::testing::IsSupersetOf({"serial", "threads", "processes", "all_reduce", "local_sgd"}));
  EXPECT_THAT(std::string(all["advice"]["engine"]), AnyOf("serial", "threads", "processes"));
  const outcome text = hogwild({"advise", train(), "--workers 2"});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("advice      --engine "));
}

// Few rows are for one worker on any machine; word vectors need one shared array.
TEST_F(advise, is_what_a_run_records) {
  const std::string few = folder->write("few.svm", "1 1:1\n0 2:1\n1 1:0.5 3:1\n0 2:0.5\n");
  const std::string text = folder->write("words.txt", "a b c a b c a b a c b a b c\nb a c a b b a c a a b c\n");
  for (const auto& [data, more] : {std::pair(few, "--step 0.5"), std::pair(text, "--model skip_gram --min-count 1")}) {
    const auto all = advice_for(data, {more, "--workers 2"});
    const std::string record = *folder / "record.jsonl";
    EXPECT_EQ(hogwild({"train", data, "--workers 2 --epochs 1 --quiet --record", record, more}).code, 0);
    const auto options = record_in(record).front()["options"];
    const auto& threads = all["runs"][1];
    ASSERT_EQ(threads["engine"], "threads");
    EXPECT_EQ(threads["sharing"], options["sharing"]) << all;
    EXPECT_EQ(threads["training_workers"], options["workers"]) << all;
    EXPECT_EQ(all["step"], options["step"]) << all;
  }
}

TEST_F(advise, measures_what_it_predicts) {
  const auto all = advice_for(train(), {"--workers 2 --step 0.5 --verify"});
  for (const auto& run : all["runs"]) {
    EXPECT_GT(run["measured_epoch_seconds"], 0.0) << run;
    EXPECT_LE(run["least_epoch_seconds"], run["measured_epoch_seconds"]) << run;
  }
  EXPECT_GE(all["advice"]["slower_than_fastest"], 0.0);
}

TEST_F(advise, tells_of_more_cpus_and_of_one_array_for_all) {
  const auto all =
      advice_for(train(), {"--workers 2 --step 0.5 --cpus 8 --sharing direct --update exact --l2-form two_pass"});
  std::vector<std::size_t> workers;
  for (const auto& run : all["runs"]) {
    if (run.contains("refused") || run["engine"] != "threads") continue;
    EXPECT_EQ(run["sharing"], "direct") << run;
    EXPECT_EQ(run["predicted_by"], run["workers"] > 2 ? "extrapolation" : "probe") << run;
    workers.push_back(run["workers"]);
  }
  EXPECT_THAT(workers, ::testing::ElementsAre(2, 4, 8));
}

TEST_F(advise, makes_steps_of_models_without_a_margin) {
  const std::string ratings = folder->write("ratings.tsv", "1\t1\t3\n1\t2\t4\n2\t1\t5\n3\t2\t1\n2\t3\t2\n");
  const std::string graph =
      folder->write("graph.txt", "4 4 2\nv 0 0\nv 1 0\nv 2 1\nv 3 1\ne 0 1\ne 1 2\ne 2 3\ne 3 0\n");
  for (const auto& [data, model] : {std::pair(ratings, "matrix_factorization"), std::pair(graph, "graph_cut"),
                                    std::pair(train(), "softmax"), std::pair(train(), "factorization_machine")}) {
    const auto all = advice_for(data, {"--workers 2 --model", model});
    for (const auto& run : all["runs"]) {
      if (run.contains("refused")) continue;
      EXPECT_EQ(run["predicted_by"], "probe") << model << run;
      EXPECT_GT(run["predicted_epoch_seconds"], 0.0) << model << run;
    }
  }
}

TEST_F(advise, one_row_is_for_one_worker) {
  const auto all =
      advice_for(folder->write("one.svm", "1 1:1 3:2\n"), {"--model least_squares --workers 2 --step 0.1"});
  EXPECT_EQ(all["advice"]["engine"], "serial");
  EXPECT_EQ(all["rho"], 1.0);
}

}  // namespace
}  // namespace hogwild::test
