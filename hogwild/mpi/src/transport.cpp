// SPDX-License-Identifier: Apache-2.0
#include <hogwild/mpi/transport.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <mpi.h>

#include <hogwild/detail/platform/wait_limit.hpp>
#include <hogwild/error.hpp>

#include "poll_pacer.hpp"
#include "session_state.hpp"

namespace hogwild {

namespace {

using std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr int length_tag = 1, bytes_tag = 2;
constexpr std::uint64_t longest = std::uint64_t{1} << 40;
constexpr std::size_t most_bytes = std::size_t{1} << 30;  ///< of one MPI message, whose count is an int
constexpr auto shortest_nap = detail::poll_pacer::shortest;
constexpr auto last_timeout = 2s;  ///< at the end, for the last messages to be received

/// A ring message is sent as its length, followed by its bytes in parts that MPI can count.
class mpi_ring final : public message_link {
 public:
  mpi_ring(mpi_session& session, std::chrono::nanoseconds timeout) : session_(session.internals()), timeout_(timeout) {
    ring_ = detail::own_copy(session_, timeout);
    if (session_.threads == mpi_threads::first_only)
      throw config_error("this MPI lets one thread alone call it, and a ring has a thread for its messages");
    expect_length();
  }
  ~mpi_ring() override {
    detail::wait_limit limit(last_timeout);
    while (!session_.lost && !outgoing_.empty() && !limit.passed()) {
      if (all_done_quietly(outgoing_.front().requests))
        outgoing_.pop_front();
      else
        std::this_thread::sleep_for(shortest_nap);
    }
    if (length_request_ != MPI_REQUEST_NULL) {
      MPI_Cancel(&length_request_);
      MPI_Wait(&length_request_, MPI_STATUS_IGNORE);  // concerns this rank alone
    }
    if (outgoing_.empty() && incoming_requests_.empty()) return;
    // A message to a lost rank never ends.
    session_.lose(std::make_shared<std::deque<letter>>(std::move(outgoing_)));
    session_.lose(std::make_shared<std::vector<std::byte>>(std::move(incoming_)));
  }

  std::size_t rank() const noexcept override { return session_.rank; }
  std::size_t size() const noexcept override { return session_.size; }

  void send(std::vector<std::byte> message) override {
    look_at_outgoing();
    letter& out = outgoing_.emplace_back(timeout_);
    out.bytes = std::move(message);
    out.length = out.bytes.size();
    const int to = static_cast<int>((rank() + 1) % size());
    out.requests.resize(1);
    check(MPI_Isend(&out.length, 1, MPI_UINT64_T, to, length_tag, ring_, out.requests.data()), to);
    for_parts(out.bytes, [&](std::byte* part, int n) {
      out.requests.push_back(MPI_REQUEST_NULL);
      check(MPI_Isend(part, n, MPI_BYTE, to, bytes_tag, ring_, &out.requests.back()), to);
    });
  }

  std::optional<std::vector<std::byte>> receive(std::chrono::nanoseconds wait) override {
    const auto until = steady_clock::now() + wait;
    detail::poll_pacer pace;
    for (;;) {
      look_at_outgoing();
      if (auto message = look_at_incoming()) return message;
      if (incoming_requests_.empty() && steady_clock::now() >= until) return std::nullopt;
      pace.nap();
    }
  }

 private:
  struct letter {
    explicit letter(std::chrono::nanoseconds timeout) : limit(timeout) {}

    std::vector<std::byte> bytes{};
    std::uint64_t length = 0;
    std::vector<MPI_Request> requests{};
    detail::wait_limit limit;
  };

  template <class F>
  static void for_parts(std::vector<std::byte>& bytes, const F& f) {
    for (std::size_t i = 0; i < bytes.size(); i += most_bytes)
      f(bytes.data() + i, static_cast<int>(std::min(most_bytes, bytes.size() - i)));
  }

  int before() const { return static_cast<int>((rank() + size() - 1) % size()); }

  void check(int code, int who) {
    if (code == MPI_SUCCESS) return;
    session_.lose();
    throw worker_error("rank " + std::to_string(who) + " is lost: MPI says '" + detail::mpi_error_text(code) + "'");
  }

  static bool all_done_quietly(std::vector<MPI_Request>& requests) {
    int done = 0;
    const int n = static_cast<int>(requests.size());
    return MPI_Testall(n, requests.data(), &done, MPI_STATUSES_IGNORE) == MPI_SUCCESS && done != 0;
  }

  bool all_done(std::vector<MPI_Request>& requests, int who) {
    int done = 0;
    check(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE), who);
    return done != 0;
  }

  void look_at_outgoing() {
    const int to = static_cast<int>((rank() + 1) % size());
    while (!outgoing_.empty() && all_done(outgoing_.front().requests, to)) outgoing_.pop_front();
    if (!outgoing_.empty() && outgoing_.front().limit.passed()) late(to, "taken");
  }

  /// The message, once it is whole.
  std::optional<std::vector<std::byte>> look_at_incoming() {
    if (incoming_requests_.empty()) {
      int done = 0;
      check(MPI_Test(&length_request_, &done, MPI_STATUS_IGNORE), before());
      if (done == 0) return std::nullopt;
      if (length_ > longest) {
        session_.lose();
        throw worker_error("rank " + std::to_string(before()) + " announces a message of " + std::to_string(length_) +
                           " bytes, which no ring sends: all ranks have to run the same program");
      }
      incoming_.resize(length_);
      due_ = detail::wait_limit(timeout_);
      for_parts(incoming_, [&](std::byte* part, int n) {
        incoming_requests_.push_back(MPI_REQUEST_NULL);
        check(MPI_Irecv(part, n, MPI_BYTE, before(), bytes_tag, ring_, &incoming_requests_.back()), before());
      });
    }
    if (!all_done(incoming_requests_, before())) {
      if (due_.passed()) late(before(), "sent");
      return std::nullopt;
    }
    incoming_requests_.clear();
    expect_length();
    return std::exchange(incoming_, {});
  }

  void expect_length() {
    check(MPI_Irecv(&length_, 1, MPI_UINT64_T, before(), length_tag, ring_, &length_request_), before());
  }

  [[noreturn]] void late(int who, const char* what) {
    session_.lose();
    throw worker_error("rank " + std::to_string(who) + " has not " + what + " a whole message of the ring within " +
                       std::to_string(std::chrono::duration_cast<std::chrono::seconds>(timeout_).count()) +
                       " s: it is stopped or out of reach, or the network is too slow for the model");
  }

  mpi_session::state& session_;
  std::chrono::nanoseconds timeout_;
  MPI_Comm ring_ = MPI_COMM_NULL;  ///< stays until MPI is finalized, as in messages.hpp
  std::deque<letter> outgoing_;
  std::uint64_t length_ = 0;
  MPI_Request length_request_ = MPI_REQUEST_NULL;
  std::vector<std::byte> incoming_;
  std::vector<MPI_Request> incoming_requests_;
  detail::wait_limit due_{timeout_};
};

}  // namespace

std::unique_ptr<message_link> join_mpi_ring(mpi_session& session, std::chrono::nanoseconds timeout) {
  return std::make_unique<mpi_ring>(session, timeout);
}

}  // namespace hogwild
