// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/collectives/agreement.hpp>
#include <hogwild/detail/platform/process_identity.hpp>
#include <hogwild/detail/run/common_columns.hpp>
#include <hogwild/detail/transports/message_link.hpp>
#include <hogwild/error.hpp>
#include <interrupt/interrupt.hpp>

#include "train_request.hpp"

// Several processes of `hogwild train` or `hogwild search` that a launcher (mpiexec, srun) has started together.

namespace hogwild::cli {

/// This process's place among them.
class launched_ranks {
 public:
  virtual ~launched_ranks() = default;

  virtual collective& all() = 0;
  virtual message_link& link() = 0;
  std::size_t rank() { return all().rank(); }
  std::size_t size() { return all().size(); }
  virtual std::size_t rank_on_machine() const = 0;
  virtual std::size_t size_on_machine() const = 0;
  /// For operations that take long on some ranks only, such as reading text.
  virtual agreement with_long_timeout() = 0;
  /// Ends all ranks; the caller prints the reason first.
  [[noreturn]] virtual void abort(exit_code code) noexcept = 0;
};

/// Whether a launcher has started this process, according to the environment of mpiexec and srun.
bool launched();

/// A launcher's environment variable with the number of processes that it has started together.
struct launcher_word {
  std::string variable;
  std::size_t processes = 1;
};
/// The variable with the largest number; nothing if none is above one. Slurm's number for an allocation does not count:
/// a single process may run in a script there.
std::optional<launcher_word> launched_several();

/// Throws config_error if a launcher says that it has started several processes, but MPI knows only one: each would
/// train everything by itself, and all would write the same files.
void require_known_to_mpi(std::size_t ranks);

/// Lets the first rank report an error that all processes of a launcher find because they have the same command line:
/// the others wait a moment, in which the launcher ends them, before they go on to report it themselves. Returns at
/// once on the first rank, and if no launcher has started this process.
void let_first_rank_tell();

/// Joins the others if a launcher has started this process, or MPI was asked for; nothing if it is alone. Throws
/// config_error if this build has no MPI.
std::unique_ptr<launched_ranks> join_ranks(const train_request& request);

/// Throws rank_failure unless all ranks run the same build and command with the same options, except for those that may
/// differ (compared_words()).
void require_same_command(const std::string& command, const train_request& request, launched_ranks& ranks);

/// The ranks of this machine, as processes visible to this one.
class rank_neighbours {
 public:
  /// All ranks construct one at the same time.
  explicit rank_neighbours(launched_ranks& ranks);

  /// Numbers of those that have ended. Any thread may ask.
  std::vector<std::size_t> gone() const;
  std::size_t size() const { return all_.size(); }
  /// Whether this is the first of those on this machine that have not ended: only that one reports the others.
  bool is_first_left() const;

 private:
  struct one {
    process_identity process{};
    std::uint64_t numbers = 0;  ///< detects process numbers of other namespaces, as in containers
  };
  static std::vector<one> of_all(launched_ranks& ranks);
  bool is_seen(std::size_t rank) const { return all_[rank].numbers == all_[rank_].numbers; }

  std::size_t rank_;
  std::vector<one> all_;
};

/// Has signals answered by naming a rank that is lost, since then the launcher ends the others and nothing is saved. If
/// none is lost: `stopping`, a line, to one that asks the work to stop. `again` ends the sentence about a lost rank of
/// work that has begun: what to do. All ranks call it.
void answer_as_rank(interrupt& asked, launched_ranks& ranks, std::string_view stopping, const std::string& again);

/// Returns work(). An error on one rank, which is printed with its number, ends them all: the others would wait for it.
int with_all_ranks(launched_ranks& ranks, const std::function<int()>& work);

/// The default number of workers of a rank: its part of the machine.
std::size_t workers_of_rank(const launched_ranks& ranks);

/// Throws rank_failure on all ranks if a file that the first rank writes for all is named on others only.
void require_written(const train_request& request, launched_ranks& ranks);

/// One rank's options: those of the first rank, except that only the first prints, takes signals, and writes files
/// without %rank in their names.
train_request request_of_rank(const train_request& request, launched_ranks& ranks);
/// The options of a process that is alone, which is rank 0 if a name has %rank in it.
train_request request_alone(train_request request);

/// The rows that this rank trains: those of a file of its own if the path holds "%rank", else its part of the common
/// file.
struct rank_rows {
  sparse_dataset data;
  std::optional<common_columns> common{};
  sparse_view part{};

  const column_numbering& numbering() const { return common ? common->numbering() : data.numbering(); }
};

/// Opens them; `open(path)` opens one file. The first rank of a machine opens before the others, so that they find its
/// cache.
rank_rows open_rank_rows(const std::string& path, launched_ranks& ranks,
                         const std::function<sparse_dataset(const std::string&)>& open);

}  // namespace hogwild::cli
