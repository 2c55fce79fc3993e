// SPDX-License-Identifier: Apache-2.0
// Word vectors from the text to their analogies, as a user meets them.
#include <gmock/gmock.h>

#include <algorithm>
#include <hogwild/word_vectors.hpp>
#include <nlohmann/json.hpp>
#include <random>

#include "command.hpp"

namespace hogwild::test {
namespace {

using ::testing::HasSubstr;

class words : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder = std::make_unique<scratch_folder>();
    std::mt19937_64 random(1);
    std::string lines;
    for (std::size_t line = 0; line < 400; ++line) {
      const std::size_t topic = random() % 5;
      for (std::size_t k = 0; k < 10; ++k) lines += "w" + std::to_string(topic * 4 + random() % 4) + " ";
      lines += "\n";
    }
    write_file(text(), lines);
  }
  static void TearDownTestSuite() { folder.reset(); }

  static std::string text() { return *folder / "text.txt"; }
  static std::vector<std::string> training(const std::vector<std::string>& more) {
    std::vector<std::string> all{"train", text(),     "--model", "skip_gram", "--dimension",
                                 "8",     "--epochs", "2",       "--quiet"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  inline static std::unique_ptr<scratch_folder> folder;
};

TEST_F(words, both_formats_hold_the_same_vectors) {
  for (const char* const name : {"vectors.txt", "vectors.bin"}) {
    const outcome o = hogwild(training({"--engine", "serial", "--save", *folder / name}));
    ASSERT_EQ(o.code, 0) << o.err;
  }
  const word_vectors as_text = load_word_vectors(*folder / "vectors.txt");
  EXPECT_EQ(as_text, load_word_vectors(*folder / "vectors.bin"));
  EXPECT_EQ(as_text.words.size(), 20u);
  EXPECT_EQ(as_text.dimension, 8u);
}

TEST_F(words, every_engine_trains_them) {
  for (const char* const engine : {"serial", "threads", "processes", "ring", "all_reduce", "local_sgd"}) {
    for (const char* const model : {"skip_gram", "cbow"}) {
      std::vector<std::string> arguments = training({"--engine", engine, "--model", model, "--json"});
      if (std::string(engine) != "serial") arguments.insert(arguments.end(), {"--workers", "2"});
      arguments.erase(arguments.begin() + 2, arguments.begin() + 4);
      const outcome o = hogwild(arguments);
      ASSERT_EQ(o.code, 0) << engine << ": " << o.err;
      EXPECT_EQ(nlohmann::json::parse(o.out)["status"], "done") << engine;
    }
  }
}

TEST_F(words, every_engine_trains_them_hierarchically) {
  for (const char* const engine : {"serial", "threads", "processes", "ring", "all_reduce", "local_sgd"}) {
    std::vector<std::string> arguments = training({"--engine", engine, "--hierarchical", "--json"});
    if (std::string(engine) != "serial") arguments.insert(arguments.end(), {"--workers", "2"});
    const outcome o = hogwild(arguments);
    ASSERT_EQ(o.code, 0) << engine << ": " << o.err;
    EXPECT_EQ(nlohmann::json::parse(o.out)["status"], "done") << engine;
  }
}

// A run goes on from a checkpoint to the same vectors, but not as one whose outputs are others.
TEST_F(words, hierarchical_runs_are_resumed) {
  const std::string state = *folder / "state", whole = *folder / "whole.model", resumed = *folder / "resumed.model";
  const auto run = [](const char* epochs, const std::vector<std::string>& more) {
    std::vector<std::string> all = training({"--engine", "serial", "--schedule", "constant"});
    *(std::ranges::find(all, "--epochs") + 1) = epochs;
    all.insert(all.end(), more.begin(), more.end());
    return hogwild(all);
  };
  ASSERT_EQ(run("2", {"--hierarchical", "--save", whole}).code, 0);
  ASSERT_EQ(run("1", {"--hierarchical", "--checkpoint", state}).code, 0);
  const outcome o = run("2", {"--hierarchical", "--resume", state, "--save", resumed});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(read_file(whole), read_file(resumed));
  const outcome other = run("2", {"--resume", state});
  EXPECT_EQ(other.code, 2) << other.out;
  EXPECT_THAT(other.err, HasSubstr("other options"));
}

// For a text with other counts, and words that the model lacks, the tree is that of the model.
TEST_F(words, hierarchical_models_measure_any_text_with_their_own_tree) {
  const std::string model = *folder / "tree.model", other = *folder / "other.txt";
  ASSERT_EQ(hogwild(training({"--engine", "serial", "--hierarchical", "--save", model})).code, 0);
  write_file(other, "w0 w1 w2 w3 never w0\nw19 w18 w17 w16\n");
  const auto measured = [&](const std::string& text) {
    const outcome o = hogwild({"evaluate", model, text, "--json"});
    EXPECT_EQ(o.code, 0) << o.err;
    return nlohmann::json::parse(o.out);
  };
  const auto told = measured(other);
  EXPECT_EQ(told["unknown_entries"], 1);
  EXPECT_EQ(told["rows"], 2);
  // The same sentences, and a thousand times a word of one more that comes alone: counts of the text do not matter.
  std::string skewed = "w0 w1 w2 w3 w0\nw19 w18 w17 w16\n";
  for (int k = 0; k < 198; ++k) skewed += "w16\n";
  write_file(other, skewed);
  EXPECT_NEAR(measured(other)["loss"].get<double>() * 200, told["loss"].get<double>() * 2, 1e-6);
  write_file(other, "none of these\n");
  const outcome o = hogwild({"evaluate", model, other});
  EXPECT_EQ(o.code, 3);
  EXPECT_THAT(o.err, HasSubstr("no word is one of those"));
}

TEST_F(words, analogies_are_counted_by_sections) {
  write_file(*folder / "vectors", "4 2\na 1 0\nb 1 1\nc 2 0\nd 2 2\n");
  write_file(*folder / "questions", ": shift\nA b c D\na b c e\n: more\na c b d\n");
  const outcome o = hogwild({"evaluate", *folder / "vectors", "--analogies", *folder / "questions", "--json"});
  ASSERT_EQ(o.code, 0) << o.err;
  const auto report = nlohmann::json::parse(o.out);
  EXPECT_EQ(report["asked"], 3);
  EXPECT_EQ(report["answerable"], 2);
  EXPECT_EQ(report["sections"][0]["section"], "shift");
  EXPECT_EQ(report["sections"][0]["right"], 1);
  EXPECT_THAT(hogwild({"evaluate", *folder / "vectors", "--analogies", *folder / "questions"}).out, HasSubstr("of 2"));
}

TEST_F(words, both_vectors_are_measured_as_training_measures_them) {
  for (const auto& [model, outputs] : {std::pair{"skip_gram", "--negative=2"},
                                       {"cbow", "--negative=2"},
                                       {"skip_gram", "--hierarchical"},
                                       {"cbow", "--hierarchical"}}) {
    std::vector<std::string> arguments = training({"--engine", "serial", "--window", "3", outputs, "--sample", "0.01",
                                                   "--min-count", "7", "--save", *folder / "words.model", "--json"});
    arguments[3] = model;
    const outcome trained = hogwild(arguments);
    ASSERT_EQ(trained.code, 0) << trained.err;
    ASSERT_EQ(hogwild({"convert", *folder / "words.model", *folder / "words.txt"}).code, 0);
    for (const char* const name : {"words.model", "words.txt"}) {
      const outcome o = hogwild({"evaluate", *folder / name, text(), "--json"});
      ASSERT_EQ(o.code, 0) << o.err;
      const auto told = nlohmann::json::parse(o.out);
      EXPECT_EQ(told["model"], model);
      EXPECT_EQ(told["rows"], 200);
      EXPECT_EQ(told["loss"], nlohmann::json::parse(trained.out)["objective"]) << model;
    }
  }
}

TEST_F(words, models_of_words_that_do_not_fit_are_refused) {
  const std::string head = "hogwild model 1\nmodel skip_gram\n",
                    rest = "labels real\nwidth 2\ncolumns 1 named\n0 a 1 2\nend\n", one = *folder / "one.txt";
  write_file(one, "a a a\nb b\n");
  struct wrong {
    std::string options, said;
  };
  const wrong cases[] = {
      {"option dimension 1\n", "'min-count'"},
      {"option dimension 2\noption min-count 3\n", "two vectors of 2 numbers"},
      {"option dimension 1\noption min-count 2\n", "no vectors of 'b'"},
      {"option dimension 1.5\noption min-count 3\n", "dimension"},
      {"option dimension 0\noption min-count 3\n", "1 to 65536"},
      {"option delta 1\noption min-count 3\n", "no option 'delta'"},
      {"option dimension 1\noption min-count 3\noption hierarchical 1\n", "and a count before them"},
  };
  const std::string path = *folder / "refused.txt";
  for (const wrong& w : cases) {
    write_file(path, head + w.options + rest);
    const outcome o = hogwild({"evaluate", path, one});
    EXPECT_EQ(o.code, 3) << w.said << ": " << o.out;
    EXPECT_THAT(o.err, HasSubstr(w.said));
  }
  write_file(path, head + "option dimension 1\noption min-count 3\n" + rest);
  EXPECT_EQ(hogwild({"evaluate", path, one}).code, 0);
  EXPECT_THAT(hogwild({"predict", path, one}).err, HasSubstr("say nothing of rows"));
}

TEST_F(words, standard_input_is_a_corpus_too) {
  const outcome o = hogwild({"train", "-", "--model", "skip_gram", "--min-count", "1", "--dimension", "4", "--engine",
                             "serial", "--epochs", "1", "--save", *folder / "piped.txt", "--quiet"},
                            "a b a b c\n");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(load_word_vectors(*folder / "piped.txt").words, (std::vector<std::string>{"a", "b", "c"}));
}

TEST_F(words, what_cannot_be_done_is_said) {
  struct wrong {
    std::vector<std::string> arguments;
    int code;
    std::string said;
  };
  const std::string broken = *folder / "broken", rare = *folder / "rare", vectors = *folder / "bad.vectors";
  write_file(broken, std::string("a b\nc \0 d", 9));
  write_file(rare, "each word once");
  write_file(vectors, "2 2\na 1 2\nb 1 x\n");
  write_file(*folder / "unknown", "a b c d\n");
  write_file(*folder / "good.vectors", "1 1\nz 1\n");
  const wrong cases[] = {
      {{"train", broken, "--model", "skip_gram"}, 3, broken + ":2:3: a byte 0"},
      {{"train", rare, "--model", "cbow"}, 3, "no word occurs 5 times"},
      {{"train", *folder / "none", "--model", "cbow"}, 3, "none"},
      {{"train", text(), "--dimension", "7"}, 2, "--dimension needs --model skip_gram or cbow"},
      {{"train", text(), "--format", "corpus"}, 2, "--format corpus"},
      {training({"--format", "libsvm"}), 2, "not --format libsvm"},
      {training({"--test", text()}), 2, "--analogies"},
      {training({"--test", "0.1"}), 2, "--analogies"},
      {training({"--labels", text()}), 2, "--labels"},
      {training({"--sample", "2"}), 2, "sample"},
      {training({"--window", "0"}), 2, "window"},
      {training({"--negative", "0"}), 2, "negative"},
      {training({"--negative", "3", "--hierarchical"}), 2, "leave out one of them"},
      {training({"--engine", "cuda", "--device", "emulated", "--hierarchical"}), 2, "not hierarchically"},
      {{"train", text(), "--hierarchical"}, 2, "--hierarchical needs --model mlp, skip_gram or cbow"},
      {{"evaluate", vectors, "--analogies", *folder / "unknown"}, 3, vectors + ":3:5: number 2 of 2"},
      {{"evaluate", *folder / "good.vectors", "--analogies", *folder / "unknown"}, 3, "questions all words are in"},
      {{"evaluate", *folder / "good.vectors", "--analogies", text()}, 3, "a question has four words"},
      {{"evaluate", *folder / "good.vectors"}, 2, "labelled rows"},
  };
  for (const wrong& w : cases) {
    const outcome o = hogwild(w.arguments);
    EXPECT_EQ(o.code, w.code) << w.said << ": " << o.err;
    EXPECT_THAT(o.err, HasSubstr(w.said));
  }
}

}  // namespace
}  // namespace hogwild::test
