// SPDX-License-Identifier: Apache-2.0
// Word vectors from the text to their analogies, as users make them.
#include <gmock/gmock.h>

#include <algorithm>
#include <hogwild/word_vectors.hpp>
#include <random>

#include "small_data.hpp"

namespace hogwild::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class words : public with_folder {
 protected:
  static void SetUpTestSuite() {
    with_folder::SetUpTestSuite();
    std::mt19937_64 random(1);
    std::string lines;
    for (std::size_t line = 0; line < 400; ++line) {
      const std::size_t topic = random() % 5;
      for (std::size_t k = 0; k < 10; ++k) lines += "w" + std::to_string(topic * 4 + random() % 4) + " ";
      lines += "\n";
    }
    write_file(text(), lines);
  }

  static std::string text() { return *folder / "text.txt"; }
  static command_words training(const command_words& more) { return {"train", text(), "--dimension 8 --quiet", more}; }
};

TEST_F(words, both_formats_hold_the_same_vectors) {
  for (const char* const name : {"vectors.txt", "vectors.bin"}) {
    const outcome o = hogwild(training({"--model skip_gram --epochs 2 --engine serial --save", *folder / name}));
    ASSERT_EQ(o.code, 0) << o.err;
  }
  const word_vectors as_text = load_word_vectors(*folder / "vectors.txt");
  EXPECT_EQ(as_text, load_word_vectors(*folder / "vectors.bin"));
  EXPECT_EQ(as_text.words.size(), 20u);
  EXPECT_EQ(as_text.dimension, 8u);
}

TEST_F(words, every_engine_trains_them) {
  for (const char* const engine : {"serial", "threads --workers 2", "processes --workers 2", "ring --workers 2",
                                   "all_reduce --workers 2", "local_sgd --workers 2"})
    for (const char* const model : {"skip_gram", "cbow", "skip_gram --hierarchical", "glove"}) {
      const auto run = result_of(training({"--epochs 2 --json --model", model, "--engine", engine}));
      EXPECT_EQ(run["status"], "done") << engine;
    }
}

/// Edges of a ring of 60 nodes with chords.
std::string ring_of_nodes() {
  std::string lines;
  for (int v = 0; v < 60; ++v)
    for (const int by : {1, 7}) lines += "n" + std::to_string(v) + " n" + std::to_string((v + by) % 60) + "\n";
  return lines;
}

TEST_F(words, nodes_of_a_graph_have_vectors_with_their_names) {
  write_file(*folder / "edges.txt", ring_of_nodes());
  const command_words training{"train", *folder / "edges.txt", "--model node_vectors --dimension 8 --length 12"};
  const std::string saved = *folder / "nodes.vec";
  EXPECT_EQ(result_of({training, "--walks 3 --engine serial --json --save", saved})["epochs"], 3);
  const word_vectors vectors = load_word_vectors(saved);
  EXPECT_EQ(vectors.words.size(), 60u);
  EXPECT_EQ(vectors.dimension, 8u);
  EXPECT_EQ(std::ranges::count(vectors.words, "n59"), 1);
  for (const char* const engine : {"threads --workers 2", "processes --workers 2", "all_reduce --workers 2"})
    EXPECT_EQ(result_of({training, "--walks 2 --json --init", saved, "--engine", engine})["status"], "done") << engine;
  expect_same_when_resumed({training, "--quiet --engine serial --schedule constant"}, 2);
  const auto with_workers = [&](const std::string& workers) {
    const std::string to = *folder / ("nodes" + workers + ".vec");
    EXPECT_EQ(hogwild({training, "--walks 2 --quiet --reproducible --workers", workers, "--save", to}).code, 0);
    return load_word_vectors(to);
  };
  EXPECT_EQ(with_workers("1"), with_workers("3"));
}

// A run goes on from a checkpoint to the same vectors.
TEST_F(words, hierarchical_runs_are_resumed) {
  expect_same_when_resumed(training("--model skip_gram --engine serial --schedule constant --hierarchical"), 2);
}

