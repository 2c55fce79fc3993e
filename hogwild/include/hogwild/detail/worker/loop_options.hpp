// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <hogwild/detail/data/chunk.hpp>
#include <hogwild/option_values.hpp>

namespace hogwild {

class exchange_hook;
class param_store;
struct rating_list;
class worker_memory;

/// Where the workers of a run read and write. It follows from the requested sharing (sharing_kind), the engine and the
/// number of workers.
enum class access_kind : std::uint32_t {
  alone,          ///< one worker on an array of its own
  direct,         ///< all workers on one shared array, an update a step
  buffered,       ///< each worker has a replica, and exchanges what it gained with the shared array
  head,           ///< a replica of the popular columns, and a shared tail
  deterministic,  ///< virtual workers add their gains turn by turn: a reproducible run
  gathered,       ///< an array for each worker; the rows' changes are gathered until all workers meet (engines.hpp)
  averaged        ///< an array for each worker; all workers take the mean where they meet
};

/// Whether the workers meet in lockstep, each with arrays of its own.
constexpr bool in_lockstep(access_kind kind) {
  return kind == access_kind::gathered || kind == access_kind::averaged;
}

/// How replicas exchange; decided once a run, before the first epoch.
struct exchange_options {
  std::uint64_t head = 0;     ///< parameters that each worker holds under head sharing
  std::uint64_t rows = 0;     ///< a worker's rows between two exchanges, if the step allows that many
  std::uint64_t least = 1;    ///< fewest rows that two replicas train between exchanges: fewer would not pay
  double curvature = 0.0;     ///< of the mean loss: largest second derivative along any direction
  double gain_weight = 1.0;   ///< 1: gains are summed; 1 / workers: their mean is taken
  std::uint64_t workers = 1;  ///< that exchange; in a reproducible run virtual ones, each with a chunk of `rows` a turn
  std::uint32_t replicas = 1;  ///< on a ring, each with an equal share of the workers; 1: there is no ring
  ring_rule rule = ring_rule::deltas;
  released_options released{};
  double scale = 1.0;             ///< in lockstep: multiplies the mean gain of the rows between two meetings
  double timeout_seconds = 30.0;  ///< in lockstep: how long workers wait for each other

  /// On a ring: whether replicas exchange with the common model only, and each has one worker of its own.
  constexpr bool one_worker_each() const { return replicas > 1 && rule == ring_rule::deltas && workers == replicas; }
};

/// The parameters that replicas store as halves: the first `count`, a multiple of four at the end of a group; 0: none.
/// A replica's array then begins with that many halves, followed by the other parameters as floats. The optimiser's
/// state for them is float.
struct stored_halves {
  std::size_t count = 0;
  hogwild::isa isa = hogwild::isa::scalar;  ///< instruction set that makes them; never automatic here

  /// The length in floats of an array of this many parameters, of which there are at least `count`.
  constexpr std::size_t floats(std::size_t parameters) const { return parameters - count / 2; }
  /// Whether parameter j is a half; if not, its place in the array, in floats.
  constexpr bool has(std::size_t j) const { return j < count; }
  constexpr std::size_t place(std::size_t j) const { return j - count / 2; }
};

/// The most devices of one run: as many as large machines have.
inline constexpr std::size_t most_devices = 16;

/// The options that the inner loop needs; copied into the segment for worker processes.
struct loop_options {
  update_kind update = update_kind::lossy;
  optimizer_kind optimizer = optimizer_kind::sgd;
  access_kind sharing = access_kind::direct;
  row_order order = row_order::chunked;
  sharding shards = sharding::claimed;
  std::uint32_t bias = 0;
  float bias_rate = 1.0f;  ///< the bias's step divided by that of the columns
  std::uint32_t telemetry = 1;
  hogwild::isa isa = hogwild::isa::scalar;  ///< instruction set of the kernels; never automatic here
  std::uint32_t batch = 16;                 ///< rows that see the same weights, if kernels train them
  std::uint32_t frozen_groups = 0;          ///< bit i: the i-th group of parameters is frozen
  double l1 = 0.0, l2 = 0.0;
  std::uint64_t seed = 1;
  std::uint64_t all_rows = 0;  ///< rows of all processes that train the model together
  double earlier_rows = 0.0;   ///< of the runs whose state the optimiser goes on with, once an epoch
  optimizer_constants constants{};
  exchange_options exchange{};

  l2_form form = l2_form::by_degree;
  ownership_kind ownership = ownership_kind::automatic;
  hogwild::isa dense_isa = hogwild::isa::scalar;  ///< for kernels of dense rows; never automatic here
  std::uint32_t rows_in_flight = 0;               ///< rows that a device trains at once, at most; 0: no device trains
  std::uint32_t device_count = 0;                 ///< workers in the first slots, each of which drives a device:
  std::array<std::int32_t, most_devices> devices{};  ///< each one's number, or emulated_device
  memory_kind memory = memory_kind::device;          ///< of those devices
  storage_kind storage = storage_kind::single;       ///< of factors in those devices' own memory
  stored_halves halves{};                            ///< in replicas of workers on the CPU
  std::uint32_t row_state = 0;                       ///< the optimiser has one number a row (row_state.hpp)

  /// Whether rows of margin models make proximal steps (margin_proximal.hpp).
  constexpr bool proximal() const { return l1 > 0.0 || optimizer == optimizer_kind::ftrl; }
  /// The square of the value of the bias's column, as steps see it; 0 without a bias.
  constexpr double bias_square() const { return bias != 0 ? static_cast<double>(bias_rate) : 0.0; }
  constexpr bool freezes(std::size_t group) const { return group < 32 && (frozen_groups >> group & 1) != 0; }
};

/// How the workers of a run train: training_task::plan() decides it before the first epoch, and nothing changes it
/// afterwards.
struct loop_plan {
  loop_options options{};  ///< sharing, exchange, batch, shards and ownership as decided
  chunk_plan chunks{0, 1};
  std::shared_ptr<const rating_list> blocks{};  ///< the ratings block by block, if blocks have owners

  /// How many of `workers` train: no more than there are chunks. In lockstep a worker without rows takes part all the
  /// same, because the result depends on it.
  std::size_t training_workers(std::size_t workers) const {
    return in_lockstep(options.sharing) ? workers : std::min(workers, chunks.count());
  }
};

/// One worker in a round: its inputs, and what belongs to it.
struct worker_context {
  const loop_plan& plan;
  const param_store& store;
  std::size_t slot;
  worker_memory& memory;  ///< kept from round to round
  exchange_hook* hook;    ///< told of each exchange with the store, if that is one replica of several; else null
};

}  // namespace hogwild
