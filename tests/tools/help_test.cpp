// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <hogwild/registry.hpp>

#include "command.hpp"

// hogwild train --help: the common options in groups, and the options of one model if that model is named.

namespace hogwild::test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string help(const command_words& of = {}) {
  const outcome o = hogwild({"train --help", of});
  EXPECT_EQ(o.code, 0) << o.err;
  return o.out;
}

/// Lines that begin a group end with a colon and are not indented.
std::vector<std::string> headings(const std::string& text) {
  std::vector<std::string> found;
  for (const std::string& line : lines_of(text))
    if (line.size() > 1 && line.back() == ':' && line.front() != ' ') found.push_back(line.substr(0, line.size() - 1));
  return found;
}

/// The first word of each option's line.
std::set<std::string> options_in(const std::string& text) {
  std::set<std::string> found;
  for (const std::string& line : lines_of(text)) {
    const std::size_t dashes = line.find_first_not_of(' ');
    if (dashes == 0 || dashes == std::string::npos || !line.substr(dashes).starts_with("--")) continue;
    found.insert(line.substr(dashes, line.find_first_of(" ,{", dashes) - dashes));
  }
  return found;
}

TEST(help_of_train, tells_first_what_is_used_most_and_where_the_rest_is) {
  const std::string text = help();
  EXPECT_THAT(headings(text), ElementsAre("Arguments", "Most used", "Example"));
  EXPECT_LE(lines_of(text).size(), 70u) << text;
  EXPECT_THAT(options_in(text), AllOf(Contains("--model"), Contains("--save")));
  EXPECT_EQ(options_in(text).size(), 20u) << text;
  for (const char* const group : {"data", "model", "workers", "step", "stopping", "output", "streams"}) {
    EXPECT_THAT(text, HasSubstr(group));
    EXPECT_GT(options_in(help({group})).size(), 2u) << group;
  }
}

std::string all_of(const std::string& command) {
  const outcome o = hogwild({command, "--help-all"});
  EXPECT_EQ(o.code, 0) << o.err;
  return o.out;
}

TEST(help_of_train, tells_all_options_in_groups_where_all_are_asked_for) {
  const std::string text = all_of("train");
  EXPECT_THAT(headings(text), ElementsAre("Arguments", "Options", "Data", "Model", "Workers", "Step", "Stopping",
                                          "Output", "Streams", "Example"));
  const auto all = options_in(text);
  for (const std::string& option : options_in(help())) EXPECT_TRUE(all.contains(option)) << option;
  EXPECT_GT(all.size(), 80u);
}

TEST(help_of_commands, has_an_example) {
  for (const char* command : {"train", "predict", "evaluate", "generate", "convert", "quantize", "inspect", "cache",
                              "segments", "worker", "--version"}) {
    const outcome o = hogwild({command, "--help"});
    EXPECT_EQ(o.code, 0);
    EXPECT_THAT(o.out, HasSubstr(std::string("Example:\n  hogwild ") + command)) << command;
  }
  EXPECT_THAT(hogwild({"--help"}).out, ::testing::StartsWith("hogwild: "));
}

TEST(help_of_commands, is_aligned_within_a_hundred_columns) {
  // bench and report are scripts, whose arguments Python's argparse lays out.
  for (const char* const command : {"train", "search", "advise", "predict", "evaluate", "recommend", "neighbors",
                                    "generate", "convert", "quantize", "inspect", "cache", "segments", "worker"}) {
    std::vector<std::string> texts{hogwild({command, "--help"}).out};
    if (texts[0].find("--help-all") != std::string::npos) texts.push_back(all_of(command));
    for (const std::string& text : texts) {
      for (const std::string& line : lines_of(text.substr(0, text.find("\nExample:")))) {
        EXPECT_LE(line.size(), 100u) << command << ": " << line;
        // A heading, a name, or a sentence in the column of all sentences.
        const std::size_t begin = line.find_first_not_of(' ');
        EXPECT_TRUE(begin == std::string::npos || begin == 0 || begin == 2 || begin == 30) << command << ": " << line;
      }
      EXPECT_THAT(text, AllOf(Not(HasSubstr("{false}")), Not(HasSubstr("{true}"))));
    }
  }
}

TEST(help_of_train, tells_the_options_of_a_model_where_it_is_named) {
  const auto general = options_in(all_of("train"));
  EXPECT_THAT(help(), HasSubstr("--help MODEL"));
  for (const model_descriptor* const known : known_models()) {
    const std::string name(known->name()), text = help({name});
    std::string in_one_line = text;
    std::ranges::replace(in_one_line, '\n', ' ');
    EXPECT_THAT(in_one_line, HasSubstr(known->facts().summary));
    const auto shown = options_in(text);
    std::set<std::string> wanted;
    for (const model_option& o : known->facts().options) wanted.insert("--" + o.name);
    for (const std::string& other : known->facts().uses) wanted.insert("--" + other);
    EXPECT_EQ(shown, wanted) << text;
    for (const std::string& option : wanted) EXPECT_FALSE(general.contains(option)) << option;
  }
  EXPECT_THAT(help({"convnet"}), AllOf(HasSubstr("mnist, cifar, cifar_3x3 (default: mnist)"), Not(HasSubstr("--l2"))));
  EXPECT_THAT(help({"ffm"}), ContainsRegex("--factors N +.*\\(default: 4\\)"));
  // Options of the same name have words and defaults of the model's own.
  EXPECT_THAT(help({"factorization_machine"}), HasSubstr("--loss logistic|squared "));
  EXPECT_THAT(help({"distmult"}),
              AllOf(HasSubstr("logistic, hinge, self_adversarial (default: softmax)"), HasSubstr("0.5)")));
  EXPECT_THAT(help({"softmax"}), HasSubstr("label_tree"));
  EXPECT_THAT(help({"text_classifier"}), Not(HasSubstr("label_tree")));
  EXPECT_THAT(help({"matrix_factorization"}),
              AllOf(ContainsRegex("--factors N +.*\\(default: 32\\)"), HasSubstr("--ownership")));
}

TEST(help_of_commands, says_what_a_text_is) {
  EXPECT_THAT(hogwild({"recommend --help"}).out, AllOf(HasSubstr("--user USER"), HasSubstr("--seen FILE")));
  EXPECT_THAT(hogwild({"worker --help"}).out, HasSubstr("--attach NAME"));
  EXPECT_THAT(help({"data"}), HasSubstr("--cache-dir FOLDER"));
}

TEST(help_of_train, takes_other_words_for_arguments) {
  EXPECT_EQ(help({"train.svm"}), help());
  EXPECT_EQ(help({"perceptron"}), help());
  EXPECT_EQ(help({"--json"}), help());
}

TEST(help_of_train, takes_a_model_behind_an_equals_sign) {
  EXPECT_EQ(hogwild({"train --help=ffm"}).out, help({"ffm"}));
}

}  // namespace
}  // namespace hogwild::test