// For a text with other counts, and words that the model lacks, the tree is that of the model.
TEST_F(words, hierarchical_models_measure_any_text_with_their_own_tree) {
  const std::string model = *folder / "tree.model", other = *folder / "other.txt";
  ASSERT_EQ(hogwild(training({"--model skip_gram --epochs 2 --engine serial --hierarchical --save", model})).code, 0);
  write_file(other, "w0 w1 w2 w3 never w0\nw19 w18 w17 w16\n");
  const auto measured = [&](const std::string& text) { return result_of({"evaluate --json", model, text}); };
  const auto told = measured(other);
  EXPECT_EQ(told["unknown_entries"], 1);
  EXPECT_EQ(told["rows"], 2);
  // The same sentences, and a thousand times a word of one more that comes alone: counts of the text do not matter.
  std::string skewed = "w0 w1 w2 w3 w0\nw19 w18 w17 w16\n";
  for (int k = 0; k < 198; ++k) skewed += "w16\n";
  write_file(other, skewed);
  EXPECT_NEAR(measured(other)["loss"].get<double>() * 200, told["loss"].get<double>() * 2, 1e-6);
}

// Counting, too: by as many threads as there are CPUs.
TEST_F(words, glove_has_the_bits_of_any_number_of_workers) {
  std::vector<std::string> saved;
  for (const char* const workers : {"1", "3"})
    for (const char* const memory : {"16M", "1G"}) {
      const outcome o =
          hogwild(training({"--model glove --epochs 3 --engine threads --reproducible --window 4 --workers", workers,
                            "--memory", memory, "--save", *folder / "glove.bin"}));
      ASSERT_EQ(o.code, 0) << o.err;
      saved.push_back(read_file(*folder / "glove.bin"));
      EXPECT_EQ(saved.back(), saved.front()) << workers << " " << memory;
    }
}

TEST_F(words, runs_of_glove_are_resumed) {
  expect_same_when_resumed(training("--model glove --engine serial --schedule constant"), 2);
}

// Words of one topic of the text stand near each other, those of two topics never: the 30 pairs in a topic have larger
// cosines than the 160 others.
TEST_F(words, glove_finds_the_topics_of_words) {
  for (const char* const engine : {"serial", "threads --workers 2"}) {
    const std::string vectors = *folder / "topics.vec";
    const outcome o = hogwild(training({"--model glove --epochs 60 --x-max 100 --engine", engine, "--save", vectors}));
    ASSERT_EQ(o.code, 0) << o.err;
    std::string pairs;
    for (std::size_t a = 0; a < 20; ++a)
      for (std::size_t b = a + 1; b < 20; ++b)
        pairs += "w" + std::to_string(a) + "\tw" + std::to_string(b) + (a / 4 == b / 4 ? "\t1\n" : "\t0\n");
    write_file(*folder / "topics", pairs);
    // With two scores, p = 30 / 190 of one of them, a perfect order has sqrt(3 p (1 - p)) = 0.632.
    EXPECT_GT(result_of({"evaluate --json", vectors, *folder / "topics"})["spearman"], 0.6) << engine;
  }
}

// Half of a saved vector is that of the word, and half of it that of the word as a neighbour.
TEST_F(words, glove_begins_with_saved_vectors) {
  const std::string first = *folder / "first.vec", second = *folder / "second.vec";
  ASSERT_EQ(hogwild(training({"--model glove --epochs 20 --engine serial --save", first})).code, 0);
  const outcome o =
      hogwild({"train", text(), "--dimension 8 --model glove --epochs 1 --step 1e-9 --engine serial --init", first,
               "--save", second});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.err, HasSubstr("begins with 320 of 680 parameters"));
  const word_vectors before = load_word_vectors(first), after = load_word_vectors(second);
  for (std::size_t k = 0; k < before.values.size(); ++k) EXPECT_NEAR(after.values[k], before.values[k], 1e-6);
}

