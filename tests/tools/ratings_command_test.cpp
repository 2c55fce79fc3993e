// SPDX-License-Identifier: Apache-2.0
// Ratings from the command line: train, evaluate, predict, recommend.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/saved_model.hpp>

#include "small_data.hpp"
#include "support/toy_ratings.hpp"

namespace hogwild::test {
namespace {

using ::testing::HasSubstr;

class ratings : public with_folder {
 protected:
  static void SetUpTestSuite() {
    with_folder::SetUpTestSuite();
    constexpr toy_ratings_shape shape{.users = 60, .items = 40, .ratings = 3000};
    const toy_rows rows = planted_ratings(shape);
    std::string text = "user::item::rating\n";
    for (std::size_t r = 0; r < rows.rows(); ++r) {
      text += std::to_string(rows.index[2 * r] + 100) + "::" + std::to_string(rows.index[2 * r + 1] - shape.users) +
              "::" + std::to_string(rows.label[r]) + "\n";
    }
    write_file(data(), text);
  }

  static std::string data() { return *folder / "ratings.dat"; }
  static outcome trained(const command_words& more) {
    return hogwild(
        {"train", data(), "--model matrix_factorization --factors 4 --step 0.1 --decay 0.95 --epochs 60 --json", more});
  }
};

TEST_F(ratings, are_learned_saved_evaluated_and_predicted) {
  const std::string model = *folder / "m.bin";
  const auto result = result_of(trained({"--test 0.2 --engine threads --workers 2 --save", model}));
  EXPECT_EQ(result["examples"], 60 * 2400);
  EXPECT_LT(result["test_rmse"], 0.4);
  EXPECT_GT(result["test_rmse"], 0.02);

  const auto measured = result_of({"evaluate", model, data(), "--json"});
  EXPECT_EQ(measured["rows"], 3000);
  EXPECT_LT(measured["rmse"], result["test_rmse"]);
  const auto lines = lines_of(hogwild({"predict", model, data()}).out);
  EXPECT_EQ(lines.size(), 3000u);
}

TEST_F(ratings, are_learned_by_processes_that_own_blocks) {
  const auto result = result_of(trained({"--test 0.2 --engine processes --workers 2 --ownership blocks"}));
  const auto serial = result_of(trained({"--test 0.2 --engine serial"}));
  EXPECT_EQ(result["examples"], 60 * 2400);
  EXPECT_NEAR(result["test_rmse"].get<double>(), serial["test_rmse"].get<double>(),
              0.05 * serial["test_rmse"].get<double>());
}

TEST_F(ratings, are_cut_into_the_same_blocks_by_everybody_however_many_there_are) {
  for (const char* const workers : {"1", "3", "8"}) {
    const auto result = result_of(trained({"--test 0.2 --engine processes --workers", workers, "--ownership blocks"}));
    EXPECT_EQ(result["examples"], 60 * 2400) << workers;
  }
}

TEST_F(ratings, give_recommendations_that_skip_what_was_seen) {
  const std::string model = *folder / "r.txt";
  ASSERT_EQ(trained({"--engine serial --save", model}).code, 0);
  const auto all = lines_of(hogwild({"recommend", model, "--user 100 --top 100"}).out);
  EXPECT_EQ(all.size(), 40u);
  EXPECT_EQ(lines_of(hogwild({"recommend", model, "--user 100 --top 3"}).out),
            std::vector<std::string>(all.begin(), all.begin() + 3));
  const std::string best = all[0].substr(0, all[0].find('\t')), third = all[2].substr(0, all[2].find('\t'));
  const std::string seen = *folder / "seen.csv";
  write_file(seen, "100," + best + ",5\n101," + third + ",1\n");
  const auto unseen = lines_of(hogwild({"recommend", model, "--user 100 --seen", seen, "--top 2"}).out);
  EXPECT_EQ(unseen, std::vector<std::string>(all.begin() + 1, all.begin() + 3));
  const outcome json = hogwild({"recommend", model, "--user 100 --top 1 --json"});
  EXPECT_EQ(std::to_string(nlohmann::json::parse(json.out)["item"].get<int>()), best);
}

TEST_F(ratings, tell_of_users_that_are_folded_in_what_training_would) {
  const std::string model = *folder / "f.bin", fresh = *folder / "fresh.dat";
  ASSERT_EQ(trained({"--engine serial --save", model}).code, 0);
  std::string text;  // user 9100 has the ratings of user 100, and so on
  for (const std::string& line : lines_of(read_text(data()))) text += (text.empty() ? "" : "9") + line + "\n";
  write_file(fresh, text);
  const auto others = lines_of(hogwild({"recommend", model, "--top 40 --fold-in", fresh}).out);
  const auto known = lines_of(hogwild({"recommend", model, "--top 40 --users all --seen", data()}).out);
  ASSERT_EQ(known.size(), others.size());
  // Each user's unseen items, by number: the predictions of both.
  const auto scores = [](const std::vector<std::string>& lines) {
    std::map<std::pair<int, int>, double> all;
    for (const std::string& line : lines) {
      std::istringstream fields(line);
      int user = 0, item = 0;
      fields >> user >> item;
      fields >> all[{user % 9000, item}];
    }
    return all;
  };
  const auto trained_scores = scores(known), folded_scores = scores(others);
  double squares = 0.0, mean = 0.0, variance = 0.0;
  for (const auto& [pair, score] : trained_scores) {
    ASSERT_TRUE(folded_scores.contains(pair));
    squares += (folded_scores.at(pair) - score) * (folded_scores.at(pair) - score);
    mean += score / static_cast<double>(trained_scores.size());
  }
  for (const auto& [pair, score] : trained_scores) variance += (score - mean) * (score - mean);
  EXPECT_LT(squares, 0.05 * variance);
}

TEST_F(ratings, are_of_users_and_items_with_names) {
  std::string text = read_text(data());
  std::string named;
  for (std::size_t at = text.find('\n') + 1; at < text.size();) {
    const std::size_t end = text.find('\n', at), item = text.find("::", at) + 2;
    named += "user-" + text.substr(at, item - at) + "film:" + text.substr(item, end + 1 - item);
    at = end + 1;
  }
  const std::string file = *folder / "named.dat", model = *folder / "n.txt", seen = *folder / "seen.tsv";
  write_file(file, named);
  ASSERT_EQ(hogwild({"train", file,
                     "--model matrix_factorization --named-ids --factors 4 --step 0.1 --decay 0.95 --epochs 60 "
                     "--engine processes --workers 2 --save",
                     model})
                .code,
            0);
  const auto measured = result_of({"evaluate", model, file, "--json"});
  EXPECT_EQ(measured["unknown_entries"], 0);
  EXPECT_LT(measured["rmse"], 0.4);
  const auto best = lines_of(hogwild({"recommend", model, "--user user-100 --top 2"}).out);
  ASSERT_EQ(best.size(), 2u);
  EXPECT_THAT(best[0], HasSubstr("film:"));
  write_file(seen, "user-100\t" + best[0] + "\nnobody\tnothing\t1\n");
  EXPECT_EQ(lines_of(hogwild({"recommend", model, "--user user-100 --top 1 --seen", seen}).out).front(), best[1]);
}

TEST_F(ratings, begin_with_items_that_are_known_and_stay_as_they_are) {
  const std::string model = *folder / "known.bin", tuned = *folder / "tuned.txt";
  ASSERT_EQ(trained({"--engine serial --save", model}).code, 0);
  ASSERT_EQ(trained({"--init", model, "--engine processes --workers 2 --freeze items,item_bias --save", tuned}).code,
            0);
  // Items are the even columns.
  const auto items_in = [&](const saved_model& m) {
    std::vector<std::vector<float>> rows;
    for (std::size_t k = 0; k < m.columns.size(); ++k)
      if (m.columns[k] % 2 == 0) rows.emplace_back(m.row(k).begin(), m.row(k).end());
    return rows;
  };
  const saved_model before = load_model(model), after = load_model(tuned);
  EXPECT_EQ(items_in(before), items_in(after));
  EXPECT_NE(before.weights, after.weights);

  const std::string again = *folder / "again.bin";
  ASSERT_EQ(hogwild({"train", data(), "--model matrix_factorization --epochs 1 --init", model, "--save", again}).code,
            0);
  EXPECT_EQ(load_model(again).width, before.width) << "as many factors as the saved one";
}

TEST_F(ratings, of_users_nobody_knows_are_the_mean_and_what_the_item_adds) {
  const std::string model = *folder / "u.bin", rows = *folder / "unknown.tsv";
  ASSERT_EQ(trained({"--engine serial --save", model}).code, 0);
  write_file(rows, "7777\t3\n8888\t9999\n");
  const outcome o = hogwild({"predict", model, rows});
  EXPECT_EQ(o.code, 0) << o.err;
  ASSERT_EQ(lines_of(o.out).size(), 2u);
  EXPECT_THAT(o.err, HasSubstr("3 mentions of a user or an item that the training data do not have"));
}

}  // namespace
}  // namespace hogwild::test
