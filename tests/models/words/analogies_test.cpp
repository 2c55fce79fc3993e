// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/words/analogies.hpp>

#include <random>
#include <string>

#include <gtest/gtest.h>

#include <hogwild/error.hpp>

#include "support/random_rows.hpp"

namespace {

using namespace hogwild;

TEST(analogies, questions_are_read_by_sections) {
  const auto q = parse_analogies(
      ": capitals\nAthens Greece Bern Switzerland\n\n:of size\r\n big bigger\tbad worse \r\n", "questions");
  EXPECT_EQ(q.sections, (std::vector<std::string>{"capitals", "of size"}));
  ASSERT_EQ(q.questions.size(), 2u);
  EXPECT_EQ(q.questions[1].words[3], "worse");
  EXPECT_EQ(q.questions[1].section, 1u);
  EXPECT_EQ(parse_analogies("a b c d", "questions").sections, std::vector<std::string>{"questions"});
  try {
    parse_analogies("a b c d\na b c", "questions");
    ADD_FAILURE();
  } catch (const format_error& e) {
    EXPECT_EQ(e.line(), 2u);
  }
  EXPECT_THROW(parse_analogies(": only\n: headings", "questions"), input_error);
}

TEST(analogies, the_nearest_word_but_those_asked_answers) {
  // king - man + woman: "queen" is near it, "king" and "woman" themselves would be nearer.
  const word_vectors v{.dimension = 3,
                       .words = {"man", "woman", "king", "queen", "apple"},
                       .values = {1, 0, 0, 0, 1, 0, 1, 0, 0.2f, 0, 0.9f, 0.1f, 0, 0, -1}};
  const auto counts = answer_analogies(v, parse_analogies(": royal\nMan king WOMAN queen\nman king woman apple\n"
                                                          "man king woman emperor\n: none\nx y z w",
                                                          "questions"));
  ASSERT_EQ(counts.size(), 2u);
  EXPECT_EQ(counts[0].right, 1u);
  EXPECT_EQ(counts[0].answerable, 2u);
  EXPECT_EQ(counts[0].asked, 3u);
  EXPECT_EQ(counts[1].answerable, 0u);
  EXPECT_EQ(counts[1].asked, 1u);
}

// Pairs of words with the same difference, among random ones: every instruction set, any number of threads.
TEST(analogies, planted_pairs_are_found) {
  constexpr std::size_t pairs = 60, dimension = 37;
  std::mt19937_64 random(8);
  const auto noise = test::random_numbers(random, (pairs + 1) * dimension);
  word_vectors v{.dimension = dimension};
  analogy_questions questions{.sections = {"pairs"}, .questions = {}};
  for (std::size_t p = 0; p < pairs; ++p) {
    for (const bool second : {false, true}) {
      v.words.push_back((second ? "b" : "a") + std::to_string(p));
      for (std::size_t k = 0; k < dimension; ++k)
        v.values.push_back(noise[p * dimension + k] + (second ? noise[pairs * dimension + k] : 0.0f));
    }
    const auto other = std::to_string((p + 7) % pairs), mine = std::to_string(p);
    questions.questions.push_back({{"a" + mine, "b" + mine, "a" + other, "b" + other}, 0});
  }
  std::size_t right = 0;
  for (const isa set : test::instruction_sets_here()) {
    for (const std::size_t threads : {1u, 2u}) {
      const auto counts = answer_analogies(v, questions, threads, set);
      EXPECT_EQ(counts[0].answerable, pairs);
      EXPECT_GE(counts[0].right, pairs * 9 / 10);  // lengths differ, so that some differences are only nearly the same
      if (right == 0) right = counts[0].right;
      EXPECT_EQ(counts[0].right, right);
    }
  }
}

}  // namespace
