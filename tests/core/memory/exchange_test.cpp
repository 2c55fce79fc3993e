// SPDX-License-Identifier: Apache-2.0
// Replicas on a param_view send their gains and fetch those of others.
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <hogwild/detail/memory/param_view.hpp>

#include "support/threads.hpp"

using namespace hogwild;

namespace {

template <class View>
using numbers = std::vector<typename View::value_type>;

template <class View>
struct exchange : testing::Test {
  static View view(numbers<View>& shared) { return View(std::span(shared)); }
};

using exchange_views = testing::Types<param_view<float, update::lossy>, param_view<float, update::exact>,
                                      param_view<double, update::lossy>, param_view<double, update::exact>>;
TYPED_TEST_SUITE(exchange, exchange_views);

TYPED_TEST(exchange, sends_the_whole_gain_and_fetches_what_others_did) {
  numbers<TypeParam> shared{10, 20, 30, 40, 50};
  numbers<TypeParam> base{10, 18, 30, 40, 55}, work{11, 21, 30, 44, 55};
  this->view(shared).exchange(0, work, base, 1);
  // The second was seen at 18, where others have added 2 since; the last has no gain, and others took 5 from it.
  EXPECT_EQ(shared, (numbers<TypeParam>{11, 23, 30, 44, 50}));
  EXPECT_EQ(work, shared);
  EXPECT_EQ(base, shared);
}

TYPED_TEST(exchange, sends_half_of_the_gain_where_two_take_the_mean) {
  numbers<TypeParam> shared{10, 20, 30, 40};
  numbers<TypeParam> base{10, 18, 30, 40}, work{11, 21, 30, 44};
  this->view(shared).exchange(0, work, base, typename TypeParam::value_type(0.5));
  EXPECT_EQ(shared, (numbers<TypeParam>{10.5, 21.5, 30, 42}));
  EXPECT_EQ(work, shared);
  EXPECT_EQ(base, shared);
}

TYPED_TEST(exchange, touches_the_run_from_its_offset_on_only) {
  numbers<TypeParam> shared(8, 1), base(3, 0), work{1, 2, 0};
  this->view(shared).exchange(4, work, base, 1);
  EXPECT_EQ(shared, (numbers<TypeParam>{1, 1, 1, 1, 2, 3, 1, 1}));
  EXPECT_EQ(work, (numbers<TypeParam>{2, 3, 1}));
}

TYPED_TEST(exchange, of_a_worker_alone_loses_no_bit) {
  using scalar = typename TypeParam::value_type;
  numbers<TypeParam> base, work;
  std::size_t inexact = 0;
  for (int j = 1; j <= 1000; ++j) {
    base.push_back(scalar(1) / static_cast<scalar>(j));
    work.push_back(scalar(-1) / static_cast<scalar>(3 * j * j + 1));
    inexact += base.back() + (work.back() - base.back()) != work.back();
  }
  ASSERT_GT(inexact, 100u);  // adding the gain would lose bits
  numbers<TypeParam> shared = base;
  const auto trained = work;
  this->view(shared).exchange(0, work, base, 1);
  EXPECT_EQ(shared, trained);
  EXPECT_EQ(work, trained);
  EXPECT_EQ(base, trained);
}

TYPED_TEST(exchange, is_the_same_for_every_length_and_offset) {
  // Wide instructions take several elements at once and leave a rest; so does a run that begins anywhere.
  using scalar = typename TypeParam::value_type;
  for (std::size_t offset = 0; offset < 5; ++offset) {
    for (std::size_t size = 0; size < 20; ++size) {
      for (const scalar gain_weight : {scalar(1), scalar(0.5)}) {
        numbers<TypeParam> shared(32), base(size), work(size);
        for (std::size_t j = 0; j < shared.size(); ++j) shared[j] = scalar(1) / static_cast<scalar>(j + 3);
        for (std::size_t i = 0; i < size; ++i) {
          base[i] = shared[offset + i] + (i % 3 == 0 ? scalar(0.1) : scalar(0));  // others have changed these meanwhile
          work[i] = base[i] + (i % 4 == 1 ? scalar(0) : scalar(1) / static_cast<scalar>(i + 7));
        }
        numbers<TypeParam> expected = shared;
        for (std::size_t i = 0; i < size; ++i) {
          scalar& s = expected[offset + i];
          const scalar gain = work[i] - base[i];
          if (gain != 0) s = gain_weight == 1 && s == base[i] ? work[i] : s + gain_weight * gain;
        }
        this->view(shared).exchange(offset, work, base, gain_weight);
        ASSERT_EQ(shared, expected) << offset << " " << size << " " << gain_weight;
        ASSERT_TRUE(std::equal(work.begin(), work.end(), expected.begin() + static_cast<std::ptrdiff_t>(offset)));
        ASSERT_EQ(base, work);
      }
    }
  }
}

TYPED_TEST(exchange, without_a_gain_writes_nothing) {
  using scalar = typename TypeParam::value_type;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* memory = ::mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  const std::span<scalar> shared(static_cast<scalar*>(memory), 100);
  std::ranges::fill(shared, scalar(3));
  ASSERT_EQ(::mprotect(memory, page, PROT_READ), 0);  // a store would end this test with a signal
  numbers<TypeParam> work(100, 1), base(100, 1);
  TypeParam(shared).exchange(0, work, base, 1);
  EXPECT_EQ(work, numbers<TypeParam>(100, 3));
  EXPECT_EQ(base, work);
  ::munmap(memory, page);
}

TYPED_TEST(exchange, conserves_gains_under_contention_unless_lossy) {
  // Whole numbers below 2^24 are exact in float. Every worker changes every element, so that all meet on all of them.
  constexpr std::size_t workers = 4, exchanges = 3'000, size = 64;
  using scalar = typename TypeParam::value_type;
  for (const scalar gain_weight : {scalar(1), scalar(0.5)}) {
    numbers<TypeParam> shared(size, 0);
    test::run_together(workers, [&](std::size_t worker) {
      numbers<TypeParam> work(size, 0), base(size, 0);
      for (std::size_t i = 0; i < exchanges; ++i) {
        for (scalar& w : work) w += static_cast<scalar>(1 + worker) / gain_weight;
        this->view(shared).exchange(0, work, base, gain_weight);
      }
    });
    constexpr auto total = static_cast<double>(exchanges * (1 + 2 + 3 + 4));
    for (const scalar sum : shared) {
      const auto value = static_cast<double>(sum);
      if (TypeParam::update_type::kind == update_kind::exact) {
        ASSERT_EQ(value, total);
      } else {
        // Each stored value is one that was there before and one gain, so it is whole and counts no gain twice.
        ASSERT_EQ(value, std::floor(value));
        ASSERT_GE(value, 1.0);
        ASSERT_LE(value, total);
      }
    }
  }
}

}  // namespace
