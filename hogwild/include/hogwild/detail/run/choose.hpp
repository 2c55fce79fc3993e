// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <hogwild/detail/loop/loop_options.hpp>

// Where workers read and write under `--sharing auto`, and how often replicas exchange: a function of facts alone.

namespace hogwild {

/// What the choice depends on.
struct sharing_facts {
  sharing_kind asked = sharing_kind::automatic;
  update_kind update = update_kind::lossy;
  std::size_t workers = 1;  ///< asked for
  std::size_t cpus = 1;     ///< that they may use
  std::size_t rows = 0, parameters = 0, nonzeros = 0;
  std::span<const std::uint32_t> degree{};  ///< rows that contain each column, by position; may be empty
  std::size_t arrays = 1;                   ///< that replicas exchange: the parameters, and what an optimiser keeps
  bool margin = true;                       ///< head sharing is for margin models
  bool racing = false;                      ///< kernels train on the one array of all workers, too
  bool others = false;                      ///< change the shared array too: one worker needs a replica as well
  double step = 0.0;                        ///< the first epoch's
  double curvature = 0.0;                   ///< of the mean loss; see curvature.hpp
  std::size_t batch = 0;                    ///< rows of a step, where the data do not tell the curvature; else 0
  double row_ns = 0.0;                      ///< a row, trained by one worker alone
  double line_ns = 0.0;                     ///< exchanging a line of a replica, in sequence
  double shared_ns = 0.0;                   ///< a read and a write of a line that another core has
  std::size_t cache_bytes = 0;              ///< level 2, of one core
};

/// What was chosen, and why in a sentence.
struct sharing_choice {
  access_kind kind = access_kind::alone;
  std::size_t workers = 1;  ///< at most those asked for
  exchange_options exchange{};
  std::string reason;
  std::string idle{};     ///< why `workers` are fewer than those asked for, where they are
  double epoch_ns = 0.0;  ///< that an epoch is predicted to take; 0 for one shared array, where nothing is predicted
};

/// The most rows that each of p workers may train between two exchanges of summed gains: with z = step * curvature *
/// rows, p replicas together move p (1 - exp(-z)) times as far along the steepest direction as one pass would, which
/// must stay below 2. Two workers never reach 2; for them z is kept at 2, beyond which they swing. At least 1.
double longest_exchange(double step, double curvature, std::size_t workers);

/// Rows between two exchanges in an epoch of this step: what was chosen, inside the bound; a power of two.
std::uint32_t exchange_rows(const exchange_options& chosen, double step);

/// The rule. One worker has the array alone, but for `others`. Several have replicas, or replicas of the hot columns
/// where the model does not fit into half of a core's cache and that is predicted to take less time; of a model that
/// kernels train on one array as well, that array where replicas would fill many such caches. Rows between
/// exchanges are as many as make an exchange cost less than 5 per cent, if the bound allows them; if not, two workers
/// go beyond it until an exchange costs at most 10 per cent, and of more so many are left idle as the predicted time
/// asks for. An explicit sharing is kept, within the bound; where it does not allow a single row,
/// more than two take the mean of their gains.
sharing_choice choose_sharing(const sharing_facts& facts);

}  // namespace hogwild
