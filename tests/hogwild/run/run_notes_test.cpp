// SPDX-License-Identifier: Apache-2.0
// Notes reach an observer that takes them, or else the default sink; and the result has all of them.
#include <cstddef>
#include <cstdint>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/cross_validation.hpp>
#include <hogwild/detail/collectives/agreement.hpp>
#include <hogwild/detail/run/data_notes.hpp>
#include <hogwild/engines.hpp>
#include <hogwild/formats/corpus.hpp>
#include <hogwild/hogwild.hpp>
#include <hogwild/models/factorization_machine.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/skip_gram.hpp>
#include <hogwild/models/softmax.hpp>
#include <hogwild/names.hpp>
#include <hogwild/notes.hpp>
#include <hogwild/observer.hpp>
#include <hogwild/train.hpp>

#include "run/run_report.hpp"
#include "support/heard_run.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

namespace {

const test::toy_rows few_rows = test::planted_classification({.rows = 300, .columns = 20});

/// Collects the notes to the default sink, and restores the previous sink.
class sink_of_test {
 public:
  std::vector<std::string> told;
  sink_of_test() : before_(set_default_notes([this](std::string_view s) { told.emplace_back(s); })) {}
  ~sink_of_test() { set_default_notes(std::move(before_)); }

 private:
  note_sink before_;
};

struct notes_epoch_counter final : observer {
  observer_answer on_epoch(const epoch_report&) override { return ++epochs, observer_answer::go_on; }
  int epochs = 0;
};

// Seven rows are too few for two workers, however busy this machine is: the run notes that fewer train.
const test::toy_rows seven_rows = test::planted_classification({.rows = 7, .columns = 20});
train_result run_that_notes(std::vector<observer_handle> observers) {
  const thread_engine five{.workers = 5, .team = thread_team_kind::std, .pin = false};
  return train(logistic{}, seven_rows.csr(), five,
               {.epochs = 2, .step = {.initial = 0.1}, .observers = std::move(observers)});
}

TEST(notes, go_to_the_default_sink_where_no_observer_takes_them) {
  notes_epoch_counter counts;
  const auto handles = std::vector<std::vector<observer_handle>>{{},
                                                                 {[](const epoch_report&) {}},
                                                                 {notes_epoch_counter()},
                                                                 {counts},
                                                                 {&counts},
                                                                 {std::make_shared<notes_epoch_counter>()},
                                                                 {static_cast<observer*>(&counts)},
                                                                 {std::shared_ptr<observer>(new notes_epoch_counter)}};
  for (const std::vector<observer_handle>& observers : handles) {
    const sink_of_test sink;
    const train_result run = run_that_notes(observers);
    EXPECT_THAT(sink.told, ElementsAre(HasSubstr("of the 5 workers that were asked for")));
    EXPECT_EQ(run.notes, sink.told);
    EXPECT_EQ(run.workers_asked, 5u);
    EXPECT_LT(run.workers, 5u);
  }
  EXPECT_EQ(counts.epochs, 6);
}

TEST(notes, go_to_observers_that_take_them_and_to_nobody_else) {
  const sink_of_test sink;
  test::heard_run hears;
  observer* const unknown = &hears;
  for (const observer_handle& handle : {observer_handle(hears), observer_handle(&hears), observer_handle(unknown)}) {
    hears.notes.clear();
    const train_result run = run_that_notes({[](const epoch_report&) {}, handle});
    EXPECT_THAT(hears.notes, ElementsAre(HasSubstr("of the 5 workers that were asked for")));
    EXPECT_EQ(run.notes, hears.notes);
  }
  EXPECT_THAT(sink.told, IsEmpty());
}

TEST(notes, of_runs_that_are_parts_of_another_one_are_not_told) {
  const sink_of_test sink;
  const csr_rows rows = few_rows.csr();
  cross_validate(logistic{}, rows.view(), thread_engine{.workers = 5, .team = thread_team_kind::std, .pin = false}, 3,
                 {.epochs = 2, .step = {.initial = 0.1}});
  for (const std::string& sentence : sink.told) EXPECT_THAT(sentence, HasSubstr("that were asked for"));
  EXPECT_LE(sink.told.size(), 1u);  // of the run as a whole, not of each fold
}

TEST(notes, are_lines_on_standard_error_at_first_and_can_be_silenced) {
  testing::internal::CaptureStderr();
  note_by_default("a sentence\nof two lines");
  EXPECT_EQ(testing::internal::GetCapturedStderr().substr(0, 16), "note: a sentence");
  const note_sink before = set_default_notes({});
  testing::internal::CaptureStderr();
  run_that_notes({});
  note_by_default("nobody hears this");
  set_default_notes(before);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), IsEmpty());
}

TEST(enumerations, are_written_by_their_words) {
  std::ostringstream text;
  text << run_status::stopped << ' ' << stop_cause::observer << ' ' << optimizer_kind::ftrl << ' '
       << sharing_kind::automatic;
  EXPECT_EQ(text.str(), "stopped observer ftrl auto");
}

template <class M, class Data, class Engine = serial_engine>
std::vector<std::string> notes_of(const M& m, const Data& rows, train_options o = {}, const Engine& engine = {}) {
  test::heard_run told;
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
              AllOf(Contains(HasSubstr("no row of empty.svm has an entry other than 0")), nothing_changed));
}

