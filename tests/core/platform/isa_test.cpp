// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/platform/isa.hpp>

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/error.hpp>

#include "support/refusals.hpp"

namespace {

using hogwild::choose_isa;
using hogwild::has_isa;
using hogwild::isa;
using hogwild::name_of;
using testing::AllOf;
using testing::HasSubstr;

TEST(isa, scalar_is_always_there) {
  EXPECT_TRUE(has_isa(isa::scalar));
  EXPECT_EQ(choose_isa(isa::scalar), isa::scalar);
}

TEST(isa, automatic_is_one_that_is_there_and_always_the_same) {
  const isa chosen = choose_isa(isa::automatic);
  EXPECT_NE(chosen, isa::automatic);
  EXPECT_TRUE(has_isa(chosen));
  EXPECT_EQ(choose_isa(isa::automatic), chosen);
}

TEST(isa, wider_ones_come_with_narrower_ones) {
  EXPECT_TRUE(has_isa(isa::avx2) || !has_isa(isa::avx512));
}

TEST(isa, what_is_not_there_is_refused_with_what_is) {
  constexpr isa unknown{99};
  EXPECT_FALSE(has_isa(unknown));
  for (const isa asked : {isa::scalar, isa::avx2, isa::avx512, unknown}) {
    if (has_isa(asked)) {
      EXPECT_EQ(choose_isa(asked), asked);
      continue;
    }
    EXPECT_THAT(hogwild::test::message_of<hogwild::config_error>([&] { choose_isa(asked); }),
                AllOf(HasSubstr(std::string(name_of(asked))), HasSubstr("scalar")));
  }
}

TEST(isa, names) {
  EXPECT_EQ(name_of(isa::automatic), "auto");
  EXPECT_EQ(name_of(isa::scalar), "scalar");
  EXPECT_EQ(name_of(isa::avx2), "avx2");
  EXPECT_EQ(name_of(isa::avx512), "avx512");
}

}  // namespace
