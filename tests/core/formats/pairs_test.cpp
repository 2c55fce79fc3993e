// SPDX-License-Identifier: Apache-2.0
#include <hogwild/formats/pairs.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/error.hpp>

#include "support/refusals.hpp"
#include "support/scratch_folder.hpp"

namespace hogwild {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A user, an item, and the weight of the pair.
using user_item = std::tuple<std::uint32_t, std::uint32_t, double>;
using user_items = std::vector<user_item>;

/// In ascending order, because training data are shuffled.
user_items pairs_of(const sparse_dataset& data) {
  user_items found;
  const sparse_view rows = data.view();
  row_cursor cursor(rows);
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    const sparse_row<float> row = cursor.row(r);
    EXPECT_EQ(row.size(), 2u);
    EXPECT_TRUE(is_user_column(rows.original[row.index[0]]));
    EXPECT_FALSE(is_user_column(rows.original[row.index[1]]));
    found.emplace_back(rating_id(rows.original[row.index[0]]), rating_id(rows.original[row.index[1]]), rows.label[r]);
  }
  std::ranges::sort(found);
  return found;
}

struct pair_files : testing::Test {
  test::scratch_folder folder;
  std::vector<std::string> notes;

  sparse_dataset open(const std::string& text, const pair_options& how = {}) {
    open_options options;
    options.cache = open_options::cache_use::none;
    options.note = [this](std::string_view note) { notes.emplace_back(note); };
    return open_pairs(folder.write("pairs.txt", text), how, options);
  }
  sparse_dataset open_named(const std::string& text, rating_names& names, const pair_options& how = {},
                            const column_numbering* numbering = nullptr) {
    open_options options;
    options.numbering = numbering;
    options.note = [this](std::string_view note) { notes.emplace_back(note); };
    return open_pairs(folder.write("named.txt", text), how, options, names);
  }
};

TEST_F(pair_files, are_lines_or_lists_by_what_all_lines_have) {
  const struct {
    const char* text;
    user_items pairs;
    const char* note;
  } files[] = {
      {"5 1\n6 2\n5 2\n", {{5, 1, 1}, {5, 2, 1}, {6, 2, 1}}, ""},
      {"5,1,2.5\n6,2,1\n", {{5, 1, 2.5}, {6, 2, 1}}, "each line is a user, an item and a weight"},
      {"5::1::3::99\n6::2::1::98\n", {{5, 1, 3}, {6, 2, 1}}, "a user, an item, a weight and a time"},
      {"# clicks\n5\t1\t2 # twice\n\n6\t2\t1\t\n", {{5, 1, 2}, {6, 2, 1}}, "an item and a weight"},
      {"userId,movieId,timestamp\n5,1,99\n6,2,98\n", {{5, 1, 1}, {6, 2, 1}}, "the time is 'timestamp'"},
      {"time,count,item,user\n9,3,1,5\n8,4,2,6\n", {{5, 1, 3}, {6, 2, 4}}, "the weight is 'count'"},
      {"0 1 2 3\n1 2\n0 7\n2 2 5\n",
       {{0, 1, 1}, {0, 2, 1}, {0, 3, 1}, {0, 7, 1}, {1, 2, 1}, {2, 2, 1}, {2, 5, 1}},
       "because line 1 has 4 fields and line 2 has 2 fields"},
      {"0 1 2\n3\n", {{0, 1, 1}, {0, 2, 1}}, "each line is a user and the user's items"},
      {"0 1 2 3 4\n5 6 7 8 9\n",
       {{0, 1, 1}, {0, 2, 1}, {0, 3, 1}, {0, 4, 1}, {5, 6, 1}, {5, 7, 1}, {5, 8, 1}, {5, 9, 1}},
       "because line 1 has 5 fields"},
      {"0 1 2 \n3\r\n\n4 5", {{0, 1, 1}, {0, 2, 1}, {4, 5, 1}}, "each line is a user and"},
  };
  for (const auto& file : files) {
    notes.clear();
    EXPECT_EQ(pairs_of(open(file.text)), file.pairs) << file.text;
    if (*file.note == '\0')
      EXPECT_THAT(notes, IsEmpty()) << file.text;
    else
      EXPECT_THAT(notes, ElementsAre(HasSubstr(file.note))) << file.text;
  }
}

