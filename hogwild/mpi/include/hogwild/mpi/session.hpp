// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include <hogwild/error.hpp>

namespace hogwild {

/// The threads of a rank that may call MPI.
enum class mpi_threads {
  first_only,  ///< the one that made the session
  one_by_one,  ///< any, but never two at the same time
  any
};

/// MPI for the life of this object: one in a program, made before its other threads use MPI, destroyed after everything
/// that uses it.
///
/// If a collective has lost a rank, or an exception has taken this one out of a collective, the destructor does not
/// finalize MPI, because that would wait for ranks that do not come; the launcher then ends the other ranks when this
/// process ends. To end them at once, call abort().
class mpi_session {
 public:
  /// Starts MPI, for as many threads as it allows. Without a launcher, this process is the only rank. If the program
  /// has started MPI itself, uses that and leaves finalizing to the program. Throws config_error if MPI has been
  /// finalized, which cannot be undone, and resource_error if it does not start.
  mpi_session();
  mpi_session(const mpi_session&) = delete;
  mpi_session& operator=(const mpi_session&) = delete;
  ~mpi_session();

  std::size_t rank() const noexcept;             ///< of this process, from 0
  std::size_t size() const noexcept;             ///< processes in all
  std::size_t rank_on_machine() const noexcept;  ///< among the ranks that share this machine's memory
  std::size_t size_on_machine() const noexcept;  ///< processes on this machine
  mpi_threads threads() const noexcept;          ///< as MPI granted
  /// Whether a launcher (mpiexec, srun) started this process, as far as MPI tells: there are several ranks, or a single
  /// one whose launcher left its command line.
  bool launched() const noexcept;
  /// "Open MPI v4.1.4, rank 0 of 4, 2 on this machine, any thread may call it".
  std::string describe() const;

  /// Ends all ranks, with this exit code. The caller should print the reason on standard error first.
  [[noreturn]] void abort(exit_code code) noexcept;

  struct state;
  /// For the other parts of this library.
  state& internals() const noexcept { return *state_; }

 private:
  std::unique_ptr<state> state_;
};

}  // namespace hogwild
