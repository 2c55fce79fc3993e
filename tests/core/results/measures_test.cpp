// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>
#include <string>

#include <hogwild/measures.hpp>

namespace hogwild {
namespace {

TEST(measures, have_names_of_their_own_and_rows_that_they_suit) {
  std::set<std::string_view> names;
  for (const measure& m : measures) {
    EXPECT_TRUE(names.insert(m.name).second) << m.name;
    EXPECT_NE(m.rows, 0) << m.name;
    EXPECT_NE(m.name, "loss") << "every measurement has one";
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
  for (const measure& m : measures) {
    const auto figure = target_figure::named("test_" + std::string(m.name));
    ASSERT_TRUE(figure) << m.name;
    EXPECT_TRUE(figure->needs_test_rows());
    EXPECT_NE(target_figure::all_names().find("test_" + std::string(m.name)), std::string::npos);
    for (const row_kind kind :
         {row_kind::two_classes, row_kind::classes, row_kind::lists, row_kind::numbers, row_kind::graph}) {
      EXPECT_EQ(figure->suits(kind), m.suits(kind));
      EXPECT_EQ(target_figure::names_for(kind).find("test_" + std::string(m.name)) != std::string::npos, m.suits(kind));
    }
  }
  for (const char* const name : {"train_loss", "objective"})
    EXPECT_FALSE(target_figure::named(name)->needs_test_rows());
  for (const char* const name : {"", "test_", "accuracy", "test_perplexity", "validation_loss"})
    EXPECT_FALSE(target_figure::named(name)) << name;
}

TEST(target_figures, are_reached_from_the_side_that_is_worse) {
  for (const measure& m : measures) {
    const auto figure = target_figure::named("test_" + std::string(m.name));
    epoch_report epoch;
    EXPECT_FALSE(figure->reached(epoch, m.more_is_better ? -1e9 : 1e9)) << "without test rows";
    epoch.test.emplace();
    EXPECT_FALSE(figure->reached(epoch, m.more_is_better ? -1e9 : 1e9)) << "without this measure";
    (*epoch.test).*m.value = 0.5;
    EXPECT_TRUE(figure->reached(epoch, 0.5)) << m.name;
    EXPECT_EQ(figure->reached(epoch, 0.25), m.more_is_better) << m.name;
    EXPECT_EQ(figure->reached(epoch, 0.75), !m.more_is_better) << m.name;
  }
}

}  // namespace
}  // namespace hogwild
