// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

// What the options of a run and of an engine may be set to. Every value is one that a user may give; kinds that only
// the library comes to, as access_kind, stand elsewhere.

namespace hogwild {

/// How a worker adds to a shared parameter; the last two, what an example may count on from its first read to its last
/// add.
enum class update_kind : std::uint32_t {
  lossy,        ///< read, add, write: the add of somebody else in between may be lost
  exact,        ///< atomic: none is lost
  locked,       ///< each add under a lock: the classical baseline
  edge_locked,  ///< nobody else reads or changes what the example touches: AIG of the Hogwild! paper
  ordered       ///< workers take one example each in turn, all in one order: RR of the Hogwild! paper
};

/// Whether an update kind makes a whole example atomic.
constexpr bool is_exclusive(update_kind kind) {
  return kind == update_kind::edge_locked || kind == update_kind::ordered;
}

/// How a gradient changes the parameters.
enum class optimizer_kind : std::uint32_t { sgd, adagrad, momentum, adam, row_adagrad, ftrl };

/// What some of the optimisers want to know. What is not given of the last two is that of the papers, and of linear
/// models that times the root of the mean square of the entries: gradients have their unit.
struct optimizer_constants {
  double momentum = 0.9;              ///< in [0, 1)
  double beta1 = 0.9;                 ///< of adam's first moment, in [0, 1)
  double beta2 = 0.999;               ///< of the second
  std::optional<double> epsilon{};    ///< > 0: adam divides by sqrt(second moment) + epsilon
  std::optional<double> ftrl_beta{};  ///< > 0: ftrl divides by beta + sqrt(sum of squares)
};

/// Where a worker reads and writes.
enum class sharing_kind : std::uint32_t {
  automatic,  ///< what suits the data and the machine: see choose.hpp
  direct,     ///< all on one shared array, an update a step: Hogwild! to the letter
  buffered,   ///< a replica a worker, which exchanges what it gained with the shared array
  head        ///< a replica of the hot columns, and a shared tail
};

/// Who may change rows of factors (models of ratings).
enum class ownership_kind : std::uint32_t {
  automatic,  ///< blocks where several workers share one array and nothing speaks against it
  shared,     ///< all workers change all rows at the same time: Hogwild!
  blocks      ///< a worker owns the users and the items of the block of ratings that it trains: no two change a row
};

/// In which order a pass visits the rows.
enum class row_order : std::uint32_t {
  chunked,      ///< chunks in random order, rows of a chunk in sequence (rows were shuffled at ingest): the default
  permuted,     ///< a fresh permutation of all rows each epoch: what the papers run
  replacement,  ///< every row drawn uniformly, with replacement: what the papers analyse
  sequential    ///< chunks and rows as they are stored: what comes first is trained first
};

/// Whether the rows of a chunk are trained as they are stored.
constexpr bool by_chunks(row_order order) {
  return order == row_order::chunked || order == row_order::sequential;
}

/// How chunks are dealt out.
enum class sharding : std::uint32_t {
  claimed,  ///< each worker begins with a part of the chunks, the same one each epoch, and helps the others with theirs
            ///< when it is through: a slow worker simply draws fewer (the default)
  fixed     ///< each worker owns a part of the chunks and draws no others, as the papers do
};

/// How the step size falls.
enum class schedule_kind : std::uint32_t {
  constant,   ///< the initial step in every epoch
  geometric,  ///< initial * decay^(e-1) in epoch e: what the Hogwild! papers use
  inverse,    ///< initial / (1 + decay * (e-1))
  linear,     ///< falls with every row, by decay * initial an epoch, but never below initial / 10,000
  cosine,     ///< along half a cosine, from initial in the first epoch to decay * initial in the last
  plateau     ///< initial, times decay for each epoch so far without a better validation loss
};

/// What l2 means for models whose rows touch few parameters. Linear models with one margin a row know by_degree and
/// two_pass; under sgd, by_degree is there the l2 of every row, which writes nothing (scaled_l2).
enum class l2_form : std::uint32_t {
  by_degree,       ///< each parameter is regularised once an epoch, however many rows touch it: l2 / 2 * ||w||^2 in the
                   ///< objective, beside the mean loss
  per_occurrence,  ///< each row regularises what it touches: l2 / 2 * ||touched w||^2 joins its loss
  two_pass  ///< as by_degree, but after its step each row shrinks what it touches, by 1 - step * l2 * n / degree,
            ///< as the Hogwild! papers' programs do: of linear models with one margin a row, under sgd
};

/// What the values of columns are divided by before a linear model is trained on them (`hogwild train --scale`). Saved
/// models have the numbers.
enum class column_scaling : std::uint32_t {
  none = 0,
  automatic = 1,  ///< by max_abs where columns are wild (find_wild_columns), else nothing
  max_abs = 2,    ///< the size of a column's largest value
  standard = 3    ///< a column's standard deviation; its mean stays where it is, so that zeros stay zeros
};

/// The instruction sets that kernels are written for. Those of margin models compute the same bits on all of them;
/// those of dense rows may fuse products with sums, and then differ in the last ones.
enum class isa : std::uint32_t { automatic, scalar, avx2, avx512 };

/// Which library supplies the threads. The loop they run is the same.
enum class thread_team_kind { openmp, tbb, std };

/// What the workers of a ring, or the ranks of a synchronous run, are.
enum class transport_kind {
  in_process,     ///< threads of this process
  shared_segment  ///< processes on one named segment: the program calls worker_main first, as for process_engine
};

/// What the workers of a synchronous engine take from a meeting.
enum class sync_rule {
  gradients,  ///< the mean of what their rows would change: mini-batch descent
  average     ///< the mean of their parameters: local SGD
};

/// Where a device keeps the parameters and the optimiser's state that it trains.
enum class memory_kind : std::uint32_t {
  device,  ///< a replica in its own memory, which exchanges with the shared parameters
  pinned,  ///< the run's own store, on which CPUs train, too: memory of the host that the device reaches by itself
  managed  ///< the run's own store, in unified memory that lies with the device; for threads
};

/// How the factors that a replica trains are stored: that of a device, or of a worker on the CPU.
enum class storage_kind : std::uint32_t {
  single,  ///< as float, as the run's own parameters are
  /// As IEEE binary16; what is computed from these is float. A device rounds to nearest, ties to even; a worker on the
  /// CPU by chance, so that small steps count on average, but of factors below 2^-14, which it rounds towards zero.
  half
};

/// What replicas on a ring do when they meet; see hogwildpp/detail/exchange_rule.hpp.
enum class ring_rule : std::uint32_t {
  deltas,   ///< what each gained is added to a model that travels
  average,  ///< a replica and its successor take the mean
  released  ///< the rule of the code that was released with the Hogwild++ paper
};

/// What else ring_rule::released may be told, as that code can be.
struct released_options {
  double tolerance = 1e-2;  ///< >= 0: changes of a weight, times the step, up to which a replica keeps them to itself
  std::uint64_t rows = 0;   ///< a worker's rows between two looks at the token, a power of two up to 4096 (the code's
                            ///< update_delay, after which it passes the token on); 0: by the stability bound
  std::uint64_t dense = 0;  ///< 1: an exchange covers all columns; 0: a prefix, by the marks of a ruler
  bool operator==(const released_options&) const = default;
};

/// How a message between the processes of a ring writes its values.
enum class delta_values : std::uint8_t {
  as_stored,  ///< float or double to the last bit
  /// IEEE binary16 times a power of two, which each block of 256 coordinates chooses by its largest magnitude M. A
  /// value is off by at most 2^-11 * (1 + 2^-12) of itself, or 2^-39 * M, or 2^-149, whichever is most. Blocks with M
  /// from 2^127 on, or with infinities or NaNs, are written as stored.
  as_half
};

}  // namespace hogwild