/// A text whose words share a stem with those that they stand near.
std::string text_of_stems() {
  const std::vector<std::string> stems{"kalo", "minu", "peri", "tosa", "vuke"}, ends{"ar", "en", "il", "om", "us"};
  std::mt19937_64 random(2);
  std::string lines;
  for (std::size_t line = 0; line < 500; ++line) {
    const std::string& stem = stems[random() % stems.size()];
    for (std::size_t k = 0; k < 10; ++k) lines += stem + ends[random() % ends.size()] + " ";
    lines += "\n";
  }
  return lines;
}

TEST_F(words, unseen_words_are_near_their_relatives) {
  const std::string text = *folder / "stems.txt", model = *folder / "stems.model";
  write_file(text, text_of_stems());
  for (const char* const kind : {"skip_gram", "cbow", "skip_gram --hierarchical"})
    for (const char* const engine : {"serial", "processes --workers 2"}) {
      const outcome o = hogwild({"train", text, "--quiet --dimension 16 --subwords 3-5 --epochs 20 --model", kind,
                                 "--engine", engine, "--save", model});
      ASSERT_EQ(o.code, 0) << o.err;
      const auto near = lines_of(hogwild({"neighbors", model, "tosalin --top 3"}).out);
      ASSERT_EQ(near.size(), 3u);
      for (const std::string& line : near) EXPECT_EQ(line.substr(0, 4), "tosa") << kind << " " << line;
    }
  // Several at once, and a word of the text as before; unseen ones are never found.
  write_file(*folder / "asked", "tosalin\ntosalon\nvukear\nxx\n");
  const outcome several = hogwild({"neighbors", model, *folder / "asked", "--top 3"});
  EXPECT_EQ(lines_of(several.out).size(), 9u);
  EXPECT_THAT(several.out, Not(HasSubstr("\ttosalin")));
  EXPECT_THAT(several.err, HasSubstr("1 names of 4 are not in"));
  EXPECT_THAT(hogwild({"neighbors", model, "xx"}).err, HasSubstr("has no word 'xx'"));
  // Pairs with unseen words are found, too.
  write_file(*folder / "pairs", "tosalin\ttosaxo\t9\ntosalin\tvukexo\t1\ntosaar\txx\t1\n");
  const auto report = result_of({"evaluate --json", model, "--similarities", *folder / "pairs"});
  EXPECT_EQ(report["found"], 2);
  EXPECT_EQ(report["missed"], 1);
  EXPECT_EQ(report["spearman"], 1.0);
  // A file of vectors has those of the words alone.
  ASSERT_EQ(hogwild({"convert", model, *folder / "stems.vec"}).code, 0);
  EXPECT_EQ(load_word_vectors(*folder / "stems.vec").words.size(), 25u);
  EXPECT_NE(hogwild({"neighbors", *folder / "stems.vec", "tosalin"}).code, 0);
}

TEST_F(words, parts_of_words_are_trained_by_every_engine) {
  const command_words with_parts = training("--model skip_gram --subwords 1-3 --buckets 500");
  for (const char* const engine : {"serial", "threads --workers 2", "processes --workers 2", "ring --workers 2",
                                   "all_reduce --workers 2", "local_sgd --workers 2"})
    EXPECT_EQ(result_of({with_parts, "--epochs 2 --json --engine", engine})["status"], "done") << engine;
  const auto with_workers = [&](const std::string& workers) {
    const std::string to = *folder / ("parts" + workers + ".vec");
    EXPECT_EQ(hogwild({with_parts, "--epochs 2 --reproducible --workers", workers, "--save", to}).code, 0);
    return load_word_vectors(to);
  };
  EXPECT_EQ(with_workers("1"), with_workers("3"));
  expect_same_when_resumed({with_parts, "--engine serial --schedule constant"}, 2);
  // The model file has what measures it on text.
  const auto run = result_of({with_parts, "--epochs 2 --engine serial --json --save", *folder / "parts.model"});
  const auto told = result_of({"evaluate --json", *folder / "parts.model", text()});
  EXPECT_NEAR(told["loss"].get<double>(), run["objective"].get<double>(), 1e-5);
}

