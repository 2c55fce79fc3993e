// SPDX-License-Identifier: Apache-2.0
// A column with values much larger than the others': the note of a run, and the effect of --scale.
#include <gmock/gmock.h>

#include <cmath>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "small_data.hpp"

namespace hogwild::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class scale_command : public with_small_data {
 protected:
  static constexpr std::size_t rows = 600;

  /// Two columns that decide the label, or one of three labels, and one of milliseconds.
  static std::string with_time(const std::string& name, bool classes = false, std::uint32_t seed = 5) {
    std::mt19937 random(seed);
    const auto uniform = [&] { return 2.0 * (static_cast<double>(random()) / 4294967296.0) - 1.0; };
    std::string text;
    for (std::size_t r = 0; r < rows; ++r) {
      const double a = uniform(), b = uniform();
      const int label = classes ? (a > 0.2 ? 2 : b > 0.0 ? 1 : 0) : (a + 0.5 * b > 0.0 ? 1 : -1);
      text += std::to_string(label) + " 1:" + std::to_string(a) + " 3:" + std::to_string(b) +
              " 7:" + std::to_string(1'600'000'000'000LL + static_cast<long long>(1e10 * uniform())) + "\n";
    }
    return folder->write(name, text);
  }
  static outcome run(const std::string& data, const command_words& more) {
    return hogwild({"train", data, "--epochs 20 --no-cache", more});
  }
};

TEST_F(scale_command, a_run_names_the_column_that_hinders_the_others) {
  const std::string data = with_time("time.svm");
  EXPECT_THAT(run(data, {}).err, AllOf(HasSubstr("column 7 has values of about 1.60"), HasSubstr("--scale max_abs")));
  EXPECT_THAT(run(data, {"--scale max_abs"}).err, Not(HasSubstr("column 7")));
  EXPECT_THAT(run(train(), {}).err, Not(HasSubstr("and other columns of")));
  const outcome advice = hogwild({"advise", data, "--workers 1 --no-cache"});
  EXPECT_THAT(advice.out, AllOf(HasSubstr("--scale max_abs"), Not(HasSubstr(" --step "))));
  EXPECT_THAT(hogwild({"advise", train(), "--workers 1"}).out, Not(HasSubstr("--scale")));
}

// Labels depend on the two small columns, of which nothing is learned beside the large one.
TEST_F(scale_command, columns_that_are_divided_are_all_learned_and_saved_as_they_were_given) {
  const std::string data = with_time("time.svm"), fresh = with_time("fresh.svm", false, 6);
  // Whether it ends above or below where it began is chance.
  EXPECT_LT(nlohmann::json::parse(run(data, {"--test", fresh, "--json --quiet"}).out)["test_accuracy"], 0.9);
  for (const char* const scale : {"auto", "max_abs"}) {
    for (const char* const engine : {"threads", "processes", "serial"}) {
      const std::string model = *folder / "scaled.txt";
      const auto trained = result_of(
          run(data, {"--test", fresh, "--scale", scale, "--engine", engine, "--save", model, "--json --quiet"}));
      EXPECT_GT(trained["test_accuracy"], 0.97) << scale << ", " << engine;
      // The saved weights are those of the file's own values: evaluating the model needs no scale.
      expect_measured_alike(trained, model, fresh, 1e-5);
    }
  }
  const auto several = result_of(run(with_time("classes.svm", true), {"--model softmax --scale auto --test",
                                                                      with_time("more.svm", true, 6), "--json"}));
  EXPECT_GT(several["test_accuracy"], 0.9);
}

TEST_F(scale_command, auto_leaves_tame_columns_alone) {
  const command_words line{"train", train(), "--engine serial --epochs 3 --step 0.5 --json"};
  EXPECT_EQ(result_of(line)["objective"], result_of({line, "--scale auto"})["objective"]);
}

TEST_F(scale_command, a_warm_start_and_a_resumed_run_are_of_the_same_columns) {
  const std::string data = with_time("time.svm"), model = *folder / "first.txt", state = *folder / "state";
  const auto first = result_of(run(data, {"--scale max_abs --save", model, "--json"}));
  const auto warm = result_of({"train", data, "--engine serial --epochs 1 --step 1e-12 --init", model,
                               "--scale standard --l2 0 --no-cache --json"});
  EXPECT_NEAR(warm["train_loss"], first["train_loss"], 1e-4);
  const command_words line{"train", data, "--engine serial --scale max_abs --step 0.5 --decay 0.9 --no-cache"};
  const auto whole = result_of({line, "--epochs 4 --json"});
  ASSERT_EQ(hogwild({line, "--epochs 2 --checkpoint", state}).code, 0);
  const auto resumed = result_of({line, "--epochs 4 --json --resume", state});
  EXPECT_EQ(resumed["objective"], whole["objective"]);
  // As many rows of the same columns, with another largest value.
  std::string text = read_file(data);
  const std::size_t value = text.find(" 3:") + 3;
  text.replace(value, text.find(' ', value) - value, "9");
  write_file(data, text);
  EXPECT_THAT(hogwild({line, "--epochs 4 --resume", state}).err,
              HasSubstr("cannot be resumed: the columns' divisors: "));
}

TEST_F(scale_command, what_was_done_stands_in_the_summary_the_record_and_the_saved_model) {
  const std::string wild = with_time("time.svm"), model = *folder / "told.bin", record = *folder / "told.jsonl";
  const std::vector<std::tuple<std::string, std::string, std::string>> cases{{wild, "max_abs", "max_abs"},
                                                                             {wild, "standard", "standard"},
                                                                             {wild, "auto", "max_abs"},
                                                                             {wild, "none", "none"},
                                                                             {train(), "auto", "none"}};
  for (const auto& [data, asked, done] : cases) {
    SCOPED_TRACE(asked + " of " + data);
    const auto run_with = [&, &asked = asked, &data = data](const char* form) {
      return run(data, {"--scale", asked, "--save", model, "--record", record, form});
    };
    EXPECT_EQ(result_of(run_with("--json"))["scale"], done);
    EXPECT_EQ(record_in(record).front()["options"]["scale"], done);
    const auto facts = result_of({"inspect", model, "--json"});
    EXPECT_EQ(facts.value("scale", "none"), done);
    EXPECT_FALSE(facts.contains("columns.scale"));
    const std::string summary = run_with("--bias").out;
    if (done == "none")
      EXPECT_THAT(summary, Not(HasSubstr("columns divided")));
    else
      EXPECT_THAT(summary, HasSubstr("columns divided (scale " + done + ")"));
  }
}

}  // namespace
}  // namespace hogwild::test