TEST(notes_on_rows, that_have_no_columns_leave_classes_their_constants) {
  test::toy_rows rows;
  for (std::size_t r = 0; r < 30; ++r) rows.push({}, {}, static_cast<float>(r % 3));
  const softmax m{.features = 0, .classes = 3, .bias = true};
  const train_result run = train(m, rows.csr(), serial_engine{}, {.epochs = 2, .l2 = 0.1});
  EXPECT_EQ(run.status, run_status::done);
  EXPECT_THAT(run.notes, Contains(HasSubstr("has an entry other than 0")));
}

TEST(notes_on_rows, that_have_no_entries_but_zeros) {
  test::toy_rows rows;
  rows.columns = 3;
  for (const float label : {1.0f, -1.0f, 1.0f}) rows.push({0, 2}, {0.0f, 0.0f}, label);
  EXPECT_THAT(notes_of(logistic{}, rows.csr(), {.bias = true}), Contains(HasSubstr("has an entry other than 0")));
}

// Random factors of such columns begin with a huge loss, below which the run stays, and far above that of zeros.
TEST(notes_on_rows, whose_columns_are_too_large_for_factors) {
  for (const float size : {1.0f, 1000.0f}) {
    test::toy_rows rows = test::planted_classification({.rows = 600, .columns = 20, .seed = 3});
    for (float& x : rows.value) x *= size;
    factorization_machine m;
    m.features = 20, m.factors = 8;
    const train_result run = train(m, rows.csr(), serial_engine{}, {.epochs = 5});
    EXPECT_EQ(run.status, run_status::done) << size;
    const auto worse = Contains(HasSubstr("the parameters are worse than zeros would be: the training loss is "));
    if (size > 1.0f)
      EXPECT_THAT(run.notes, worse);
    else
      EXPECT_THAT(run.notes, Not(worse));
  }
}

// The first rows alone would have next to no loss.
TEST(notes_on_rows, whose_small_numbers_come_first_compare_zeros_on_all) {
  test::toy_rows rows = test::planted_classification({.rows = 4000, .columns = 20, .seed = 3});
  for (std::size_t r = 0; r < 1000; ++r) rows.label[r] *= 1e-3f;
  factorization_machine m;
  m.features = 20, m.factors = 4, m.labels = label_kind::real;
  const train_result run = train(m, rows.csr(), serial_engine{}, {.epochs = 2});
  EXPECT_EQ(run.status, run_status::done);
  EXPECT_THAT(run.notes, Not(Contains(HasSubstr("worse than zeros would be"))));
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
  const test::kept_rows csr = with_a_wild_column(1e6f);
  sparse_view view = csr.view();
  const std::vector<std::uint32_t> original{10, 11, 12, 13, 14, 77};
  view.original = original;
  EXPECT_THAT(notes_of(logistic{}, view),
              Contains(AllOf(HasSubstr("column 77 has values of about "), HasSubstr("and other columns of about 0."),
                             HasSubstr("--scale"))));
  // A model with other parameters than weights of columns needs the columns scaled in the data.
  const factorization_machine machine{.features = noted_shape.columns, .factors = 2};
  EXPECT_THAT(notes_of(machine, view, {.optimizer = optimizer_kind::sgd}),
              Contains(AllOf(HasSubstr("column 77"), Not(HasSubstr("--scale")), HasSubstr("in the data"))));
  EXPECT_THAT(notes_of(logistic{}, view, {.optimizer = optimizer_kind::adagrad}), Contains(HasSubstr("column 77")));
  EXPECT_THAT(notes_of(logistic{}, with_a_wild_column(100.0f).csr(), {.optimizer = optimizer_kind::adagrad}),
              IsEmpty());
}

TEST(notes_on_columns, are_for_those_that_outweigh_all_others) {
  EXPECT_THAT(notes_of(logistic{}, with_a_wild_column(1.0f).csr()), IsEmpty());
  EXPECT_THAT(notes_of(logistic{}, with_a_wild_column(10.0f).csr()), IsEmpty());
  EXPECT_THAT(notes_of(logistic{}, with_a_wild_column(1e-6f).csr()), IsEmpty()) << "a small one hinders nobody";
  // Among many others, too.
  test::toy_rows rows = test::planted_classification({.rows = 300, .columns = 60, .per_row = 40});
  for (std::size_t k = 0; k < rows.index.size(); ++k)
    if (rows.index[k] == 7) rows.value[k] *= 100.0f;
  const test::kept_rows many = std::move(rows);
  const auto among = find_wild_columns(many.view(), agreement(nullptr));
  ASSERT_TRUE(among);
  EXPECT_EQ(among->column, 7u);
  EXPECT_EQ(among->columns, 1u);
  const auto wild = find_wild_columns(with_a_wild_column(1e6f).csr().view(), agreement(nullptr));
  ASSERT_TRUE(wild);
  EXPECT_EQ(wild->column, 5u);
  EXPECT_EQ(wild->columns, 1u);
  EXPECT_GT(wild->size, 1e5);
  EXPECT_LT(wild->others, 1.0);
}

TEST(notes_on_meetings, that_took_most_of_the_time) {
  train_result result;
  EXPECT_EQ(detail::note_of_meetings(result), "");
  result.meetings.emplace().seconds = 3.0;
  result.train_seconds = 7.0;
  EXPECT_EQ(detail::note_of_meetings(result), "");
  result.train_seconds = 5.0;
  EXPECT_EQ(detail::note_of_meetings(result),
            "3 of 5 s of training were meetings of the ranks; let them meet after more rows (--sync-rows)");
  // Of a run so short it says nothing.
  result.meetings->seconds = result.train_seconds = 0.09;
  EXPECT_EQ(detail::note_of_meetings(result), "");
}

}  // namespace
