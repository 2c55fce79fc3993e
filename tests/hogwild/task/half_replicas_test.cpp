// SPDX-License-Identifier: Apache-2.0
// Runs whose replicas store factors as halves: they end like other runs, repeat if they must, and are refused if no
// parameter can be stored as halves.
#include <hogwild/detail/task/kernel_loops.hpp>
#include <hogwild/detail/task/row_kernel_loops.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
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

#include "support/refusal.hpp"
#include "support/sanitizers.hpp"
#include "support/scratch_folder.hpp"
#include "support/toy_data.hpp"

namespace hogwild {
namespace {

constexpr test::toy_shape half_shape{.rows = 2000, .columns = 300, .per_row = 12};

struct half_fm_runs {
  factorization_machine model{.features = half_shape.columns, .factors = 8};
};
/// A column of each of twelve fields a row.
struct half_field_runs {
  ffm model{.features = half_shape.columns, .fields = 12, .factors = 4};
};

template <class Case>
struct half_replica_runs : testing::Test {
  train_result run(storage_kind storage, std::size_t workers, const std::function<void(train_options&)>& change) const {
    static const test::toy_rows all = test::planted_classification(half_shape);
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
    EXPECT_THAT(test::refusal_of([&] { run(storage_kind::half, workers, change); }), testing::HasSubstr(why));
  }

  std::vector<std::uint32_t> original = [] {
    std::vector<std::uint32_t> of(half_shape.columns);
    for (std::uint32_t j = 0; j < half_shape.columns; ++j) of[j] = field_column(j / (half_shape.columns / 12), j);
    return of;
  }();
};
using half_replica_cases = testing::Types<half_fm_runs, half_field_runs>;
TYPED_TEST_SUITE(half_replica_runs, half_replica_cases);

// Workers race. In 660 such pairs of each of the four kinds, 360 of them six at a time on two CPUs, no ratio was
// farther from 1 than 0.051; the largest average distance was 0.014 (ffm under adagrad, the 300 others). Even if a
// pair's distance were exponential with a mean of 0.015, that of three would exceed 0.12 with a chance of e^-x (1 + x +
// x^2 / 2) = 1.2e-8 for x = 3 * 0.12 / 0.015: any of the four kinds does with one of 5e-8. A run that learns nothing
// ends at 1.18 times what floats do under sgd, at 1.29 times or more under adagrad; under ThreadSanitizer, which has
// time for one epoch of one pair, the two cannot be distinguished, and neither is told.
TYPED_TEST(half_replica_runs, end_as_well_as_those_of_floats) {
  constexpr int pairs = test::thread_sanitized ? 1 : 3;
  for (const optimizer_kind kind : {optimizer_kind::sgd, optimizer_kind::adagrad}) {
    const auto with = [=](train_options& o) { o.optimizer = kind, o.sharing = sharing_kind::buffered; };
    double ratio = 0.0;
    for (int pair = 0; pair < pairs; ++pair) {
      const double floats = this->run(storage_kind::single, 2, with).objective;
      ratio += this->run(storage_kind::half, 2, with).objective / floats / pairs;
    }
    if (!test::thread_sanitized) {
      EXPECT_LT(ratio, 1.12);
    }
  }
}

// A gain of halves is a multiple of 2^-24, and the mean of two gains one of 2^-25. Factors that begin as halves remain
// such multiples, under any races; of thousands of factors below 0.1 with float steps some do not.
TYPED_TEST(half_replica_runs, gain_what_halves_can) {
  constexpr std::size_t weights = half_shape.columns + 1;
  const auto on_the_grid = [](float w) { return w * 0x1p25f == std::floor(w * 0x1p25f); };
  const auto all_on_the_grid = [&](storage_kind storage) {
    const train_result found = this->run(storage, 2, [](train_options& o) {
      o.epochs = 1, o.sharing = sharing_kind::buffered;
      o.initial = [](std::span<float> w) { std::ranges::transform(w, w.begin(), to_float, to_half); };
    });
    return std::ranges::all_of(std::span(found.parameters).first(found.parameters.size() - weights), on_the_grid);
  };
  EXPECT_TRUE(all_on_the_grid(storage_kind::half));
  EXPECT_FALSE(all_on_the_grid(storage_kind::single));
}

// From 65520 on a float becomes an infinite half, whose gain is NaN.
TYPED_TEST(half_replica_runs, diverge_from_a_factor_beyond_all_halves) {
  const auto diverges = [&](storage_kind storage, float factor) {
    const train_result found = this->run(storage, 2, [=](train_options& o) {
      o.epochs = 1, o.step = {.initial = 1e-9}, o.sharing = sharing_kind::buffered;
      o.initial = [=](std::span<float> w) { w[8] = factor; };
    });
    return found.status == run_status::diverged;
  };
  EXPECT_FALSE(diverges(storage_kind::half, 65504.0f));
  EXPECT_TRUE(diverges(storage_kind::half, 65520.0f));
  EXPECT_FALSE(diverges(storage_kind::single, 65520.0f));
}

TYPED_TEST(half_replica_runs, repeat_to_the_bit_where_that_is_asked_for) {
  for (const optimizer_kind kind : {optimizer_kind::sgd, optimizer_kind::adagrad}) {
    const auto with = [=](train_options& o) {
      o.epochs = 2, o.optimizer = kind, o.reproducible = true, o.virtual_workers = 3;
    };
    const train_result one = this->run(storage_kind::half, 1, with);
    EXPECT_EQ(this->run(storage_kind::half, 2, with).parameters, one.parameters);
    const train_result floats = this->run(storage_kind::single, 1, with);
    EXPECT_NE(one.parameters, floats.parameters);
    EXPECT_NEAR(one.objective, floats.objective, 0.02 * floats.objective);
  }
}

TYPED_TEST(half_replica_runs, give_the_same_bits_by_all_instruction_sets) {
  if (test::thread_sanitized) GTEST_SKIP() << "one thread trains";
  std::vector<float> first;
  for (const isa set : {isa::scalar, isa::avx2, isa::avx512}) {
    if (!has_isa(set)) continue;
    const auto found =
        this->run(storage_kind::half, 1, [=](train_options& o) { o.epochs = 2, o.reproducible = true, o.isa = set; });
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
  const train_result whole = with(2, {});
  with(1, {});
  EXPECT_EQ(with(2, folder / "checkpoint").parameters, whole.parameters);
}

TYPED_TEST(half_replica_runs, are_told_in_the_record) {
  const test::scratch_folder folder;
  this->run(storage_kind::half, 2, [&](train_options& o) { o.epochs = 1, o.record = folder / "record"; });
  EXPECT_THAT(test::read_text(folder / "record"), testing::HasSubstr("\"storage\":\"half\""));
}

TYPED_TEST(half_replica_runs, are_refused_where_nothing_would_be_a_half) {
  const auto none = [](train_options&) {};
  this->expect_refused(1, "one worker trains the run's own parameters, which are float", none);
  this->expect_refused(2, "one shared array (direct) is float", [](auto& o) { o.sharing = sharing_kind::direct; });
  this->expect_refused(2, "ordered updates need one shared array", [](auto& o) { o.update = update_kind::locked; });
  this->expect_refused(2, "use lossy updates, or float storage", [](auto& o) { o.update = update_kind::exact; });
  this->expect_refused(2, "half storage needs a model of factors that kernels train",
                       [](auto& o) { o.optimizer = optimizer_kind::momentum; });
  this->expect_refused(2, "half storage needs a model of factors that kernels train",
                       [](auto& o) { o.freeze = {"factors"}; });
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
