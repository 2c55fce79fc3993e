// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

// The values that options of a run and of an engine may take. A user may give every one of them; kinds that only the
// library chooses, like access_kind, are defined elsewhere.

namespace hogwild {

/// How a worker adds to a shared parameter. The last two also say what holds for an example from its first read to its
/// last add.
enum class update_kind : std::uint32_t {
  lossy,        ///< read, add, write: an add by another worker in between may be lost
  exact,        ///< atomic: no add is lost
  locked,       ///< each add under a lock: the classical baseline
  edge_locked,  ///< no other worker reads or changes what the example touches: AIG of the Hogwild! paper
  ordered       ///< workers take one example each in turn, in one fixed order: RR of the Hogwild! paper
};

/// Whether this kind of update makes a whole example atomic.
constexpr bool is_exclusive(update_kind kind) {
  return kind == update_kind::edge_locked || kind == update_kind::ordered;
}

/// How a gradient changes the parameters.
enum class optimizer_kind : std::uint32_t { sgd, adagrad, momentum, adam, row_adagrad, ftrl, lion };

/// Constants of some of the optimisers. The last three default to the papers' values; for linear models epsilon and
/// beta are multiplied by the root of the mean square of the entries, which is the unit of gradients.
struct optimizer_constants {
  double momentum = 0.9;              ///< in [0, 1)
  double beta1 = 0.9;                 ///< in [0, 1): of adam's first moment; of the mean in a step of lion
  std::optional<double> beta2{};      ///< in [0, 1): of adam's second moment; of lion's mean
  std::optional<double> epsilon{};    ///< > 0: adam divides by sqrt(second moment) + epsilon
  std::optional<double> ftrl_beta{};  ///< > 0: ftrl divides by beta + sqrt(sum of squares)
};

/// What the state of an optimiser belongs to. Under another optimiser or other constants it has no meaning.
struct state_numbers {
  optimizer_kind optimizer = optimizer_kind::sgd;  ///< whose state it is
  optimizer_constants constants{};                 ///< as the run used them
  double bias_rate = 1.0;  ///< as the run used it: in linear models it sets the unit of the state
  double step = 0.0;       ///< in effect at the end of the run; the sums of ftrl contain it
  double rows = 0.0;       ///< rows that made the state, counted once an epoch: the l1 and l2 of ftrl grow with them
};

/// Where a worker reads and writes.
enum class sharing_kind : std::uint32_t {
  automatic,  ///< whatever suits the data and the machine: see choose.hpp
  direct,     ///< all workers on one shared array, an update a step: Hogwild! as published
  buffered,   ///< each worker has a replica, and exchanges its gains with the shared array
  head        ///< a replica of the popular columns, and a shared tail
};

/// Who may change rows of factors (models of ratings).
enum class ownership_kind : std::uint32_t {
  automatic,  ///< blocks if several workers share one array and nothing forbids it
  shared,     ///< all workers change all rows at the same time: Hogwild!
  blocks      ///< a worker owns the users and items of the block of ratings that it trains: no two workers change a row
};

/// The order in which a pass visits the rows.
enum class row_order : std::uint32_t {
  chunked,      ///< chunks in random order, rows of a chunk in sequence (rows were shuffled at ingest): the default
  permuted,     ///< a fresh permutation of all rows each epoch, as in the papers' experiments
  replacement,  ///< every row drawn uniformly, with replacement, as in the papers' analysis
  sequential    ///< chunks and rows as they are stored: the first rows are trained first
};

/// Whether the rows of a chunk are trained as they are stored.
constexpr bool by_chunks(row_order order) {
  return order == row_order::chunked || order == row_order::sequential;
}

/// How chunks are dealt out to workers.
enum class sharding : std::uint32_t {
  claimed,  ///< each worker begins with its own part of the chunks, the same one each epoch, and then helps the others:
            ///< a slow worker draws fewer chunks (the default)
  fixed     ///< each worker owns a part of the chunks and draws no others, as in the papers
};

/// How the step size falls.
enum class schedule_kind : std::uint32_t {
  constant,   ///< the initial step in every epoch
  geometric,  ///< initial * decay^(e-1) in epoch e, as in the Hogwild! papers
  inverse,    ///< initial / (1 + decay * (e-1))
  linear,     ///< falls with every row, by decay * initial an epoch, but never below initial / 10,000
  cosine,     ///< along half a cosine, from initial in the first epoch to decay * initial in the last
  plateau     ///< initial, times decay for each epoch so far that did not improve the validation measure
};

/// The meaning of l2 for models whose rows touch few parameters. Linear models with one margin a row accept by_degree
/// and two_pass. Under sgd they apply by_degree as the l2 of every row, without writes (scaled_l2).
enum class l2_form : std::uint32_t {
  by_degree,       ///< each parameter is regularised once an epoch, however many rows touch it: the objective is the
                   ///< mean loss plus l2 / 2 * ||w||^2
  per_occurrence,  ///< each row regularises the parameters that it touches: l2 / 2 * ||touched w||^2 is added to its
                   ///< loss
  two_pass  ///< like by_degree, but after its step each row shrinks the parameters that it touches by 1 - step * l2 * n
            ///< / degree, as the Hogwild! papers' programs do; for linear models with one margin a row, under sgd
};

/// The number that the values of a column are divided by before a linear model is trained (`hogwild train --scale`).
/// Saved models keep these numbers.
enum class column_scaling : std::uint32_t {
  none = 0,
  automatic = 1,  ///< max_abs if single columns outweigh all others (find_wild_columns), else none
  max_abs = 2,    ///< the size of a column's largest value
  standard = 3    ///< a column's standard deviation; its mean is not subtracted, so zeros stay zeros
};

/// The instruction sets that kernels are written for. Kernels of margin models compute the same bits on all of them.
/// Kernels of dense rows may fuse products with sums, and then differ in the last bits.
enum class isa : std::uint32_t { automatic, scalar, avx2, avx512 };

/// The library that supplies the threads. They run the same loop.
enum class thread_team_kind { openmp, tbb, std };

/// The kind of workers of a ring, or of ranks of a synchronous run.
enum class transport_kind {
  in_process,     ///< threads of this process
  shared_segment  ///< processes on one named segment: the program calls worker_main first, as for process_engine
};

/// The mean that workers of a synchronous engine take when they meet.
enum class sync_rule {
  gradients,  ///< the mean of the changes by their rows: mini-batch descent
  average     ///< the mean of their parameters: local SGD
};

/// Where a device keeps the parameters and the optimiser state that it trains.
enum class memory_kind : std::uint32_t {
  device,  ///< a replica in its own memory, which exchanges with the shared parameters
  pinned,  ///< the run's own store, which CPUs train as well: host memory that the device can access
  managed  ///< the run's own store, in unified memory that resides on the device; for threads
};

/// How a replica's factors are stored, on a device or by a worker on the CPU.
enum class storage_kind : std::uint32_t {
  single,  ///< as float, like the run's own parameters
  /// As IEEE binary16; computations use float. A device rounds to nearest, ties to even. A worker on the CPU rounds
  /// stochastically, so that small steps count on average, except factors below 2^-14, which it rounds towards zero.
  half
};

/// How replicas on a ring exchange; see hogwildpp/detail/exchange_rule.hpp.
enum class ring_rule : std::uint32_t {
  deltas,   ///< each replica adds its gains to a model that travels
  average,  ///< a replica and its successor take their mean
  released  ///< the rule of the code released with the Hogwild++ paper
};

/// Further options of ring_rule::released, which the released code has as well.
struct released_options {
  double tolerance = 1e-2;  ///< >= 0: a replica keeps changes of a weight, times the step, up to this size to itself
  std::uint64_t rows = 0;   ///< a worker's rows between two looks at the token, a power of two up to 4096 (update_delay
                            ///< in the released code, after which it passes the token on); 0: by the stability bound
  std::uint64_t dense = 0;  ///< 1: an exchange covers all columns; 0: a prefix, by the marks of a ruler
  bool operator==(const released_options&) const = default;
};

/// How values are written in a message between the processes of a ring.
enum class delta_values : std::uint8_t {
  as_stored,  ///< float or double, all bits
  /// IEEE binary16 times a power of two, which each block of 256 coordinates chooses by its largest magnitude M. The
  /// error of a value is at most the largest of 2^-11 * (1 + 2^-12) of itself, 2^-39 * M and 2^-149. Blocks with M of
  /// at least 2^127, or with infinities or NaNs, are written as stored.
  as_half
};

}  // namespace hogwild
