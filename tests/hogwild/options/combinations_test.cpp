// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/options/combinations.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/general_model.hpp>
#include <hogwild/hogwild.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/softmax.hpp>

#include "support/refusal.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;
using testing::HasSubstr;

namespace {

constexpr sharing_kind all_sharings[] = {sharing_kind::automatic, sharing_kind::direct, sharing_kind::buffered,
                                         sharing_kind::head};
constexpr update_kind all_updates[] = {update_kind::lossy, update_kind::exact, update_kind::locked,
                                       update_kind::edge_locked, update_kind::ordered};

/// The expected refusals, written independently of the table.
bool expected_refusal(const combination& c) {
  const bool replicas = c.sharing == sharing_kind::buffered || c.sharing == sharing_kind::head;
  if (c.form == l2_form::two_pass && !c.margin) return true;
  if (c.form == l2_form::per_occurrence && (c.margin || (c.batches && !c.by_occurrence))) return true;
  if (c.form == l2_form::by_degree && c.by_occurrence) return true;
  if (c.storage == storage_kind::half && (c.sharing == sharing_kind::direct || c.update != update_kind::lossy))
    return true;
  if (c.reproducible) {
    return c.sharing == sharing_kind::direct || c.sharing == sharing_kind::head || c.shards == sharding::fixed ||
           (c.update != update_kind::lossy && c.update != update_kind::exact);
  }
  if (is_exclusive(c.update) && (replicas || c.batches || c.fades)) return true;
  if (c.update == update_kind::edge_locked && c.draws) return true;
  if (c.update == update_kind::ordered && c.shards == sharding::fixed) return true;
  return (replicas && c.update == update_kind::locked) || (c.sharing == sharing_kind::head && !c.margin);
}

/// The same where a device trains.
bool expected_refusal_to_device(const combination& c) {
  const bool exact = c.update == update_kind::exact;
  if (c.reproducible || c.form == l2_form::two_pass || (c.update != update_kind::lossy && !exact)) return true;
  if (c.storage == storage_kind::half && (exact || c.memory != memory_kind::device)) return true;
  if (c.memory == memory_kind::device) return c.sharing == sharing_kind::direct || c.sharing == sharing_kind::head;
  if (c.sharing == sharing_kind::buffered || c.sharing == sharing_kind::head) return true;
  if (c.memory == memory_kind::pinned) return (exact && !c.native_atomics) || (c.several_devices && !c.processes);
  return c.processes || c.several_devices || !c.concurrent_access;
}

/// Takes several examples at once.
struct in_batches {
  static constexpr std::string_view name = "in_batches";
  using scalar_type = float;
  struct workspace {
    std::size_t taken = 0;
  };
  std::size_t dim() const { return 10; }
  workspace make_workspace(const sparse_view&, isa, std::size_t) const { return {}; }
  void take(workspace& s, std::size_t, const sparse_row<float>&, counter_random) const { ++s.taken; }
  void gradient(const auto&, workspace&, std::size_t, const auto& emit) const {
    constexpr std::array<float, 10> g{1.0f};
    emit.block(0, std::span<const float>(g));
  }
  void score(const auto&, workspace&, std::size_t n, std::span<row_score> scores) const {
    std::fill_n(scores.begin(), n, row_score{.loss = 1.0, .score = 0.0f});
  }
};
static_assert(conforms<in_batches>());

/// Moves a column that it draws.
struct drawing_columns {
  using scalar_type = float;
  using example_type = sparse_row<float>;
  std::size_t dim() const { return 10; }
  double loss(const auto&, const example_type&) const { return 1.0; }
  void gradient(const auto&, const example_type&, const counter_random& random, const auto& emit) const {
    emit(random.below(0, dim()), 1.0f);
  }
};
static_assert(conforms<drawing_columns>());

/// Calls f(combination) for all without a device.
template <class F>
void for_all_combinations(const F& f) {
  for (const auto sharing : all_sharings) {
    for (const auto update : all_updates) {
      for (const auto shards : {sharding::claimed, sharding::fixed}) {
        for (const bool reproducible : {false, true}) {
          for (const auto form : {l2_form::by_degree, l2_form::two_pass}) {
            for (const bool fades : {false, true}) {
              if (fades && form == l2_form::two_pass) continue;  // that is for sgd alone, and refused elsewhere
              combination c{sharing, update, shards, true, false, form, reproducible};
              c.fades = fades;
              f(c);
            }
            for (const bool batches : {false, true})
              f(combination{sharing, update, shards, false, batches, form, reproducible});
            combination drawn{sharing, update, shards, false, false, form, reproducible};
            drawn.draws = true;
            f(drawn);
          }
        }
      }
    }
  }
}

/// The same for l2 by occurrence, which depends only on the kind of model.
template <class F>
void for_all_occurrences(const F& f) {
  for (const auto form : {l2_form::by_degree, l2_form::per_occurrence}) {
    for (const unsigned kind : {0u, 1u, 2u, 3u}) {
      combination c{.margin = kind == 0, .batches = kind >= 2, .form = form};
      c.by_occurrence = kind == 3;
      f(c);
    }
  }
}

/// Calls f(combination) for all with a device, of every kind.
template <class F>
void for_all_combinations_with_devices(const F& f) {
  for_all_combinations([&](const combination& without) {
    for (const auto memory : {memory_kind::device, memory_kind::pinned, memory_kind::managed}) {
      for (unsigned facts = 0; facts < 32; ++facts) {
        combination c = without;
        c.memory = memory;
        c.processes = (facts & 1) != 0;
        c.native_atomics = (facts & 2) != 0;
        c.concurrent_access = (facts & 4) != 0;
        c.several_devices = (facts & 8) != 0;
        c.storage = (facts & 16) != 0 ? storage_kind::half : storage_kind::single;
        f(c);
      }
    }
  });
}

TEST(combinations, the_table_refuses_what_has_no_meaning_and_nothing_else) {
  for_all_combinations([](combination c) {
    for (const storage_kind storage : {storage_kind::single, storage_kind::half}) {
      c.storage = storage;
      EXPECT_EQ(!why_refused(c).empty(), expected_refusal(c));
    }
  });
  for_all_combinations_with_devices([](const combination& c) {
    EXPECT_EQ(!why_refused(c).empty(), expected_refusal(c) || expected_refusal_to_device(c));
  });
  for_all_occurrences([](const combination& c) { EXPECT_EQ(!why_refused(c).empty(), expected_refusal(c)); });
}

TEST(combinations, every_row_of_the_table_is_the_reason_for_some_refusal) {
  for (const refusal& row : refusals) {
    bool used = false;
    const auto look = [&](const combination& c) { used = used || why_refused(c) == row.reason; };
    for (const trained_by by : {trained_by::workers, trained_by::ring, trained_by::lockstep})
      for_all_combinations([&](combination c) {
        c.by = by;
        look(c);
      });
    for_all_combinations([&](combination c) {
      c.storage = storage_kind::half;
      look(c);
    });
    for_all_combinations_with_devices(look);
    for_all_occurrences(look);
    EXPECT_TRUE(used) << row.reason;
  }
}

TEST(combinations, training_refuses_with_the_reason_and_trains_the_rest) {
  const test::toy_rows binary = test::planted_classification({.rows = 60, .columns = 10, .per_row = 3});
  const test::toy_rows classes = test::planted_classes({.rows = 60, .columns = 10, .per_row = 3}, 3);
  const auto look = [&](const combination& c) {
    if (c.by_occurrence) return;  // ffm, on rows of fields: field_task_test
    const train_options options{.epochs = 1,
                                .step = {.initial = 0.1},
                                .form = c.form,
                                .update = c.update,
                                .optimizer = c.fades ? optimizer_kind::adam : optimizer_kind::sgd,
                                .sharing = c.sharing,
                                .shards = c.shards,
                                .reproducible = c.reproducible};
    const auto run = [&] {
      const thread_engine engine{.workers = 2};
      if (c.margin) return train(logistic{}, binary.csr(), engine, options);
      if (c.batches) return train(in_batches{}, binary.csr(), engine, options);
      if (c.draws) return train(drawing_columns{}, binary.csr(), engine, options);
      return train(softmax{.features = 10, .classes = 3}, classes.csr(), engine, options);
    };
    const std::string_view reason = why_refused(c);
    if (reason.empty()) {
      EXPECT_EQ(run().status, run_status::done);
      return;
    }
    EXPECT_EQ(test::refusal_of([&] { run(); }), reason);
  };
  for_all_combinations(look);
  for_all_occurrences(look);
}

TEST(combinations, virtual_workers_are_for_reproducible_runs_and_at_most_32) {
  const test::toy_rows toy = test::planted_classification({.rows = 60, .columns = 10, .per_row = 3});
  const auto expect_refused = [&](const train_options& options, const std::string& reason) {
    EXPECT_THAT(test::refusal_of([&] { train(logistic{}, toy.csr(), serial_engine{}, options); }), HasSubstr(reason));
  };
  expect_refused({.virtual_workers = 2}, "virtual workers are for reproducible runs");
  expect_refused({.reproducible = true, .virtual_workers = 33}, "33 virtual workers are more than the 32");
}

}  // namespace
