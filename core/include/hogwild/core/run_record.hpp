// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <hogwild/core/machine.hpp>

namespace hogwild {

/// A value of an option, as the user gave it or as it was chosen.
using record_value = std::variant<bool, std::int64_t, double, std::string>;

/// The data of a run, in the symbols of the Hogwild! analysis.
struct record_dataset {
  std::string path;             ///< "-" for standard input, "memory" for rows that a program holds
  std::uint64_t rows = 0;       ///< n
  std::uint64_t columns = 0;    ///< d: columns that occur
  std::uint64_t nonzeros = 0;   ///< nnz
  std::uint64_t omega = 0;      ///< Omega: entries of the longest row
  double delta = 0;             ///< Delta: rows with the most frequent column / n
  unsigned index_bits = 32;     ///< stored width of a column number
  unsigned value_bits = 32;     ///< stored width of a value
  std::optional<double> rho{};  ///< largest share of rows that meet one row; nothing where not computed
  std::optional<std::uint64_t> test_rows{};
};

/// First line: what ran, where, on what.
struct record_context {
  std::string version, commit, build_type, compiler;
  machine_facts machine{};
  std::vector<std::pair<std::string, record_value>> options{};  ///< in the order of writing; names are distinct
  record_dataset dataset{};
};

/// How good the model is on rows that it was not trained on; what was not measured is left out of the line.
struct record_measures {
  std::optional<double> test_loss{}, test_accuracy{}, test_auc{}, test_f1{}, test_rmse{}, test_cut{}, validation_loss{};
};

/// Others' rows between a row's read and its write.
struct record_staleness {
  double p50 = 0, p99 = 0;
};

/// One line an epoch. Counts and seconds are cumulative since the start of the run; what is in which seconds is said in
/// hogwild/result.hpp, whose figures these are.
struct record_epoch {
  std::uint64_t epoch = 0;  ///< from 1
  double train_seconds = 0;
  double wall_seconds = 0;
  std::uint64_t examples = 0, updates = 0, nonzeros = 0;
  double step = 0;        ///< that the epoch began with
  double train_loss = 0;  ///< mean over examples
  double objective = 0;   ///< train_loss + l2/2 ||w||^2
  record_measures measures{};
  std::optional<record_staleness> staleness{};
  std::optional<double> conflict_rate{};  ///< share of sampled writes whose value had changed since it was read
};

/// Why a run ended.
enum class record_status {
  done,       ///< the epochs that were asked for
  target,     ///< the metric reached the value that was named
  converged,  ///< objective or validation loss no longer fell
  diverged,   ///< the loss is not finite
  stopped     ///< somebody asked it to stop
};

/// What replicas on a ring told each other.
struct record_ring {
  std::uint64_t exchanges = 0, bytes = 0;
  double held_seconds = 0;  ///< with the token in hand, summed over all
  std::uint64_t waits = 0;  ///< exchanges that found the token elsewhere
  std::uint64_t taken_over = 0;
  std::vector<std::vector<int>> nodes{};  ///< memory nodes of each replica, by the operating system's numbers
  std::string memory = "anywhere";        ///< how it came there: a placed_memory
};

/// What the first rank and the others of a ring of processes told each other.
struct record_link {
  std::uint64_t ranks = 0, exchanges = 0, bytes = 0;
  double held_seconds = 0, waited_seconds = 0;
};

/// What the ranks of a synchronous run did when they met.
struct record_meetings {
  std::uint64_t ranks = 0;
  std::uint64_t dense = 0, sparse = 0;  ///< meetings that took arrays, and pairs of index and value
  std::uint64_t bytes = 0;              ///< that each rank handed over
  double seconds = 0;                   ///< in meetings, waiting included; mean over the ranks
};

/// Last line.
struct record_result {
  record_status status = record_status::done;
  std::uint64_t epochs = 0;
  double train_seconds = 0, wall_seconds = 0;
  std::optional<double> seconds_to_target{};
  std::optional<double> train_loss{}, objective{};  ///< nothing where no epoch ended
  record_measures measures{};
  double search_seconds = 0;
  double step = 0;                            ///< initial step of the run
  std::uint64_t workers_replaced = 0;         ///< worker processes that died and in whose place another one was started
  std::uint64_t rows_lost = 0;                ///< finished rows whose changes they took along
  std::optional<record_ring> ring{};          ///< of a run with several replicas in a process
  std::optional<record_link> link{};          ///< of a run of several processes on a ring
  std::optional<record_meetings> meetings{};  ///< of a synchronous run
  std::uint64_t peak_rss_bytes = 0;
  std::optional<std::string> advice{};  ///< what the user could do better
};

/// A run record: one JSON object a line (schema: bench/schema/run_record.schema.json). Every line is one write to the
/// file, so that whoever follows it never reads half a line; one that does not find room, on a full disk, is taken
/// back. A number that is not finite is written as null, since JSON has no other word for it; a result whose loss is
/// not finite is written with the status "diverged" whatever it says. One thread at a time may use a record.
class run_record {
 public:
  /// Version of the lines' layout: "schema" in the context line.
  static constexpr int schema = 1;

  /// Creates the file (mode 0666 less the umask), or empties it: it grows while the run goes on, instead of appearing
  /// at its end. What is no file, a device, a FIFO (whose reader is waited for) or a descriptor such as /dev/stderr, is
  /// written into; a link means what it leads to. Throws input_error where the path cannot be written ("-" is no path
  /// here), resource_error where the system has no room.
  explicit run_record(const std::string& path);
  run_record(run_record&&) noexcept;
  run_record& operator=(run_record&&) noexcept;
  ~run_record();

  // Each throws resource_error or input_error where the line cannot be written whole; then the file ends as before.
  void write(const record_context& line);
  void write(const record_epoch& line);
  void write(const record_result& line);

 private:
  struct file;
  std::unique_ptr<file> file_;
};

}  // namespace hogwild
