// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace hogwild::test {

/// What there is between two steps of a model checker's schedule: the shared world, and where each party stands.
struct model_situation {
  using memory = std::array<std::uint64_t, 4>;
  enum class status : std::uint32_t {
    ready,
    awaiting,  ///< tries again at each step
    waiting,   ///< until somebody else writes
    asleep,    ///< until somebody wakes it
    done,
    dead
  };
  /// A store that others do not see yet.
  struct pending {
    std::uint32_t at, bytes;
    std::uint64_t value;
  };
  struct party {
    status now = status::ready;
    bool news = true;      ///< others have written since it yielded, or was told so
    std::uint32_t on = 0;  ///< which word it sleeps
    memory kept{};
    std::vector<std::uint64_t> log{};  ///< what its operations returned since it was called
    std::vector<pending> buffer{};
  };

  std::vector<std::byte> world;
  std::vector<party> parties;
  int deaths, timeouts, patience;  ///< what is left of them; patience is for timeouts where nothing else can happen

  /// Two situations with the same hash are taken for the same: among two millions that happens to one pair by chance
  /// with a probability of 1e-7, and hides but what follows from one of the two. Most words are zero, and count
  /// nothing.
  std::uint64_t hash() const {
    std::uint64_t h = 0, place = 0;
    const auto mix = [&](std::uint64_t x) {
      ++place;
      if (x == 0) return;
      x = (x ^ place << 40) * 0xff51afd7ed558ccdu;
      x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53u;
      h += x ^ x >> 33;
    };
    for (std::size_t i = 0; i < world.size(); i += 8) {
      std::uint64_t x = 0;
      std::memcpy(&x, &world[i], std::min<std::size_t>(8, world.size() - i));
      mix(x);
    }
    mix(static_cast<std::uint64_t>(deaths * 1024 + timeouts * 32 + patience));
    for (const party& p : parties) {
      mix(static_cast<std::uint64_t>(p.now) << 1 | (p.news ? 1u : 0u));
      mix(p.now == status::asleep ? p.on : 0);
      for (const std::uint64_t x : p.kept) mix(x);
      mix(p.log.size());
      for (const std::uint64_t x : p.log) mix(x);
      mix(p.buffer.size());
      for (const pending& w : p.buffer) mix(w.at), mix(w.value);
    }
    return h;
  }
};

}  // namespace hogwild::test
