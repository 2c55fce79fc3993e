// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <hogwild/registry.hpp>

#include "command.hpp"

// hogwild train --help: what all have in groups, and what one model has where that model is named.

namespace hogwild::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string help(const std::vector<std::string>& of = {}) {
  std::vector<std::string> words{"train", "--help"};
  words.insert(words.end(), of.begin(), of.end());
  const outcome o = hogwild(words);
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

TEST(help_of_train, has_groups_and_first_what_is_used_most) {
  const std::string text = help();
  EXPECT_THAT(headings(text), ElementsAre("Positionals", "Most used", "Data", "Model", "Workers", "Step", "Stopping",
                                          "Output", "Streams", "Example"));
  const std::size_t first = text.find("Most used:"), then = text.find("\nData:");
  const std::string most_used = text.substr(first, then - first);
  EXPECT_THAT(options_in(most_used), AllOf(testing::Contains("--model"), testing::Contains("--save")));
  EXPECT_EQ(options_in(most_used).size(), 12u) << most_used;
}

TEST(help_of_train, tells_the_options_of_a_model_where_it_is_named) {
  const std::string of_all = help();
  const auto general = options_in(of_all);
  EXPECT_THAT(of_all, HasSubstr("--help MODEL"));
  for (const model_descriptor* const known : known_models()) {
    const std::string name(known->name()), text = help({name});
    EXPECT_THAT(text, HasSubstr(known->facts().summary));
    const auto shown = options_in(text);
    std::set<std::string> wanted;
    for (const model_option& o : known->facts().options) wanted.insert("--" + o.name);
    for (const std::string& other : known->facts().uses) wanted.insert("--" + other);
    EXPECT_EQ(shown, wanted) << text;
    for (const std::string& option : wanted) EXPECT_FALSE(general.contains(option)) << option;
  }
  EXPECT_THAT(help({"convnet"}), AllOf(HasSubstr("--net mnist|cifar|cifar_3x3=mnist"), Not(HasSubstr("--l2"))));
  EXPECT_THAT(help({"ffm"}), HasSubstr("--factors N=4"));
  EXPECT_THAT(help({"matrix_factorization"}), AllOf(HasSubstr("--factors N=32"), HasSubstr("--ownership")));
}

TEST(help_of_commands, says_what_a_text_is) {
  EXPECT_THAT(hogwild({"recommend", "--help"}).out, AllOf(HasSubstr("--user USER"), HasSubstr("--seen FILE")));
  EXPECT_THAT(hogwild({"worker", "--help"}).out, HasSubstr("--attach NAME"));
  EXPECT_THAT(help(), HasSubstr("--cache-dir FOLDER"));
}

TEST(help_of_train, takes_other_words_for_arguments) {
  EXPECT_EQ(help({"train.svm"}), help());
  EXPECT_EQ(help({"perceptron"}), help());
  EXPECT_EQ(help({"--json"}), help());
}

TEST(help_of_train, takes_a_model_behind_an_equals_sign_and_nothing_else) {
  EXPECT_EQ(hogwild({"train", "--help=ffm"}).out, help({"ffm"}));
  const outcome o = hogwild({"train", "--help=perceptron"});
  EXPECT_EQ(o.code, 2);
  EXPECT_THAT(o.err, HasSubstr("'perceptron' is none of logistic, hinge_svm"));
  EXPECT_TRUE(o.out.empty());
}

}  // namespace
}  // namespace hogwild::test
