// SPDX-License-Identifier: Apache-2.0
// Recommenders whose users and items have features, from end to end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "command.hpp"

namespace hogwild::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr int genres = 4, readers = 60, books = 80, fresh_books = 16;

/// Users like the items of their genre: training has all of these for each user, the test has items that are in no
/// pair. The features tell the genre of every item, and of each a shelf that says nothing.
class side_features_command : public ::testing::Test {
 protected:
  side_features_command() {
    std::string pairs, new_pairs, items, users;
    for (int user = 0; user < readers; ++user) {
      for (int item = 0; item < books + fresh_books; ++item)
        if (user % genres == item % genres && (item >= books || (item / genres) % 5 != user % 5))
          (item < books ? pairs : new_pairs) += std::to_string(user) + "\t" + std::to_string(item) + "\n";
      users += std::to_string(user) + " likes:" + std::to_string(1 + user % 3) + "\n";
    }
    for (int item = 0; item < books + fresh_books; ++item)
      items += std::to_string(item) + " genre=" + std::to_string(item % genres) + " shelf=" + std::to_string(item % 7) +
               ":0.25\n";
    train = folder.write("train.tsv", pairs), test = folder.write("test.tsv", new_pairs);
    item_features = folder.write("items.txt", items), user_features = folder.write("users.txt", users);
  }

  nlohmann::json trained(const command_words& more, int epochs = 30) {
    return result_of({"train", train, "--test", test, "--item-features", item_features,
                      "--factors 8 --json --quiet --epochs", std::to_string(epochs), more});
  }

  const scratch_folder folder;
  std::string train, test, item_features, user_features;
  const std::string model = folder / "model.bin";
};

constexpr const char* featured[] = {"bpr", "warp", "sampled_softmax"};

TEST_F(side_features_command, items_that_are_in_no_pair_are_ranked_by_their_features_by_every_engine) {
  for (const char* const name : featured) {
    for (const char* const engine : {"serial", "threads --workers 2", "threads --workers 2 --sharing buffered",
                                     "threads --workers 2 --reproducible", "processes --workers 2", "ring --workers 2",
                                     "all_reduce --workers 2", "local_sgd --workers 2"}) {
      SCOPED_TRACE(std::string(name) + " " + engine);
      const nlohmann::json run = trained({"--model", name, "--engine", engine});
      // Four new items are wanted among 80 that a user has no pair with; by chance a quarter is found.
      EXPECT_GT(run["test_recall_at_20"].get<double>(), 0.9);
    }
  }
  // Without features nothing is known of them.
  const outcome plain = hogwild({"train", train, "--test", test, "--model bpr --epochs 1 --factors 8 --json"});
  EXPECT_THAT(plain.err, HasSubstr("mentions of a user or an item that the training data do not have"));
  EXPECT_FALSE(nlohmann::json::parse(plain.out).value("test_recall_at_20", 0.0) > 0.0);
}

TEST_F(side_features_command, a_saved_model_needs_no_features) {
  for (const char* const name : featured) {
    SCOPED_TRACE(name);
    const nlohmann::json run = trained({"--model", name, "--user-features", user_features, "--save", model});
    const nlohmann::json measured = result_of({"evaluate", model, test, "--seen", train, "--json"});
    for (const char* const each : {"recall_at_20", "ndcg_at_20", "map_at_20", "coverage_at_20"})
      EXPECT_NEAR(measured[each].get<double>(), run["test_" + std::string(each)].get<double>(), 1e-6) << each;
    EXPECT_THAT(hogwild({"neighbors", model, "81 --top 3"}).out, HasSubstr("\t"));
    EXPECT_EQ(hogwild({"inspect", model}).code, 0);
    // Users are folded in, and new items are given by their features alone.
    const std::string liked = folder.write("liked.tsv", "900\t2\n900\t6\n900\t10\n900\t14\n");
    const std::string items = folder.write("new.txt", "500 genre=2\n501 genre=1 unheard\n");
    const std::string only = folder.write("only.txt", "500\n501\n");
    const outcome folded =
        hogwild({"recommend", model, "--fold-in", liked, "--item-features", items, "--only", only, "--top 1"});
    EXPECT_THAT(folded.out, HasSubstr("900\t500\t")) << folded.err;
    EXPECT_THAT(hogwild({"recommend", model, "--user 2 --top 1 --item-features", items, "--only", only}).out,
                HasSubstr("500\t"));
  }
  EXPECT_THAT(hogwild({"recommend", model, "--user 2 --item-features", folder.write("odd.txt", "500 odd\n")}).err,
              HasSubstr("the model has none of these features"));
  (void)result_of({"train", train, "--model bpr --factors 8 --epochs 1 --json --quiet --save", model});
  EXPECT_THAT(hogwild({"recommend", model, "--user 2 --item-features", item_features}).err,
              HasSubstr("the model was trained without features"));
}

TEST_F(side_features_command, reproducible_runs_have_the_same_bits) {
  for (const char* const name : featured) {
    SCOPED_TRACE(name);
    const std::string other = folder / "other.bin";
    (void)trained({"--model", name, "--reproducible --workers 1 --save", model}, 4);
    (void)trained({"--model", name, "--reproducible --workers 3 --save", other}, 4);
    EXPECT_EQ(read_file(model), read_file(other));
  }
}

