// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "command.hpp"

namespace hogwild::test {
namespace {

/// A folder with training rows, in which examples run.
struct example : testing::Test {
  /// The output of a program that trains on the rows row(k), for each k below `count`; empty if it fails.
  std::string printed_by(const std::string& program, int count, const std::function<std::string(int)>& row) const {
    std::string rows;
    for (int k = 0; k < count; ++k) rows += row(k) + "\n";
    folder.write("train.svm", rows);
    return printed_by(program);
  }
  /// The same of a program that trains on one file and measures on another.
  std::string printed_by(const std::string& program, const std::string& train, const std::string& test) const {
    folder.write("train.txt", train);
    folder.write("test.txt", test);
    return printed_by(program);
  }
  std::string printed_by(const std::string& program) const {
    const std::string run = "cd '" + folder.path().string() + "' && " + program + " > out";
    return std::system(run.c_str()) == 0 ? read_file(folder / "out") : "";
  }
  const scratch_folder folder;
};

std::string row_of_numbers(int k) {
  return std::to_string(0.5 * (k % 7) + 0.2 * (k % 2)) + " 1:" + std::to_string(0.25 * (k % 7)) + " 2:1";
}

/// The first column is in all rows, another one decides the label.
std::string row_of_labels(bool positive, int column) {
  return std::string(positive ? "1" : "0") + " 1:1 " + std::to_string(column) + ":1";
}

TEST_F(example, the_worked_program_trains_and_prints_its_loss_with_kernels_of_its_own_as_well) {
  for (const std::string program : {HOGWILD_EXAMPLE, HOGWILD_DEVICE_EXAMPLE}) {
    const std::string printed = printed_by(program, 500, row_of_numbers);
    double loss = -1.0;
    std::size_t updates = 0;
    ASSERT_EQ(std::sscanf(printed.c_str(), "loss %lf after %zu updates", &loss, &updates), 2) << printed;
    // The line through the middle of each pair of targets is 0.1 from both, which costs 0.005.
    EXPECT_GT(loss, 0.004);
    EXPECT_LT(loss, 0.1);
    EXPECT_GT(updates, 4000u);
    if (program == HOGWILD_DEVICE_EXAMPLE) continue;
    EXPECT_LE(updates, 5000u);
    const auto record = record_in(folder / "run.jsonl");
    ASSERT_EQ(record.size(), 12u) << "a context line, ten epochs, a result";
    EXPECT_EQ(record.front()["kind"], "context");
    EXPECT_EQ(record.back()["kind"], "result");
  }
}

TEST_F(example, the_program_with_dense_runs_and_two_step_sizes_learns) {
  const std::string printed = printed_by(HOGWILD_EMBEDDING_EXAMPLE, 500,
                                         [](int k) { return row_of_labels(k % 3 == 0, (k % 3 == 0 ? 2 : 6) + k % 4); });
  double loss = -1.0, accuracy = -1.0;
  ASSERT_EQ(std::sscanf(printed.c_str(), "loss %lf, accuracy %lf", &loss, &accuracy), 2) << printed;
  EXPECT_LT(loss, 0.1);
  EXPECT_EQ(accuracy, 1.0);
}

TEST_F(example, the_program_that_learns_from_pairs_ranks_what_users_like_above_the_rest) {
  // 40 users like the items of one of four kinds, of which test pairs are held back.
  std::string train, test;
  for (int user = 0; user < 40; ++user)
    for (int item = user % 4; item < 200; item += 4)
      ((item * 7 / 4 + user) % 10 < 3 ? test : train) += std::to_string(user) + " " + std::to_string(item) + "\n";
  double loss = -1.0, recall = -1.0;
  const std::string printed = printed_by(HOGWILD_PAIRS_EXAMPLE " train.txt test.txt", train, test);
  ASSERT_EQ(std::sscanf(printed.c_str(), "loss %lf, recall@20 %lf", &loss, &recall), 2) << printed;
  EXPECT_LT(loss, 0.3) << "an untrained model has log 2";
  EXPECT_GT(recall, 0.9) << "lists at random have 0.12";
}

TEST_F(example, the_program_that_learns_from_triples_finds_what_was_held_back) {
  // 60 entities are near those of their ten, and like those of their sixth.
  std::string train, test;
  for (int head = 0; head < 60; ++head) {
    for (int tail = 0; tail < 60; ++tail) {
      const bool near = head / 10 == tail / 10, like = head % 6 == tail % 6;
      if (head == tail || (!near && !like)) continue;
      (head < tail && (head + tail) % 7 == 0 ? test : train) +=
          "e" + std::to_string(head) + (near ? " near e" : " like e") + std::to_string(tail) + "\n";
    }
  }
  double loss = -1.0, mrr = -1.0;
  const std::string printed = printed_by(HOGWILD_TRIPLES_EXAMPLE " train.txt test.txt", train, test);
  ASSERT_EQ(std::sscanf(printed.c_str(), "loss %lf, MRR %lf", &loss, &mrr), 2) << printed;
  EXPECT_LT(loss, 6.0) << "an untrained model has 2 log 61";
  EXPECT_GT(mrr, 0.8) << "places at random have 0.08";
}

TEST_F(example, the_program_with_a_slow_gradient_takes_as_long_as_its_gradients_where_they_wait_for_each_other) {
  const auto seconds = [&](const std::string& arguments) {
    const std::string printed = printed_by(HOGWILD_SLOW_EXAMPLE " train.svm " + arguments, 300,
                                           [](int k) { return row_of_labels(k % 3 == 0, 2 + k % 3); });
    if (printed.empty()) return -1.0;
    double took = -1.0, loss = -1.0;
    std::size_t updates = 0, workers = 0;
    EXPECT_EQ(std::sscanf(printed.c_str(), "%lf seconds of training, loss %lf after %zu updates by %zu workers", &took,
                          &loss, &updates, &workers),
              4)
        << printed;
    EXPECT_LT(loss, 0.69);
    EXPECT_EQ(updates, 600u);
    EXPECT_EQ(workers, 2u);
    return took;
  };
  // 600 gradients of 100 microseconds, one after the other, or two at a time.
  EXPECT_GE(seconds("100 2 ordered 2"), 0.06);
  EXPECT_GE(seconds("100 2 edge_locked 2"), 0.06);  // all have the first column
  EXPECT_GE(seconds("100 2 lossy 2"), 0.03);
  EXPECT_EQ(seconds("100 2 by_post 2"), -1.0);
}

struct engine_case {
  const char *program, *recorded;
};

struct any_engine_example : example, testing::WithParamInterface<engine_case> {};

TEST_P(any_engine_example, trains_whatever_the_one_word_is) {
  const std::string printed = printed_by(HOGWILD_TRAIN_BY + std::string(GetParam().program), 2000, [](int k) {
    const bool positive = k * 7 % 20 < 9;
    return row_of_labels(positive, (positive ? 2 : 6) + k % 4);
  });
  double accuracy = -1.0;
  std::size_t workers = 0;
  ASSERT_EQ(std::sscanf(printed.c_str(), "accuracy %lf with %zu workers", &accuracy, &workers), 2) << printed;
  EXPECT_GT(accuracy, 0.99);
  EXPECT_GE(workers, 1u);
  const auto context = record_in(folder / "run.jsonl").front();
  EXPECT_THAT(context["options"]["engine"].get<std::string>(), testing::MatchesRegex(GetParam().recorded));
}

// On a machine with one memory node a ring has one replica by default, which its threads train.
INSTANTIATE_TEST_SUITE_P(of, any_engine_example,
                         testing::Values(engine_case{"serial", "serial"}, engine_case{"thread", "threads"},
                                         engine_case{"process", "processes"}, engine_case{"ring", "ring|threads"},
                                         engine_case{"all_reduce", "all_reduce"},
                                         engine_case{"local_sgd", "local_sgd"}),
                         [](const auto& tried) { return std::string(tried.param.program); });

}  // namespace
}  // namespace hogwild::test
