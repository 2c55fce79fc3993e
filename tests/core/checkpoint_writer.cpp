// SPDX-License-Identifier: Apache-2.0
// Writes checkpoints to the given path, one after the other, until it is killed. Each holds 64 KiB of its epoch.
#include <cstdio>
#include <exception>
#include <vector>

#include <hogwild/detail/results/checkpoint.hpp>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    for (hogwild::checkpoint state = hogwild::read_checkpoint(argv[1]);;) {
      ++state.epoch;
      state.put_span("content", std::span<const std::uint64_t>(std::vector<std::uint64_t>(8192, state.epoch)));
      hogwild::write_checkpoint(argv[1], state);
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
