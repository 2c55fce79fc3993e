// SPDX-License-Identifier: Apache-2.0
// Runs whose replicas store factors as halves: they end as others do, repeat where they shall, and are refused where
// there is nothing to store so.
#include <hogwild/detail/task/field_task.hpp>
#include <hogwild/detail/task/row_kernel_task.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/formats/libffm.hpp>
#include <hogwild/general_model.hpp>
#include <hogwild/hogwild.hpp>
#include <hogwild/models/factorization_machine.hpp>
#include <hogwild/models/ffm.hpp>
#include <hogwild/models/softmax.hpp>

#include "support/sanitizers.hpp"
#include "support/scratch_folder.hpp"
#include "support/toy_data.hpp"

namespace hogwild {
namespace {

constexpr test::toy_shape half_shape{.rows = 2000, .columns = 300, .per_row = 12};

struct half_machine_runs {
  factorization_machine model{.features = half_shape.columns, .factors = 8};
};
/// A column of each of twelve fields a row.
struct half_field_runs {
  ffm model{.features = half_shape.columns, .fields = 12, .factors = 4};
};

template <class Case>
struct half_replica_runs : testing::Test {
  train_result run(storage_kind storage, std::size_t workers, const std::function<void(train_options&)>& change) const {
    const csr_rows csr = all.csr();
    sparse_view rows = csr.view();
    rows.original = original;
    train_options options{.epochs = test::thread_sanitized ? 1u : 4u, .step = {.initial = 0.05, .decay = 0.9}};
    change(options);
    return train(Case{}.model, rows,
                 thread_engine{.workers = workers, .team = thread_team_kind::std, .pin = false, .storage = storage},
                 options);
  }
  void expect_refused(std::size_t workers, const std::string& why,
                      const std::function<void(train_options&)>& change) const {
    try {
      run(storage_kind::half, workers, change);
      ADD_FAILURE() << "not refused: " << why;
    } catch (const config_error& e) {
      EXPECT_THAT(e.what(), testing::HasSubstr(why));
    }
  }

  test::toy_rows all = test::planted_classification(half_shape);
  std::vector<std::uint32_t> original = [] {
    std::vector<std::uint32_t> of(half_shape.columns);
    for (std::uint32_t j = 0; j < half_shape.columns; ++j) of[j] = field_column(j / (half_shape.columns / 12), j);
    return of;
  }();
};
using half_replica_cases = testing::Types<half_machine_runs, half_field_runs>;
TYPED_TEST_SUITE(half_replica_runs, half_replica_cases);

// Workers race: over forty runs of each kind ratios lay between 0.94 and 1.05, and deviated by some 0.02. Where none do
// they are nearer (below).
TYPED_TEST(half_replica_runs, end_as_well_as_those_of_floats) {
  for (const optimizer_kind kind : {optimizer_kind::sgd, optimizer_kind::adagrad}) {
    const auto with = [=](train_options& o) { o.optimizer = kind, o.sharing = sharing_kind::buffered; };
    const train_result floats = this->run(storage_kind::single, 2, with),
                       halves = this->run(storage_kind::half, 2, with);
    EXPECT_LT(halves.objective, 1.2 * floats.objective);
    EXPECT_NE(halves.parameters, floats.parameters);
  }
}

TYPED_TEST(half_replica_runs, repeat_to_the_bit_where_that_is_asked_for) {
  for (const optimizer_kind kind : {optimizer_kind::sgd, optimizer_kind::adagrad}) {
    const auto with = [=](train_options& o) { o.optimizer = kind, o.reproducible = true, o.virtual_workers = 3; };
    const train_result one = this->run(storage_kind::half, 1, with);
    EXPECT_EQ(this->run(storage_kind::half, 2, with).parameters, one.parameters);
    const train_result floats = this->run(storage_kind::single, 1, with);
    EXPECT_NE(one.parameters, floats.parameters);
    EXPECT_NEAR(one.objective, floats.objective, 0.02 * floats.objective);
    const train_result other = this->run(storage_kind::half, 1, [&](train_options& o) { with(o), o.seed = 2; });
    EXPECT_NE(other.parameters, one.parameters);
  }
}

TYPED_TEST(half_replica_runs, give_the_same_bits_by_all_instruction_sets) {
  std::vector<float> first;
  for (const isa set : {isa::scalar, isa::avx2, isa::avx512}) {
    if (!has_isa(set)) continue;
    const auto found = this->run(storage_kind::half, 1, [=](train_options& o) { o.reproducible = true, o.isa = set; });
    if (first.empty()) first = found.parameters;
    EXPECT_EQ(found.parameters, first) << name_of(set);
  }
}

// Such a run goes on from floats, as any other.
TYPED_TEST(half_replica_runs, go_on_from_a_checkpoint_as_if_they_had_not_stopped) {
  const test::scratch_folder folder;
  const auto with = [&](std::size_t epochs, const std::string& resumed) {
    return this->run(storage_kind::half, 1, [&](train_options& o) {
      o.reproducible = true, o.epochs = epochs, o.checkpoint = folder / "checkpoint", o.resume = resumed;
    });
  };
  const train_result whole = with(4, {});
  with(2, {});
  EXPECT_EQ(with(4, folder / "checkpoint").parameters, whole.parameters);
}

TYPED_TEST(half_replica_runs, are_told_in_the_record) {
  const test::scratch_folder folder;
  this->run(storage_kind::half, 2, [&](train_options& o) { o.epochs = 1, o.record = folder / "record"; });
  EXPECT_THAT(test::read_text(folder / "record"), testing::HasSubstr("\"storage\":\"half\""));
}

TYPED_TEST(half_replica_runs, are_refused_where_nothing_would_be_a_half) {
  const auto none = [](train_options&) {};
  this->expect_refused(1, "one worker has the run's own parameters, which are float", none);
  this->expect_refused(2, "one shared array (direct) is float", [](auto& o) { o.sharing = sharing_kind::direct; });
  this->expect_refused(2, "locks are for one shared array", [](auto& o) { o.update = update_kind::locked; });
  this->expect_refused(2, "use lossy updates, or float storage", [](auto& o) { o.update = update_kind::exact; });
  this->expect_refused(2, "where kernels train them", [](auto& o) { o.optimizer = optimizer_kind::momentum; });
  this->expect_refused(2, "where kernels train them", [](auto& o) { o.freeze = {"factors"}; });
}

TEST(half_storage_of_workers, is_refused_to_models_without_factors_of_that_kind) {
  const test::toy_rows all = test::planted_classification(half_shape);
  const thread_engine two{.workers = 2, .team = thread_team_kind::std, .pin = false, .storage = storage_kind::half};
  const auto expect = [&](const auto& model) {
    EXPECT_THAT([&] { train(model, all.csr(), two, {.epochs = 1}); },
                testing::ThrowsMessage<config_error>(testing::HasSubstr("leave the storage at float")));
  };
  expect(logistic{});
  expect(softmax{.features = half_shape.columns, .classes = 2});
}

}  // namespace
}  // namespace hogwild