TEST_F(pair_files, have_the_form_that_is_asked_for) {
  const char* const three = "5 1 2\n6 2 4\n";
  EXPECT_EQ(pairs_of(open(three, {.form = pair_form::lines})), (user_items{{5, 1, 2}, {6, 2, 4}}));
  EXPECT_EQ(pairs_of(open(three, {.form = pair_form::lists})),
            (user_items{{5, 1, 1}, {5, 2, 1}, {6, 2, 1}, {6, 4, 1}}));
  EXPECT_THAT(notes, IsEmpty());
}

TEST_F(pair_files, that_may_be_lines_or_lists_are_what_another_file_is) {
  const char* const doubtful = "5 1 2\n6 2 4\n";
  const user_items as_lines{{5, 1, 2}, {6, 2, 4}}, as_lists{{5, 1, 1}, {5, 2, 1}, {6, 2, 1}, {6, 4, 1}};
  const struct {
    const char* other;
    user_items pairs;
  } cases[] = {{"5 1\n5 2\n", as_lines},
               {"5 1 3\n5 2 7\n", as_lines},
               {"user,item\n5,1\n", as_lines},
               {"5 1 3 4 6\n", as_lists},
               {"5 1\n6 1 2\n", as_lists}};
  for (const auto& [other, pairs] : cases) {
    notes.clear();
    const std::string path = folder.write("other.txt", other);
    EXPECT_EQ(pairs_of(open(doubtful, {.like = path})), pairs) << other;
    EXPECT_THAT(notes, ElementsAre(HasSubstr("other.txt; where that is wrong"))) << other;
  }
  // A file that leaves no doubt is what it is.
  const std::string lists = folder.write("other.txt", "5 1 3 4 6\n");
  EXPECT_EQ(pairs_of(open("5 1\n6 2\n", {.like = lists})), (user_items{{5, 1, 1}, {6, 2, 1}}));
  EXPECT_EQ(pairs_of(open(doubtful, {.form = pair_form::lines, .like = lists})), as_lines);
}

TEST_F(pair_files, say_what_is_wrong_and_where) {
  const struct {
    pair_form form;
    test::faulty_text bad;
  } faults[] = {
      {pair_form::automatic, {"", 1, 1, "there are no rows"}},
      {pair_form::automatic, {"5\n6\n", 1, 1, "there are no rows"}},
      {pair_form::automatic, {"5 1 2\n6 x 2\n", 2, 3, "the item 'x' is not a whole number; write 'user item'"}},
      {pair_form::automatic, {"5 1 0\n6 2 1\n", 1, 5, "the weight '0' is not above 0"}},
      {pair_form::automatic, {"5 1 1e-60\n6 2 1\n", 1, 5, "the weight '1e-60' is not above 0"}},
      {pair_form::automatic, {"5 1 1\n6 2 -2\n", 2, 5, "the weight '-2' is not above 0"}},
      {pair_form::automatic, {"5 1 1e39\n", 1, 5, "the weight '1e39' is not finite in single precision"}},
      {pair_form::automatic, {"5 1 1 9\n6 2 1 late\n", 2, 7, "the time 'late' is not a number"}},
      {pair_form::automatic, {"5 1 1 9\n6 2 1 inf\n", 2, 7, "the time 'inf' is not finite"}},
      {pair_form::automatic,
       {"5 1 1 2\n6 2 0.5\n", 2, 5, "the item '0.5' is not a whole number; write 'user item item"}},
      {pair_form::automatic, {"0 1 2 3\n1 2147483647\n", 2, 3, "is too large; the largest is 2147483646"}},
      {pair_form::automatic, {"user,item,weight\n5,1,2\n6,1\n", 3, 4, "a weight is expected"}},
      {pair_form::lines, {"5 1 1\n6 2\n", 2, 4, "a weight is expected"}},
      {pair_form::lines, {"5\n", 1, 2, "an item is expected"}},
      {pair_form::lines, {"5,1,\n", 1, 5, "the weight is missing"}},
      {pair_form::lists, {"5,1,,3\n", 1, 5, "the item is missing"}},
      {pair_form::lists, {"u5 1 2\n", 1, 1, "the user 'u5' is not a whole number"}},
      {pair_form::automatic, {"1 1:0.5 2:0.25\n", 1, 3, "LIBSVM"}},
  };
  for (const auto& [form, bad] : faults)
    test::expect_refused(bad, [&, how = form, text = bad.text] { open(text, {.form = how}); });
}

