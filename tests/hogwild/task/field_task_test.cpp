// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/task/kernel_loops.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/formats/libffm.hpp>
#include <hogwild/general_model.hpp>
#include <hogwild/hogwild.hpp>
#include <hogwild/models/ffm.hpp>

#include "support/sanitizers.hpp"
#include "support/toy_data.hpp"

namespace hogwild {
namespace {

/// Rows with a column of each of twelve fields.
struct field_runs : testing::TestWithParam<optimizer_kind> {
  static constexpr std::size_t columns = 300, fields = 12;
  ffm model{.features = columns, .fields = fields, .factors = 3};
  test::toy_rows rows = test::planted_classification({.rows = 2000, .columns = columns, .per_row = fields});
  std::vector<std::uint32_t> original = [] {
    std::vector<std::uint32_t> of(columns);
    for (std::uint32_t j = 0; j < columns; ++j) of[j] = field_column(j / (columns / fields), j);
    return of;
  }();

  train_result run(const auto& engine, sharing_kind sharing, update_kind update) const {
    const csr_rows csr = rows.csr();
    sparse_view view = csr.view();
    view.original = original;
    train_options options{.epochs = 3, .l2 = 0.0};
    options.step = {.initial = GetParam() == optimizer_kind::sgd ? 0.5 : 0.05, .decay = 0.9};
    options.optimizer = GetParam();
    options.update = update;
    options.sharing = sharing;
    return train(model, view, engine, options);
  }
};

TEST_P(field_runs, one_worker_on_the_shared_array_ends_at_the_bits_of_one_alone) {
  if (test::thread_sanitized) GTEST_SKIP() << "one thread trains";
  const train_result alone = run(serial_engine{}, sharing_kind::automatic, update_kind::lossy);
  const train_result shared = run(serial_engine{}, sharing_kind::direct, update_kind::lossy);
  if (kernels_may_race) {
    EXPECT_EQ(shared.parameters, alone.parameters);
  }
  // Under exact updates the model's own gradient trains, with other rounding; under adagrad a step is off by a relative
  // 2.4e-5.
  const train_result exact = run(serial_engine{}, sharing_kind::direct, update_kind::exact);
  EXPECT_NE(exact.parameters, alone.parameters);
  EXPECT_NEAR(exact.train_loss, alone.train_loss, 1e-3 * alone.train_loss);
}

// A worker that loses its CPU in the middle of a row then writes its columns, twelve of 300, as they were before: at
// most a twenty-fifth of the gain. To lose half of it takes a dozen such rows at the end of three epochs of some
// milliseconds.
TEST_P(field_runs, two_workers_on_the_shared_array_end_as_one_does) {
  const thread_engine two{.workers = 2, .team = thread_team_kind::std, .pin = false};
  const train_result one = run(serial_engine{}, sharing_kind::direct, update_kind::lossy);
  const train_result both = run(two, sharing_kind::direct, update_kind::lossy);
  const double gain = std::log(2.0) - one.train_loss;
  EXPECT_GT(gain, 0.04);
  EXPECT_LT(std::abs(both.train_loss - one.train_loss), 0.5 * gain);
}

INSTANTIATE_TEST_SUITE_P(optimisers, field_runs, testing::Values(optimizer_kind::sgd, optimizer_kind::adagrad),
                         [](const auto& at) { return at.param == optimizer_kind::sgd ? "sgd" : "adagrad"; });

}  // namespace
}  // namespace hogwild
