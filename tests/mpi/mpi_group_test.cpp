// SPDX-License-Identifier: Apache-2.0
// Every rank runs this program, all tests in the same order.
#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/error.hpp>
#include <hogwild/mpi/collective.hpp>

#include "messages.hpp"
#include "support/collective_checks.hpp"

using namespace hogwild;
using ::testing::AllOf;
using ::testing::HasSubstr;

namespace {

mpi_session* session = nullptr;

struct mpi_group : testing::TestWithParam<test::collective_check> {};

TEST_P(mpi_group, conforms) {
  const auto member = join_mpi_group(*session);
  EXPECT_EQ(member->size(), session->size());
  EXPECT_EQ(member->rank(), session->rank());
  EXPECT_EQ(GetParam().run(*member), "");
}

INSTANTIATE_TEST_SUITE_P(checks, mpi_group, testing::ValuesIn(test::collective_checks),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(mpi_group, passes_long_arrays_in_pieces) {
  const auto member = join_mpi_group(*session);
  constexpr std::size_t n = (std::size_t{1} << 22) + 1000;
  std::vector<float> x = test::integers_of<float>(member->rank(), n);
  member->all_reduce(x);
  for (const std::size_t i : {std::size_t{0}, n - 1001, n - 1000, n - 1}) {
    float exact = 0.0f;
    for (std::size_t r = 0; r < member->size(); ++r) exact += test::integers_of<float>(r, n)[i];
    EXPECT_EQ(x[i], exact);
  }
  const std::size_t root = member->size() - 1;
  x = test::integers_of<float>(member->rank(), n);
  member->broadcast(x, root);
  EXPECT_TRUE(test::same_bits<float>(x, test::integers_of<float>(root, n)));
}

TEST(mpi_group, several_groups_do_not_disturb_each_other) {
  auto one = join_mpi_group(*session);
  const auto other = join_mpi_group(*session);
  const auto size = static_cast<float>(session->size());
  for (int k = 0; k < 40; ++k) {
    std::vector<float> a(100, 1.0f), b(100, 2.0f);
    if (k < 20) one->all_reduce(a);
    if (k == 20) one.reset();
    other->all_reduce(b);
    EXPECT_EQ(a[99], k < 20 ? size : 1.0f);
    EXPECT_EQ(b[99], 2.0f * size);
  }
}

// A message that never ends must not access memory that its caller has given up.
TEST(messages, pass_through_memory_of_their_own) {
  detail::messages direct(session->internals(), {});
  const auto meeting = join_mpi_group(*session);
  constexpr double nothing = -1.0;
  for (const std::size_t n : {std::size_t{10}, std::size_t{200'000}}) {
    std::vector<double> mine(n, static_cast<double>(direct.rank())), all(n * direct.size(), nothing);
    direct.begin("a test", 1);
    for (std::size_t r = 0; r < direct.size(); ++r) {
      if (r == direct.rank()) continue;
      direct.receive(&all[n * r], n, r);
      direct.send(mine.data(), n, r);
    }
    std::ranges::fill(mine, nothing);
    for (int k = 0; k < 100; ++k) meeting->barrier();  // lets the messages progress
    EXPECT_EQ(std::ranges::count(all, nothing), static_cast<std::ptrdiff_t>(all.size()));
    direct.finish();
    for (std::size_t r = 0; r < direct.size(); ++r)
      EXPECT_EQ(all[n * r + n - 1], r == direct.rank() ? nothing : static_cast<double>(r));
  }
}

TEST(mpi_group, refuses_what_does_not_exist) {
  const auto member = join_mpi_group(*session);
  std::vector<float> x(4);
  EXPECT_THROW(member->broadcast(x, member->size()), config_error);
  EXPECT_THROW(member->reduce(x, member->size()), config_error);
  EXPECT_THROW(member->gather(x, x, member->size()), config_error);
}

TEST(mpi_session, says_what_it_is) {
  EXPECT_LT(session->rank(), session->size());
  EXPECT_EQ(session->size_on_machine(), session->size());
  EXPECT_EQ(session->rank_on_machine(), session->rank());
  EXPECT_EQ(session->size() == 1 || session->launched(), true);
  EXPECT_THAT(session->describe(), AllOf(HasSubstr("MPI"), HasSubstr("rank " + std::to_string(session->rank()) +
                                                                     " of " + std::to_string(session->size()))));
}

TEST(mpi_session, a_second_one_uses_the_first_one_s_mpi) {
  { const mpi_session second; }
  const auto member = join_mpi_group(*session);
  EXPECT_NO_THROW(member->barrier());
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  mpi_session ours;
  session = &ours;
  return RUN_ALL_TESTS();
}
