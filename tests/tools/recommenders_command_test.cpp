// SPDX-License-Identifier: Apache-2.0
// Models of pairs from end to end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/detail/kernels/bf16_kernels.hpp>

#include "command.hpp"

namespace hogwild::test {
namespace {

using testing::HasSubstr;

constexpr int groups = 4, users_of_group = 15, items_of_group = 20;

/// The users of a group like the items of their group: all but a few of each user's are for training, those for the
/// test. User u is "u" + u with names.
std::string pairs(bool test, const std::string& before_user = "") {
  std::string text;
  for (int user = 0; user < groups * users_of_group; ++user)
    for (int k = 0; k < items_of_group; ++k)
      if ((k % 5 == user % 5) == test)
        text += before_user + std::to_string(user) + "\t" + std::to_string(user % groups + groups * k) + "\n";
  return text;
}

class recommenders_command : public ::testing::Test {
 protected:
  nlohmann::json trained(const command_words& more, int epochs = 40) {
    return result_of(
        {"train", train, "--test", test, "--factors 8 --json --quiet --epochs", std::to_string(epochs), more});
  }

  const scratch_folder folder;
  const std::string train = folder.write("train.tsv", pairs(false));
  const std::string test = folder.write("test.tsv", pairs(true));
  const std::string model = folder / "model.bin";
};

constexpr const char* models[] = {"bpr", "warp", "sampled_softmax"};

TEST_F(recommenders_command, every_engine_finds_what_users_like) {
  // Of the four wanted items behind three others; by chance it is 0.2. In so small a set its values lie wide apart.
  double behind_three = 0.0, first = 0.0;
  for (int place = 1; place <= 4; ++place) {
    first += 1.0 / std::log2(place + 1.0);
    behind_three += 1.0 / std::log2(place + 3 + 1.0);
  }
  for (const char* const name : models) {
    for (const char* const engine : {"serial", "threads --workers 2", "threads --workers 2 --sharing buffered",
                                     "threads --workers 2 --reproducible", "processes --workers 2", "ring --workers 2",
                                     "all_reduce --workers 2", "local_sgd --workers 2"}) {
      SCOPED_TRACE(std::string(name) + " " + engine);
      const nlohmann::json run = trained({"--model", name, "--engine", engine});
      // Four items of a user are held back; the 20 best are those that are not known of his group's first.
      EXPECT_GT(run["test_recall_at_20"].get<double>(), 0.95);
      EXPECT_GT(run["test_ndcg_at_20"].get<double>(), behind_three / first);
      EXPECT_EQ(run["test_hit_rate_at_20"], 1.0);
      EXPECT_FALSE(run.contains("test_rmse"));
    }
  }
}

TEST_F(recommenders_command, evaluate_measures_as_training_does_if_it_knows_the_pairs_of_training) {
  // The drawn items decide the loss, so it is the same only if the saved model knows how they are drawn.
  for (const char* const asked :
       {"bpr", "warp", "sampled_softmax", "bpr --sampler popularity", "warp --margin 0.25 --negatives 16",
        "sampled_softmax --sampler popularity --popularity 0.5 --negatives 24", "sampled_softmax --sampler in_batch",
        "warp --products bf16", "sampled_softmax --products bf16"}) {
    if (bf16_forms().empty() && std::string_view(asked).ends_with("bf16")) continue;
    SCOPED_TRACE(asked);
    const nlohmann::json run = trained({"--model", asked, "--save", model});
    const nlohmann::json measured = result_of({"evaluate", model, test, "--seen", train, "--json"});
    for (const char* const each : {"loss", "recall_at_20", "ndcg_at_20", "map_at_20", "coverage_at_20"})
      EXPECT_NEAR(measured[each].get<double>(), run["test_" + std::string(each)].get<double>(), 1e-5) << each;
    // Without them, items of training take the first places.
    EXPECT_LT(result_of({"evaluate", model, test, "--json"})["ndcg_at_20"].get<double>(),
              measured["ndcg_at_20"].get<double>());
  }
}

TEST_F(recommenders_command, are_trained_otherwise_by_products_in_bf16) {
  if (bf16_forms().empty()) GTEST_SKIP() << "this processor does not multiply bfloat16";
  for (const char* const name : {"warp", "sampled_softmax"}) {
    const auto by = [&](const char* products) {
      return trained({"--model", name, "--engine serial --products", products})["train_loss"].get<double>();
    };
    const double loss = by("float");
    EXPECT_NE(by("bf16"), loss) << name;
    EXPECT_NEAR(by("bf16"), loss, 0.05 * loss) << name;
  }
}

/// The lines of pairs as lists of two items, which might be an item and a weight.
std::string lists_of_two(const std::string& lines) {
  std::istringstream in(lines);
  std::string text;
  for (std::string user, one, other; in >> user >> one >> user >> other;) text += user + ' ' + one + ' ' + other + '\n';
  return text;
}

TEST_F(recommenders_command, lists_as_long_as_lines_are_lists_where_those_of_training_are) {
  const std::string lists = folder.write("lists.txt", lists_of_two(pairs(false)) + "0 4 8 12\n"),
                    two = folder.write("two.txt", lists_of_two(pairs(true)));
  const nlohmann::json run =
      result_of({"train", lists, "--test", two, "--model bpr --factors 8 --json --quiet --epochs 40 --save", model});
  EXPECT_GT(run["test_recall_at_20"].get<double>(), 0.95);
  const nlohmann::json measured = result_of({"evaluate", model, two, "--seen", lists, "--json"});
  EXPECT_EQ(measured["rows"], groups * users_of_group * items_of_group / 5);
  EXPECT_NEAR(measured["recall_at_20"].get<double>(), run["test_recall_at_20"].get<double>(), 1e-9);
}

TEST_F(recommenders_command, recommend_leaves_out_what_a_user_has_seen) {
  (void)trained({"--model sampled_softmax --save", model});
  const std::string best = hogwild({"recommend", model, "--user 6 --top 4 --json", "--seen", train}).out;
  std::set<int> items;
  for (std::size_t at = 0; at < best.size(); at = best.find('\n', at) + 1)
    items.insert(nlohmann::json::parse(best.substr(at, best.find('\n', at) - at))["item"].get<int>());
  // User 6 is of group 2, and items k of it with k % 5 == 1 are held back.
  EXPECT_EQ(items, (std::set<int>{2 + 4 * 1, 2 + 4 * 6, 2 + 4 * 11, 2 + 4 * 16}));
}

/// Lines of "user item score" as sets of items by user.
std::map<int, std::set<int>> lists_in(const std::string& text) {
  std::map<int, std::set<int>> lists;
  for (const std::string& line : lines_of(text)) {
    std::istringstream fields(line);
    int user = -1, item = -1;
    fields >> user >> item;
    lists[user].insert(item);
  }
  return lists;
}

TEST_F(recommenders_command, recommend_serves_many_users_as_it_does_one) {
  (void)trained({"--model bpr --save", model});
  const auto all = lines_of(hogwild({"recommend", model, "--users all --top 4 --seen", train}).out);
  ASSERT_EQ(all.size(), 4u * groups * users_of_group);
  std::vector<std::string> alone;
  for (const std::string& line : lines_of(hogwild({"recommend", model, "--user 6 --top 4 --seen", train}).out))
    alone.push_back("6\t" + line);
  EXPECT_EQ(std::vector<std::string>(all.begin() + 4 * 6, all.begin() + 4 * 7), alone);
  const std::string some = folder.write("some.txt", "41\n6\nnobody\n");
  const outcome two = hogwild({"recommend", model, "--top 4 --seen", train, "--users", some});
  EXPECT_THAT(two.err, HasSubstr("some.txt: 1 names of 3 are not in"));
  ASSERT_EQ(lines_of(two.out).size(), 8u);
  EXPECT_EQ(lines_of(two.out)[4], alone[0]);
  const auto json = nlohmann::json::parse(lines_of(hogwild({"recommend", model, "--users all --json"}).out).front());
  EXPECT_EQ(json["user"], 0);
}

TEST_F(recommenders_command, recommend_takes_items_of_a_file_alone_or_none_of_them) {
  (void)trained({"--model sampled_softmax --save", model});
  const std::string items = folder.write("items.txt", "1\n2\n6\n10\n");
  EXPECT_EQ(lists_in(hogwild({"recommend", model, "--users all --top 9 --only", items}).out)[6],
            (std::set<int>{1, 2, 6, 10}));
  const auto others = lists_in(hogwild({"recommend", model, "--users all --top 18 --without", items}).out);
  for (const int item : {1, 2, 6, 10}) EXPECT_FALSE(others.at(6).contains(item));
  EXPECT_TRUE(others.at(6).contains(14)) << "it is of the user's group";
}

TEST_F(recommenders_command, users_that_the_model_does_not_know_are_folded_in) {
  // The last users of each group, under other numbers, are not in the training data.
  std::string known, fresh;
  for (const std::string& line : lines_of(pairs(false))) {
    const bool last = std::stoi(line) >= groups * (users_of_group - 3);
    (last ? fresh : known) += (last ? "1" : "") + line + "\n";
  }
  const std::string training = folder.write("known.tsv", known), file = folder.write("fresh.tsv", fresh);
  for (const char* const name : models) {
    SCOPED_TRACE(name);
    (void)result_of({"train", training, "--factors 8 --epochs 40 --json --quiet --model", name, "--save", model});
    const outcome folded = hogwild({"recommend", model, "--top 4 --fold-in", file});
    EXPECT_EQ(folded.code, 0) << folded.err;
    const auto lists = lists_in(folded.out);
    EXPECT_EQ(lists.size(), 3u * groups);
    int hits = 0;
    for (const auto& [user, items] : lists) {
      const int before = user - 100;
      for (const int item : items)
        hits += item % groups == before % groups && (item / groups) % 5 == before % 5 ? 1 : 0;
    }
    EXPECT_GE(hits, 3 * groups * 4 * 9 / 10);
    // One of them, or a user whom the model knows, can be asked about.
    EXPECT_EQ(lines_of(hogwild({"recommend", model, "--user 148 --top 3 --fold-in", file}).out).size(), 3u);
    EXPECT_EQ(hogwild({"recommend", model, "--user 3 --top 4 --seen", training}).out,
              hogwild({"recommend", model, "--user 3 --top 4 --seen", training, "--fold-in", file}).out);
  }
  const outcome unknown =
      hogwild({"recommend", model, "--fold-in", folder.write("unknown.tsv", "900\t7\n900\t777\n901\t778\n")});
  EXPECT_THAT(unknown.err, HasSubstr("2 mentions of a user or an item that the training data do not have"));
  EXPECT_EQ(lists_in(unknown.out).size(), 1u) << "nothing is known of user 901";
}

TEST_F(recommenders_command, users_with_names_are_folded_in) {
  const std::string named = folder.write("named.tsv", pairs(false, "u"));
  (void)result_of({"train", named, "--model bpr --named-ids --factors 8 --epochs 20 --json --quiet --save", model});
  const std::string file = folder.write("new.tsv", "ann\t0\nann\t4\nann\t8\nu7\t3\n");
  const outcome folded = hogwild({"recommend", model, "--top 1 --fold-in", file});
  EXPECT_EQ(folded.code, 0) << folded.err;
  EXPECT_THAT(folded.out, HasSubstr("ann\t"));
  EXPECT_THAT(folded.out, HasSubstr("u7\t"));
}

TEST_F(recommenders_command, reproducible_runs_do_not_depend_on_the_number_of_workers) {
  for (const char* const name : models) {
    SCOPED_TRACE(name);
    const nlohmann::json one = trained({"--model", name, "--reproducible --workers 1"}, 5);
    const nlohmann::json three = trained({"--model", name, "--reproducible --workers 3"}, 5);
    EXPECT_EQ(one["train_loss"], three["train_loss"]);
    EXPECT_EQ(one["test_ndcg_at_20"], three["test_ndcg_at_20"]);
  }
}

TEST_F(recommenders_command, weights_of_pairs_count_by_their_ratio) {
  std::string once, thrice;
  for (const std::string& line : lines_of(pairs(false))) once += line + "\t1\n", thrice += line + "\t3\n";
  const std::string a = folder.write("once.tsv", once), b = folder.write("thrice.tsv", thrice);
  for (const char* const name : models) {
    SCOPED_TRACE(name);
    const auto loss = [&](const std::string& file) {
      return result_of({"train", file, "--model", name, "--engine serial --epochs 3 --json --quiet"})["train_loss"];
    };
    EXPECT_EQ(loss(a), loss(b));
  }
}

TEST_F(recommenders_command, users_and_items_may_have_names_which_a_model_keeps) {
  const std::string named = folder.write("named.tsv", pairs(false, "u"));
  (void)result_of({"train", named, "--model bpr --named-ids --factors 8 --epochs 20 --json --quiet --save", model});
  EXPECT_THAT(hogwild({"recommend", model, "--user u7 --top 1"}).out, HasSubstr("\t"));
  EXPECT_THAT(hogwild({"recommend", model, "--user u700 --top 1"}).err, HasSubstr("does not know user 'u700'"));

  // The order of names is another one with new users; those of the model keep their vectors.
  const std::string more = folder.write("more.tsv", "a1\t0\na1\t4\n" + pairs(false, "u")), next = folder / "next.bin";
  (void)result_of({"train", more, "--model bpr --named-ids --epochs 1 --step 1e-9 --l2 0 --json --quiet --save", next,
                   "--init", model});
  const command_words asked{"--user u7 --top 3"};
  EXPECT_EQ(hogwild({"recommend", next, asked}).out, hogwild({"recommend", model, asked}).out);
  EXPECT_THAT(hogwild({"train", train, "--model bpr --epochs 1 --init", model}).err, HasSubstr("give --named-ids"));
}

TEST_F(recommenders_command, a_warm_start_goes_on_with_the_vectors_of_the_model) {
  for (const char* const name : models) {
    SCOPED_TRACE(name);
    (void)trained({"--model", name, "--save", model});
    const std::string sentence =
        hogwild({"train", train, "--model", name, "--init", model, "--epochs 1 --step 1e-6"}).out;
    EXPECT_THAT(sentence, HasSubstr("status      done"));
    EXPECT_GT(trained({"--model", name, "--step 1e-6 --init", model}, 1)["test_recall_at_20"].get<double>(), 0.95);
  }
}

/// The validation measure of each epoch in a record.
std::vector<double> validated(const std::string& record, const std::string& name) {
  std::vector<double> values;
  for (const nlohmann::json& line : record_in(record))
    if (line["kind"] == "epoch") values.push_back(line.at("validation_" + name));
  return values;
}

TEST_F(recommenders_command, end_by_how_they_rank_validation_pairs) {
  const std::string record = folder / "run.jsonl";
  for (const std::string by : {"ndcg_at_20", "recall_at_20", "loss"}) {
    SCOPED_TRACE(by);
    const command_words given = by == "ndcg_at_20" ? command_words{} : command_words{"--stop-by", by};
    const nlohmann::json run =
        result_of({"train", train, "--model bpr --factors 8 --engine serial --epochs 300 --step",
                   "0.2 --patience 3 --validation", test, given, "--json --quiet --record", record});
    EXPECT_EQ(run["status"], "no_progress");
    const std::vector<double> of_epochs = validated(record, by);
    const auto worse = [&](double a, double b) { return by == "loss" ? a > b : a < b; };
    const auto best = std::ranges::max_element(of_epochs, worse);
    EXPECT_EQ(of_epochs.end() - best, 4) << "three epochs behind the best";
    EXPECT_EQ(run["validation_" + by], *best) << "whose model is returned";
  }
}

TEST_F(recommenders_command, go_on_by_another_measure_than_before) {
  const std::string state = folder / "run.ckpt";
  const auto run = [&](const char* more) {
    return result_of({"train", train, "--model bpr --factors 8 --engine serial --step 0.2 --validation", test, more,
                      state, "--json --quiet"});
  };
  EXPECT_GT(run("--epochs 4 --checkpoint")["validation_ndcg_at_20"], 0.0);
  // No loss is lower than a measure of which more is better, with the other sign.
  EXPECT_EQ(run("--epochs 8 --patience 2 --stop-by loss --resume")["epochs"], 8);
}

TEST_F(recommenders_command, validation_pairs_may_be_held_back_by_time) {
  std::string timed;
  int time = 0;
  for (const std::string& line : lines_of(pairs(false))) timed += line + "\t1\t" + std::to_string(++time) + "\n";
  const std::string file = folder.write("timed.tsv", timed);
  const auto run = [&](const command_words& last, const command_words& other) {
    return result_of(
        {"train", file, "--model bpr --factors 8 --engine serial --epochs 1 --step 0.2 --json --quiet", last, other});
  };
  const nlohmann::json both = run({"--test last:2"}, {"--validation last:3"});
  const int users = groups * users_of_group, all = users * (items_of_group - items_of_group / 5);
  EXPECT_EQ(both["examples"], all - 5 * users);
  // The last two of each user are those of the test, the three before them those of the validation.
  const nlohmann::json turned = run({"--test last:5"}, {});
  EXPECT_EQ(turned["train_loss"], both["train_loss"]);
  EXPECT_EQ(run({"--validation last:2"}, {})["validation_ndcg_at_20"], run({"--test last:2"}, {})["test_ndcg_at_20"]);
  EXPECT_THAT(hogwild({"train", train, "--model bpr --validation last:2"}).err,
              HasSubstr("last:N holds pairs back by time"));
}

TEST_F(recommenders_command, targets_and_searches_know_the_measures_of_validation_pairs) {
  const nlohmann::json run =
      trained({"--engine serial --model bpr --validation 0.2 --target validation_recall_at_20=0.5"});
  EXPECT_EQ(run["status"], "target");
  EXPECT_GE(run["validation_recall_at_20"], 0.5);
  for (const char* const metric : {"recall_at_20", "precision_at_20", "ndcg_at_20", "map_at_20", "mrr_at_20",
                                   "hit_rate_at_20", "coverage_at_20", "auc"}) {
    const nlohmann::json found =
        result_of({"search", train, "--model bpr --factors 8 --epochs 2 --strategy grid --json --quiet",
                   "--space step=1e-6,0.2 --validation", test, "--metric", metric});
    EXPECT_EQ(found["metric"], metric);
    EXPECT_GT(found["trials"][0]["metric"], 0.0) << metric;
  }
}

TEST_F(recommenders_command, pairs_of_which_none_is_known_are_not_measured) {
  (void)trained({"--model bpr --save", model}, 1);
  const std::string unknown = folder.write("unknown.tsv", "7777\t1\n7778\t2\n");
  const outcome refused = hogwild({"evaluate", model, unknown});
  EXPECT_EQ(refused.code, 3);
  EXPECT_THAT(refused.err, HasSubstr("none of its 2 rows can be measured"));
}

TEST_F(recommenders_command, some_lists_are_measured_after_an_epoch_and_all_at_the_end) {
  const std::string record = folder / "run.jsonl";
  const nlohmann::json run = trained({"--engine serial --model bpr --measure-lists 5 --record", record}, 3);
  const nlohmann::json all = trained({"--engine serial --model bpr"}, 3);
  EXPECT_EQ(run["test_recall_at_20"], all["test_recall_at_20"]);
  // A run that ends early says of all lists, too.
  const nlohmann::json early =
      trained({"--engine serial --model bpr --measure-lists 5 --target test_recall_at_20=0.0001"});
  EXPECT_EQ(early["status"], "target");
  const nlohmann::json one = trained({"--engine serial --model bpr"}, early["epochs"].get<int>());
  EXPECT_EQ(early["test_recall_at_20"], one["test_recall_at_20"]);
}

TEST_F(recommenders_command, epochs_are_compared_by_the_same_lists_whichever_is_the_last) {
  const auto compared = [&](const std::string& epochs) {
    const std::string record = folder / (epochs + ".jsonl");
    (void)result_of({"train", train, "--model bpr --factors 8 --engine serial --schedule geometric --decay 1",
                     "--measure-lists 5 --patience 100 --json --quiet --validation", test, "--epochs", epochs,
                     "--record", record});
    return validated(record, "ndcg_at_20");
  };
  const auto three = compared("3"), four = compared("4");
  ASSERT_EQ(three.size(), 3u);
  EXPECT_EQ(three.back(), four[2]);
}

}  // namespace
}  // namespace hogwild::test
