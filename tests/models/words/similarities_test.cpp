// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/words/similarities.hpp>

#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/error.hpp>

#include "support/refusals.hpp"
#include "support/scratch_folder.hpp"

namespace {

using namespace hogwild;

// By hand: places 1 2 3 against 1 3 2 differ by 0, 1, 1, so that rho is 1 - 6 * 2 / (3 * 8). The long one is
// scipy.stats.spearmanr's.
TEST(spearman, is_pearsons_correlation_of_mean_places) {
  using numbers = std::vector<double>;
  const struct {
    numbers a, b;
    double rho;
  } cases[] = {{{10, 20, 30}, {-1, 5, 2}, 0.5},
               {{1, 2}, {7, 3}, -1.0},
               {{1, 1, 2, 2}, {5, 5, 9, 9}, 1.0},
               {{1, 2, 2, 4, 5, 5, 5, 8}, {2, 1, 3, 3, 9, 7, 9, 9}, 0.8924050632911394},
               {{6.77, 7.35, 10, 7.46, 7.62, 7.58, 5.77}, {0.1, 0.35, 1, 0.2, 0.2, 0.9, -0.3}, 0.792824967172092}};
  for (const auto& c : cases) {
    ASSERT_TRUE(spearman(c.a, c.b).has_value());
    EXPECT_NEAR(*spearman(c.a, c.b), c.rho, 1e-12);
    EXPECT_NEAR(*spearman(c.b, c.a), c.rho, 1e-12);
  }
  for (const numbers& flat : {numbers{}, numbers{3}, numbers{3, 3, 3}})
    EXPECT_EQ(spearman(flat, numbers(flat.size(), 1.0)), std::nullopt);
  EXPECT_EQ(spearman(numbers{1, 2}, numbers{4, 4}), std::nullopt);
}

TEST(similarities, lines_have_a_set_or_not) {
  const similarity_pairs p = parse_similarities(
      "# word pairs\nws\ttiger\tcat\t7.35\r\n\nmen\tsun\tlight\t-50\nws\tlove\tsex\t6.77\nnew york\tcity\t1e1\na b 2\n",
      "pairs");
  EXPECT_EQ(p.sets, (std::vector<std::string>{"ws", "men", "pairs"}));
  ASSERT_EQ(p.pairs.size(), 5u);
  EXPECT_EQ(p.pairs[2].words[1], "sex");
  EXPECT_EQ(p.pairs[2].set, 0u);
  EXPECT_EQ(p.pairs[3].words[0], "new york");
  EXPECT_EQ(p.pairs[3].score, 10.0);
  EXPECT_EQ(p.pairs[4].words[1], "b");
}

TEST(similarities, other_lines_are_refused_by_their_place) {
  for (const auto& [text, place] : {std::pair{"a\tb\t1\na\tb\n", "pairs:2:1: a pair is a word"},
                                    {"a\tb\tc\td\t1\n", "here are 5 fields"},
                                    {"set a b 1\n", "pairs:1:1: a pair is a word"},
                                    {"a\tb\t1\nset\ta\tb\tx\n", "pairs:2:9: a score is a finite number"},
                                    {"a\tb\tnan\n", "pairs:1:5: a score is a finite number"},
                                    {"\tb\t1\n", "pairs:1:1: a word should stand here"},
                                    {"# none\n", "pairs: there is no pair"}}) {
    const std::string said = test::message_of<input_error>([&, t = text] { parse_similarities(t, "pairs"); });
    EXPECT_NE(said.find(place), std::string::npos) << said;
  }
}

TEST(similarities, the_first_line_tells_them_from_analogies) {
  const test::scratch_folder folder;
  const auto has_pairs = [&](const std::string& text) {
    return std::holds_alternative<similarity_pairs>(load_word_questions(folder.write("asked", text)));
  };
  EXPECT_TRUE(has_pairs("# from here\nset\ta\tb\t1\n"));
  EXPECT_TRUE(has_pairs("a b 0.5\n"));
  EXPECT_FALSE(has_pairs(": one 1\none 1 two 2\n"));
  EXPECT_FALSE(has_pairs("one 1 two 2\n"));
  EXPECT_FALSE(has_pairs("a\tb\tc\td\n"));
}

// Cosines of b, c and d with a: 1, 0 and -1; e has none, and counts as 0.
TEST(similarities, cosines_order_the_pairs_of_each_set) {
  const word_vectors v{.dimension = 2, .words = {"a", "b", "c", "d", "e"}, .values = {2, 0, 7, 0, 0, 3, -1, 0, 0, 0}};
  const auto results =
      measure_similarities({.vectors = v}, parse_similarities("up\tA\tb\t9\nup\ta\tc\t5\nup\ta\td\t1\nup\ta\tnew\t1\n"
                                                              "down\ta\tb\t1\ndown\ta\td\t2\nflat\ta\tc\t1\n"
                                                              "flat\ta\te\t3\nlost\tx\ty\t1\n",
                                                              "pairs"));
  ASSERT_EQ(results.size(), 4u);
  EXPECT_EQ(results[0].spearman, 1.0);
  EXPECT_EQ(results[0].found, 3u);
  EXPECT_EQ(results[0].missed, 1u);
  EXPECT_EQ(results[1].spearman, -1.0);
  EXPECT_EQ(results[2].spearman, std::nullopt);
  EXPECT_EQ(results[3].found, 0u);
  EXPECT_EQ(results[3].set, "lost");
}

}  // namespace
