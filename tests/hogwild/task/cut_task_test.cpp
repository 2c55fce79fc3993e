// SPDX-License-Identifier: Apache-2.0
// Cuts into two sides on every engine of one process, and how often they are measured.
#include <hogwild/detail/task/kernel_loops.hpp>

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/data/half.hpp>
#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwild/formats/graphs.hpp>
#include <hogwild/hogwild.hpp>
#include <hogwild/models/graph_cut.hpp>
#include <hogwild/observer.hpp>

#include "support/heard_run.hpp"
#include "support/toy_data.hpp"

namespace hogwild {
namespace {

/// Two squares of 12 x 12 nodes side by side, with strong edges in each, weak edges between them, and a terminal in
/// each. The minimum cut is between them, by far.
class planted_cut : public testing::Test {
 protected:
  static constexpr std::uint32_t side = 12, nodes = 2 * side * side;
  static constexpr double least = side * 0.5;

  planted_cut() {
    rows.columns = nodes + 2;
    for (std::uint32_t j = 0; j < nodes; ++j) {
      number.push_back(node_column(j));
      const std::uint32_t x = j % (2 * side), y = j / (2 * side);
      const float right = x == side - 1 ? 0.5f : 4.0f;
      if (x + 1 < 2 * side) rows.push({j, j + 1}, {right, x == side - 1 ? 90.0f : right}, -1.0f);
      if (y + 1 < side) rows.push({j, j + 2 * side}, {4.0f, 4.0f}, -1.0f);
      if (x == 0) rows.push({nodes, j}, {50.0f, 0.0f}, -1.0f);
      if (x == 2 * side - 1) rows.push({j, nodes + 1}, {50.0f, 0.0f}, -1.0f);
      if (x == 3) rows.push({j}, {1.0f}, 0.0f);
      if (x == 20) rows.push({j}, {1.0f}, y < 3 ? 0.0f : 1.0f);  // three of them have the wrong side
    }
    number.push_back(terminal_column(0));
    number.push_back(terminal_column(1));
    data.emplace(rows.csr());
  }
  sparse_view view() const {
    sparse_view all = data->view();
    all.original = number;
    return all;
  }
  train_result cut(const auto& engine, const std::function<void(train_options&)>& change = {}) const {
    train_options options{
        .epochs = 300, .step = {.initial = 0.3, .decay = 0.1, .kind = schedule_kind::inverse}, .test = view()};
    if (change) change(options);
    return train(graph_cut_of(view()), view(), engine, options);
  }

