// SPDX-License-Identifier: Apache-2.0
// Notes reach an observer that takes them, or else the default sink; and the result has all of them.
#include <cstdio>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/cross_validation.hpp>
#include <hogwild/engines.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/names.hpp>
#include <hogwild/notes.hpp>
#include <hogwild/observer.hpp>
#include <hogwild/train.hpp>

#include "support/toy_data.hpp"

using namespace hogwild;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
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

struct notes_listener final : observer {
  void on_note(std::string_view sentence) override { notes.emplace_back(sentence); }
  std::vector<std::string> notes;
};

// More workers than rows are worth: the run notes that fewer train. Seven are too few for two workers, whatever others
// do to this machine meanwhile.
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
                                                                 {std::make_shared<notes_epoch_counter>()}};
  for (const std::vector<observer_handle>& observers : handles) {
    const sink_of_test sink;
    const train_result run = run_that_notes(observers);
    EXPECT_THAT(sink.told, ElementsAre(HasSubstr("of the 5 workers that were asked for")));
    EXPECT_EQ(run.notes, sink.told);
    EXPECT_EQ(run.workers_asked, 5u);
    EXPECT_LT(run.workers, 5u);
  }
  EXPECT_EQ(counts.epochs, 4);
}

TEST(notes, go_to_observers_that_take_them_and_to_nobody_else) {
  const sink_of_test sink;
  notes_listener hears;
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

}  // namespace
