// SPDX-License-Identifier: Apache-2.0
// The nearest users, items and words from the command line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <hogwild/word_vectors.hpp>

#include "command.hpp"

namespace hogwild::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Users and items of three groups; a user's items are of his group. With names those of a group begin alike.
std::string groups_of_pairs(bool named) {
  std::string text;
  for (int user = 0; user < 30; ++user)
    for (int k = 0; k < 10; ++k)
      if ((user + k) % 4 != 0) {
        const std::string group = named ? std::string(1, "abc"[user % 3]) : "";
        text += group + std::to_string(user) + "\t" + group + std::to_string(user % 3 + 3 * k) + "\n";
      }
  return text;
}

TEST(neighbors_command, finds_users_and_items_of_the_same_group) {
  const scratch_folder folder;
  const std::string pairs = folder.write("pairs.tsv", groups_of_pairs(false)), model = folder / "m.bin";
  for (const char* const name : {"bpr", "warp", "sampled_softmax"}) {
    (void)result_of({"train", pairs, "--model", name, "--factors 8 --epochs 40 --json --quiet --save", model});
    for (const char* const of : {"items", "users"}) {
      SCOPED_TRACE(std::string(name) + " " + of);
      const auto lines = lines_of(hogwild({"neighbors", model, "4 --top 5 --of", of}).out);
      ASSERT_EQ(lines.size(), 5u);
      for (const std::string& line : lines) {
        EXPECT_EQ(std::stoi(line) % 3, 4 % 3) << line;
        EXPECT_NE(std::stoi(line), 4);
      }
    }
  }
  const auto items = hogwild({"neighbors", model, "4 --top 5"});
  EXPECT_EQ(items.out, hogwild({"neighbors", model, "4 --top 5 --of items"}).out);
  // Several at once, from a file and from standard input.
  const std::string asked = folder.write("asked.txt", "4\n\n  7 \r\n99\n");
  const auto both = hogwild({"neighbors", model, asked, "--top 5"});
  EXPECT_EQ(both.code, 0) << both.err;
  EXPECT_THAT(both.err, HasSubstr("asked.txt: 1 names of 3 are not in"));
  EXPECT_THAT(both.err, HasSubstr("the first is '99' on line 4"));
  const auto lines = lines_of(both.out), alone = lines_of(items.out);
  ASSERT_EQ(lines.size(), 10u);
  for (std::size_t k = 0; k < 5; ++k) EXPECT_EQ(lines[k], "4\t" + alone[k]);
  EXPECT_EQ(hogwild({"neighbors", model, "- --top 5 --quiet"}, "4\n7\n").out, both.out);
  const auto first = nlohmann::json::parse(lines_of(hogwild({"neighbors", model, "4 --json"}).out).front());
  EXPECT_EQ(first["of"], 4);
  EXPECT_EQ(std::to_string(first["item"].get<int>()), alone[0].substr(0, alone[0].find('\t')));
}

TEST(neighbors_command, knows_names) {
  const scratch_folder folder;
  const std::string pairs = folder.write("pairs.tsv", groups_of_pairs(true)), model = folder / "m.bin";
  (void)result_of({"train", pairs, "--model bpr --named-ids --factors 8 --epochs 40 --json --quiet --save", model});
  for (const std::string& line : lines_of(hogwild({"neighbors", model, "b4 --top 5 --of users"}).out))
    EXPECT_EQ(line.front(), 'b') << line;
  EXPECT_THAT(hogwild({"neighbors", model, "b5"}).err, HasSubstr("has no item 'b5', and there is no file"));
}

TEST(neighbors_command, finds_words_in_either_format) {
  const scratch_folder folder;
  const word_vectors words{3, {"one", "two", "zero", "far", "two"}, {1, 0, 0, 2, 1, 0, 0, 0, 0, -1, 0, 0, 1, 1, 1}};
  for (const char* const name : {"w.vec", "w.bin"}) {
    const std::string file = folder / name;
    save_word_vectors(file, words, vector_format_for(file));
    EXPECT_THAT(lines_of(hogwild({"neighbors", file, "one"}).out),
                ElementsAre("two\t0.8944", "two\t0.5774", "zero\t0.0000", "far\t-1.0000"));
    EXPECT_THAT(hogwild({"neighbors", file, "one --of users"}).err, HasSubstr("--of users: " + file + " holds words"));
    EXPECT_THAT(hogwild({"neighbors", file, "three"}).err, HasSubstr("has no word 'three'"));
  }
}

}  // namespace
}  // namespace hogwild::test
