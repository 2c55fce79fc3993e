// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/models/warm_start.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/error.hpp>
#include <hogwild/formats/libffm.hpp>
#include <hogwild/formats/ratings.hpp>
#include <hogwild/registry.hpp>

namespace hogwild {
namespace {

using ::testing::HasSubstr;

std::string refusal(const auto& call) {
  try {
    call();
  } catch (const config_error& e) {
    return e.what();
  }
  return "nothing was refused";
}

const label_map of_two(label_kind::binary, {-1, 1});

/// Columns 2, 5 and 9 with the weights 20, 50 and 90; bias 1.
saved_model linear() {
  return {.model = "logistic", .labels = of_two, .columns = {2, 5, 9}, .weights = {20, 50, 90}, .bias = {1}};
}

TEST(warm_start, linear_models_take_the_weights_of_columns_that_both_have) {
  std::vector<float> parameters(4, -1.0f);
  const std::vector<std::uint32_t> original = {9, 7, 2};
  EXPECT_EQ(warm_start(linear(), logistic{}, original, {}, parameters), 3u);
  EXPECT_EQ(parameters, (std::vector<float>{90, -1, 20, 1}));
}

TEST(warm_start, another_linear_model_may_begin_there) {
  std::vector<float> parameters(2);
  const std::vector<std::uint32_t> original = {5, 2};
  EXPECT_EQ(warm_start(linear(), hinge_svm{}, original, {}, parameters), 2u);  // without a bias of its own
  EXPECT_EQ(parameters, (std::vector<float>{50, 20}));
}

TEST(warm_start, takes_the_named_groups_alone) {
  std::vector<float> parameters(3);
  const std::vector<std::uint32_t> original = {5, 2};
  const std::vector<std::string> bias = {"bias"}, unknown = {"layers"};
  EXPECT_EQ(warm_start(linear(), logistic{}, original, bias, parameters), 1u);
  EXPECT_EQ(parameters, (std::vector<float>{0, 0, 1}));
  EXPECT_THAT(refusal([&] { warm_start(linear(), logistic{}, original, unknown, parameters); }),
              HasSubstr("no group 'layers' to begin with; it has weights, bias"));
}

TEST(warm_start, a_group_that_the_saved_model_lacks_is_refused) {
  saved_model unbiased = linear();
  unbiased.bias.clear();
  std::vector<float> parameters(3);
  const std::vector<std::uint32_t> original = {5, 2};
  EXPECT_THAT(refusal([&] { warm_start(unbiased, logistic{}, original, {}, parameters); }),
              HasSubstr("the saved logistic model has no group 'bias'; it has weights"));
}

TEST(warm_start, groups_of_another_size_are_refused) {
  const softmax three{.features = 1, .classes = 3};
  std::vector<float> parameters(three.dim());
  const std::vector<std::uint32_t> original = {5};
  EXPECT_THAT(refusal([&] { warm_start(linear(), three, original, {}, parameters); }),
              HasSubstr("'weights' has 1 x 3 parameters, that of the saved logistic model 3 x 1"));
}

TEST(warm_start, factors_follow_users_and_items) {
  const matrix_factorization m{.users = 2, .items = 2, .factors = 2, .bias = true, .mean = 3.0f};
  const std::vector<std::uint32_t> original = {user_column(7), user_column(4), item_column(1), item_column(8)};
  std::vector<float> learned(m.dim());
  std::iota(learned.begin(), learned.end(), 1.0f);
  for (std::size_t r = 0; r < 4; ++r)  // padding is never saved
    std::fill_n(learned.begin() + static_cast<std::ptrdiff_t>(r * m.width() + m.factors), m.width() - m.factors, 0.0f);
  const saved_model saved = to_saved(m, learned, label_map(label_kind::real, {}), original);

  std::vector<float> same(m.dim());
  EXPECT_EQ(warm_start(saved, m, original, {}, same), m.dim());
  EXPECT_EQ(same, learned);

  // User 4 is known, 9 is not; item 8 stands first now.
  const std::vector<std::uint32_t> others = {user_column(9), user_column(4), item_column(8), item_column(2)};
  std::vector<float> mixed(m.dim(), -1.0f);
  EXPECT_EQ(warm_start(saved, m, others, {}, mixed), 2 * (m.width() + 1));
  const auto row = [&](const std::vector<float>& w, std::size_t r) {
    return std::vector<float>(w.begin() + static_cast<std::ptrdiff_t>(r * m.width()),
                              w.begin() + static_cast<std::ptrdiff_t>((r + 1) * m.width()));
  };
  EXPECT_EQ(row(mixed, 0), std::vector<float>(m.width(), -1.0f));
  EXPECT_EQ(row(mixed, 1), row(learned, 1));
  EXPECT_EQ(row(mixed, 2), row(learned, 3));
  EXPECT_EQ(mixed[4 * m.width() + 1], learned[4 * m.width() + 1]);
  EXPECT_EQ(mixed[4 * m.width() + 2], learned[4 * m.width() + 3]);
}

TEST(warm_start, of_factors_for_fields_those_that_both_know_are_taken) {
  const std::vector<std::uint32_t> columns = {field_column(0, 1), field_column(1, 1)};
  const ffm two{.features = 2, .fields = 2, .factors = 3}, three{.features = 2, .fields = 3, .factors = 3};
  const auto counted = [](const ffm& m) {
    std::vector<float> learned(m.dim());
    std::iota(learned.begin(), learned.end(), 1.0f);
    for (std::size_t j = 3; j < m.features * m.width(); j += 4) learned[j] = 0.0f;  // padding
    return learned;
  };
  std::vector<float> wider(three.dim(), -1.0f);
  EXPECT_EQ(warm_start(to_saved(two, counted(two), of_two, columns), three, columns, {}, wider), two.dim());
  EXPECT_EQ(wider, (std::vector<float>{1,  2, 3,  0,  5,  6, 7,  0,  -1, -1, -1, -1, 9, 10,
                                       11, 0, 13, 14, 15, 0, -1, -1, -1, -1, 17, 18, 19}));
  std::vector<float> narrower(two.dim());
  EXPECT_EQ(warm_start(to_saved(three, counted(three), of_two, columns), two, columns, {}, narrower), two.dim());
  EXPECT_EQ(narrower, (std::vector<float>{1, 2, 3, 0, 5, 6, 7, 0, 13, 14, 15, 0, 17, 18, 19, 0, 25, 26, 27}));
}

TEST(warm_start, factors_of_another_number_or_kind_are_refused) {
  const std::vector<std::uint32_t> columns = {field_column(0, 1), field_column(1, 1)};
  const factorization_machine six{.features = 2, .factors = 6}, eight{.features = 2, .factors = 8};
  ASSERT_EQ(six.dim(), eight.dim()) << "by padding";
  const saved_model saved = to_saved(six, std::vector<float>(six.dim()), of_two, columns);
  std::vector<float> parameters(eight.dim());
  EXPECT_THAT(refusal([&] { warm_start(saved, eight, columns, {}, parameters); }),
              HasSubstr("'factors' has rows of 8 factors, that of the saved model of 6"));
  const std::vector<std::string> weights = {"weights"}, factors = {"factors"};
  EXPECT_EQ(warm_start(saved, eight, columns, weights, parameters), 2u);

  const ffm fields{.features = 2, .fields = 2, .factors = 4};
  ASSERT_EQ(fields.width(), eight.width());
  std::vector<float> of_fields(fields.dim());
  EXPECT_THAT(refusal([&] { warm_start(saved, fields, columns, factors, of_fields); }),
              HasSubstr("'factors' are for each field in one of the models, and not in the other"));
}

TEST(warm_start, words_take_the_vectors_of_words_that_both_have) {
  const vocabulary words({{"the", 9}, {"cat", 5}, {"sat", 3}});
  const skip_gram m{{{{.words = 3, .dimension = 2}}}};
  std::vector<float> parameters(m.dim(), -1.0f);
  const word_vectors saved{.dimension = 2, .words = {"sat", "dog"}, .values = {1, 2, 3, 4}};
  EXPECT_EQ(warm_start(saved, m, words, parameters), 2u);
  EXPECT_EQ(parameters[m.input_of(2)], 1.0f);
  EXPECT_EQ(parameters[m.input_of(2) + 1], 2.0f);
  EXPECT_EQ(std::ranges::count(parameters, -1.0f), static_cast<std::ptrdiff_t>(m.dim()) - 2);
  const word_vectors longer{.dimension = 3, .words = {"sat"}, .values = {1, 2, 3}};
  EXPECT_THAT(refusal([&] { warm_start(longer, m, words, parameters); }), HasSubstr("have 3 dimensions, not 2"));
  EXPECT_THAT(refusal([&] { warm_start(saved, logistic{}, words, parameters); }), HasSubstr("no word vectors"));
}

// A written vector has a half of length 1 for each order, and a run that begins with it has these halves.
TEST(warm_start, vectors_of_both_orders_are_joined) {
  const vocabulary nodes({{"a", 9}, {"b", 5}});
  line_vectors m;
  m.words = 2, m.dimension = 4;
  std::vector<float> parameters(m.dim());
  const auto place = [&](std::size_t begin, std::size_t node) { return begin + node * m.width(); };
  parameters[place(0, 0)] = 3.0f, parameters[place(0, 0) + 1] = -4.0f;
  parameters[place(m.second_order(), 0) + 1] = 2.0f;
  const word_vectors written = vectors_of(m, parameters, nodes);
  EXPECT_EQ(written.dimension, 4u);
  EXPECT_EQ(written.values, (std::vector<float>{0.6f, -0.8f, 0.0f, 1.0f, 0.0f, 0.0f, 0.0f, 0.0f}));
  std::vector<float> begun(m.dim(), -1.0f);
  const word_vectors saved{.dimension = 4, .words = {"b"}, .values = {1, 2, 3, 4}};
  EXPECT_EQ(warm_start(saved, m, nodes, begun), 4u);
  EXPECT_EQ(begun[place(0, 1)], 1.0f);
  EXPECT_EQ(begun[place(0, 1) + 1], 2.0f);
  EXPECT_EQ(begun[place(m.second_order(), 1)], 3.0f);
  EXPECT_EQ(begun[place(m.second_order(), 1) + 1], 4.0f);
  EXPECT_EQ(std::ranges::count(begun, -1.0f), static_cast<std::ptrdiff_t>(m.dim()) - 4);

  m.first = false;
  std::vector<float> of_second(m.dim());
  of_second[0] = 3.0f;
  EXPECT_EQ(vectors_of(m, of_second, nodes).values[0], 3.0f) << "vectors of one order keep their length";
}

}  // namespace
}  // namespace hogwild
