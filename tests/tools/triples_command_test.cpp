// SPDX-License-Identifier: Apache-2.0
// Knowledge graphs from the command line: train, evaluate, predict, go on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <hogwild/detail/kernels/bf16_kernels.hpp>

#include "small_data.hpp"

namespace hogwild::test {
namespace {

using ::testing::HasSubstr;

/// Days of a month of thirty days: each has a next one, and one that is ten days later.
class triples : public with_folder {
 protected:
  static void SetUpTestSuite() {
    with_folder::SetUpTestSuite();
    std::string training, test, known;
    for (int day = 0; day < 30; ++day) {
      const auto line = [&](const char* relation, int later) {
        return "day " + std::to_string(day) + "\t" + relation + "\tday " + std::to_string((day + later) % 30) + "\n";
      };
      (day % 10 == 3 ? test : training) += line("next", 1);
      (day % 10 == 7 ? known : training) += line("in ten days", 10);
      training += line("after next", 2);
    }
    write_file(*folder / "train.tsv", training);
    write_file(*folder / "test.tsv", test);
    write_file(*folder / "known.tsv", known);
    write_file(*folder / "all.tsv", training + known);
  }

  static std::string file(const char* name) { return *folder / name; }
  static outcome trained(const command_words& more) {
    return hogwild(
        {"train", file("train.tsv"), "--model rotate --factors 16 --negatives 32 --epochs 150 --json", more});
  }
};

TEST_F(triples, are_learned_saved_evaluated_and_answered) {
  const std::string model = file("m.bin");
  const auto result =
      result_of(trained({"--engine serial --test", file("test.tsv"), "--known", file("known.tsv"), "--save", model}));
  EXPECT_GT(result["test_mrr"], 0.6);
  EXPECT_LE(result["test_hits_at_1"], result["test_hits_at_3"]);
  EXPECT_LE(result["test_hits_at_3"], result["test_hits_at_10"]);

  const auto measured = result_of({"evaluate", model, file("test.tsv"), "--known", file("all.tsv"), "--json"});
  EXPECT_EQ(measured["rows"], 3);
  for (const std::string name : {"mrr", "hits_at_1", "hits_at_3", "hits_at_10"})
    EXPECT_EQ(measured[name], result["test_" + name]) << name;
  EXPECT_THAT(hogwild({"evaluate", model, file("test.tsv")}).err, HasSubstr("--known FILE"));

  write_file(file("asked.tsv"), "day 4\tnext\t?\n?\tnext\tday 5\nday 4\tnext\tday 5\n");
  const auto lines = lines_of(hogwild({"predict", model, file("asked.tsv"), "--top 3"}).out);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_THAT(lines[0], ::testing::StartsWith("day 5\tday "));
  EXPECT_THAT(lines[1], ::testing::StartsWith("day 4\tday "));
  const auto answers = lines_of(hogwild({"predict", model, file("asked.tsv"), "--json"}).out);
  const auto best = nlohmann::json::parse(answers[0])["answers"];
  EXPECT_EQ(best.size(), 10u);
  EXPECT_EQ(best[0]["entity"], "day 5");
  EXPECT_NEAR(best[0]["score"].get<double>(), nlohmann::json::parse(answers[2])["score"].get<double>(), 1e-4);
}

TEST_F(triples, of_test_and_validation_are_known_to_each_other) {
  std::string training, test, validation;
  for (int reader = 0; reader < 20; ++reader)
    for (int book = 0; book < 8; ++book)
      (book == reader % 8         ? test
       : book == (reader + 1) % 8 ? validation
                                  : training) +=
          "reader " + std::to_string(reader) + "\tread\tbook " + std::to_string(book) + "\n";
  write_file(file("read.tsv"), training);
  write_file(file("read_test.tsv"), test);
  write_file(file("read_validation.tsv"), validation);
  write_file(file("read_and_test.tsv"), training + test);
  write_file(file("read_and_validation.tsv"), training + validation);
  const std::string model = file("readers.bin");
  const auto result =
      result_of(hogwild({"train", file("read.tsv"), "--model distmult --epochs 1 --engine serial --json --test",
                         file("read_test.tsv"), "--validation", file("read_validation.tsv"), "--save", model}));
  const auto mrr = [&](const char* asked, const char* known) {
    return result_of(hogwild({"evaluate", model, file(asked), "--known", file(known), "--json"}))["mrr"];
  };
  EXPECT_EQ(result["test_mrr"], mrr("read_test.tsv", "read_and_validation.tsv"));
  EXPECT_EQ(result["validation_mrr"], mrr("read_validation.tsv", "read_and_test.tsv"));
  EXPECT_NE(result["test_mrr"], mrr("read_test.tsv", "read.tsv"));
}

TEST_F(triples, go_on_with_new_entities_and_keep_old_ones) {
  const std::string first = file("first.bin"), second = file("second.bin");
  EXPECT_EQ(trained({"--quiet --save", first}).code, 0);
  write_file(file("more.tsv"), "day 4\tnext\tholiday\nholiday\tnext\tday 6\n");
  const outcome more =
      hogwild({"train", file("more.tsv"), "--model rotate --factors 16 --negatives 32 --epochs 3 --init", first,
               "--save", second});
  EXPECT_EQ(more.code, 0) << more.err;
  EXPECT_THAT(more.err, HasSubstr("are new"));
  write_file(file("asked.tsv"), "day 20\tin ten days\t?\n");
  EXPECT_EQ(hogwild({"predict", second, file("asked.tsv"), "--top 1"}).out,
            hogwild({"predict", first, file("asked.tsv"), "--top 1"}).out);
}

TEST_F(triples, end_by_how_they_rank_validation_triples) {
  const std::string record = file("run.jsonl");
  const auto run = result_of(trained({"--engine serial --quiet --patience 4 --step 0.5 --validation", file("test.tsv"),
                                      "--known", file("known.tsv"), "--record", record}));
  EXPECT_EQ(run["status"], "no_progress");
  std::vector<double> of_epochs;
  for (const nlohmann::json& line : record_in(record))
    if (line["kind"] == "epoch") of_epochs.push_back(line.at("validation_mrr"));
  const auto best = std::ranges::max_element(of_epochs);
  EXPECT_EQ(of_epochs.end() - best, 5);
  EXPECT_EQ(run["validation_mrr"], *best);
  const auto found =
      result_of({"search", file("train.tsv"), "--model rotate --factors 8 --negatives 16 --epochs 2 --json",
                 "--quiet --strategy grid --space step=0.01,0.2 --metric mrr --validation", file("test.tsv")});
  EXPECT_GT(found["trials"][1]["metric"], 0.0);
}

TEST_F(triples, are_learned_by_products_in_bf16_where_the_processor_has_them) {
  const auto made = [](const command_words& more) {
    return trained({"--products bf16 --reproducible --quiet --test", file("test.tsv"), more});
  };
  if (bf16_forms().empty()) {
    const outcome refused = made({});
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.err, HasSubstr("avx512_bf16"));
    return;
  }
  const std::string one = file("one.bin"), two = file("two.bin"), state = file("run.ckpt");
  const std::string record = file("bf16.jsonl");
  EXPECT_GT(result_of(made({"--workers 1 --checkpoint", state, "--save", one, "--record", record}))["test_mrr"], 0.6);
  EXPECT_EQ(record_in(record).at(0)["options"]["products"], bf16_kernels_here().name);
  EXPECT_EQ(made({"--workers 2 --save", two}).code, 0);
  EXPECT_EQ(read_file(two), read_file(one));
  EXPECT_EQ(made({"--isa scalar --save", two}).code, 0);
  EXPECT_EQ(read_file(two), read_file(one));
  EXPECT_EQ(trained({"--reproducible --quiet --save", two}).code, 0);
  EXPECT_NE(read_file(two), read_file(one));
  EXPECT_EQ(made({"--resume", state}).code, 0);
  const outcome other = trained({"--reproducible --quiet --products float --resume", state});
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, HasSubstr("of the model"));
}

TEST_F(triples, names_that_nobody_knows_are_told) {
  const std::string model = file("told.bin");
  EXPECT_EQ(trained({"--quiet --save", model}).code, 0);
  write_file(file("unknown.tsv"), "day 4\tnext\tday 5\nnobody\tnext\tday 5\n");
  EXPECT_THAT(hogwild({"evaluate", model, file("unknown.tsv"), "--known", file("train.tsv")}).err,
              HasSubstr("1 of 2 triples"));
  write_file(file("none.tsv"), "nobody\tnext\tday 5\n");
  const outcome none = hogwild({"evaluate", model, file("none.tsv"), "--known", file("train.tsv")});
  EXPECT_EQ(none.code, 3);
  EXPECT_THAT(none.err, HasSubstr("none of its 1 rows can be measured"));
  const outcome asked = hogwild({"predict", model, file("unknown.tsv")});
  EXPECT_EQ(asked.code, 3);
  EXPECT_THAT(asked.err, HasSubstr("the model does not know the entity 'nobody'"));
  write_file(file("two.tsv"), "?\tnext\t?\n");
  EXPECT_THAT(hogwild({"predict", model, file("two.tsv")}).err, HasSubstr("asks for more than one name"));
}

}  // namespace
}  // namespace hogwild::test