TEST_F(pair_files, of_names_have_numbers_in_the_order_of_their_bytes) {
  rating_names names;
  const sparse_dataset lines = open_named("bob\tThe Film\t2\nann\tHeat\t1\n", names);
  EXPECT_THAT(names.users, ElementsAre("ann", "bob"));
  EXPECT_THAT(names.items, ElementsAre("Heat", "The Film"));
  EXPECT_EQ(pairs_of(lines), (user_items{{0, 0, 1}, {1, 1, 2}}));
  const sparse_dataset lists = open_named("bob\tHeat\tnew\neve\nann\tThe Film\n", names, {}, &lines.numbering());
  EXPECT_THAT(names.users, ElementsAre("ann", "bob", "eve"));
  EXPECT_EQ(lists.unknown_entries(), 1u);
  EXPECT_EQ(lists.rows(), 3u);
  EXPECT_FALSE(lists.from_cache());
}

TEST_F(pair_files, keep_repeated_pairs_and_tell_how_many_there_are) {
  EXPECT_EQ(open("5 1\n5 1\n6 1\n5 1\n").rows(), 4u);
  EXPECT_THAT(notes, ElementsAre(HasSubstr("2 of 4 pairs repeat others, and are kept")));
}

TEST_F(pair_files, are_the_high_ratings_where_that_is_asked_for) {
  const char* const ratings = "5 1 4 30\n5 2 3.5 10\n6 2 5 20\n7 1 -1 40\n";
  const sparse_dataset data = open(ratings, {.positive_from = 4});
  EXPECT_EQ(pairs_of(data), (user_items{{5, 1, 1}, {6, 2, 1}}));
  EXPECT_THAT(notes, ElementsAre(HasSubstr("2 ratings below 4 are left out")));
  std::vector<double> times = pair_times(data);
  std::ranges::sort(times);
  EXPECT_THAT(times, ElementsAre(20, 30));
  EXPECT_EQ(open("5 1 -1\n", {.positive_from = -1}).rows(), 1u);
  EXPECT_THAT(test::message_of<input_error>([&] { open(ratings, {.positive_from = 6}); }),
              HasSubstr("no rating is 6 or more"));
  EXPECT_THAT(test::message_of<format_error>([&] { open("5 1\n", {.positive_from = 4}); }), HasSubstr("a rating is"));
  EXPECT_THROW(open(ratings, {.form = pair_form::lists, .positive_from = 4}), config_error);
}

TEST_F(pair_files, have_times_in_the_order_of_the_rows_with_a_cache_and_without) {
  std::string text;
  for (int k = 0; k < 100; ++k)
    text += std::to_string(k % 7) + " " + std::to_string(k) + " 1 " + std::to_string(1e9 + k) + "\n";
  const std::string path = folder.write("timed.txt", text);
  open_pairs(path);
  for (const bool cached : {false, true}) {
    const sparse_dataset data = cached ? open_pairs(path) : open(text);
    EXPECT_EQ(data.from_cache(), cached);
    const std::vector<double> times = pair_times(data);
    ASSERT_EQ(times.size(), 100u);
    const sparse_view rows = data.view();
    row_cursor cursor(rows);
    for (std::size_t r = 0; r < rows.rows(); ++r)
      EXPECT_EQ(times[r], 1e9 + rating_id(rows.original[cursor.row(r).index[1]]));
    const sparse_dataset test = open_pairs(path, {}, {.numbering = &data.numbering()});
    EXPECT_EQ(pair_times(test).front(), 1e9);
  }
  EXPECT_THAT(pair_times(open("5 1\n")), IsEmpty());
}

TEST_F(pair_files, have_another_cache_for_each_form) {
  const std::string path = folder.write("three.txt", "5 1 2\n6 2 4\n");
  EXPECT_EQ(open_pairs(path).rows(), 2u);
  EXPECT_EQ(open_pairs(path, {.form = pair_form::lists}).rows(), 4u);
  EXPECT_EQ(open_pairs(path, {.positive_from = 3}).rows(), 1u);
  EXPECT_EQ(open_pairs(path).rows(), 2u);
}

TEST_F(pair_files, are_read_compressed) {
  const std::string path = (folder / "pairs.gz").string();
  const gzFile file = gzopen(path.c_str(), "wb");
  ASSERT_NE(file, nullptr);
  EXPECT_GT(gzputs(file, "0 1 2 3\n1 2\n"), 0);
  gzclose(file);
  EXPECT_EQ(open_pairs(path).rows(), 4u);
}

TEST_F(pair_files, order_users_before_items_and_the_frequent_first) {
  const auto columns = open("5 1 2\n7 3\n5 3\n").numbering();
  EXPECT_THAT(columns.original(),
              ElementsAre(user_column(5), user_column(7), item_column(3), item_column(1), item_column(2)));
}

}  // namespace
}  // namespace hogwild
