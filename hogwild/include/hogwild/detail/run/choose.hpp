// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <hogwild/detail/worker/loop_options.hpp>

// Where workers read and write under `--sharing auto`, how often replicas exchange, and the turns of reproducible runs:
// functions of facts alone.

namespace hogwild {

/// The facts that the choice depends on.
struct sharing_facts {
  sharing_kind asked = sharing_kind::automatic;
  update_kind update = update_kind::lossy;
  std::size_t workers = 1;  ///< workers asked for
  std::size_t cpus = 1;     ///< CPUs that they may use
  std::size_t rows = 0, parameters = 0, nonzeros = 0;
  std::span<const std::uint32_t> degree{};  ///< rows that contain each column, by position; may be empty
  std::size_t arrays = 1;                   ///< arrays that replicas exchange: the parameters and the optimiser's state
  bool margin = true;                       ///< head sharing is for margin models
  bool racing = false;                      ///< kernels can also train on one array that all workers share
  bool others = false;                      ///< others change the shared array, too: even one worker needs a replica
  double step = 0.0;                        ///< of the first epoch
  double curvature = 0.0;                   ///< of the mean loss; see curvature.hpp
  std::size_t batch = 0;                    ///< rows of a step, if the curvature is unknown; else 0
  double row_ns = 0.0;                      ///< time of a row, trained by one worker alone
  double line_ns = 0.0;                     ///< to exchange a line of a replica, in sequence
  double shared_ns = 0.0;                   ///< to read and write a line that another core has
  std::size_t cache_bytes = 0;              ///< level 2, of one core
};

/// The choice, and the reason for it in a sentence.
struct sharing_choice {
  access_kind kind = access_kind::alone;
  std::size_t workers = 1;  ///< at most those asked for
  exchange_options exchange{};
  std::string reason;
  std::string idle{};     ///< why `workers` are fewer than those asked for, if they are
  double epoch_ns = 0.0;  ///< predicted time of an epoch; 0 for one shared array, for which nothing is predicted
};

/// The most rows that each of p workers may train between two exchanges of summed gains. With z = step * curvature *
/// rows, p replicas together move p (1 - exp(-z)) times as far along the steepest direction as one pass would; this
/// must stay below 2. Two workers never reach 2; for them z is limited to 2, beyond which they oscillate. At least 1.
double longest_exchange(double step, double curvature, std::size_t workers);

/// Rows between two exchanges in an epoch of this step: the chosen number, limited by the bound; a power of two.
std::uint32_t exchange_rows(const exchange_options& chosen, double step);

/// The rule. One worker has the array alone, unless `others`. Several have replicas, or replicas of the popular columns
/// if the model does not fit into half of a core's cache and that is predicted to take less time. If kernels can also
/// train the model on one shared array, workers use it if a replica would fill several caches. The rows between two
/// exchanges make an exchange cost less than 5 per cent, if the bound allows so many. If not, two workers exceed the
/// bound until an exchange costs at most 10 per cent; of more workers some are left idle, so that the predicted time is
/// least. An explicit sharing is kept, within the bound; if the bound does not allow a single row, more than two
/// workers average their gains.
sharing_choice choose_sharing(const sharing_facts& facts);

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

/// The rule. Turns are as long as the stability bound of summed gains allows (longest_exchange; two virtual workers go
/// twice as far), at most 512 rows each, so that meeting costs little, and short enough for eight of them an epoch.
/// There are four virtual workers, or two if four could train only very short turns; a number that is asked for is
/// kept. If the curvature is unknown, a turn is one step of `batch` rows, or a few.
turn_choice choose_turns(const turn_facts& facts);

}  // namespace hogwild
