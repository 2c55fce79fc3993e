// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <mpi.h>

#include <hogwild/detail/collectives/collective.hpp>

#include "session_state.hpp"

namespace hogwild::detail {

/// What goes beside the numbers.
struct notice {
  enum class kind : std::uint32_t {
    left,     ///< the sender is through; what it has sent before may still be under way
    failed,   ///< `sentence` says who is lost, and why
    given_up  ///< it is the receiver, which was waited for in vain
  };
  kind what = kind::left;
  std::array<char, 1020> sentence{};
};
static_assert(std::is_trivially_copyable_v<notice> && sizeof(notice) == 1024);

/// Messages between the ranks, in rounds: start some, then finish() them all, within the timeout and not without all
/// peers. Once a peer is lost every call throws. Used by one thread at a time.
///
/// MPI reads and writes memory of this object alone. A message to or from a rank that is lost may never end, and
/// nobody can say when callers' arrays are gone; then that memory stays for the life of the session.
class messages {
 public:
  messages(mpi_session::state& session, const collective_options& options);
  messages(const messages&) = delete;
  messages& operator=(const messages&) = delete;
  ~messages();

  std::size_t rank() const noexcept { return session_.rank; }
  std::size_t size() const noexcept { return session_.size; }

  /// Names the call whose messages follow; messages of another call are refused by who receives them.
  void begin(const char* call, int tag);
  /// The numbers may change as soon as it returns.
  template <class T>
  void send(const T* from, std::size_t n, std::size_t to) {
    start_send(from, n, n * sizeof(T), to, type_of<T>());
  }
  /// finish() writes them to `to`.
  template <class T>
  void receive(T* to, std::size_t n, std::size_t from) {
    start_receive(to, n, n * sizeof(T), from, type_of<T>());
  }
  /// Returns where they are from finish() until the next begin().
  template <class T>
  const T* receive_here(std::size_t n, std::size_t from) {
    return static_cast<const T*>(start_receive(nullptr, n, n * sizeof(T), from, type_of<T>()));
  }
  void finish();

  /// Tells all others the sentence, so that they throw it too; the silent ones, that they were given up.
  void tell(const std::string& sentence, std::span<const std::size_t> silent = {}) noexcept;
  [[noreturn]] void give_up(const std::string& sentence, std::span<const std::size_t> silent = {});

 private:
  struct transfer {
    std::size_t peer;
    int count;
    bool sends;
    MPI_Datatype type;
    std::size_t bytes;
    const void* from;  ///< of the caller's numbers, to send; or
    void* to;          ///< where they are wanted
    std::byte* here;   ///< what MPI reads or writes
  };
  /// Grows, and is never initialised.
  struct room {
    std::unique_ptr<std::byte[]> bytes{};
    std::size_t size = 0;
  };
  template <class T>
  static MPI_Datatype type_of() {
    return std::is_same_v<T, float> ? MPI_FLOAT : MPI_DOUBLE;
  }
  void start_send(const void* from, std::size_t n, std::size_t bytes, std::size_t to, MPI_Datatype type);
  void* start_receive(void* to, std::size_t n, std::size_t bytes, std::size_t from, MPI_Datatype type);
  void start(const transfer& t);
  std::byte* next_room(std::size_t bytes);
  bool some_done();
  void check(const transfer& t, const MPI_Status& status);
  std::vector<std::size_t> pending_peers() const;
  void look_at_notices();
  void expect_notice();
  void check_notices(int code);
  template <class Takes>
  void send_notice(const notice& n, const Takes& takes) noexcept;
  void drop_pending() noexcept;

  mpi_session::state& session_;
  int exceptions_ = std::uncaught_exceptions();  ///< when the group was made
  collective_options options_;
  int most_looks_;  ///< at what is under way, before others get the CPU
  MPI_Comm data_ = MPI_COMM_NULL, notices_ = MPI_COMM_NULL;
  const char* call_ = "";
  int tag_ = 0;
  std::vector<MPI_Request> requests_;  ///< MPI_REQUEST_NULL once done
  std::vector<transfer> transfers_;
  std::vector<room> rooms_;  ///< the first `used_` of them for the messages since begin()
  std::size_t used_ = 0;
  std::vector<int> done_;
  std::vector<MPI_Status> statuses_;
  notice incoming_{};
  MPI_Request incoming_request_ = MPI_REQUEST_NULL;
  std::vector<std::chrono::steady_clock::time_point> left_;  ///< when each peer said that it leaves; zero: it has not
  int crowded_calls_ = 0;  ///< so many more take this rank for one without a CPU for itself
  std::string lost_;       ///< the sentence, once somebody is
};

}  // namespace hogwild::detail
