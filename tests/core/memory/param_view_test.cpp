// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/memory/param_view.hpp>

#include <array>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "support/threads.hpp"

using namespace hogwild;

namespace {

constexpr stripe_locks::tag first_worker = 1;

bool everybody_lives(const void*, stripe_locks::tag) noexcept {
  return true;
}

/// Views of one array for several workers under one update policy.
template <class View>
class param_view_of : public testing::Test {
 public:
  using scalar = typename View::value_type;

  View view(std::size_t worker = 0) {
    using update = typename View::update_type;
    if constexpr (update::kind == update_kind::locked) {
      const auto tag = first_worker + static_cast<stripe_locks::tag>(worker);
      return View(std::span(values_), update{stripe_locks(stripes_, tag, everybody_lives, nullptr)});
    } else {
      return View(std::span(values_));
    }
  }

 protected:
  alignas(64) std::array<scalar, 40> values_{};
  std::array<std::uint32_t, 4> stripes_{};
};

using every_view = testing::Types<param_view<float, update::lossy>, param_view<float, update::exact>,
                                  param_view<float, update::locked>, param_view<double, update::lossy>,
                                  param_view<double, update::exact>, param_view<double, update::locked>>;
TYPED_TEST_SUITE(param_view_of, every_view);

TYPED_TEST(param_view_of, adds_exactly_when_alone) {
  const auto w = this->view();
  w.store(3, 1.5f);
  w.add(3, 0.25f);
  EXPECT_EQ(w.load(3), 1.75f);
  EXPECT_EQ(w.read_add(3, -2.0f), 1.75f);
  EXPECT_EQ(w.load(3), -0.25f);
  for (std::size_t j = 0; j < w.size(); ++j) {
    if (j != 3) {
      EXPECT_EQ(w.load(j), 0.0f) << j;
    }
  }
}

TYPED_TEST(param_view_of, adds_multiples_of_blocks_of_any_length) {
  using number = typename TypeParam::value_type;
  const TypeParam w = this->view();
  std::vector<number> run(30), copy(30);
  for (std::size_t i = 0; i < run.size(); ++i) run[i] = static_cast<number>(i);
  for (const std::size_t n : {0u, 1u, 3u, 4u, 15u, 16u, 17u, 29u, 30u}) {
    for (std::size_t j = 0; j < w.size(); ++j) w.store(j, number(1));
    w.add_scaled_block(5, std::span(std::as_const(run)).first(n), number(-2));
    for (std::size_t j = 0; j < w.size(); ++j) {
      const bool inside = j >= 5 && j < 5 + n;
      ASSERT_EQ(w.load(j), inside ? number(1) - number(2) * static_cast<number>(j - 5) : number(1)) << n << " " << j;
    }
    w.reader().block(5, n).copy_to(std::span(copy).first(n));
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(copy[i], w.load(5 + i));
  }
}

TYPED_TEST(param_view_of, adds_and_copies_blocks) {
  using number = typename TypeParam::value_type;
  const auto w = this->view();
  const std::array<number, 3> delta{1, 2, 3};
  w.add_block(15, delta);
  w.add_block(16, delta);
  std::array<number, 6> out{};
  w.load_block(14, out);
  EXPECT_EQ(out, (std::array<number, 6>{0, 1, 3, 5, 3, 0}));
  const auto run = w.reader().block(15, 2);
  EXPECT_EQ(run.size(), 2u);
  EXPECT_EQ(run[1], number(3));
  w.store_block(13, std::span<const number>(out).first(5));
  w.load_block(12, out);
  EXPECT_EQ(out, (std::array<number, 6>{0, 0, 1, 3, 5, 3}));
}

TYPED_TEST(param_view_of, is_a_small_value_whose_reader_sees_every_store) {
  static_assert(std::is_trivially_copyable_v<TypeParam>);
  const auto w = this->view();
  const auto reader = w.reader();
  EXPECT_EQ(reader.size(), w.size());
  const auto copy = w;
  copy.store(7, 9.0f);
  EXPECT_EQ(reader[7], 9.0f);
}

TYPED_TEST(param_view_of, loses_no_add_under_contention_unless_lossy) {
  constexpr std::size_t workers = 4, adds = 20'000;  // sums of ones below 2^24 are exact in float
  test::run_together(workers, [&](std::size_t worker) {
    const auto w = this->view(worker);
    for (std::size_t i = 0; i < adds; ++i) {
      w.add(0, 1.0f);
      w.add(1, -1.0f);
    }
  });
  const auto sum = static_cast<double>(this->view().load(0)), other = static_cast<double>(this->view().load(1));
  if (TypeParam::update_type::kind == update_kind::lossy) {
    // Each value is one that some worker stored after adding to another such value: whole, and never past the total.
    EXPECT_EQ(sum, static_cast<double>(static_cast<long>(sum)));
    EXPECT_GE(sum, 1.0);
    EXPECT_LE(sum, static_cast<double>(workers * adds));
  } else {
    EXPECT_EQ(sum, static_cast<double>(workers * adds));
    EXPECT_EQ(other, -sum);
  }
}

TYPED_TEST(param_view_of, keeps_workers_on_different_coordinates_apart) {
  constexpr std::size_t workers = 4, adds = 5'000;
  test::run_together(workers, [&](std::size_t worker) {
    const auto w = this->view(worker);
    for (std::size_t i = 0; i < adds; ++i) w.add(worker, 1.0f);
  });
  // Neighbours share a cache line and a stripe, and still nothing is lost: nobody else adds to the same element.
  for (std::size_t j = 0; j < workers; ++j) EXPECT_EQ(this->view().load(j), static_cast<float>(adds)) << j;
}

}  // namespace
