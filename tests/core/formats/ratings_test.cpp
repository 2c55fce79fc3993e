// SPDX-License-Identifier: Apache-2.0
#include <hogwild/formats/ratings.hpp>

#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/error.hpp>

#include "formats/ratings_parser.hpp"
#include "support/refusals.hpp"
#include "support/scratch_folder.hpp"
#include "text/decimal.hpp"

namespace hogwild {
namespace {

using triple = std::tuple<std::uint32_t, std::uint32_t, double>;

struct parsed_ratings {
  std::vector<triple> ratings{};
  std::optional<detail::row_fault> fault;
  std::size_t lines = 0;
};

parsed_ratings parse_ratings(std::string text, detail::block_context context = {.first = true},
                             detail::rating_numbers* names = nullptr) {
  const std::size_t length = text.size();
  const detail::ratings_layout layout =
      detail::look_at_ratings(text, {.named = names != nullptr, .labels_optional = context.labels_optional}, "ratings");
  text.append(detail::text_padding, '\0');
  std::vector<std::uint32_t> index(detail::ratings_capacity(length));
  std::vector<float> value(index.size());
  detail::row_block block;
  block.index = index.data(), block.value = value.data();
  detail::parse_ratings_block(std::string_view(text).substr(0, length), context, layout, block, names);
  parsed_ratings result{.ratings = {}, .fault = block.fault, .lines = block.lines};
  for (std::size_t r = 0; r < block.label.size(); ++r) {
    result.ratings.emplace_back(rating_id(index[2 * r] + 1), rating_id(index[2 * r + 1] + 1), block.label[r]);
    EXPECT_TRUE(is_user_column(index[2 * r] + 1));
    EXPECT_FALSE(is_user_column(index[2 * r + 1] + 1));
    EXPECT_EQ(block.row_end[r], 2 * r + 2);
    EXPECT_LT(std::max(index[2 * r], index[2 * r + 1]), block.columns);
  }
  return result;
}

TEST(ratings, reads_tabs_blanks_commas_and_double_colons) {
  const std::vector<triple> expected = {{196, 242, 3}, {1, 0, 4.5}, {2147483646, 7, -9.95}};
  for (const char* text :
       {"196\t242\t3\t881250949\n1\t0\t4.5\t\n2147483646\t7\t-9.95\t7\n",
        "196 242 3\n  1  0   4.5 \n2147483646 7 -9.95 \r\n", "196,242,3,881250949\n1, 0, 4.5,\n2147483646,7,-9.95, 8\n",
        "196;242;3\n1;0;4.5;\n\"2147483646\";\"7\";\"-9.95\"\n", "196|242|3\n1|0|4.5\n2147483646|7|-9.95\n",
        "196::242::3::881250949\n1::0::4.5::9\n2147483646::7::-9.95::9\n"}) {
    const parsed_ratings found = parse_ratings(text);
    EXPECT_FALSE(found.fault) << found.fault->message << " in " << text;
    EXPECT_EQ(found.ratings, expected) << text;
    EXPECT_EQ(found.lines, 3u);
  }
}

TEST(ratings, skips_names_of_fields_comments_and_blank_lines) {
  EXPECT_EQ(parse_ratings("userId,movieId,rating,timestamp\n1,2,3,4\n").ratings.size(), 1u);
  EXPECT_EQ(parse_ratings("\n# made by hand\n\"user\",\"item\",\"rating\"\n\n1,2,3 # good\n").ratings.size(), 1u);
  EXPECT_EQ(parse_ratings("1,2,3#\n").ratings.size(), 1u);
  EXPECT_TRUE(parse_ratings("").ratings.empty());
  // A comment with as many fields as lines that lack the rating.
  EXPECT_EQ(parse_ratings("1 2\n# 3\n", {.labels_optional = true, .first = true}).ratings.size(), 1u);
}

TEST(ratings, names_of_fields_stand_in_the_first_line_only) {
  const parsed_ratings twice = parse_ratings("user item rating\nuser item rating\n1 2 3\n4 5 6\n7 8 9\n");
  ASSERT_TRUE(twice.fault);
  EXPECT_EQ(twice.fault->line, 2u);
  // A line with numbers where ratings have them is a wrong rating, not a header.
  for (const char* const rating : {"x1 2 3\n2 1 4\n", "\"1\",\"2\",x\n3,4,5\n", "user item rating\n"}) {
    const parsed_ratings found = parse_ratings(rating);
    ASSERT_TRUE(found.fault) << rating;
    EXPECT_EQ(found.fault->line, 1u) << rating;
  }
}

detail::ratings_layout layout_of(const char* text, const detail::ratings_reading& how = {}) {
  return detail::look_at_ratings(text, how, "r.csv");
}

TEST(ratings_headers, say_which_field_is_what_in_any_order) {
  const struct {
    const char* header;
    std::size_t user, item, rating;
  } headers[] = {{"userId,movieId,rating,timestamp", 0, 1, 2},
                 {"userId,movieId,timestamp,rating", 0, 1, 3},
                 {"timestamp,Book-Rating,ISBN,User-ID", 3, 2, 1},
                 {"\"rating\",\"item_id\",\"user_id\",\"t\"", 2, 1, 0},
                 {"user_rating,user,time,movie", 1, 3, 0},
                 {"reviewerID,asin,overall,unixReviewTime", 0, 1, 2},
                 {"user,thing,rating,date", 0, 1, 2},  // the remaining one
                 {"one,two,three,four", 0, 1, 2}};     // unknown words
  for (const auto& h : headers) {
    const detail::ratings_layout found = layout_of((std::string(h.header) + "\n1,2,3,4\n5,6,7,8\n").c_str());
    EXPECT_EQ(found.header_line, 1u) << h.header;
    EXPECT_EQ(found.user, h.user) << h.header;
    EXPECT_EQ(found.item, h.item) << h.header;
    EXPECT_EQ(found.rating, h.rating) << h.header;
    EXPECT_EQ(found.note.substr(0, 35), "line 1 is a header, by which the us") << found.note;
  }
  EXPECT_EQ(layout_of("userId,movieId,timestamp,rating\n1,2,3,4\n").note,
            "line 1 is a header, by which the user is 'userId', the item is 'movieId', the rating is 'rating'");
  EXPECT_EQ(parse_ratings("userId,movieId,timestamp,rating\n1,10,964982703,5\n2,20,964982704,3\n").ratings,
            (std::vector<triple>{{1, 10, 5}, {2, 20, 3}}));
}

TEST(ratings_headers, may_have_an_empty_word_above_the_numbers_of_rows) {
  const parsed_ratings read = parse_ratings(",userId,movieId,rating\n0,196,242,3\n1,7,8,4.5\n");
  EXPECT_FALSE(read.fault);
  EXPECT_EQ(read.ratings, (std::vector<triple>{{196, 242, 3}, {7, 8, 4.5}}));
}

TEST(ratings_headers, are_refused_where_they_do_not_tell) {
  for (const char* const header : {"user,user,rating", "user,a,b", "user,item,time", "movie,book,rating"})
    EXPECT_THROW(layout_of((std::string(header) + "\n1,2,3\n").c_str()), format_error) << header;
  EXPECT_EQ(layout_of("user,item,time\n1,2,3\n", {.labels_optional = true}).rating, detail::ratings_layout::none);
}

TEST(ratings_headers, are_behind_the_separator_of_a_spreadsheet_which_is_refused) {
  for (const char* const line : {"sep=;", "SEP=;", "\"sep=;\"", " sep=;"})
    EXPECT_THAT(
        [&] { layout_of((std::string(line) + "\nuserId;movieId;rating\n1;2;4\n").c_str()); },
        testing::ThrowsMessage<format_error>(testing::HasSubstr(":1:1: a spreadsheet has written its separator")))
        << line;
}

TEST(ratings_headers, are_no_rows_that_have_numbers_where_others_have_them) {
  for (const char* const text : {"alice\tThe Matrix\t5\nbob\tHeat\t3\nalice\tHeat\t4\n", "A\tLock,Stock\t5\nB\tx\t3\n",
                                 "A,\"7, The Movie\",5\nB,x,3\nA,x,4\n", "ann,300,4\nbob,2012,3\n"})
    EXPECT_EQ(layout_of(text, {.named = true}).header_line, 0u) << text;
  EXPECT_EQ(layout_of("user,item\nann,film\n", {.named = true, .labels_optional = true}).header_line, 1u);
  EXPECT_EQ(layout_of("ann,film\nbob,film\n", {.named = true, .labels_optional = true}).header_line, 0u);
}

TEST(ratings, may_lack_the_rating_where_it_is_asked_for) {
  const parsed_ratings found = parse_ratings("3 4\n5 6 2\n", {.labels_optional = true, .first = true});
  EXPECT_EQ(found.ratings, (std::vector<triple>{{3, 4, 0}, {5, 6, 2}}));
}

TEST(ratings, says_what_is_wrong_and_where) {
  const test::faulty_text faults[] = {
      {"1 2 3\n1 2\n", 2, 4, "a rating is expected"},
      {"1\t10\t4\t9\n1\t10\t\t964982703\n", 2, 6, "the rating is missing: the field is empty"},
      {"1\t10\t4\t9\n1\t\t4\t9\n", 2, 3, "the item is missing"},
      {"\t10\t4\n1\t10\t4\n", 1, 1, "the user is missing"},
      {"1;10;4\n1;;4\n", 2, 3, "the item is missing"},
      {"1 10 4 99\n1 10  99\n", 2, 9, "has 3 fields between blanks, but line 1 has 4"},
      {"1,2,3\n1,2,3,5\n", 2, 7, "has 4 fields between commas, but line 1 has 3"},
      {"1;2;3,5\n", 1, 5, "the rating '3,5' is not a number"},
      {"1,\"2,3\n", 1, 3, "none ends it on this line"},
      {"1,\"2\"x,3\n", 1, 6, "something follows its quotation mark"},
      {"7\n", 1, 2, "an item is expected"},
      {"u9 2 3\n", 1, 1, "the user 'u9' is not a whole number"},
      {"1 x 3\n", 1, 3, "the item 'x' is not a whole number"},
      {"1 2 3\nu9 2 3\n", 2, 1, "the user 'u9' is not a whole number"},
      {"-1 2 3\n", 1, 1, "the user '-1' is not a whole number"},
      {"1 2147483647 3\n", 1, 3, "is too large; the largest is 2147483646"},
      {"99999999999999999999 2 3\n", 1, 1, "is too large"},
      {"1 2 good\n", 1, 5, "the rating 'good' is not a number"},
      {"1 2 inf\n", 1, 5, "the rating 'inf' is not finite"},
      {"1 2 nan\n", 1, 5, "is not finite"},
      {"1 2 1e39\n", 1, 5, "the rating '1e39' is not finite in single precision"},
      {"1,2 3\n", 1, 3, "the item '2 3' is not a whole number"},
      {"1::2,3\n", 1, 4, "the item '2,3' is not a whole number"},
      {"1:2:3\n", 1, 1, "the user '1:2:3' is not a whole number"},
      {"1 2 3:4\n", 1, 5, "the rating '3:4' is not a number"},
      {"1 2 \x01\x1b\n", 1, 5, "'\\x01\\x1b'"},
      {"1,,3\n", 1, 3, "the item is missing"},
  };
  for (const test::faulty_text& bad : faults) {
    const parsed_ratings found = parse_ratings(bad.text, {.first = false});
    ASSERT_TRUE(found.fault) << bad.text;
    expect_fault(*found.fault, bad);
  }
}

detail::rating_numbers no_names() {
  return {.users = detail::name_numbers({}, largest_rating_id, "too many"),
          .items = detail::name_numbers({}, largest_rating_id, "too many")};
}

TEST(ratings, of_names_number_users_and_items_apart) {
  for (const char* text :
       {"ann\tfilm:2\t5\nbob\tann\t4\nann\tann\t3\n", "ann,film:2,5,2001\nbob,ann,4,x\nann,ann,3,y\n",
        "user::item::rating\nann::film:2::5\nbob::ann::4\nann::ann::3\n",
        "\"ann\";\"film:2\";5\n\"bob\";\"ann\";\"4\"\nann;ann;3\n"}) {
    detail::rating_numbers names = no_names();
    const parsed_ratings found = parse_ratings(text, {.first = true}, &names);
    ASSERT_FALSE(found.fault) << found.fault->message << " in " << text;
    EXPECT_EQ(found.ratings, (std::vector<triple>{{0, 0, 5}, {1, 1, 4}, {0, 1, 3}})) << text;
  }
  detail::rating_numbers names = no_names();
  EXPECT_EQ(parse_ratings("ann film\n", {.labels_optional = true, .first = true}, &names).ratings.size(), 1u);
}

/// The names of users, then those of items, in the order of their bytes.
std::vector<std::string> names_in(const std::string& text) {
  detail::rating_numbers numbers = no_names();
  const parsed_ratings found = parse_ratings(text, {.first = true}, &numbers);
  EXPECT_FALSE(found.fault) << found.fault->message << " in " << text;
  std::vector<std::string> names, items;
  numbers.users.settle(names);
  numbers.items.settle(items);
  names.insert(names.end(), items.begin(), items.end());
  return names;
}

TEST(ratings, of_names_may_hold_what_separates_no_fields) {
  using names = std::vector<std::string>;
  EXPECT_EQ(names_in("alice\tThe Matrix\t5\nbob\tLock, Stock\t3\n"),
            (names{"alice", "bob", "Lock, Stock", "The Matrix"}));
  EXPECT_EQ(names_in("A,\"7, The \"\"Movie\"\"\",5\nB, x y ,3\n"), (names{"A", "B", "7, The \"Movie\"", "x y"}));
  EXPECT_EQ(names_in("ann,C#,4 # good\nbob,F# 2,3\n# a comment\n"), (names{"ann", "bob", "C#", "F# 2"}));
  EXPECT_EQ(names_in("\"#tag\"\tx\t5\nbob\tx\t3\n"), (names{"#tag", "bob", "x"}));
  EXPECT_EQ(names_in("ann,std::sort,4\nbob,std::map,3\n"), (names{"ann", "bob", "std::map", "std::sort"}));
  EXPECT_EQ(names_in("ann::7\" disc::4\nbob::a:b::3\n"), (names{"ann", "bob", "7\" disc", "a:b"}));
}

TEST(ratings, of_names_are_parted_where_the_rating_is_a_number) {
  for (const std::string text :
       {"alice,x::y::5::z,4\nbob,p::q::3::r,2\n", "alice,x;y;5;z,4\nbob,p;q;3;r,2\n",
        "alice;x::y::5::z;4\nbob;p::q::3::r;2\n", "alice|x y 5 z|4\nbob|p q 3 r|2\n",
        "alice|x, y, 5, z|4\nbob|p, q|2\n", "alice,std::vector::push_back,4\nbob,a &lt; b,2\n"}) {
    detail::rating_numbers names = no_names();
    const parsed_ratings read = parse_ratings(text, {.first = true}, &names);
    EXPECT_FALSE(read.fault) << text;
    ASSERT_EQ(read.ratings.size(), 2u) << text;
    EXPECT_EQ(std::get<2>(read.ratings[0]), 4.0) << text;
    EXPECT_EQ(std::get<2>(read.ratings[1]), 2.0) << text;
  }
}

TEST(ratings, of_names_say_what_is_wrong_and_where) {
  const test::faulty_text faults[] = {
      {"ann film 1\nann film\n", 2, 9, "a rating is expected"},
      {"ann film 1\nbob film good\n", 2, 10, "the rating 'good' is not a number"},
      {"bob film inf\n", 1, 10, "is not finite"},
      {"a\x01n film 1\n", 1, 1, "a control character in the name of the user 'a\\x01n'"},
      {"ann,,3\n", 1, 5, "the item is missing"},
      {"#tag\tx\t5\nbob\tx\t3\n", 1, 1, "a rating whose name begins with '#'"},
      {"ann,x,4\nbob,Ocean's, 11,5\n", 2, 17, "has 4 fields between commas, but line 1 has 3"},
      {"1::x::5\n2::a::7::5\n", 2, 10, "a name with '::' in it is written in quotation marks"},
      {std::string(256, 'x') + " film 1\n", 1, 1, "the name of the user has 256 bytes"}};
  for (const test::faulty_text& bad : faults) {
    detail::rating_numbers names = no_names();
    const parsed_ratings found = parse_ratings(bad.text, {.first = true}, &names);
    ASSERT_TRUE(found.fault) << bad.text;
    expect_fault(*found.fault, bad);
  }
}

struct rating_files : testing::Test {
  test::scratch_folder folder;
};

TEST_F(rating_files, users_come_before_items_and_the_frequent_first) {
  const sparse_dataset data =
      open_ratings(folder.write("r.tsv", "5\t1\t1\n5\t2\t2\n6\t2\t3\n5\t3\t4\n7\t2\t5\n7\t1\t1\n"));
  const std::vector<std::uint32_t> expected = {user_column(5), user_column(7), user_column(6),
                                               item_column(2), item_column(1), item_column(3)};
  const auto found = data.view().original;
  EXPECT_EQ(std::vector<std::uint32_t>(found.begin(), found.end()), expected);
  EXPECT_EQ(count_users(found), 3u);
  row_cursor cursor(data.view());
  std::map<std::pair<std::uint32_t, std::uint32_t>, float> ratings;
  for (std::size_t r = 0; r < data.rows(); ++r) {
    const auto row = cursor.row(r);
    ASSERT_EQ(row.size(), 2u);
    ratings[{rating_id(found[row.index[0]]), rating_id(found[row.index[1]])}] = row.label;
  }
  EXPECT_EQ(ratings.size(), 6u);
  EXPECT_EQ((ratings[{6, 2}]), 3.0f);
}

TEST_F(rating_files, are_the_same_from_the_cache_and_mapped_by_others) {
  const std::string path = folder.write("r.tsv", "5\t1\t1\n5\t2\t2\n6\t2\t3\n");
  const sparse_dataset fresh = open_ratings(path), cached = open_ratings(path);
  EXPECT_FALSE(fresh.from_cache());
  ASSERT_TRUE(cached.from_cache());
  const sparse_dataset mapped = sparse_dataset::map(cached.shared_path());
  for (const sparse_dataset* other : {&cached, &mapped})
    EXPECT_TRUE(std::ranges::equal(other->view().original, fresh.view().original));
}

TEST_F(rating_files, do_not_use_the_cache_of_the_same_text_in_another_format) {
  const std::string path = folder.write("r.txt", "5 1 1\n");
  EXPECT_EQ(open_ratings(path).features(), 2u);
  EXPECT_THROW(open_libsvm(path), format_error);
  const std::string libsvm = folder.write("l.txt", "5\n1\n");
  EXPECT_EQ(open_libsvm(libsvm).features(), 0u);
  EXPECT_THROW(open_ratings(libsvm), format_error);
}

TEST_F(rating_files, of_names_keep_them_from_file_to_file) {
  rating_names names;
  const sparse_dataset training = open_ratings(folder.write("a.tsv", "eve\tx\t5\nbob\tx\t4\neve\ty\t3\n"), {}, names);
  EXPECT_EQ(names.users, (std::vector<std::string>{"bob", "eve"}));
  EXPECT_EQ(names.items, (std::vector<std::string>{"x", "y"}));
  const std::vector<std::uint32_t> columns = {user_column(1), user_column(0), item_column(0), item_column(1)};
  EXPECT_TRUE(std::ranges::equal(training.view().original, columns));
  const sparse_dataset test =
      open_ratings(folder.write("b.tsv", "amy\ty\t3\neve\tnew\t3\n"), {.numbering = &training.numbering()}, names);
  EXPECT_EQ(names.users, (std::vector<std::string>{"bob", "eve", "amy"}));
  EXPECT_EQ(test.unknown_entries(), 2u);
  row_cursor cursor(test.view());
  EXPECT_EQ(test.view().original[cursor.row(0).index[0]], item_column(1));
  EXPECT_EQ(test.view().original[cursor.row(1).index[0]], user_column(1));
  EXPECT_FALSE(open_ratings(folder.write("a.tsv", "eve\tx\t5\n"), {}, names).from_cache());
}

TEST_F(rating_files, rows_of_unknown_users_keep_their_item) {
  const sparse_dataset training = open_ratings(folder.write("a.tsv", "1\t1\t5\n2\t1\t4\n1\t2\t3\n"));
  const sparse_dataset test =
      open_ratings(folder.write("b.tsv", "9\t2\t3\n8\t7\t3\n2\t2\t1\n"), {.numbering = &training.numbering()});
  EXPECT_EQ(test.unknown_entries(), 3u);
  row_cursor cursor(test.view());
  ASSERT_EQ(cursor.row(0).size(), 1u);
  EXPECT_EQ(test.view().original[cursor.row(0).index[0]], item_column(2));
  EXPECT_EQ(cursor.row(1).size(), 0u);
  EXPECT_EQ(cursor.row(2).size(), 2u);
}

TEST_F(rating_files, of_far_apart_numbers_are_ordered_by_kind_too) {
  std::string text;
  for (int k = 0; k < 50; ++k)
    text += std::to_string(2000000000 + k % 7) + "," + std::to_string(1000000000 + k % 5) + ",1\n";
  const sparse_dataset data = open_ratings(folder.write("far.csv", text));
  EXPECT_EQ(count_users(data.view().original), 7u);
  EXPECT_EQ(data.features(), 12u);
  EXPECT_EQ(data.original(0), user_column(2000000000));
}

TEST_F(rating_files, in_memory_copies_keep_whose_each_column_is) {
  const sparse_dataset data = open_ratings(folder.write("r.tsv", "5\t1\t1\n5\t2\t2\n6\t2\t3\n"));
  const sparse_dataset copy = sparse_dataset::copy_of(data.view());
  EXPECT_TRUE(std::ranges::equal(copy.view().original, data.view().original));
}

}  // namespace
}  // namespace hogwild
