// SPDX-License-Identifier: Apache-2.0
// Word vectors of 11 million words of an encyclopedia, by the analogies that they get right.
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include <hogwild/detail/words/analogies.hpp>
#include <hogwild/formats/corpus.hpp>
#include <hogwild/hogwild.hpp>
#include <hogwild/models/skip_gram.hpp>
#include <hogwild/registry.hpp>

using namespace hogwild;

namespace {

// Nine runs of other seeds, by one worker and by two, got 0.2016 to 0.2127 of the questions right, 0.206 in the mean
// with a standard deviation of 0.0033. 0.19 is 4.8 deviations below: one run in a million ends there.
TEST(wikifa, analogies) {
  const char* const named = std::getenv("HOGWILD_DATA_DIR");
  const std::filesystem::path folder = named != nullptr ? named : "";
  if (named == nullptr || !std::filesystem::exists(folder / "wikifa.txt.xz"))
    GTEST_SKIP() << "there is no wikifa.txt.xz in the folder that HOGWILD_DATA_DIR names";
  const corpus text = open_corpus((folder / "wikifa.txt.xz").string());
  ASSERT_EQ(text.words.size(), 53261u);
  skip_gram model;
  model.words = text.words.size();
  const train_result result = train(model, text.rows, thread_engine{}, {.epochs = 5});
  ASSERT_EQ(result.status, run_status::done);
  const auto counts = answer_analogies(vectors_of(model, result.parameters, text.words),
                                       load_analogies((folder / "questions-words.txt.xz").string()));
  std::size_t right = 0, answerable = 0;
  for (const analogy_count& c : counts) right += c.right, answerable += c.answerable;
  ASSERT_EQ(answerable, 14333u);
  const double accuracy = static_cast<double>(right) / static_cast<double>(answerable);
  RecordProperty("accuracy", std::to_string(accuracy));
  EXPECT_GE(accuracy, 0.19);
}

}  // namespace
