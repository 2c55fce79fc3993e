// SPDX-License-Identifier: Apache-2.0
// Vectors of documents, as users make them.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <hogwild/word_vectors.hpp>
#include <random>
#include <span>
#include <sstream>

#include "small_data.hpp"

namespace hogwild::test {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t topics = 4, documents_of_text = 200;

/// Lines of words, each of which is one of the topic's own ten, or one of ten that all topics have.
std::string lines_by_topics(std::size_t lines, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string text;
  for (std::size_t line = 0; line < lines; ++line) {
    for (std::size_t k = 0; k < 20; ++k) {
      const std::size_t topic = random() % 2 == 0 ? topics : line % topics;
      text += "w" + std::to_string(topic * 10 + random() % 10) + " ";
    }
    text += "\n";
  }
  return text;
}

double cosine(std::span<const float> a, std::span<const float> b) {
  double product = 0.0, of_a = 0.0, of_b = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    product += static_cast<double>(a[k]) * static_cast<double>(b[k]);
    of_a += static_cast<double>(a[k]) * static_cast<double>(a[k]);
    of_b += static_cast<double>(b[k]) * static_cast<double>(b[k]);
  }
  return product / std::sqrt(of_a * of_b);
}

/// Of the vectors, the fraction whose nearest one among `known` is of the same topic; none is compared with itself.
double of_same_topic(const word_vectors& asked, const word_vectors& known) {
  std::size_t right = 0;
  for (std::size_t a = 0; a < asked.words.size(); ++a) {
    std::size_t best = known.words.size();
    for (std::size_t k = 0; k < known.words.size(); ++k) {
      if (&asked == &known && a == k) continue;
      if (best == known.words.size() || cosine(asked.row(a), known.row(k)) > cosine(asked.row(a), known.row(best)))
        best = k;
    }
    if (best % topics == a % topics) ++right;
  }
  return static_cast<double>(right) / static_cast<double>(asked.words.size());
}

class documents : public with_folder {
 protected:
  static void SetUpTestSuite() {
    with_folder::SetUpTestSuite();
    write_file(file("docs.txt"), lines_by_topics(documents_of_text, 1));
    write_file(file("new.txt"), lines_by_topics(40, 2));
  }
  static command_words training(const command_words& more) {
    return {"train", file("docs.txt"), "--model paragraph_vectors --dimension 16 --sample 0 --quiet", more};
  }
};

constexpr const char* forms[] = {"", "--train-words", "--dm", "--hierarchical", "--dm --hierarchical"};

// By chance a quarter of the nearest documents is of the same topic.
TEST_F(documents, of_one_topic_are_near_each_other_and_new_ones_near_them) {
  for (const char* const form : forms) {
    const std::string model = file("docs.model"), trained = file("docs.vec"), inferred = file("new.vec");
    for (const std::string& saved : {model, trained}) {
      const outcome o = hogwild(training({"--epochs 40 --engine serial", form, "--save", saved}));
      ASSERT_EQ(o.code, 0) << o.err;
    }
    const word_vectors known = load_word_vectors(trained);
    ASSERT_EQ(known.words.size(), documents_of_text);
    EXPECT_EQ(known.words[17], "17");
    EXPECT_GT(of_same_topic(known, known), 0.7) << form;
    ASSERT_EQ(hogwild({"predict", model, file("new.txt"), "--output", inferred}).code, 0);
    EXPECT_GT(of_same_topic(load_word_vectors(inferred), known), 0.7) << form;
  }
}

TEST_F(documents, have_the_bits_of_any_number_of_workers) {
  for (const char* const form : forms) {
    std::vector<std::string> saved;
    for (const char* const workers : {"1", "3"}) {
      const outcome o = hogwild(training(
          {"--epochs 2 --engine threads --reproducible --workers", workers, form, "--save", file("bits.model")}));
      ASSERT_EQ(o.code, 0) << o.err;
      saved.push_back(read_file(file("bits.model")));
    }
    EXPECT_TRUE(saved[0] == saved[1]) << form;
    expect_same_when_resumed(training({"--engine serial --schedule constant", form}), 2);
  }
}

TEST_F(documents, every_engine_trains_them) {
  for (const char* const engine : {"threads --workers 2", "processes --workers 2", "ring --workers 2",
                                   "all_reduce --workers 2", "local_sgd --workers 2"})
    for (const char* const form : {"", "--dm"})
      EXPECT_EQ(result_of(training({"--epochs 2 --json", form, "--engine", engine}))["status"], "done") << engine;
}

TEST_F(documents, a_saved_model_answers_for_documents_and_words) {
  const std::string model = file("answers.model");
  const auto trained = result_of(training({"--epochs 10 --json --dm --engine serial --save", model}));
  const auto measured = result_of({"evaluate --json", model, file("docs.txt")});
  EXPECT_EQ(measured["rows"], documents_of_text);
  EXPECT_NEAR(measured["loss"].get<double>(), trained["train_loss"].get<double>(),
              1e-6 * trained["train_loss"].get<double>());

  EXPECT_EQ(lines_of(hogwild({"neighbors", model, "17 --top 3"}).out).size(), 3u);
  EXPECT_THAT(hogwild({"neighbors --json", model, "17 --top 1"}).out, HasSubstr("\"of\":17,\"document\":"));
  EXPECT_THAT(hogwild({"neighbors", model, "w3 --of words --top 3"}).out, HasSubstr("w"));
  ASSERT_EQ(hogwild({"convert", model, file("words.vec")}).code, 0);
  EXPECT_EQ(load_word_vectors(file("words.vec")).words.size(), 10 * (topics + 1));
  EXPECT_EQ(result_of(training({"--epochs 1 --json --dm --init", file("words.vec")}))["status"], "done");

  write_file(file("some.txt"), "w1 w2\n\nnever w1\nnever\n");
  const outcome plain = hogwild({"predict", model, file("some.txt")});
  EXPECT_THAT(plain.err, HasSubstr("2 of 4 lines have no word that the model knows"));
  const auto vectors = lines_of(plain.out);
  ASSERT_EQ(vectors.size(), 4u);
  EXPECT_EQ(std::ranges::count(vectors[0], ' '), 15);
  EXPECT_EQ(vectors[1], vectors[3]);
  const auto objects = lines_of(hogwild({"predict --json --quiet", model, file("some.txt")}).out);
  ASSERT_EQ(objects.size(), 4u);
  EXPECT_THAT(objects[1], HasSubstr("{\"vector\":[0"));
}

}  // namespace
}  // namespace hogwild::test
