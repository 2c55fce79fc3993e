// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <csignal>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/platform/child_process.hpp>
#include <hogwild/detail/results/checkpoint.hpp>

#include "support/eventually.hpp"
#include "support/scratch_folder.hpp"

namespace {

using namespace std::chrono_literals;

/// Reads like a restarted run, and checks that the result is one generation and not a mixture.
std::uint64_t whole_epoch(const std::filesystem::path& path) {
  const hogwild::checkpoint state = hogwild::read_checkpoint(path);
  EXPECT_EQ(state.get_vector<std::uint64_t>("content"), std::vector<std::uint64_t>(8192, state.epoch));
  return state.epoch;
}

TEST(checkpoint_kill, a_writer_killed_at_any_instant_leaves_a_whole_generation) {
  const hogwild::test::scratch_folder folder;
  const auto path = folder / "c";
  hogwild::checkpoint first;
  first.put_span("content", std::span<const std::uint64_t>(std::vector<std::uint64_t>(8192, 0)));
  hogwild::write_checkpoint(path, first);

  std::mt19937 random(11);
  std::uint64_t reached = 0;
  for (int round = 0; round < 60; ++round) {
    auto writer = hogwild::spawn(CHECKPOINT_WRITER, {path.string()});
    // A reader beside the writer always finds a whole generation, too.
    ASSERT_TRUE(hogwild::test::eventually(20s, [&] { return whole_epoch(path) != reached; })) << "it does not write";
    std::this_thread::sleep_for(std::chrono::microseconds(std::uniform_int_distribution(0, 4000)(random)));
    ASSERT_TRUE(writer.kill(SIGKILL));
    ASSERT_TRUE(writer.wait_for(20s).has_value());
    const std::uint64_t found = whole_epoch(path);
    ASSERT_GT(found, reached);
    reached = found;
  }
}

}  // namespace
