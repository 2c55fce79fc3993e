// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <mpi.h>

#include <hogwild/mpi/session.hpp>

namespace hogwild {

struct mpi_session::state {
  std::size_t rank = 0, size = 1;
  std::size_t rank_on_machine = 0, size_on_machine = 1;
  mpi_threads threads = mpi_threads::first_only;
  bool launched = false;
  bool ours = false;              ///< the session started MPI, and has to finalize it
  std::atomic<bool> lost{false};  ///< a rank no longer answers

  /// Called when ranks no longer answer; MPI may read and write `memory` as long as it runs. Any thread may call it.
  void lose(std::shared_ptr<void> memory = nullptr) {
    lost = true;
    if (memory == nullptr) return;
    const std::lock_guard lock(mutex_);
    kept_.push_back(std::move(memory));
  }

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<void>> kept_{};  ///< of messages that never ended
};

namespace detail {

/// Throws worker_error with MPI's message unless `code` is success.
void check_mpi(int code, const char* what);
std::string mpi_error_text(int code);

/// A communicator of all ranks for one user, made together by all within the timeout; it returns errors. Throws
/// worker_error, and then the session is lost. Never freed: MPI could give its number to another communicator, which
/// would then receive messages that are still under way in this one.
MPI_Comm own_copy(mpi_session::state& session, std::chrono::nanoseconds timeout);

}  // namespace detail
}  // namespace hogwild
