// SPDX-License-Identifier: Apache-2.0
// The command of a program with models of its own (tools/examples/own_command.cpp), from end to end.
#include <gmock/gmock.h>

#include <csignal>
#include <string>
#include <vector>

#include "small_data.hpp"

namespace hogwild::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

struct own_command : with_small_data {
  static outcome own(const command_words& arguments) { return run_program({HOGWILD_OWN_COMMAND, arguments}); }
  static std::string model(const std::string& name) { return *folder / name; }
};

TEST_F(own_command, trains_evaluates_and_predicts_by_threads_and_by_processes) {
  for (const std::string engine : {"threads", "processes"}) {
    const std::string saved = model(engine + ".bin");
    const nlohmann::json run =
        result_of(own({"train", train(), "--test", test(), "--model power_hinge --power 2.5 --epochs 5 --engine",
                       engine, "--workers 2 --sharing buffered --save", saved, "--json"}));
    EXPECT_EQ(run["workers"], 2) << engine;
    EXPECT_GT(run["test_accuracy"], 0.9) << engine;
    const nlohmann::json measured = result_of(own({"evaluate", saved, test(), "--json"}));
    EXPECT_EQ(measured["model"], "power_hinge");
    EXPECT_NEAR(measured["loss"].get<double>(), run["test_loss"].get<double>(), 1e-5) << engine;
    const outcome told = own({"predict", saved, test()});
    EXPECT_NEAR(fraction_right(told.out, test()), measured["accuracy"].get<double>(), 1e-9) << engine << told.err;
  }
}

TEST_F(own_command, has_a_measure_of_its_own_that_targets_and_searches_know) {
  // A line fits four rows of five; those of column 5 have two labels, far apart.
  std::string text;
  for (int i = 0; i < 400; ++i)
    text += (i % 5 < 4 ? std::to_string(i % 5) : i % 2 == 0 ? "0" : "3") + " " + std::to_string(i % 5 + 1) + ":1\n";
  const std::string numbers = folder->write("numbers.svm", text), saved = model("near.bin");
  const auto train_for = [&](const std::string& target) {
    return own({"train", numbers, "--test", numbers, "--model", "positive_line", "--step", "0.1", "--epochs", "200",
                "--target", target, "--save", saved, "--json"});
  };
  const nlohmann::json run = result_of(train_for("test_within_half=0.75"));
  EXPECT_EQ(run["status"], "target");
  EXPECT_GE(run["test_within_half"].get<double>(), 0.75);
  EXPECT_EQ(result_of(train_for("test_within_half=1.5"))["status"], "done");
  const nlohmann::json measured = result_of(own({"evaluate", saved, numbers, "--json"}));
  const outcome predicted = own({"predict", saved, numbers});
  const auto scores = lines_of(predicted.out), rows = lines_of(text);
  ASSERT_EQ(scores.size(), rows.size()) << predicted.err;
  double near = 0.0;
  for (std::size_t r = 0; r < rows.size(); ++r) near += std::abs(std::stof(scores[r]) - std::stof(rows[r])) <= 0.5f;
  EXPECT_GE(near, 0.8 * static_cast<double>(rows.size()));
  EXPECT_NEAR(measured["within_half"].get<double>(), near / static_cast<double>(rows.size()), 1e-9);
  const outcome searched = own({"search", numbers, "--model", "positive_line", "--epochs", "60", "--metric",
                                "within_half", "--space", "step=0.1", "--folds", "2"});
  EXPECT_EQ(searched.code, 0) << searched.err;
  EXPECT_THAT(searched.out, HasSubstr("within_half"));
  EXPECT_THAT(own({"train", train(), "--test", test(), "--epochs", "1", "--target", "test_within_half=0"}).err,
              HasSubstr("test_within_half is not measured on rows of two classes"));
}

TEST_F(own_command, keeps_the_numbers_of_a_model_and_what_rows_have_told_it) {
  const std::string saved = model("line.txt");
  const nlohmann::json run = result_of(
      own({"train", train(),
           "--model positive_line --epochs 3 --engine processes --workers 2 --sharing direct --update exact --save",
           saved, "--json"}));
  const nlohmann::json said = result_of(own({"inspect", saved, "--json"}));
  EXPECT_EQ(said["model"], "positive_line");
  EXPECT_LT(said["mean"], 0.0);  // most rows are of the smaller label
  EXPECT_EQ(said["parameters"], 1501);
  EXPECT_NEAR(result_of(own({"evaluate", saved, train(), "--json"}))["loss"].get<double>(),
              run["train_loss"].get<double>(), 1e-4);
  // Training goes on from it, and the models of the library are there as well.
  EXPECT_THAT(own({"train", train(), "--model positive_line --epochs 1 --init", saved}).err,
              HasSubstr("begins with 1501 of 1501 parameters"));
  EXPECT_EQ(own({"train", train(), "--model logistic --epochs 1"}).code, 0);
}

TEST_F(own_command, has_the_options_of_its_models_and_refuses_what_does_not_suit) {
  EXPECT_THAT(own({"train --help power_hinge"}).out, ContainsRegex("--power X .*default: 2"));
  EXPECT_THAT(own({"train --help positive_line"}).out, testing::Not(HasSubstr("--mean")));
  expect_told(own({"train", train(), "--model power_hinge --power 1"}), 2, "must be above 1");
  expect_told(own({"train", train(), "--power 2"}), 2, "--power needs --model power_hinge");
  expect_told(own({"train", train(), "--model positive_line --bias"}), 2, "leave out --bias");
}

TEST_F(own_command, saves_what_the_plain_command_shows_and_says_who_knows_more) {
  const std::string saved = model("power.txt");
  ASSERT_EQ(own({"train", train(), "--model power_hinge --epochs 1 --save", saved}).code, 0);
  const nlohmann::json said = result_of({"inspect", saved, "--json"});
  EXPECT_EQ(said["model"], "power_hinge");
  EXPECT_EQ(said["power"], 2);
  const outcome o = hogwild({"predict", saved, test()});
  EXPECT_EQ(o.code, 3);
  EXPECT_THAT(o.err, HasSubstr("there is no model 'power_hinge'"));
  EXPECT_THAT(o.err, HasSubstr("a model of a program's own is known to that program, whose command registers it"));
}

TEST_F(own_command, takes_more_workers_in) {
  running_command run(any_program{{HOGWILD_OWN_COMMAND, "train", train(), "--model power_hinge --engine processes",
                                   "--workers 1 --epochs 1000000 --step 0.0001 --decay 1"}});
  ASSERT_TRUE(run.says("epoch 2/")) << run.err();
  std::string name;
  for (const auto& segment : result_of(own("segments --json")))
    if (segment["model"] == "power_hinge" && segment["alive"] == true) name = segment["name"];
  ASSERT_NE(name, "");
  running_command guest(any_program{{HOGWILD_OWN_COMMAND, "worker", "--attach", name}});
  EXPECT_TRUE(run.says("has joined as a worker")) << run.err();
  running_command stranger(command_words{"worker --attach", name});  // the plain command has no such model
  EXPECT_EQ(stranger.wait().code, 4);
  run.signal(SIGINT);
  EXPECT_EQ(run.wait().code, 130);
  EXPECT_EQ(guest.wait().code, 0);
}

}  // namespace
}  // namespace hogwild::test
