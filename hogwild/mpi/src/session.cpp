// SPDX-License-Identifier: Apache-2.0
#include <hogwild/mpi/session.hpp>

#include <array>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>

#include <hogwild/detail/collectives/lost_peer.hpp>
#include <hogwild/detail/platform/wait_limit.hpp>

#include "session_state.hpp"

namespace hogwild {

namespace detail {

std::string mpi_error_text(int code) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  return {text.data(), static_cast<std::size_t>(length)};
}

void check_mpi(int code, const char* what) {
  if (code != MPI_SUCCESS) throw worker_error(std::string(what) + ": MPI says '" + mpi_error_text(code) + "'");
}

MPI_Comm own_copy(mpi_session::state& session, std::chrono::nanoseconds timeout) {
  const auto copy = std::make_shared<MPI_Comm>(MPI_COMM_NULL);
  try {
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Comm_idup(MPI_COMM_WORLD, copy.get(), &request), "a group of ranks cannot be made");
    wait_limit limit(timeout);
    for (int done = 0;;) {
      check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "a group of ranks cannot be made");
      if (done != 0) break;
      if (limit.passed()) throw worker_error(not_joined_text(timeout));
      std::this_thread::yield();
    }
    check_mpi(MPI_Comm_set_errhandler(*copy, MPI_ERRORS_RETURN), "errors cannot be caught");
  } catch (const worker_error&) {
    session.lose(copy);  // MPI writes there if the others come after all
    throw;
  }
  return *copy;
}

}  // namespace detail

namespace {

mpi_threads threads_of(int level) {
  if (level >= MPI_THREAD_MULTIPLE) return mpi_threads::any;
  return level == MPI_THREAD_SERIALIZED ? mpi_threads::one_by_one : mpi_threads::first_only;
}

void look_around(MPI_Comm communicator, std::size_t& rank, std::size_t& size) {
  int r = 0, n = 1;
  detail::check_mpi(MPI_Comm_rank(communicator, &r), "the number of this rank is not available");
  detail::check_mpi(MPI_Comm_size(communicator, &n), "the number of ranks is not available");
  rank = static_cast<std::size_t>(r);
  size = static_cast<std::size_t>(n);
}

/// Whether a launcher left the command line that it started.
bool has_command() {
  std::array<char, 8> text{};
  int found = 0;
  const int code = MPI_Info_get(MPI_INFO_ENV, "command", static_cast<int>(text.size()) - 1, text.data(), &found);
  return code == MPI_SUCCESS && found != 0;
}

std::string version_text() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string whole(text.data(), static_cast<std::size_t>(length));
  return whole.substr(0, whole.find_first_of(",\n"));
}

}  // namespace

mpi_session::mpi_session() : state_(std::make_unique<state>()) {
  int is_started = 0, is_finalized = 0, level = MPI_THREAD_SINGLE;
  MPI_Initialized(&is_started);
  MPI_Finalized(&is_finalized);
  if (is_finalized != 0) {
    throw config_error("MPI was finalized and cannot be started twice; keep one mpi_session for the whole program");
  }
  if (is_started != 0) {
    MPI_Query_thread(&level);
  } else {
    if (const int code = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level); code != MPI_SUCCESS) {
      throw resource_error("MPI does not start: '" + detail::mpi_error_text(code) +
                           "'; start the program by the mpiexec of the MPI that it was built with");
    }
    state_->ours = true;
  }
  state_->threads = threads_of(level);
  look_around(MPI_COMM_WORLD, state_->rank, state_->size);
  MPI_Comm machine = MPI_COMM_NULL;
  detail::check_mpi(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine),
                    "which ranks share a machine is not available");
  look_around(machine, state_->rank_on_machine, state_->size_on_machine);
  MPI_Comm_free(&machine);
  state_->launched = state_->size > 1 || has_command();
}

mpi_session::~mpi_session() {
  int is_finalized = 0;
  MPI_Finalized(&is_finalized);
  if (state_->ours && !state_->lost.load() && is_finalized == 0) MPI_Finalize();
}

std::size_t mpi_session::rank() const noexcept {
  return state_->rank;
}
std::size_t mpi_session::size() const noexcept {
  return state_->size;
}
std::size_t mpi_session::rank_on_machine() const noexcept {
  return state_->rank_on_machine;
}
std::size_t mpi_session::size_on_machine() const noexcept {
  return state_->size_on_machine;
}
mpi_threads mpi_session::threads() const noexcept {
  return state_->threads;
}
bool mpi_session::launched() const noexcept {
  return state_->launched;
}

std::string mpi_session::describe() const {
  const char* const callers = threads() == mpi_threads::any          ? "any thread may call it"
                              : threads() == mpi_threads::one_by_one ? "its threads take turns"
                                                                     : "only its first thread may call it";
  return version_text() + ", rank " + std::to_string(rank()) + " of " + std::to_string(size()) + ", " +
         std::to_string(size_on_machine()) + " on this machine, " + callers;
}

void mpi_session::abort(exit_code code) noexcept {
  MPI_Abort(MPI_COMM_WORLD, static_cast<int>(code));
  std::abort();  // MPI may return if it could not end the others
}

}  // namespace hogwild
