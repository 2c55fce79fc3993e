// SPDX-License-Identifier: Apache-2.0
// A model that reads or emits outside its parameters is reported by name, row and coordinate before training.
#include <hogwild/detail/task/tried_access.hpp>

#include <array>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/general_model.hpp>
#include <hogwild/hogwild.hpp>

#include "support/refusal.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;
using testing::AllOf;
using testing::HasSubstr;

namespace {

constexpr std::size_t features = 20;

/// Squares whose emit goes wrong in rows with a strange label.
struct stray_emit {
  using scalar_type = float;
  using example_type = sparse_row<float>;
  static constexpr std::string_view name = "stray_emit";
  static constexpr float strange = 777.0f;
  std::size_t where = 0;  ///< where it emits to in strange rows
  bool in_a_run = false, reads = false;

  std::size_t dim() const { return features; }
  double loss(const auto& w, const example_type& z) const {
    const double r = static_cast<double>(dot(w, z) - z.label);
    return 0.5 * r * r;
  }
  void gradient(const auto& w, const example_type& z, const auto& emit) const {
    const float g = dot(w, z) - z.label;
    if (z.label == strange) {
      if (reads) return emit(0, w[where]);
      if (in_a_run) return emit.block(where, std::array{g, g, g, g});
      return emit(where, g);
    }
    for (const auto [j, x] : z) emit(j, g * x);
  }
};
static_assert(conforms<stray_emit>());

/// The same with a workspace of one row.
struct stray_block {
  using scalar_type = float;
  struct workspace {
    float label = 0.0f;
  };
  static constexpr std::string_view name = "stray_block";
  std::size_t where = 0;

  std::size_t dim() const { return features; }
  workspace make_workspace(const sparse_view&, isa, std::size_t) const { return {}; }
  void take(workspace& s, std::size_t, const sparse_row<float>& z, counter_random) const { s.label = z.label; }
  void gradient(const auto&, workspace& s, std::size_t, const auto& emit) const {
    const std::array<float, 4> partials{};
    emit.block(s.label == stray_emit::strange ? where : 0, std::span<const float>(partials));
  }
  void score(const auto&, workspace&, std::size_t, std::span<row_score> scores) const {
    for (row_score& v : scores) v = {};
  }
};
static_assert(conforms<stray_block>());

test::toy_rows rows_with_a_strange_one(std::size_t row) {
  test::toy_rows toy = test::planted_regression({.rows = 300, .columns = features});
  toy.label[row] = stray_emit::strange;
  return toy;
}

template <class M, class Engine>
std::string refusal(const M& m, const test::toy_rows& toy, const Engine& engine, train_options options = {}) {
  options.epochs = 1;
  return test::refusal_of([&] { train(m, toy.csr(), engine, options); });
}

const train_options given{.step = {.initial = 0.01}};
const auto one_behind = AllOf(HasSubstr("the model stray_emit emits parameter 20 for row 3"), HasSubstr("has 20"));

TEST(first_rows, are_tried_by_every_engine) {
  const auto toy = rows_with_a_strange_one(2);
  const stray_emit m{.where = features};
  const thread_engine two{.workers = 2, .team = thread_team_kind::std, .pin = false};
  EXPECT_THAT(refusal(m, toy, serial_engine{}, given), one_behind);
  EXPECT_THAT(refusal(m, toy, two, given), one_behind);
  train_options options = given;
  for (const sharing_kind sharing : {sharing_kind::direct, sharing_kind::buffered}) {
    options.sharing = sharing;
    EXPECT_THAT(refusal(m, toy, two, options), one_behind);
  }
  options = given;
  options.reproducible = true;
  EXPECT_THAT(refusal(m, toy, two, options), one_behind);
  for (const sync_rule rule : {sync_rule::gradients, sync_rule::average})
    EXPECT_THAT(refusal(m, toy, sync_engine{.workers = 2, .rule = rule, .pin = false}, given), one_behind);
  EXPECT_THAT(refusal(m, toy, serial_engine{}), one_behind) << "when a step is searched for";
}

TEST(first_rows, far_away_is_an_error_too) {
  const auto toy = rows_with_a_strange_one(0);
  constexpr std::size_t far = std::size_t{1} << 60;
  EXPECT_THAT(refusal(stray_emit{.where = far}, toy, serial_engine{}, given),
              HasSubstr("1152921504606846976 for row 1"));
  EXPECT_THAT(refusal(stray_emit{.where = far, .in_a_run = true}, toy, serial_engine{}, given),
              HasSubstr("emits parameter 1152921504606846976 for row 1"));
  EXPECT_THAT(refusal(stray_emit{.where = far, .reads = true}, toy, serial_engine{}, given),
              HasSubstr("reads parameter 1152921504606846976 for row 1"));
}

TEST(first_rows, a_run_that_begins_inside_is_followed_to_its_end) {
  const auto toy = rows_with_a_strange_one(1);
  EXPECT_THAT(refusal(stray_emit{.where = features - 2, .in_a_run = true}, toy, serial_engine{}, given),
              HasSubstr("emits parameter 20 for row 2"));
  EXPECT_THAT(refusal(stray_block{.where = features - 2}, toy, serial_engine{}, given),
              HasSubstr("the model stray_block emits parameter 20 for row 2"));
  EXPECT_EQ(refusal(stray_emit{.where = features - 4, .in_a_run = true}, toy, serial_engine{}, given), "accepted");
  EXPECT_EQ(refusal(stray_block{.where = features - 4}, toy, serial_engine{}, given), "accepted");
}

// l2 is added to each partial: if a row emitted only some of a group, or some twice, it would be the l2 of no
// objective.
TEST(first_rows, of_a_model_with_a_workspace_and_l2_emit_all_of_a_group_once) {
  const auto toy = rows_with_a_strange_one(1);
  const stray_block part{.where = 0};
  EXPECT_EQ(refusal(part, toy, serial_engine{}, given), "accepted");
  train_options with_l2 = given;
  with_l2.l2 = 0.1;
  EXPECT_THAT(refusal(part, toy, serial_engine{}, with_l2),
              AllOf(HasSubstr("emits 4 partials of the 20 parameters of its group 'weights' for row 1"),
                    HasSubstr("leave out the l2")));
}

TEST(first_rows, the_longest_row_is_one_of_them) {
  test::toy_rows toy = test::planted_regression({.rows = 300, .columns = features});
  toy.push({0, 1, 2, 3, 4, 5, 6, 7}, std::vector<float>(8, 0.5f), stray_emit::strange);
  toy.push({0}, {0.5f}, 1.0f);
  EXPECT_THAT(refusal(stray_emit{.where = features}, toy, serial_engine{}, given), HasSubstr("for row 301"));
}

TEST(first_rows, are_so_many) {
  const test::toy_rows toy = test::planted_regression({.rows = 300, .columns = features});
  EXPECT_THAT(rows_to_try(toy.csr().view()), testing::ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(rows_to_try(toy.csr().view().slice(10, 12)), testing::ElementsAre(0, 1));
}

}  // namespace
