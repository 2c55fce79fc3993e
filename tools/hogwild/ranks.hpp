// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/platform/process_identity.hpp>
#include <hogwild/detail/run/agreement.hpp>
#include <hogwild/detail/run/common_columns.hpp>
#include <hogwild/detail/transports/message_link.hpp>
#include <hogwild/error.hpp>

#include "train_request.hpp"

// Several processes of `hogwild train`, or `hogwild search`, that a launcher (mpiexec, srun) has started together.

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
  /// For what takes long on some ranks only, such as reading text.
  virtual agreement with_long_timeout() = 0;
  /// Ends all ranks; say why first.
  [[noreturn]] virtual void abort(exit_code code) noexcept = 0;
};

/// Whether a launcher has started this process: what mpiexec and srun leave in the environment says so.
bool launched();

/// What a launcher says in the environment of how many processes it has started together.
struct launcher_word {
  std::string variable;
  std::size_t processes = 1;
};
/// The one that says most; nothing where none says more than one. What Slurm says of an allocation is none: there one
/// process may run in a script.
std::optional<launcher_word> launched_several();

/// Throws config_error where a launcher says that it has started several processes, and MPI knows of one: each would
/// train the whole by itself, and all would write the same files.
void require_known_to_mpi(std::size_t ranks);

/// What all processes of a launcher refuse, because they have the same command line, is told by the first rank: the
/// others wait a moment, within which the launcher ends them, before they go on to tell it themselves. Returns at once
/// on the first rank, and where no launcher has started this process.
void let_first_rank_tell();

/// Joins the others where a launcher has started this process, or MPI was asked for; nothing where it is alone. Throws
/// config_error where this build has no MPI.
std::unique_ptr<launched_ranks> join_ranks(const train_request& request);

/// Throws rank_failure unless all ranks run the same build and command with the same options, but for those that each
/// may have of its own (compared_words.hpp).
void require_same_command(const std::string& command, const train_request& request, launched_ranks& ranks);

/// The ranks of this machine, as processes that this one can see.
class rank_neighbours {
 public:
  /// All ranks make one at the same time.
  explicit rank_neighbours(launched_ranks& ranks);

  /// Those that have ended, by number. Any thread may ask.
  std::vector<std::size_t> gone() const;
  std::size_t size() const { return all_.size(); }
  /// Whether this is the first of those on this machine that have not ended: one of them tells of the others.
  bool is_first_left() const;

 private:
  struct one {
    process_identity process{};
    std::uint64_t numbers = 0;  ///< tells apart where process numbers mean others, as in containers
  };
  static std::vector<one> of_all(launched_ranks& ranks);
  bool is_seen(std::size_t rank) const { return all_[rank].numbers == all_[rank_].numbers; }

  std::size_t rank_;
  std::vector<one> all_;
};

/// What a rank that is asked to stop answers: who is lost, since then the launcher ends the others and nothing is
/// saved; or that all of them stop. A line, or nothing where another rank of this machine says it.
std::string answer_of_rank(const rank_neighbours& neighbours, const std::string& checkpoint);

/// Returns work(). What one rank cannot do, which is told with its number, ends them all: the others would wait for it.
int with_all_ranks(launched_ranks& ranks, const std::function<int()>& work);

/// How many workers a rank has where nothing is said: its part of the machine.
std::size_t workers_of_rank(const launched_ranks& ranks);

/// One rank's options: those of the first rank, but that it alone prints and asks, and writes what has no %rank in its
/// name.
train_request request_of_rank(const train_request& request, launched_ranks& ranks);
/// Those of a process that is alone, which is rank 0 where a name has %rank in it.
train_request request_alone(train_request request);

/// The rows that this rank trains: of a file of its own where the path holds "%rank", else its part of the file that
/// all have.
struct rank_rows {
  sparse_dataset data;
  std::optional<common_columns> common{};
  sparse_view part{};

  const column_numbering& numbering() const { return common ? common->numbering() : data.numbering(); }
};

/// Opens them, `open(path)` one file; the first rank of a machine before the others, so that they find its cache.
rank_rows open_rank_rows(const std::string& path, launched_ranks& ranks,
                         const std::function<sparse_dataset(const std::string&)>& open);

}  // namespace hogwild::cli
