// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <hogwild/detail/worker/loop_options.hpp>

namespace hogwild {

/// The facts that the turns of a reproducible run depend on: only data and options, never the machine or the workers.
struct turn_facts {
  std::optional<std::size_t> asked{};  ///< virtual workers; none: choose
  std::size_t rows = 0, nonzeros = 0;
  double step = 0.0;       ///< of the first epoch
  double curvature = 0.0;  ///< of the mean loss; see curvature.hpp
  std::size_t batch = 0;   ///< rows of a step, if the curvature is unknown; else 0
};

/// How many virtual workers there are, how many rows each of them trains in a turn, and why.
struct turn_choice {
  exchange_options exchange{};
  std::string reason;
};

/// The rule. Turns are as long as the stability bound of summed gains allows (longest_exchange in choose.hpp; two
/// virtual workers go twice as far), at most 512 rows each, so that meeting costs little, and short enough for eight of
/// them an epoch. There are four virtual workers, or two if four could train only very short turns; a number that is
/// asked for is kept. If the curvature is unknown, a turn is one step of `batch` rows, or a few.
turn_choice choose_turns(const turn_facts& facts);

}  // namespace hogwild
