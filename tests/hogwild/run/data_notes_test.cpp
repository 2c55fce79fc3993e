// SPDX-License-Identifier: Apache-2.0
// The notes of a run that learns nothing, or next to nothing.
#include <hogwild/detail/run/data_notes.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/run/agreement.hpp>
#include <hogwild/formats/corpus.hpp>
#include <hogwild/hogwild.hpp>
#include <hogwild/models/factorization_machine.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/skip_gram.hpp>

#include "support/toy_data.hpp"

namespace hogwild {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

struct note_keeper final : observer {
  std::vector<std::string> notes{};
  void on_note(std::string_view text) override { notes.emplace_back(text); }
};

template <class M, class Data, class Engine = serial_engine>
std::vector<std::string> notes_of(const M& m, const Data& rows, train_options o = {}, const Engine& engine = {}) {
  note_keeper told;
  if (!o.step.initial) o.step.initial = 0.1;
  if (!o.l2) o.l2 = 0.0;  // the default follows the rows' lengths: that of wild ones is too large for the step
  o.epochs = 3;
  o.observers = {told};
  train(m, rows, engine, o);
  return told.notes;
}

const auto nothing_changed = Contains(HasSubstr("no example has changed a parameter by the end of epoch 1"));

constexpr test::toy_shape noted_shape{.rows = 300, .columns = 6, .per_row = 3, .seed = 2};

/// One column, the last, has values of this size beside the others'.
test::toy_rows with_a_wild_column(float size) {
  test::toy_rows rows = test::planted_classification(noted_shape);
  for (std::size_t k = 0; k < rows.index.size(); ++k)
    if (rows.index[k] == 5) rows.value[k] *= size;
  return rows;
}

TEST(notes_on_rows, that_have_no_entries) {
  test::toy_rows rows;
  rows.columns = 3;
  for (const float label : {1.0f, -1.0f, 1.0f}) rows.push({}, {}, label);
  EXPECT_THAT(notes_of(logistic{}, rows.csr(), {.data_name = "empty.svm"}),
              AllOf(Contains(HasSubstr("no row of empty.svm has an entry")), nothing_changed));
}

TEST(notes_on_texts, with_a_word_a_line) {
  const corpus text = read_corpus("the\ncat\nthe\nmat\n", "text", {.min_count = 1});
  skip_gram m;
  m.words = text.words.size(), m.dimension = 4, m.sample = 0.0;
  EXPECT_THAT(notes_of(m, text.rows), nothing_changed);
  EXPECT_THAT(notes_of(m, text.rows, {}, thread_engine{.workers = 2, .team = thread_team_kind::std, .pin = false}),
              nothing_changed);
  const corpus sentence = read_corpus("the cat the mat\n", "text", {.min_count = 1});
  m.words = sentence.words.size();
  EXPECT_THAT(notes_of(m, sentence.rows), IsEmpty());
}

// 1 and 1e-30 are 1 in a float.
TEST(notes_on_rows, of_steps_that_are_too_small_for_what_is_stored) {
  const test::toy_rows rows = test::planted_classification(noted_shape);
  EXPECT_THAT(notes_of(logistic{}, rows.csr(),
                       {.step = {.initial = 1e-30},
                        .initial =
                            [](std::span<float> w) {
                              for (float& x : w) x = 1.0f;
                            }}),
              nothing_changed);
}

TEST(notes_on_columns, name_the_wild_one_with_its_scale_and_what_to_do) {
  const test::toy_rows rows = with_a_wild_column(1e6f);
  const csr_rows csr = rows.csr();
  sparse_view view = csr.view();
  const std::vector<std::uint32_t> original{10, 11, 12, 13, 14, 77};
  view.original = original;
  EXPECT_THAT(notes_of(logistic{}, view),
              Contains(AllOf(HasSubstr("column 77 has values of about "), HasSubstr("beside others of about 0."),
                             HasSubstr("--scale"))));
  // A model with other parameters than weights of columns needs the columns scaled in the data.
  const factorization_machine machine{.features = noted_shape.columns, .factors = 2};
  EXPECT_THAT(notes_of(machine, view, {.optimizer = optimizer_kind::sgd}),
              Contains(AllOf(HasSubstr("column 77"), Not(HasSubstr("--scale")), HasSubstr("in the data"))));
  EXPECT_THAT(notes_of(logistic{}, view, {.optimizer = optimizer_kind::adagrad}),
              Not(Contains(HasSubstr("column 77"))));
}

TEST(notes_on_columns, are_for_those_that_outweigh_all_others) {
  EXPECT_THAT(notes_of(logistic{}, with_a_wild_column(1.0f).csr()), IsEmpty());
  EXPECT_THAT(notes_of(logistic{}, with_a_wild_column(10.0f).csr()), IsEmpty());
  EXPECT_THAT(notes_of(logistic{}, with_a_wild_column(1e-6f).csr()), IsEmpty()) << "a small one hinders nobody";
  const auto wild = find_wild_columns(with_a_wild_column(1e6f).csr().view(), agreement(nullptr));
  ASSERT_TRUE(wild);
  EXPECT_EQ(wild->column, 5u);
  EXPECT_EQ(wild->columns, 1u);
  EXPECT_GT(wild->size, 1e5);
  EXPECT_LT(wild->others, 1.0);
}

}  // namespace
}  // namespace hogwild
