// SPDX-License-Identifier: Apache-2.0
// A run on a device that has less room than it reported, because others may use it, too.
#include "room_for_rows.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/error.hpp>

#include "accountable_run.hpp"
#include "kernel_family.hpp"
#include "support/toy_ratings.hpp"

using namespace hogwild;
using testing::AllOf;
using testing::HasSubstr;

namespace {

constexpr std::uint64_t room_for_all = 10'000'000;

/// The error of the run; empty if it succeeds.
std::string refusal_of(test::accountable_run& run) {
  try {
    const train_result r = run.train();
    EXPECT_EQ(r.status, run_status::done);
    EXPECT_LT(r.train_loss, 0.68);  // 0.693 before
  } catch (const resource_error& e) {
    return e.what();
  }
  return {};
}

TEST(room_for_rows, that_others_have_taken_is_no_reason_to_give_up) {
  std::size_t refused = 0;
  for (;; ++refused) {
    test::ledger accounts{.memory_bytes = room_for_all, .refused_allocation = refused + 1};
    test::accountable_run run(accounts, memory_kind::device);
    EXPECT_EQ(refusal_of(run), "") << "allocation " << refused + 1;
    const bool all_given = accounts.allocations <= refused;
    EXPECT_EQ(run.driver().row_block_bytes.get() == 0, all_given) << "allocation " << refused + 1;
    if (all_given) break;
  }
  EXPECT_GE(refused, 3u);  // parameters, what counts rows, the rows themselves
}

TEST(room_for_rows, that_lies_in_pieces_takes_blocks_as_long_as_those) {
  test::ledger accounts{.memory_bytes = room_for_all, .longest_piece = 5000};
  test::accountable_run run(accounts, memory_kind::device);
  EXPECT_EQ(refusal_of(run), "");
  EXPECT_LE(run.driver().row_block_bytes.get(), 5000u);
  EXPECT_GT(run.driver().row_block_bytes.get(), 2500u);
}

// Rows of 5 entries: starts, columns, values and a label, each on its own boundary of 256 bytes.
TEST(room_for_rows, that_has_no_piece_for_one_row_ends_the_run_with_what_is_needed_and_free) {
  test::ledger accounts{.memory_bytes = room_for_all, .longest_piece = 1023};
  test::accountable_run run(accounts, memory_kind::device);
  EXPECT_THAT(refusal_of(run), AllOf(HasSubstr("two blocks of its longest row 2048, "),
                                     HasSubstr(std::to_string(room_for_all) + " bytes are free, but not in pieces")));
}

// The second allocation is that of the rows.
TEST(room_for_rows, keeps_nothing_half_made_when_something_else_fails) {
  test::ledger accounts{.memory_bytes = room_for_all, .refused_allocation = 2, .breaks = true};
  test::accountable_run run(accounts, memory_kind::pinned);
  EXPECT_EQ(refusal_of(run), "broken");
  EXPECT_EQ(accounts.registrations, 1u);
  EXPECT_TRUE(accounts.registered.empty());
}

// It is not there yet when rows are dealt out. A store in memory of the host never comes.
TEST(room_for_rows, leaves_room_for_a_store_in_managed_memory) {
  for (const memory_kind memory : {memory_kind::managed, memory_kind::pinned}) {
    test::ledger accounts;
    test::accountable_run run(accounts, memory);
    accounts.free_bytes = device::device_arrays::bytes(40, 0) - 1;
    EXPECT_THAT(refusal_of(run), HasSubstr(memory == memory_kind::managed ? "need 168 bytes" : "")) << int(memory);
    EXPECT_EQ(accounts.registrations, memory == memory_kind::pinned ? 1u : 0u);
  }
}

// Ratings and floats have room beside each other; halves are two bytes each more.
TEST(room_for_rows, counts_the_halves_that_factors_are_trained_as) {
  const test::toy_rows ratings = test::planted_ratings();
  const csr_rows all = ratings.csr();
  const matrix_factorization model = test::factors_of({});
  const std::size_t halves = 200 * model.width();
  for (const storage_kind storage : {storage_kind::single, storage_kind::half}) {
    const loop_options options{.storage = storage};
    const auto task = make_task(model, all.view(), label_map(), options);
    const std::uint64_t floats = sizeof(float) * model.dim() + sizeof(std::uint64_t);
    const std::uint64_t arrays = floats + (storage == storage_kind::half ? 2 * halves : 0);
    const std::uint64_t rows = device::kernels_of(*task).bytes(*task, options);
    const auto streams = [&](std::uint64_t memory) {
      test::ledger accounts{.memory_bytes = memory};
      const test::accountable_device device(accounts);
      return device::room_for_rows(device, *task, options, {.parameters = model.dim()}).block_bytes() != 0;
    };
    EXPECT_FALSE(streams(arrays + rows)) << int(storage);
    EXPECT_TRUE(streams(arrays + rows - 1)) << int(storage);
    EXPECT_THROW(streams(arrays), resource_error) << int(storage);
  }
}

}  // namespace