TEST_F(words, analogies_are_counted_by_sections) {
  write_file(*folder / "vectors", "4 2\na 1 0\nb 1 1\nc 2 0\nd 2 2\n");
  write_file(*folder / "questions", ": shift\nA b c D\na b c e\n: more\na c b d\n");
  const auto report = result_of({"evaluate --json", *folder / "vectors", "--analogies", *folder / "questions"});
  EXPECT_EQ(report["asked"], 3);
  EXPECT_EQ(report["answerable"], 2);
  EXPECT_EQ(report["sections"][0]["section"], "shift");
  EXPECT_EQ(report["sections"][0]["right"], 1);
  EXPECT_THAT(hogwild({"evaluate", *folder / "vectors", "--analogies", *folder / "questions"}).out, HasSubstr("of 2"));
}

TEST_F(words, pairs_are_ranked_by_sets) {
  write_file(*folder / "vectors", "4 2\na 1 0\nb 1 0.1\nc 1 1\nd -1 0\n");
  write_file(*folder / "pairs", "up\ta\tb\t9\nup\ta\tc\t5\nup\ta\td\t1\ndown\ta\tb\t1\ndown\ta\td\t2\nup\ta\tno\t2\n");
  const auto report = result_of({"evaluate --json", *folder / "vectors", *folder / "pairs"});
  EXPECT_EQ(report["spearman"], 0.0);
  EXPECT_EQ(report["found"], 5);
  EXPECT_EQ(report["missed"], 1);
  EXPECT_EQ(report["sets"][0], (nlohmann::json{{"set", "up"}, {"spearman", 1.0}, {"found", 3}, {"missed", 1}}));
  EXPECT_EQ(report["sets"][1]["spearman"], -1.0);
  EXPECT_THAT(hogwild({"evaluate", *folder / "vectors", *folder / "pairs"}).out,
              HasSubstr("up     1.0000  3 found, 1 missed\n"));
  // The same word for both kinds of questions.
  write_file(*folder / "questions", "a b c d\n");
  EXPECT_EQ(result_of({"evaluate --json", *folder / "vectors", *folder / "questions"})["asked"], 1);
}

TEST_F(words, both_vectors_are_measured_as_training_measures_them) {
  for (const auto& [model, outputs] : {std::pair{"skip_gram", "--negative=2"},
                                       {"cbow", "--negative=2"},
                                       {"skip_gram", "--hierarchical"},
                                       {"cbow", "--hierarchical"}}) {
    const auto run =
        result_of(training({"--model", model, outputs, "--epochs 2 --engine serial --window 3 --sample 0.01",
                            "--min-count 7 --json --save", *folder / "words.model"}));
    ASSERT_EQ(hogwild({"convert", *folder / "words.model", *folder / "words.txt"}).code, 0);
    for (const char* const name : {"words.model", "words.txt"}) {
      const auto told = result_of({"evaluate --json", *folder / name, text()});
      EXPECT_EQ(told["model"], model);
      EXPECT_EQ(told["rows"], 200);
      EXPECT_EQ(told["loss"], run["objective"]) << model;
    }
  }
}

TEST_F(words, standard_input_is_a_corpus_too) {
  const outcome o = hogwild({"train - --model skip_gram --min-count 1 --dimension 4 --engine serial --epochs 1 --save",
                             *folder / "piped.txt", "--quiet"},
                            "a b a b c\n");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(load_word_vectors(*folder / "piped.txt").words, (std::vector<std::string>{"a", "b", "c"}));
}

}  // namespace
}  // namespace hogwild::test
