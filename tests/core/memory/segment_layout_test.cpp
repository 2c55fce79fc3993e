// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/memory/segment_layout.hpp>

#include <array>
#include <utility>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace hogwild;

namespace {

struct run_of_bytes {
  std::size_t begin, bytes, alignment;
};

std::array<run_of_bytes, 14> runs_of(const store_shape& s) {
  const store_layout at(s);
  return {{{at.shape, sizeof(store_shape), 128},
           {at.control, sizeof(control_block), 128},
           {at.slots, s.workers * sizeof(worker_slot), 128},
           {at.counters, s.shards * sizeof(ticket_counter), 128},
           {at.done, s.chunks * 4, 128},
           {at.redo, s.chunks * 4, 128},
           {at.stripes, s.stripes * 4, 128},
           {at.setup, s.setup_bytes, 128},
           {at.table, s.table_bytes, 128},
           {at.parameters, store_layout::parameter_stride(s), 4096},
           {at.state, s.state_arrays * store_layout::state_stride(s), 4096},
           {at.replicas, s.replicas * store_layout::replica_stride(s), 4096},
           {at.ring, s.ring * store_layout::ring_stride(s), 4096},
           {at.meeting, s.meeting_bytes, 4096}}};
}

RC_GTEST_PROP(store_layout, arrays_are_aligned_do_not_overlap_and_fit, ()) {
  const auto below = [](std::uint64_t n) { return *rc::gen::inRange<std::uint64_t>(0, n); };
  const store_shape shape{.parameters = below(100'000),
                          .scalar_bytes = *rc::gen::element<std::uint64_t>(4, 8),
                          .state_arrays = below(3),
                          .state_length = below(1'000),
                          .workers = 1 + below(300),
                          .shards = 1 + below(300),
                          .chunks = 1 + below(10'000),
                          .stripes = *rc::gen::element<std::uint64_t>(0, 1, 4096),
                          .setup_bytes = below(5'000),
                          .replicas = below(5),
                          .ring = below(5),
                          .meeting_bytes = below(20'000),
                          .table_bytes = below(5'000)};
  std::size_t end = segment_header_bytes;
  for (const auto& [begin, bytes, alignment] : runs_of(shape)) {
    RC_ASSERT(begin >= end);
    RC_ASSERT(begin % alignment == 0u);
    end = begin + bytes;
  }
  const store_layout layout(shape);
  RC_ASSERT(layout.total >= end);
  RC_ASSERT(layout.total % 4096 == 0u);
  RC_ASSERT(layout.total < end + 4096);
  // A process that attaches does not know the shape yet.
  const store_layout unknown{store_shape{}};
  RC_ASSERT(layout.shape == unknown.shape);
  RC_ASSERT(layout.control == unknown.control);
}

TEST(store_layout, state_arrays_are_whole_pages_that_hold_all_parameters) {
  EXPECT_EQ(store_layout::state_stride({.parameters = 0}), 0u);
  EXPECT_EQ(store_layout::state_stride({.parameters = 1}), 4096u);
  EXPECT_EQ(store_layout::state_stride({.parameters = 1024}), 4096u);
  EXPECT_EQ(store_layout::state_stride({.parameters = 1025}), 8192u);
  EXPECT_EQ(store_layout::state_stride({.parameters = 1025, .scalar_bytes = 8}), 12288u);
  EXPECT_EQ(store_layout::state_stride({.parameters = 100'000, .state_length = 1025}), 8192u);
  EXPECT_EQ(store_layout::parameter_stride({.parameters = 1025, .state_length = 1}), 8192u);
}

TEST(store_layout, replicas_on_a_ring_have_pages_of_their_own) {
  for (const std::uint64_t parameters : {1u, 1'024u, 1'025u, 100'000u, 3'000'000u, 20'000'000u}) {
    const store_shape s{.parameters = parameters, .state_arrays = 1, .ring = 20};
    const std::size_t unit = store_layout::ring_alignment(s), stride = store_layout::ring_stride(s);
    EXPECT_EQ(stride % unit, 0u);
    EXPECT_EQ(store_layout(s).ring % unit, 0u);
    for (std::size_t v = 0; v < s.ring; ++v) {
      const std::size_t begin = store_layout::on_ring(s, v), beside = begin + store_layout::replica_stride(s);
      EXPECT_GE(begin, v * stride);
      EXPECT_LE(beside + 2 * store_layout::state_stride(s), (v + 1) * stride);
      EXPECT_EQ(begin % 256, 0u);
    }
    // Adjacent replicas do not share the sets of a cache of 64 lines a way.
    EXPECT_NE(store_layout::on_ring(s, 0) % 4096, store_layout::on_ring(s, 1) % 4096);
    // A page more than the arrays, or an eighth where they are large.
    EXPECT_LE(stride, 4 * store_layout::state_stride(s) * 9 / 8 + 4096);
  }
}

}  // namespace
