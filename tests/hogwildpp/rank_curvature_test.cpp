// SPDX-License-Identifier: Apache-2.0
// The curvature of the loss along each parameter, as a ring between processes estimates it.
#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/run/curvature.hpp>
#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwild/models/factorization_machine.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/matrix_factorization.hpp>
#include <hogwild/models/softmax.hpp>
#include <hogwild/train.hpp>
#include <hogwildpp/detail/ring_stream.hpp>

#include "rank_curvature.hpp"
#include "support/planned_task.hpp"
#include "support/ranks.hpp"
#include "support/toy_data.hpp"
#include "support/toy_ratings.hpp"

using namespace hogwild;
using detail::rank_curvature;

namespace {

struct known {
  std::vector<float> curvature, holders;
  double elsewhere = 0.0;
};

/// The curvatures known to each of two ranks with half of the rows each. All parameters are `value`, except that
/// factors beyond the model's are 0.
template <class M>
known of_two_ranks(const M& m, const csr_rows& rows, const loop_options& asked, float value) {
  std::vector<known> found(2);
  test::as_sound_ranks(2, [&](const test::rank_place& place) {
    const sparse_view all = rows.view();
    const sparse_view mine = all.slice(all.rows() * place.rank / 2, all.rows() * (place.rank + 1) / 2);
    loop_options options = asked;
    options.isa = choose_isa(isa::automatic);
    options.all_rows = all.rows();
    options.exchange.curvature = 100.0;  // no column is as steep
    test::planned_task work = make_task(m, mine, label_map{}, options);
    const param_store store = param_store::in_memory(work->shape(work.plan, 1, 0, 0));
    for (const parameter_group& g : work->facts().groups)
      for (std::size_t k = 0; k < g.rows * g.width; ++k)
        if (k % g.width < 2) store.parameters<float>()[g.offset + k] = value;
    rank_curvature curvature(*work, options, agreement(&place.ranks));
    const auto steep = curvature.at(store);
    found[place.rank] = {{steep.curvature.begin(), steep.curvature.end()},
                         {steep.holders.begin(), steep.holders.end()},
                         steep.elsewhere};
  });
  EXPECT_EQ(found[0].curvature, found[1].curvature);
  EXPECT_EQ(found[0].holders, found[1].holders);
  return found[0];
}

/// Two users of one rank each, and an item that both rate, twice each: so each user has all rows of its rank.
test::toy_rows ratings() {
  test::toy_rows rows;
  rows.columns = 3;
  for (const std::uint32_t user : {0u, 0u, 1u, 1u}) rows.push({user, 2}, {1.0f, 1.0f}, 4.0f);
  return rows;
}

// All rows of a rank have its user, with two entries of 1: couplings of 2. One rank knows a user, both know the item.
// The factors of the item, and of the users, are (value, value): the factors that a user's are multiplied by have twice
// the square.
TEST(rank_curvature, of_factors_is_that_of_their_columns_times_the_square_of_what_they_are_multiplied_by) {
  const auto toy = ratings();
  const csr_rows rows = toy.csr();
  const matrix_factorization m{.users = 2, .items = 1, .factors = 2, .mean = 3.0f};
  const std::size_t width = m.width(), item = 2 * width, biases = 3 * width;
  for (const float value : {0.0f, 0.05f, 3.0f}) {
    const known found = of_two_ranks(m, rows, {.l2 = 0.0}, value);
    const float of_factors = 2.0f * 2.0f * value * value;
    for (const std::size_t j : {std::size_t{0}, width, item}) EXPECT_FLOAT_EQ(found.curvature[j], of_factors) << j;
    for (const std::size_t j : {biases, biases + 1, biases + 2}) EXPECT_FLOAT_EQ(found.curvature[j], 2.0f) << j;
    EXPECT_EQ(found.holders[0], 1.0f);
    EXPECT_EQ(found.holders[width], 1.0f);
    EXPECT_EQ(found.holders[item], 2.0f);
    EXPECT_EQ(found.holders[biases + 2], 2.0f);
    EXPECT_EQ(found.elsewhere, 0.0);
  }
}

// With l2 per occurrence each row applies the l2 of its own columns, so that a column's curvature counts its part of
// the rows: here all rows of its rank. By degree a column's rows apply the l2 of all rows: twice as much if half of the
// ranks have it.
TEST(rank_curvature, has_the_l2_that_a_column_s_rows_take) {
  const auto toy = ratings();
  const csr_rows rows = toy.csr();
  const matrix_factorization m{.users = 2, .items = 1, .factors = 2, .mean = 3.0f};
  const known occurring = of_two_ranks(m, rows, {.l2 = 0.5, .form = l2_form::per_occurrence}, 0.0f);
  EXPECT_FLOAT_EQ(occurring.curvature[0], 0.5f);
  EXPECT_FLOAT_EQ(occurring.curvature[2 * m.width()], 0.5f);
  const known touched = of_two_ranks(m, rows, {.l2 = 0.5}, 0.0f);
  EXPECT_FLOAT_EQ(touched.curvature[0], 1.0f);
  EXPECT_FLOAT_EQ(touched.curvature[2 * m.width()], 0.5f);
  // Weights that are stored beside their scale all shrink at every row, on ranks without their column, too.
  const known scaled = of_two_ranks(logistic{}, rows, {.l2 = 0.5}, 0.0f);
  EXPECT_EQ(scaled.elsewhere, 0.5);
  EXPECT_GT(scaled.curvature[0], 0.5f);
}

// In a factorization machine's row with columns a and b, a's factors are multiplied by those of b.
TEST(rank_curvature, of_a_machine_s_factors_is_by_the_other_columns_of_the_row) {
  const auto toy = ratings();
  const csr_rows rows = toy.csr();
  const factorization_machine m{.features = 3, .factors = 2};
  const known found = of_two_ranks(m, rows, {.l2 = 0.0}, 0.25f);
  EXPECT_FLOAT_EQ(found.curvature[0], 2.0f * 2.0f * 0.0625f);
  EXPECT_FLOAT_EQ(found.curvature[3 * m.width()], 2.0f);
}

// Scores of classes are linear in their weights, whatever these are.
TEST(rank_curvature, of_weights_does_not_depend_on_them) {
  const auto toy = test::planted_classes({.rows = 100, .columns = 12}, 3);
  const csr_rows rows = toy.csr();
  const softmax m{.features = 12, .classes = 3};
  const known small = of_two_ranks(m, rows, {.l2 = 0.0}, 0.0f), large = of_two_ranks(m, rows, {.l2 = 0.0}, 5.0f);
  EXPECT_EQ(small.curvature, large.curvature);
  EXPECT_GT(*std::ranges::max_element(small.curvature), 0.0f);
}

/// The mean loss if ranks train an epoch each from the same parameters, and keep the part of their gains that the ring
/// keeps: a ring whose token never comes round within an epoch. Nothing in it depends on time.
double loss_of_ranks_that_meet_once_an_epoch(std::size_t ranks, const test::toy_ratings_shape& shape,
                                             std::size_t epochs) {
  const auto toy = test::planted_ratings(shape);
  const csr_rows rows = toy.csr();
  const matrix_factorization m = test::factors_of(shape, 8);
  const loop_options asked{.l2 = 0.01, .form = l2_form::per_occurrence};
  std::vector<double> losses(ranks);
  test::as_sound_ranks(ranks, [&](const test::rank_place& place) {
    const sparse_view all = rows.view();
    const sparse_view mine = all.slice(all.rows() * place.rank / ranks, all.rows() * (place.rank + 1) / ranks);
    loop_options options = asked;
    options.isa = choose_isa(isa::automatic);
    options.all_rows = all.rows();
    options.exchange.curvature = largest_eigenvalue(all);
    test::planned_task work = make_task(m, mine, label_map{}, options);
    const param_store store = param_store::in_memory(work.shape(1));
    work->initialise(store);
    const std::span<float> w = store.parameters<float>();
    rank_curvature curvature(*work, options, agreement(&place.ranks));
    double step = 0.06;
    for (std::size_t e = 1; e <= epochs; ++e, step *= 0.92) {
      const auto steep = curvature.at(store);
      train_options once{
          .epochs = 1, .step = {.initial = step, .kind = schedule_kind::constant}, .l2 = 0.01, .seed = e};
      once.initial = [&](std::span<float> given) { std::ranges::copy(w, given.begin()); };
      std::vector<float> gained = train(m, mine, serial_engine{}, once).parameters;
      const auto kept = kept_gains::of(step, static_cast<double>(mine.rows()), ranks, steep.elsewhere);
      for (std::size_t j = 0; j < w.size(); ++j)
        gained[j] = kept(steep.curvature[j], steep.holders[j]) * (gained[j] - w[j]);
      place.ranks.all_reduce(gained);
      for (std::size_t j = 0; j < w.size(); ++j) w[j] += gained[j];
    }
    const auto threads = thread_team::make(thread_team_kind::std, 1, false);
    losses[place.rank] = work->evaluate(store, 1.0, all, *threads, false).loss;
  });
  EXPECT_THAT(losses, testing::Each(losses[0]));
  return losses[0];
}

// Biases alone leave 1/9 of these ratings (rank_ring_test.cpp), and a single rank is like one worker. Ranks may leave a
// twentieth of what factors can learn: 8 of them leave a fiftieth. With the mean of their gains, half of it and more
// are left.
TEST(rank_curvature, lets_ranks_that_meet_once_an_epoch_learn_factors) {
  const test::toy_ratings_shape shape{.users = 500, .items = 400, .ratings = 20'000};
  const double alone = loss_of_ranks_that_meet_once_an_epoch(1, shape, 24);
  ASSERT_LT(alone, 0.02 / 9.0);
  for (const std::size_t ranks : {2u, 4u, 8u})
    EXPECT_LT(loss_of_ranks_that_meet_once_an_epoch(ranks, shape, 24), alone + 0.05 / 9.0) << ranks << " ranks";
}

}  // namespace
