// SPDX-License-Identifier: Apache-2.0
#include <array>

#include <gmock/gmock.h>

#include "small_data.hpp"

namespace hogwild::test {
namespace {

using ::testing::HasSubstr;

class train_predict : public with_small_data {
 protected:
  static std::string trained(const std::string& name, const char* engine = "serial", const command_words& more = {}) {
    const outcome o =
        hogwild({"train", train(), "--engine", engine, "--epochs 5 --save", *folder / name, "--quiet", more});
    EXPECT_EQ(o.code, 0) << o.err;
    return *folder / name;
  }
};

TEST_F(train_predict, a_round_trip_agrees_with_itself) {
  const auto result =
      result_of({"train", train(), "--test", test(), "--epochs 5 --json --bias --save", *folder / "round.bin"});
  EXPECT_EQ(result["status"], "done");
  EXPECT_EQ(result["epochs"], 5);
  EXPECT_GT(result["test_accuracy"], 0.75);

  const auto measured = expect_measured_alike(result, *folder / "round.bin", test());
  EXPECT_DOUBLE_EQ(fraction_right(hogwild({"predict", *folder / "round.bin", test()}).out, test()),
                   measured["accuracy"]);
}

TEST_F(train_predict, any_engine_begins_with_a_saved_model) {
  const std::string model = trained("warm.bin", "serial", {"--bias"});
  const auto loss = result_of({"evaluate", model, train(), "--json"})["loss"].get<double>();
  for (const char* const engine : {"serial", "threads --workers 2", "processes --workers 2",
                                   "ring --replicas 2 --workers 2", "all_reduce --workers 2"}) {
    const auto run =
        result_of({"train", train(), "--init", model, "--bias --epochs 1 --step 1e-9 --json --engine", engine});
    EXPECT_NEAR(run["train_loss"].get<double>(), loss, 1e-5) << engine;
  }
  const auto bias = hogwild({"train", train(), "--init", model, "--init-groups bias --bias --epochs 1"});
  EXPECT_THAT(bias.err, HasSubstr("begins with 1 of "));
  EXPECT_THAT(hogwild({"train", train(), "--init", model}).err, HasSubstr("begins with "));
}

TEST_F(train_predict, text_and_binary_models_are_equal) {
  const std::string binary = trained("a.bin"), text = trained("a.txt");
  ASSERT_EQ(hogwild({"convert", binary, *folder / "b.txt"}).code, 0);
  ASSERT_EQ(hogwild({"convert", text, *folder / "b.bin"}).code, 0);
  EXPECT_TRUE(read_file(*folder / "b.txt") == read_file(text));
  EXPECT_TRUE(read_file(*folder / "b.bin") == read_file(binary));
  EXPECT_EQ(hogwild({"predict", binary, test(), "--probabilities"}).out,
            hogwild({"predict", text, test(), "--probabilities"}).out);
}

TEST_F(train_predict, predictions_come_in_the_order_of_the_file_with_the_labels_as_read) {
  std::string rows, asked, expected;
  for (int k = 0; k < 50; ++k) rows += "7 1:1\n3 4294967294:1\n";
  for (int k = 0; k < 40; ++k) {
    const bool larger = k % 3 == 0 || k % 7 == 2;
    asked += larger ? "7 1:2\n" : "3 4294967294:2\n";
    expected += larger ? "7\n" : "3\n";
  }
  write_file(*folder / "order.svm", rows);
  write_file(*folder / "asked.svm", asked);
  ASSERT_EQ(hogwild({"train", *folder / "order.svm", "--quiet --save", *folder / "order.txt"}).code, 0);
  EXPECT_EQ(hogwild({"predict", *folder / "order.txt", *folder / "asked.svm"}).out, expected);

  ASSERT_EQ(hogwild({"predict", *folder / "order.txt", *folder / "asked.svm", "--output", *folder / "out.txt"}).code,
            0);
  EXPECT_EQ(read_file(*folder / "out.txt"), expected);
}

TEST_F(train_predict, labels_may_be_missing_and_unknown_columns_are_counted) {
  const std::string model = trained("unlabelled.bin");
  const outcome o = hogwild({"predict", model, "-"}, "1:1 2:1 99999:3\n3:0.5\n");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(lines_of(o.out).size(), 2u);
  EXPECT_THAT(o.err, HasSubstr("1 entries in columns that the training data never had"));
}

TEST_F(train_predict, standard_input_trains_the_same_model) {
  const std::string model = trained("file.txt");
  const outcome o =
      hogwild({"train - --engine serial --epochs 5 --save", *folder / "stdin.txt", "--quiet"}, read_file(train()));
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(read_file(model) == read_file(*folder / "stdin.txt"));
}

TEST_F(train_predict, labels_that_the_model_does_not_know_are_not_looked_at) {
  const std::string classes = *folder / "three.svm", rows = *folder / "foreign.svm", model = *folder / "three.bin";
  write_file(classes, "0 1:1\n1 2:1\n2 3:1\n0 1:1\n1 2:1\n2 3:1\n");
  write_file(rows, "100000000 1:1\n-5 2:1\n1e30 3:1\n");
  ASSERT_EQ(hogwild({"train", classes, "--model softmax --step 1 --engine serial --save", model, "--no-cache"}).code,
            0);
  EXPECT_THAT(lines_of(hogwild({"predict", model, rows, "--no-cache"}).out), ::testing::ElementsAre("0", "1", "2"));
  EXPECT_EQ(lines_of(hogwild({"predict", model, rows, "--no-cache --probabilities --json"}).out).size(), 3u);
}

TEST_F(train_predict, probabilities_are_of_the_larger_label_or_of_all_classes) {
  const std::string two = trained("two.bin");
  const auto labels = lines_of(hogwild({"predict", two, test()}).out);
  const auto probabilities = lines_of(hogwild({"predict", two, test(), "--probabilities"}).out);
  ASSERT_EQ(labels.size(), probabilities.size());
  for (std::size_t r = 0; r < labels.size(); ++r) {
    EXPECT_EQ(std::stod(probabilities[r]) > 0.5 ? "1" : "-1", labels[r]) << probabilities[r];
  }

  std::string rows;
  for (int k = 0; k < 60; ++k) rows += std::to_string(k % 3) + " " + std::to_string(k % 3 + 1) + ":1\n";
  write_file(*folder / "three.svm", rows);
  ASSERT_EQ(
      hogwild({"train", *folder / "three.svm", "--model softmax --bias --quiet --save", *folder / "three.bin"}).code,
      0);
  const outcome o = hogwild({"predict", *folder / "three.bin", *folder / "three.svm", "--probabilities --json"});
  const auto lines = lines_of(o.out);
  ASSERT_EQ(lines.size(), 60u);
  for (int k = 0; k < 60; ++k) {
    const auto row = nlohmann::json::parse(lines[static_cast<std::size_t>(k)]);
    EXPECT_EQ(row["label"], k % 3);
    const std::vector<double> p = row["probabilities"];
    ASSERT_EQ(p.size(), 3u);
    EXPECT_NEAR(p[0] + p[1] + p[2], 1.0, 1e-9);
    EXPECT_GT(p[static_cast<std::size_t>(k % 3)], 1.0 / 3);
  }
}

TEST_F(train_predict, labels_have_their_text_beside_them_in_json_where_it_is_not_the_number) {
  std::string rows;
  for (int k = 0; k < 60; ++k)
    rows += std::string(std::array{"0.50", "007", "3"}[static_cast<std::size_t>(k % 3)]) + " " +
            std::to_string(k % 3 + 1) + ":1\n";
  const std::string data = *folder / "spelled.svm", model = *folder / "spelled.bin";
  write_file(data, rows);
  ASSERT_EQ(hogwild({"train", data, "--model softmax --bias --quiet --save", model}).code, 0);
  for (const char* const how : {"--json", "--json --probabilities"}) {
    const auto lines = lines_of(hogwild({"predict", model, data, how}).out);
    ASSERT_EQ(lines.size(), 60u);
    const auto first = nlohmann::json::parse(lines[0]), second = nlohmann::json::parse(lines[1]);
    EXPECT_EQ(first["label"], 0.5);
    EXPECT_EQ(first["text"], "0.50");
    EXPECT_EQ(second["label"], 7);
    EXPECT_EQ(second["text"], "007");
    EXPECT_EQ(nlohmann::json::parse(lines[2])["text"], "3");
  }
  const auto best = nlohmann::json::parse(lines_of(hogwild({"predict", model, data, "--json --top 2"}).out)[1]);
  EXPECT_EQ(best["labels"][0], 7);
  EXPECT_EQ(best["texts"][0], "007");
  EXPECT_EQ(best["texts"].size(), 2u);
}

TEST_F(train_predict, what_is_not_finite_is_no_answer) {
  write_file(*folder / "line.svm", "1 1:1\n2 1:2\n");
  write_file(*folder / "far.svm", "1 1:1\n2 1:3e38\n");
  const std::string model = *folder / "line.txt";
  EXPECT_EQ(
      hogwild({"train", *folder / "line.svm", "--model least_squares --step 0.3 --epochs 50 --quiet --save", model})
          .code,
      0);
  std::string text = read_file(model);
  const std::size_t weight = text.find("\n1 ");
  ASSERT_NE(weight, text.npos) << text;
  write_file(model, text.replace(weight, text.find('\n', weight + 1) - weight, "\n1 1e38"));
  for (const std::string command : {"evaluate", "predict"}) {
    expect_told(hogwild({command, model, *folder / "far.svm"}), 3, "not finite");
  }
}

TEST_F(train_predict, regressions_are_measured_by_rmse) {
  std::string rows;
  for (int k = 1; k <= 200; ++k) {
    rows += std::to_string(3 * (k % 10) + 1) + " 1:" + std::to_string(k % 10) + " 2:1\n";
  }
  write_file(*folder / "line.svm", rows);
  for (const char* model : {"least_squares", "huber"}) {
    const auto result = result_of({"train", *folder / "line.svm", "--test", *folder / "line.svm", "--model", model,
                                   "--l2 0 --epochs 40 --json --save", *folder / "line.bin"});
    EXPECT_LT(result["test_rmse"], 0.5) << model;
    expect_measured_alike(result, *folder / "line.bin", *folder / "line.svm", 1e-5);
  }
}

TEST_F(train_predict, one_worker_of_any_engine_makes_the_bytes_of_serial) {
  const std::string serial = read_file(trained("serial.bin", "serial"));
  ASSERT_NE(serial, "");
  for (const char* engine : {"threads", "processes"}) {
    for (const char* update : {"lossy", "exact", "locked"}) {
      const std::string model = trained("one.bin", engine, {"--workers 1 --update", update});
      EXPECT_TRUE(read_file(model) == serial) << engine << ' ' << update;
    }
  }
}

TEST_F(train_predict, two_workers_of_any_engine_learn_as_much) {
  const double serial =
      result_of({"train", train(), "--engine serial --epochs 10 --json --step 1 --decay 0.7"})["objective"];
  for (const char* const engine : {"threads", "threads --team tbb", "threads --team std --no-pin", "processes",
                                   "threads --shards fixed", "threads --order permuted"}) {
    const auto run =
        result_of({"train", train(), "--workers 2 --epochs 10 --json --step 1 --decay 0.7 --engine", engine});
    EXPECT_NEAR(run["objective"].get<double>(), serial, 0.03 * serial) << engine;
  }
}

}  // namespace
}  // namespace hogwild::test
