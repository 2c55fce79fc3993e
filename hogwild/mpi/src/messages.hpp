// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <mpi.h>

#include <hogwild/detail/collectives/collective.hpp>
#include <hogwild/detail/platform/wait_limit.hpp>

#include "session_state.hpp"

namespace hogwild::detail {

/// A message other than numbers.
struct notice {
  enum class kind : std::uint32_t {
    left,     ///< the sender has finished; what it has sent before may still be under way
    failed,   ///< `sentence` says who is lost, and why
    given_up  ///< the receiver was waited for in vain
  };
  kind what = kind::left;
  std::array<char, 1020> sentence{};
};
static_assert(std::is_trivially_copyable_v<notice> && sizeof(notice) == 1024);

/// Messages between the ranks, in rounds: start some, then finish() them all, within the timeout and only with all
/// peers. Once a peer is lost every call throws. Used by one thread at a time.
///
/// MPI reads and writes only memory of this object. A message to or from a lost rank may never end, while callers'
/// arrays may be freed at any time; then the object's memory stays for the life of the session.
class messages {
 public:
  messages(mpi_session::state& session, const collective_options& options);
  messages(const messages&) = delete;
  messages& operator=(const messages&) = delete;
  ~messages();

  std::size_t rank() const noexcept { return session_.rank; }
  std::size_t size() const noexcept { return session_.size; }

  /// Names the call to which the next messages belong; receivers refuse messages of another call.
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
  /// Returns where they will be from finish() until the next begin().
  template <class T>
  const T* receive_here(std::size_t n, std::size_t from) {
    return static_cast<const T*>(start_receive(nullptr, n, n * sizeof(T), from, type_of<T>()));
  }
  void finish();

  /// Sends all others the message, so that they throw it too; the silent ones are told that they were given up.
  void tell(const std::string& sentence, std::span<const std::size_t> silent = {}) noexcept;
  [[noreturn]] void give_up(const std::string& sentence, std::span<const std::size_t> silent = {});

 private:
  struct transfer {
    std::size_t peer;
    int count;
    bool sends;
    MPI_Datatype type;
    std::size_t bytes;
    const void* from;  ///< the caller's numbers, to be sent; or
    void* to;          ///< destination of received numbers
    std::byte* here;   ///< memory that MPI reads or writes
  };
  /// Memory that grows and is never initialised.
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
  int most_looks_;  ///< polls before the CPU is yielded to others
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
  std::vector<std::optional<wait_limit>> left_;  ///< how long the last messages of each peer that leaves are waited for
  int crowded_calls_ = 0;  ///< for this many more calls this rank counts as having no CPU of its own
  std::string lost_;       ///< the message, once a rank is lost
};

}  // namespace hogwild::detail
