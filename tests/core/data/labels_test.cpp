// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/data/labels.hpp>

#include <limits>
#include <numeric>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/data/label_column.hpp>
#include <hogwild/error.hpp>

#include "support/sanitizers.hpp"

#include "support/refusals.hpp"

namespace {

using hogwild::input_error;
using hogwild::label_kind;
using hogwild::label_map;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

label_map learn(label_kind kind, std::vector<double> labels) {
  return label_map::learn(kind, labels, "a.svm");
}

constexpr auto refusal_of_labels = [](const auto& call) { return hogwild::test::message_of<input_error>(call); };

TEST(labels, binary_trains_the_larger_of_any_two_values_as_plus_one) {
  for (const auto& [low, high] : {std::pair{0.0, 1.0}, {1.0, 2.0}, {-1.0, 1.0}, {-3.5, -2.5}}) {
    const label_map map = learn(label_kind::binary, {high, low, low, high});
    EXPECT_EQ(map.encode(low), -1.0f);
    EXPECT_EQ(map.encode(high), 1.0f);
    EXPECT_EQ(map.decode(0.25), high);
    EXPECT_EQ(map.decode(-0.25), low);
    EXPECT_EQ(map.decode(0.0), low);
  }
}

TEST(labels, binary_refuses_other_than_two_values_and_says_what_it_found) {
  const std::string three = refusal_of_labels([] { learn(label_kind::binary, {2, 0, 1, 2}); });
  EXPECT_THAT(three, HasSubstr("a.svm: "));
  EXPECT_THAT(three, HasSubstr("3 values: 0 (1 row), 1 (1 row), 2 (2 rows)"));
  EXPECT_THAT(three, HasSubstr("softmax"));
  EXPECT_THAT(refusal_of_labels([] { learn(label_kind::binary, {7, 7}); }), HasSubstr("1 value: 7 (2 rows)"));
}

TEST(labels, binary_counts_both_zeros_as_one_label) {
  const label_map map = learn(label_kind::binary, {-0.0, 0.0, 1.0});
  EXPECT_EQ(map.encode(-0.0), -1.0f);
  EXPECT_EQ(map.encode(0.0), -1.0f);
}

TEST(labels, classes_are_numbered_in_ascending_order) {
  const label_map map = learn(label_kind::classes, {30, -1, 4.5, 30, -1});
  EXPECT_THAT(map.values(), ElementsAre(-1, 4.5, 30));
  EXPECT_EQ(map.classes(), 3u);
  EXPECT_EQ(map.encode(-1), 0.0f);
  EXPECT_EQ(map.encode(4.5), 1.0f);
  EXPECT_EQ(map.encode(30), 2.0f);
  EXPECT_EQ(map.decode(2), 30);
  EXPECT_THROW(map.decode(3), hogwild::config_error);
  EXPECT_THROW(map.decode(-1), hogwild::config_error);
  EXPECT_THROW(map.decode(std::numeric_limits<double>::quiet_NaN()), hogwild::config_error);
}

TEST(labels, classes_end_at_1048576_and_broken_ones_at_65536) {
  std::vector<double> labels(1'048'576);
  std::iota(labels.begin(), labels.end(), 0.0);
  EXPECT_EQ(learn(label_kind::classes, labels).classes(), 1'048'576u);
  labels.push_back(-1);
  EXPECT_THAT(refusal_of_labels([&] { learn(label_kind::classes, labels); }),
              HasSubstr("more than 1048576 different values"));
  std::vector<double> broken(65'536);
  std::iota(broken.begin(), broken.end(), 0.5);
  EXPECT_EQ(learn(label_kind::classes, broken).classes(), 65'536u);
  broken.push_back(-0.5);
  EXPECT_THAT(refusal_of_labels([&] { learn(label_kind::classes, broken); }),
              HasSubstr("more than 65536 different values"));
  EXPECT_THAT(refusal_of_labels([] { learn(label_kind::classes, {5}); }), HasSubstr("nothing to tell apart"));
}

TEST(labels, real_keeps_the_number) {
  const label_map map = learn(label_kind::real, {0.5, -2, 100});
  EXPECT_EQ(map.classes(), 0u);
  EXPECT_EQ(map.encode(0.5), 0.5f);
  EXPECT_EQ(map.decode(-7.25), -7.25);
}

TEST(labels, refuses_what_is_no_number_and_no_rows) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const label_kind kind : {label_kind::real, label_kind::binary, label_kind::classes}) {
    EXPECT_THAT(refusal_of_labels([&] { learn(kind, {0, nan}); }), HasSubstr("row 2"));
    EXPECT_THAT(refusal_of_labels([&] { learn(kind, {}); }), HasSubstr("no rows"));
  }
}

TEST(labels, a_label_that_training_never_had_is_named_with_its_row) {
  const label_map map = learn(label_kind::classes, {1, 2, 3});
  EXPECT_NO_THROW(map.require_known(std::vector<double>{3, 1, 2}, "test.svm"));
  const std::string message = refusal_of_labels([&] { map.require_known(std::vector<double>{3, 1.5, 9}, "test.svm"); });
  EXPECT_THAT(message, HasSubstr("test.svm: row 2 has the label 1.5"));
  EXPECT_THAT(message, HasSubstr("it had 1, 2, 3"));
  EXPECT_NO_THROW(label_map().require_known(std::vector<double>{17, -3}, "test.svm"));
}

TEST(labels, that_were_declared_are_named_with_the_row_of_the_input) {
  const label_map map = learn(label_kind::classes, {1, 2});
  const std::vector<std::uint32_t> ids{2, 0, 1};
  const std::vector<double> labels{1, 5, 2};
  EXPECT_EQ(refusal_of_labels([&] { map.require_known(labels, "a.svm", ids, true); }),
            "a.svm: row 1 has the label 5, which is none of the labels to train: 1, 2");
}

TEST(labels, that_are_rounded_are_no_classes) {
  const std::vector<double> labels{0.5, 1.5};
  const hogwild::label_column column =
      hogwild::label_column(std::span<const double>(labels)).with_rounded("0.50000000000000000001");
  for (const label_kind kind : {label_kind::binary, label_kind::classes}) {
    EXPECT_THAT(refusal_of_labels([&] { label_map::learn(kind, column, "a.svm"); }),
                HasSubstr("a.svm: the label '0.50000000000000000001' is a class, and double precision cannot tell"));
    EXPECT_THAT(refusal_of_labels([&] {
                  label_map(kind, {0.5, 1.5}).require_known(column.subspan(1, 1), "b.svm");
                }),
                HasSubstr("number the classes anew"));
  }
  EXPECT_NO_THROW(label_map::learn(label_kind::real, column, "a.svm"));
}

label_map learn_lists(label_kind kind, const std::vector<std::uint32_t>& start, const std::vector<double>& labels) {
  return label_map::learn(kind, hogwild::label_lists(start, labels).column(), "a.svm");
}

TEST(labels, of_lists_are_classes) {
  const hogwild::label_lists lists(std::vector<std::uint32_t>{0, 2, 3, 6}, std::vector<double>{17, 3, 5, 3, -2, 17});
  const label_map map = label_map::learn(label_kind::classes, lists.column(), "a.svm");
  EXPECT_THAT(map.values(), ElementsAre(-2, 3, 5, 17));
  std::vector<std::uint32_t> room;
  EXPECT_THAT(map.encode_list(lists.column(), 0, room), ElementsAre(1, 3));
  EXPECT_THAT(map.encode_list(lists.column(), 1, room), ElementsAre(2));
  EXPECT_THAT(map.encode_list(lists.column(), 2, room), ElementsAre(0, 1, 3));
  // Some of the rows: only their labels are learned.
  const label_map part = label_map::learn(label_kind::classes, lists.column().subspan(0, 2), "a.svm");
  EXPECT_THAT(part.values(), ElementsAre(3, 5, 17));
  EXPECT_NO_THROW(part.require_known(lists.column().subspan(0, 2), "b.svm"));
  EXPECT_THAT(refusal_of_labels([&] { part.require_known(lists.column(), "b.svm"); }),
              HasSubstr("b.svm: row 3 has the label -2, which the training data never had"));
}

TEST(labels, of_lists_are_refused_where_one_is_needed) {
  for (const label_kind kind : {label_kind::real, label_kind::binary})
    EXPECT_THAT(refusal_of_labels([&] {
                  learn_lists(kind, {0, 2}, {0, 1});
                }),
                HasSubstr("a.svm: its rows have lists of labels, and this model takes one label a row; softmax"));
  const hogwild::label_lists lists(std::vector<std::uint32_t>{0, 2}, std::vector<double>{-1, 1});
  EXPECT_THAT(refusal_of_labels([&] {
                label_map(label_kind::binary, {-1, 1}).require_known(lists.column(), "b.svm");
              }),
              HasSubstr("b.svm: its rows have lists"));
  EXPECT_THAT(refusal_of_labels([] { learn_lists(label_kind::classes, {0, 1, 2}, {7, 7}); }), HasSubstr("1 value: 7"));
}

TEST(labels, of_lists_beyond_the_most_classes_are_counted) {
  if (hogwild::test::sanitized) GTEST_SKIP() << "a million labels do what a few do";
  const auto learn_so_many = [](std::uint32_t n) {
    std::vector<double> labels(n);
    std::iota(labels.begin(), labels.end(), 0.0);
    return learn_lists(label_kind::classes, {0, n}, labels);
  };
  EXPECT_EQ(learn_so_many(1'048'576).classes(), 1'048'576u);
  const std::string message = refusal_of_labels([&] { learn_so_many(1'048'577); });
  EXPECT_THAT(message, HasSubstr("have 1048577 different labels, but a model takes at most 1,048,576"));
  EXPECT_THAT(message, HasSubstr("leave out the rarest"));
}

TEST(labels, a_map_from_a_file_is_checked) {
  EXPECT_NO_THROW(label_map(label_kind::binary, {-1, 1}));
  EXPECT_THROW(label_map(label_kind::binary, {1, -1}), input_error);
  EXPECT_THROW(label_map(label_kind::binary, {1, 1}), input_error);
  EXPECT_THROW(label_map(label_kind::binary, {0, 1, 2}), input_error);
  EXPECT_THROW(label_map(label_kind::classes, {0}), input_error);
  EXPECT_THROW(label_map(label_kind::real, {0}), input_error);
  EXPECT_THROW(label_map(label_kind::binary, {0, std::numeric_limits<double>::infinity()}), input_error);
}

}  // namespace