TEST_F(side_features_command, runs_resume_with_the_same_features_alone) {
  const std::string checkpoint = folder / "run.checkpoint", whole = folder / "whole.bin";
  const command_words how{"--model warp --engine serial"};
  (void)trained({how, "--save", whole}, 6);
  (void)trained({how, "--checkpoint", checkpoint}, 3);
  (void)trained({how, "--resume", checkpoint, "--save", model}, 6);
  EXPECT_EQ(read_file(model), read_file(whole));
  // Another weight of a feature: the same users, items and features.
  std::string others = read_file(item_features);
  others.replace(others.find(":0.25"), 5, ":0.5");
  const outcome other = hogwild({"train", train, "--model warp --engine serial --factors 8 --epochs 6 --resume",
                                 checkpoint, "--item-features", folder.write("others.txt", others)});
  EXPECT_THAT(other.err, HasSubstr("when it was written"));
}

TEST_F(side_features_command, runs_go_on_from_a_model_with_further_items_and_features) {
  for (const char* const name : featured) {
    SCOPED_TRACE(name);
    (void)trained({"--model", name, "--save", model});
    const std::string further = folder.write(
        "further.txt", "500 genre=2 fresh\n3 odd\n" + [&] {
          std::string but_item_3;
          for (const std::string& line : lines_of(read_file(item_features)))
            if (!line.starts_with("3 ")) but_item_3 += line + "\n";
          return but_item_3;
        }());
    const command_words on{
        "train", train,    "--test", test, "--json --quiet --factors 8 --epochs 1 --step 1e-6 --model",
        name,    "--init", model};
    EXPECT_GT(result_of({on, "--item-features", further})["test_recall_at_20"].get<double>(), 0.9);
    // Without features the vectors go on as they are, and those of items that are in no pair are kept.
    const std::string next = folder / "next.bin";
    (void)result_of({on, "--save", next});
    EXPECT_THAT(hogwild({"train", train, "--factors 8 --epochs 1 --step 1e-6 --model", name, "--init", model}).err,
                HasSubstr("goes on with the vectors alone"));
    EXPECT_GT(result_of({"evaluate", next, test, "--seen", train, "--json"})["recall_at_20"].get<double>(), 0.9);
  }
}

TEST_F(side_features_command, features_alone_make_vectors_where_users_ask_for_it) {
  const nlohmann::json run = trained({"--model warp --features-alone --save", model});
  EXPECT_GT(run["test_recall_at_20"].get<double>(), 0.9);
  // Items with the same features are the same.
  const std::string twins = hogwild({"neighbors", model, "0 --top 2"}).out;
  EXPECT_THAT(twins, HasSubstr("28\t1.0000"));
  EXPECT_THAT(twins, HasSubstr("56\t1.0000"));

  (void)trained({"--model warp --save", model}, 1);
  EXPECT_THAT(hogwild({"train", train, "--model warp --factors 8 --epochs 1 --features-alone --init", model,
                       "--item-features", item_features})
                  .err,
              HasSubstr("leaves out the own vectors of users and items, which the model to begin with has"));
}

TEST_F(side_features_command, names_and_fractions_and_searches_take_features) {
  std::string named, items;
  for (const std::string& line : lines_of(read_file(train))) named += "u" + line + "\n";
  const std::string file = folder.write("named.tsv", named);
  const std::string told =
      hogwild({"train", file, "--model warp --named-ids --factors 8 --epochs 20 --test 0.2 --validation 0.1 --save",
               model, "--item-features", item_features})
          .err;
  EXPECT_THAT(told, HasSubstr("80 of 80 items have features, 11 different ones, with weights from 0.25 to 1"));
  EXPECT_THAT(told, HasSubstr("16 more items are in no pair"));
  EXPECT_THAT(hogwild({"recommend", model, "--user u6 --top 20 --seen", file}).out, HasSubstr("82\t"));
  const command_words searched{
      "search",
      train,
      "--strategy grid --space step=0.05,0.1 --epochs 2 --factors 8 --metric ndcg_at_20 --validation 0.2 --model warp",
      "--journal",
      folder / "journal",
      "--item-features"};
  const outcome search = hogwild({searched, item_features});
  EXPECT_EQ(search.code, 0) << search.err;
  // A journal is not continued when the file has other weights of the same features.
  std::string others = read_file(item_features);
  others.replace(others.find(":0.25"), 5, ":0.5");
  EXPECT_THAT(hogwild({searched, folder.write("items.txt", others)}).err, HasSubstr("the journal of another search"));
}

TEST_F(side_features_command, a_hundred_features_do_not_make_runs_diverge) {
  std::string many;
  for (int item = 0; item < books; ++item) {
    many += std::to_string(item);
    for (int k = 0; k < 100; ++k) many += " f" + std::to_string(k) + ":" + std::to_string(1 + (item + k) % 5);
    many += "\n";
  }
  const std::string file = folder.write("many.txt", many);
  for (const char* const name : featured) {
    for (const char* const seed : {"1", "2", "3"}) {
      SCOPED_TRACE(std::string(name) + " " + seed);
      const nlohmann::json run = result_of({"train", train, "--model", name, "--epochs 10 --factors 8 --json --quiet",
                                            "--engine serial --seed", seed, "--item-features", file});
      EXPECT_EQ(run["status"], "done");
    }
  }
}

}  // namespace
}  // namespace hogwild::test
