// SPDX-License-Identifier: Apache-2.0
#include <hogwild/formats/side_features.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/data/column_parts.hpp>
#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/pairs.hpp>
#include <hogwild/saved_model.hpp>

#include "support/refusals.hpp"
#include "support/scratch_folder.hpp"

namespace hogwild {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

using weighted = std::vector<std::pair<std::string, float>>;

/// The features of each user or item, by their names.
std::map<std::uint32_t, weighted> lists_of(const side_features& read) {
  std::map<std::uint32_t, weighted> lists;
  for (std::size_t k = 0; k < read.columns.size(); ++k) {
    const bool of_users = is_user_column(read.columns[k]);
    weighted& list = lists[rating_id(read.columns[k])];
    for (std::size_t e = read.start[k]; e < read.start[k + 1]; ++e)
      list.emplace_back((of_users ? read.names.users : read.names.items)[read.feature[e]], read.weight[e]);
  }
  return lists;
}

struct feature_texts : testing::Test {
  test::scratch_folder folder;
  std::vector<std::string> notes;

  side_features read(const std::string& text, rating_names* ids = nullptr, bool of_users = true) {
    side_features into;
    read_side_features(folder.write("features.txt", text), of_users, ids, into);
    return into;
  }
  sparse_dataset pairs(const std::string& text) {
    open_options quiet;
    quiet.cache = open_options::cache_use::none;
    quiet.note = [](std::string_view) {};
    return open_pairs(folder.write("pairs.txt", text), {.form = pair_form::lines}, quiet);
  }
};

TEST_F(feature_texts, have_a_line_for_each_and_weights_behind_colons) {
  const struct {
    const char* text;
    std::map<std::uint32_t, weighted> lists;
  } files[] = {
      {"3 old tall\n5 tall\n", {{3, {{"old", 1}, {"tall", 1}}}, {5, {{"tall", 1}}}}},
      {"# who\n\n3  age:0.25 x:y \r\n5\n", {{3, {{"age", 0.25f}, {"x:y", 1}}}, {5, {}}}},
      {"3\ta:b:-2\tin two words\t\n", {{3, {{"a:b", -2}, {"in two words", 1}}}}},
      {"3 \"year:1995\" year:2 nan:x", {{3, {{"year:1995", 1}, {"year", 2}, {"nan:x", 1}}}}},
  };
  for (const auto& [text, lists] : files) EXPECT_EQ(lists_of(read(text)), lists) << text;
}

TEST_F(feature_texts, of_members_with_names_know_those_of_the_pairs) {
  rating_names ids{.users = {"bo", "al"}, .items = {"z"}};
  EXPECT_EQ(lists_of(read("dan x\nal y\ncy x\n", &ids)),
            (std::map<std::uint32_t, weighted>{{1, {{"y", 1}}}, {2, {{"x", 1}}}, {3, {{"x", 1}}}}));
  EXPECT_THAT(ids.users, ElementsAre("bo", "al", "cy", "dan"));
  EXPECT_THAT(ids.items, ElementsAre("z"));
}

TEST_F(feature_texts, that_are_none_are_refused_with_the_place) {
  const test::faulty_text texts[] = {
      {"3 a\n4 b\n3 c\n", 3, 1, "the user '3' has a line already, line 1"},
      {"3 a b a\n", 1, 7, "the feature 'a' is there twice"},
      {"3 a a:2\n", 1, 5, "the feature 'a' is there twice"},
      {"3 a\nx b\n", 2, 1, "the user 'x' is not a whole number; have ids read as names"},
      {"3 a\n-1 b\n", 2, 1, "is not a whole number"},
      {"4294967297 b\n", 1, 1, "is too large"},
      {"3 :2\n", 1, 3, "the feature has no name"},
      {"3\ta\t\tb\n", 1, 5, "the feature has no name"},
      {"\ta\n", 1, 1, "the user is missing"},
      {"3 a:1e999\n", 1, 3, "is not finite"},
      {"3 a:nan\n", 1, 3, "is not finite"},
      {"3 a:1e39\n", 1, 3, "is not finite in single precision"},
      {"3 \"a\n", 1, 3, ""},
      {"3 a\x01\n", 1, 3, "control character"},
      {"3 " + std::string(300, 'a') + "\n", 1, 3, "has 300 bytes"},
  };
  for (const test::faulty_text& bad : texts) test::expect_refused(bad, [&] { read(bad.text); });
  EXPECT_THAT(test::message_of<input_error>([&] { read("# none\n3\n4\n", nullptr, false); }),
              HasSubstr("there is no feature in it; a line is an item"));
}

TEST_F(feature_texts, lie_beside_the_pairs_with_columns_of_members_that_are_in_no_pair) {
  const sparse_dataset plain = pairs("1 10 1 5\n1 11 1 6\n2 10 1 7\n");
  side_features features = read("9 far:0.5\n1 near:2 far:0.5\n8\n2\n");
  read_side_features(folder.write("items.txt", "11 red\n77 red far\n"), false, nullptr, features);
  const sparse_dataset made =
      with_side_features(plain, features, [&](std::string_view told) { notes.emplace_back(told); });
  EXPECT_THAT(notes, ElementsAre("1 of 2 users have features, 2 different ones, with weights from 0.5 to 2; the others "
                                 "have a vector of their own alone; 1 more user is in no pair, and has those of its "
                                 "features alone",
                                 HasSubstr("1 of 2 items have features, 2 different ones; the others")));
  const sparse_dataset mapped = sparse_dataset::map(made.shared_path()), copied = sparse_dataset::copy_of(made.view());
  made.verify();
  for (const sparse_view& view : {made.view(), mapped.view(), copied.view()}) {
    EXPECT_THAT(
        std::vector(view.original.begin(), view.original.end()),
        ElementsAre(user_column(1), user_column(2), user_column(9), item_column(10), item_column(11), item_column(77)));
    EXPECT_THAT(std::vector(view.degree.begin(), view.degree.end()), ElementsAre(2, 1, 0, 2, 1, 0));
    const column_parts parts = parts_of(view);
    EXPECT_EQ(parts.parts, 4u);
    const auto list = [&](std::size_t column) {
      std::vector<std::pair<std::uint32_t, float>> all;
      for (std::size_t k = 0; k < parts.of(column).size(); ++k)
        all.emplace_back(parts.of(column)[k], parts.weights_of(column)[k]);
      return all;
    };
    using pair = std::pair<std::uint32_t, float>;
    EXPECT_THAT(list(0), ElementsAre(pair(1, 2.0f), pair(0, 0.5f)));
    EXPECT_THAT(list(1), IsEmpty());
    EXPECT_THAT(list(2), ElementsAre(pair(0, 0.5f)));
    EXPECT_THAT(list(4), ElementsAre(pair(2, 1.0f)));
    EXPECT_THAT(list(5), ElementsAre(pair(2, 1.0f), pair(3, 1.0f)));
    std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
    row_cursor cursor(view);
    for (std::size_t r = 0; r < view.rows(); ++r)
      found.emplace_back(rating_id(view.original[cursor.row(r).index[0]]),
                         rating_id(view.original[cursor.row(r).index[1]]));
    EXPECT_THAT(found, UnorderedElementsAre(std::pair(1, 10), std::pair(1, 11), std::pair(2, 10)));
  }
  EXPECT_EQ(pair_times(made), pair_times(plain));
  EXPECT_THAT(pair_times(made), UnorderedElementsAre(5.0, 6.0, 7.0));
}

TEST_F(feature_texts, of_nobody_in_the_pairs_are_refused) {
  EXPECT_THAT(test::message_of<input_error>([&] { with_side_features(pairs("1 10\n"), read("2 a\n3 b\n")); }),
              HasSubstr("there are features of 2 users, none of which is in the pairs"));
}

TEST_F(feature_texts, are_named_by_a_saved_model) {
  saved_model saved{.model = "warp", .width = 2, .bias = {1, 2, 3, 4, 5, 6}};
  EXPECT_FALSE(side_features_of(saved));
  keep_side_features({.users = {"a b"}, .items = {"user x", "y"}}, saved);
  EXPECT_TRUE(names_side_features(saved));
  EXPECT_EQ(side_features_of(saved)->users, std::vector<std::string>{"a b"});
  EXPECT_EQ(side_features_of(saved)->items, (std::vector<std::string>{"user x", "y"}));
  saved.bias.pop_back();
  EXPECT_THAT(test::message_of<input_error>([&] { side_features_of(saved); }), HasSubstr("names of 3 features"));
  saved.schema += "other\n";
  EXPECT_THAT(test::message_of<input_error>([&] { side_features_of(saved); }), HasSubstr("by the line 'other'"));
}

}  // namespace
}  // namespace hogwild
