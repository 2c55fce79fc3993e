// SPDX-License-Identifier: Apache-2.0
#include <hogwild/measures.hpp>

#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/error.hpp>

namespace hogwild {
namespace {

using ::testing::HasSubstr;

TEST(measures, have_names_of_their_own_and_rows_that_they_suit) {
  std::set<std::string_view> names;
  for (const measure& m : all_measures()) {
    EXPECT_TRUE(names.insert(m.name).second) << m.name;
    EXPECT_NE(m.rows, 0) << m.name;
    EXPECT_NE(m.name, "loss") << "every measurement has one";
  }
}

TEST(measures, of_rows_with_labels_are_computed_by_their_row) {
  for (const measure& m : all_measures()) {
    const auto computes = [&](row_kind kind) {
      if (kind == row_kind::lists) return m.of_lists != nullptr;
      return m.forecast != nullptr || m.of_groups != nullptr || m.of_rows != nullptr ||
             (kind == row_kind::two_classes && m.of_two_classes != nullptr);
    };
    for (const row_kind kind : {row_kind::two_classes, row_kind::classes, row_kind::numbers, row_kind::lists}) {
      if (m.suits(kind)) {
        EXPECT_TRUE(computes(kind)) << m.name;
      }
    }
  }
}

TEST(measures, are_told_where_a_measurement_has_them) {
  measurement m{.loss = 0.5};
  std::string told;
  const auto tell = [&](const measure& each, double value) {
    told += std::string(each.name) + "=" + std::to_string(value) + " ";
  };
  for_each_measure(m, tell);
  EXPECT_EQ(told, "");
  m.auc = 0.25, m.accuracy = 0.75;
  for_each_measure(m, tell);
  EXPECT_EQ(told, "accuracy=0.750000 auc=0.250000 ");
}

TEST(target_figures, are_known_by_name) {
  for (const measure& m : all_measures()) {
    const auto figure = target_figure::named("test_" + std::string(m.name));
    if (!m.in_training()) {
      EXPECT_FALSE(figure) << m.name;
      EXPECT_EQ(target_figure::all_names().find(m.name), std::string::npos) << m.name;
      continue;
    }
    ASSERT_TRUE(figure) << m.name;
    EXPECT_EQ(figure->rows(), &epoch_report::test);
    const auto validated = target_figure::named("validation_" + std::string(m.name));
    ASSERT_TRUE(validated) << m.name;
    EXPECT_EQ(validated->rows(), &epoch_report::validation);
    EXPECT_NE(target_figure::all_names().find("test_" + std::string(m.name)), std::string::npos);
    for (const row_kind kind :
         {row_kind::two_classes, row_kind::classes, row_kind::lists, row_kind::numbers, row_kind::graph}) {
      EXPECT_EQ(figure->suits(kind), m.suits(kind));
      EXPECT_EQ(target_figure::names_for(kind).find("test_" + std::string(m.name)) != std::string::npos, m.suits(kind));
    }
  }
  for (const char* const name : {"train_loss", "objective"}) EXPECT_EQ(target_figure::named(name)->rows(), nullptr);
  for (const char* const name : {"", "test_", "accuracy", "test_perplexity", "validation_", "validation_log_loss"})
    EXPECT_FALSE(target_figure::named(name)) << name;
  EXPECT_THAT(target_figure::all_names(), HasSubstr("validation_"));
}

TEST(comparisons, are_by_the_loss_or_by_a_measure_of_which_more_may_be_better) {
  const measurement m{.loss = 0.5, .accuracy = 0.25, .rmse = 2.0, .log_loss = 0.125};
  EXPECT_EQ(compared_value(m, ""), 0.5);
  EXPECT_EQ(compared_value(m, "accuracy"), -0.25);
  EXPECT_EQ(compared_value(m, "rmse"), 2.0);
  for (const char* const none : {"auc", "log_loss", "loss", "perplexity"})
    EXPECT_EQ(compared_value(m, none), std::nullopt) << none;
}

TEST(comparisons, are_usually_by_a_measure_where_the_loss_is_about_drawn_candidates) {
  for (const row_kind kind : {row_kind::two_classes, row_kind::classes, row_kind::lists, row_kind::numbers,
                              row_kind::graph, row_kind::pairs, row_kind::triples}) {
    const std::string_view by = usual_comparison(kind);
    EXPECT_EQ(by.empty(), kind != row_kind::pairs && kind != row_kind::triples);
    EXPECT_TRUE(by.empty() || target_figure::named("validation_" + std::string(by))->suits(kind)) << by;
  }
}

TEST(target_figures, are_reached_from_the_side_that_is_worse) {
  for (const measure& m : all_measures()) {
    if (!m.in_training()) continue;
    const auto figure = target_figure::named("test_" + std::string(m.name));
    epoch_report epoch;
    EXPECT_FALSE(figure->reached(epoch, m.more_is_better ? -1e9 : 1e9)) << "without test rows";
    epoch.test.emplace();
    EXPECT_FALSE(figure->reached(epoch, m.more_is_better ? -1e9 : 1e9)) << "without this measure";
    epoch.validation.emplace().*m.value = m.more_is_better ? 1e9 : -1e9;
    EXPECT_FALSE(figure->reached(epoch, 0.5)) << "of validation rows alone";
    EXPECT_TRUE(target_figure::named("validation_" + std::string(m.name))->reached(epoch, 0.5)) << m.name;
    (*epoch.test).*m.value = 0.5;
    EXPECT_TRUE(figure->reached(epoch, 0.5)) << m.name;
    EXPECT_EQ(figure->reached(epoch, 0.25), m.more_is_better) << m.name;
    EXPECT_EQ(figure->reached(epoch, 0.75), !m.more_is_better) << m.name;
  }
}

TEST(own_measures, are_refused_where_nothing_could_compute_them_or_tell_them_apart) {
  const auto refusal = [](const own_measure& added) -> std::string {
    try {
      add_measure(added);
    } catch (const config_error& why) {
      return why.what();
    }
    return "";
  };
  const measure_of_scores half = [](auto...) { return 0.5; };
  const std::size_t before = all_measures().size();
  EXPECT_THAT(refusal({"", row_kind::numbers, true, half}), HasSubstr("no name"));
  EXPECT_THAT(refusal({"Mine", row_kind::numbers, true, half}), HasSubstr("no name"));
  for (const char* const taken : {"auc", "loss"})
    EXPECT_THAT(refusal({taken, row_kind::numbers, true, half}), HasSubstr("another one has"));
  for (const row_kind rows : {row_kind::lists, row_kind::graph})
    EXPECT_THAT(refusal({"mine", rows, true, half}), HasSubstr(to_string(rows)));
  EXPECT_THAT(refusal({"mine", row_kind::numbers, true, nullptr}), HasSubstr("no function"));
  EXPECT_EQ(all_measures().size(), before);
}

// In a process of its own, since added measures stay.
TEST(own_measures, are_known_and_four_at_most) {
  EXPECT_EXIT(
      {
        const measure_of_scores half = [](auto...) { return 0.5; };
        for (const char* const name : {"mine", "mine_2", "mine_3", "mine_4"})
          add_measure({name, row_kind::two_classes, false, half});
        const auto figure = target_figure::named("test_mine_4");
        epoch_report epoch;
        epoch.test.emplace().own_4 = 0.5;
        const bool known = figure && figure->suits(row_kind::two_classes) && !figure->suits(row_kind::numbers) &&
                           figure->reached(epoch, 0.5) && !figure->reached(epoch, 0.25);
        try {
          add_measure({"mine_5", row_kind::two_classes, false, half});
        } catch (const config_error& why) {
          std::fputs(why.what(), stderr);
          std::_Exit(known ? 3 : 4);
        }
      },
      testing::ExitedWithCode(3), "one too many: a program can add 4");
}

}  // namespace
}  // namespace hogwild
