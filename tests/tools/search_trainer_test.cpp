// SPDX-License-Identifier: Apache-2.0
#include "hogwild/search_trainer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include <hogwild/dataset.hpp>

#include "support/scratch_folder.hpp"

namespace hogwild::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::IsEmpty;

struct run_trainer_notes : testing::Test {
  const std::vector<train_request> requests = std::vector<train_request>(1);
  const test::scratch_folder folder;
  const search_rows rows{.all = {.data = open_libsvm(folder.write("two.svm", "1 1:1\n-1 2:1\n"))}};
  search_pace pace{};
  run_trainer trainer{requests, rows, search_metrics().front(), 1, nullptr, pace, {}};
};

TEST_F(run_trainer_notes, of_a_sharing_in_doubt_are_told_once_whatever_their_words) {
  tell_of_doubt(trainer.listener(), "first");
  tell_of_doubt(trainer.listener(), "second");
  EXPECT_THAT(trainer.take_notes(), ElementsAre(EndsWith(": first")));
  tell_of_doubt(trainer.listener(), "third");
  EXPECT_THAT(trainer.take_notes(), IsEmpty());
}

TEST_F(run_trainer_notes, of_another_kind_are_not_told_whatever_their_words) {
  trainer.listener().on_note("other programs or a quota took half of the CPU time");
  EXPECT_THAT(trainer.take_notes(), IsEmpty());
}

}  // namespace
}  // namespace hogwild::cli