  test::toy_rows rows;
  std::vector<std::uint32_t> number;
  std::optional<csr_rows> data;
};

thread_engine team(std::size_t workers) {
  return {.workers = workers, .team = thread_team_kind::std, .pin = false};
}

// 24 nodes are labelled, three of them with the wrong side.
TEST_F(planted_cut, is_found_by_kernels_and_without_however_workers_meet) {
  const auto expect_found = [](const train_result& r, const std::string& how) {
    ASSERT_TRUE(r.test && r.test->cut && r.test->accuracy) << how;
    EXPECT_DOUBLE_EQ(*r.test->cut, least) << how;
    EXPECT_DOUBLE_EQ(*r.test->accuracy, 21.0 / 24.0) << how;
  };
  expect_found(cut(serial_engine{}), "serial");
  expect_found(cut(team(1)), "one");
  expect_found(cut(team(2)), "two");
  expect_found(cut(team(2), [](auto& o) { o.sharing = sharing_kind::buffered; }), "buffered");
  expect_found(cut(team(2), [](auto& o) { o.reproducible = true; }), "reproducible");
  expect_found(cut(team(2), [](auto& o) { o.update = update_kind::exact; }), "exact");
  expect_found(cut(serial_engine{}, [](auto& o) { o.order = row_order::permuted; }), "rows in other orders");
}

TEST_F(planted_cut, has_the_same_bits_on_every_instruction_set_and_in_every_run) {
  const auto with = [&](isa set) {
    return cut(serial_engine{}, [&](auto& o) { o.isa = set, o.epochs = 20; }).parameters;
  };
  const std::vector<float> expected = with(isa::scalar);
  EXPECT_EQ(with(isa::automatic), expected);
  const auto dealt = [&](std::size_t workers) {
    return cut(team(workers), [](auto& o) { o.reproducible = true, o.epochs = 20; }).parameters;
  };
  EXPECT_EQ(dealt(1), dealt(3));
}

// Measuring agrees with the model's scores of single rows, for every width of storage.
TEST_F(planted_cut, is_measured_as_the_model_scores_it) {
  const graph_cut model = graph_cut_of(view());
  std::vector<float> w(model.dim());
  for (std::size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>((i * 37) % 100) / 70.0f - 0.2f;
  graph_cut_space space = model.make_workspace(view(), isa::scalar, 1);
  double loss = 0.0, capacity = 0.0, right = 0.0;
  row_cursor cursor(view());
  for (std::size_t r = 0; r < view().rows(); ++r) {
    row_score v;
    const sparse_row<float> z = cursor.row(r);
    model.take(space, 0, z, counter_random(1, 1));
    model.score(param_reader<float>(w.data(), w.size()), space, 1, {&v, 1});
    loss += v.loss;
    (z.label < 0.0f ? capacity : right) += z.label < 0.0f       ? static_cast<double>(v.score)
                                           : v.score == z.label ? 1.0
                                                                : 0.0;
  }
  std::vector<std::uint16_t> index16(rows.index.begin(), rows.index.end());
  std::vector<half> value16;
  for (const float x : rows.value) value16.push_back(to_half(x));
  sparse_view narrow = view();
  narrow.index = {}, narrow.index16 = index16, narrow.value = {}, narrow.value16 = value16;
  const auto threads = thread_team::make(thread_team_kind::std, 2, false);
  for (const sparse_view& stored : {view(), narrow}) {
    const measurement m = measure_edges({w, model.terminals_of(stored), model.unit}, cut_kernels_of(isa::scalar),
                                        stored, *threads, true, {});
    EXPECT_NEAR(m.loss, loss / static_cast<double>(stored.rows()), 1e-6 * m.loss);
    ASSERT_TRUE(m.cut && m.accuracy);
    EXPECT_DOUBLE_EQ(*m.cut, capacity);
    EXPECT_DOUBLE_EQ(*m.accuracy, right / 24.0);
    EXPECT_FALSE(measure_edges({w, model.terminals_of(stored), model.unit}, cut_kernels_of(isa::scalar), stored,
                               *threads, false, {})
                     .cut);
  }
}

TEST_F(planted_cut, is_measured_now_and_then_and_at_the_end) {
  const auto heard = [&](const std::function<void(train_options&)>& change) {
    test::heard_run told;
    cut(serial_engine{}, [&](auto& o) {
      o.epochs = 45;
      o.observers = {&told};
      change(o);
    });
    return told.each(&epoch_report::epoch);
  };
  EXPECT_EQ(heard([](auto&) {}), (std::vector<std::size_t>{20, 40, 45}));
  EXPECT_EQ(heard([](auto& o) { o.measure_every = 15; }), (std::vector<std::size_t>{15, 30, 45}));
  EXPECT_EQ(heard([](auto& o) { o.measure_every = 1; }).size(), 45u);
  EXPECT_EQ(heard([](auto& o) { o.target = {"test_cut", 1e9}; }), (std::vector<std::size_t>{1}));
}

// A run that is stopped between two measurements says which epoch its numbers are from.
TEST_F(planted_cut, that_is_stopped_tells_of_what_was_measured) {
  std::stop_source stop;
  const train_result r = cut(serial_engine{}, [&](auto& o) {
    o.stop = stop.get_token();
    o.observers = {[&](const epoch_report& e) {
      if (e.epoch == 40) stop.request_stop();
    }};
  });
  EXPECT_EQ(r.status, run_status::stopped);
  EXPECT_EQ(r.epochs, 40u);
  EXPECT_TRUE(r.test && r.test->cut);
}

}  // namespace
}  // namespace hogwild
