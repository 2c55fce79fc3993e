// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/memory/split_view.hpp>

#include <array>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "support/threads.hpp"

using namespace hogwild;

namespace {

template <class View>
using numbers = std::vector<typename View::value_type>;

using split_views = testing::Types<param_view<float, update::lossy>, param_view<float, update::exact>,
                                   param_view<double, update::lossy>, param_view<double, update::exact>>;

template <class View>
struct split : testing::Test {
  numbers<View> head{1, 2, 3}, whole{10, 20, 30, 40, 50};
  split_view<typename View::value_type, typename View::update_type> view{std::span(head), View(std::span(whole))};
};
TYPED_TEST_SUITE(split, split_views);

TYPED_TEST(split, reads_the_head_from_one_array_and_the_tail_from_the_other) {
  const auto& v = this->view;
  EXPECT_EQ(v.size(), 5u);
  const std::array<int, 5> expected{1, 2, 3, 40, 50};
  for (std::size_t j = 0; j < 5; ++j) {
    EXPECT_EQ(v[j], static_cast<typename TypeParam::value_type>(expected[j])) << j;
    EXPECT_EQ(v.reader().load(j), v[j]);
  }
}

TYPED_TEST(split, runs_lie_on_both_sides_of_the_border_or_on_one) {
  using T = typename TypeParam::value_type;
  const auto& v = this->view;
  for (std::size_t from = 0; from < 5; ++from) {
    for (std::size_t to = from; to <= 5; ++to) {
      std::vector<T> before(to - from), ones(to - from, T(1)), after(to - from);
      v.load_block(from, before);
      for (std::size_t i = 0; i < before.size(); ++i) ASSERT_EQ(before[i], v[from + i]);
      v.add_block(from, ones);
      v.add_scaled_block(from, ones, T(2));
      v.load_block(from, after);
      for (std::size_t i = 0; i < after.size(); ++i) ASSERT_EQ(after[i], before[i] + T(3));
    }
  }
}

TYPED_TEST(split, adds_where_it_reads_and_says_what_was_there) {
  const auto& v = this->view;
  EXPECT_EQ(v.read_add(2, 0.5f), 3.0f);
  EXPECT_EQ(v.read_add(3, 0.5f), 40.0f);
  v.add(0, -1.0f);
  v.add(4, -1.0f);
  v.settle_adds();
  EXPECT_EQ(this->head, (numbers<TypeParam>{0, 2, 3.5}));
  EXPECT_EQ(this->whole,
            (numbers<TypeParam>{10, 20, 30, 40.5, 49}));  // those behind the head are left unchanged by this
}

TYPED_TEST(split, without_a_tail_or_without_a_head_is_one_array) {
  using scalar = typename TypeParam::value_type;
  using split_type = split_view<scalar, typename TypeParam::update_type>;
  const split_type all_head(this->head, TypeParam(std::span(this->whole).first(3)));
  all_head.add(2, 1);
  EXPECT_EQ(this->head[2], scalar(4));
  EXPECT_EQ(this->whole[2], scalar(30));
  const split_type all_tail(std::span<scalar>(), TypeParam(std::span(this->whole)));
  all_tail.add(0, 1);
  EXPECT_EQ(this->whole[0], scalar(11));
}

TYPED_TEST(split, tail_is_shared_and_heads_are_not) {
  constexpr std::size_t workers = 4, adds = 20'000;
  using scalar = typename TypeParam::value_type;
  std::vector<scalar> tail(8);
  std::array<std::vector<scalar>, workers> heads;
  test::run_together(workers, [&](std::size_t worker) {
    heads[worker].assign(4, 0);
    const split_view<scalar, typename TypeParam::update_type> v(heads[worker], TypeParam(std::span(tail)));
    for (std::size_t i = 0; i < adds; ++i) v.add(3, 1), v.add(4, 1);
  });
  for (const auto& mine : heads) EXPECT_EQ(mine[3], static_cast<scalar>(adds));
  EXPECT_EQ(tail[3], scalar(0));
  if (TypeParam::update_type::kind == update_kind::exact) {
    EXPECT_EQ(tail[4], static_cast<scalar>(workers * adds));
  } else {
    EXPECT_GE(tail[4], scalar(1));
    EXPECT_LE(tail[4], static_cast<scalar>(workers * adds));
  }
}

}  // namespace
