// SPDX-License-Identifier: Apache-2.0
#include "messages.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <thread>
#include <utility>

#include <hogwild/detail/collectives/lost_peer.hpp>
#include <hogwild/detail/control/turn_board.hpp>

#include "poll_pacer.hpp"

namespace hogwild::detail {

using std::chrono::steady_clock;
using namespace std::chrono_literals;

namespace {

constexpr int notice_tag = 1;
/// Polls without sleeping of a rank that has no CPU of its own, and how it detects that.
constexpr int looks_if_crowded = 50, looks_per_gauge = 64, calls_until_next_gauge = 64;
constexpr auto timeout = 200ms;  ///< at the end: for numbers of a peer that has left, and this rank's last notices

}  // namespace

messages::messages(mpi_session::state& session, const collective_options& options)
    : session_(session),
      options_(options),
      // If every rank has a CPU, keeping it for a while is faster than getting it back.
      most_looks_(session.size_on_machine <= std::thread::hardware_concurrency() ? 3000 : 50),
      left_(session.size) {
  data_ = own_copy(session, options.timeout);
  notices_ = own_copy(session, options.timeout);
  expect_notice();
}

messages::~messages() {
  if (std::uncaught_exceptions() > exceptions_) session_.lose();  // after an exception MPI cannot be finalized
  if (!requests_.empty()) drop_pending();
  if (incoming_request_ != MPI_REQUEST_NULL) {
    MPI_Cancel(&incoming_request_);
    MPI_Wait(&incoming_request_, MPI_STATUS_IGNORE);  // concerns this rank alone
  }
  if (lost_.empty()) send_notice({}, [](std::size_t) { return true; });
}

void messages::begin(const char* call, int tag) {
  if (!lost_.empty()) throw worker_error(lost_);
  if (!requests_.empty()) give_up(failed_text(rank(), size(), "an exception has broken off its last call"));
  used_ = 0;
  call_ = call;
  tag_ = tag;
  look_at_notices();  // a rank that comes late to a broken group reports the lost member, not what follows from it
}

std::byte* messages::next_room(std::size_t bytes) {
  if (used_ == rooms_.size()) rooms_.emplace_back();
  room& next = rooms_[used_++];
  if (next.size < bytes) next = {std::make_unique_for_overwrite<std::byte[]>(bytes), bytes};
  return next.bytes.get();
}

void messages::start_send(const void* from, std::size_t n, std::size_t bytes, std::size_t to, MPI_Datatype type) {
  transfer t{.peer = to,
             .count = static_cast<int>(n),
             .sends = true,
             .type = type,
             .bytes = bytes,
             .from = from,
             .to = nullptr,
             .here = nullptr};
  // The same numbers often go to all others.
  const auto same = std::ranges::find_if(
      transfers_, [&](const transfer& other) { return other.sends && other.from == from && other.bytes == bytes; });
  if (same != transfers_.end()) {
    t.here = same->here;
  } else {
    t.here = next_room(bytes);
    if (bytes > 0) std::memcpy(t.here, from, bytes);
  }
  start(t);
}

void* messages::start_receive(void* to, std::size_t n, std::size_t bytes, std::size_t from, MPI_Datatype type) {
  std::byte* const here = next_room(bytes);
  start({.peer = from,
         .count = static_cast<int>(n),
         .sends = false,
         .type = type,
         .bytes = bytes,
         .from = nullptr,
         .to = to,
         .here = here});
  return here;
}

void messages::start(const transfer& t) {
  const int other = static_cast<int>(t.peer);
  transfers_.push_back(t);
  requests_.push_back(MPI_REQUEST_NULL);
  const int code = t.sends ? MPI_Isend(t.here, t.count, t.type, other, tag_, data_, &requests_.back())
                           : MPI_Irecv(t.here, t.count, t.type, other, MPI_ANY_TAG, data_, &requests_.back());
  if (code != MPI_SUCCESS)
    give_up(ranks_text({&t.peer, 1}, size()) + " is lost: MPI says '" + mpi_error_text(code) + "'");
}

/// Polls everything under way; true once nothing is under way.
bool messages::some_done() {
  int n = 0;
  done_.resize(requests_.size());
  statuses_.resize(requests_.size());
  const int code =
      MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &n, done_.data(), statuses_.data());
  if (n == MPI_UNDEFINED) return true;
  for (int i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (code == MPI_SUCCESS) statuses_[k].MPI_ERROR = MPI_SUCCESS;  // only set if the whole call failed
    check(transfers_[static_cast<std::size_t>(done_[k])], statuses_[k]);
  }
  if (code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS)
    give_up("MPI cannot go on in " + std::string(call_) + ": '" + mpi_error_text(code) + "'");
  return std::all_of(requests_.begin(), requests_.end(), [](MPI_Request r) { return r == MPI_REQUEST_NULL; });
}

/// Checks that a peer sent what this call expects.
void messages::check(const transfer& t, const MPI_Status& status) {
  int error = MPI_SUCCESS, count = t.count;
  if (status.MPI_ERROR != MPI_SUCCESS) MPI_Error_class(status.MPI_ERROR, &error);
  if (error == MPI_SUCCESS && !t.sends) MPI_Get_count(&status, t.type, &count);
  if (error == MPI_ERR_TRUNCATE || count != t.count || (!t.sends && status.MPI_TAG != tag_)) {
    give_up(mismatch_text(rank(), call_, t.peer, "something else, or with another length"));
  }
  if (error != MPI_SUCCESS) {
    give_up(ranks_text({&t.peer, 1}, size()) + " is lost: MPI says '" + mpi_error_text(status.MPI_ERROR) + "'");
  }
}

void messages::finish() {
  const auto begin = steady_clock::now();
  wait_limit limit(options_.timeout, begin);
  auto next_notices = begin + 1ms;
  // Messages from other machines take long, and polls for them are expensive: a rank without a CPU of its own does
  // better to sleep than to use up the CPU time of others, or its own limit.
  const bool may_nap = session_.size_on_machine < session_.size;
  bool crowded = may_nap && crowded_calls_ > 0;
  if (crowded) --crowded_calls_;
  std::optional<cpu_gauge> gauge;
  std::optional<poll_pacer> pace;
  for (int looks = 0; !some_done(); ++looks) {
    if (may_nap && !crowded) {
      if (!gauge) gauge.emplace();
      if (looks % looks_per_gauge == looks_per_gauge - 1 && gauge->is_crowded()) {
        crowded = true;
        crowded_calls_ = calls_until_next_gauge;
      }
    }
    if (looks < (crowded ? looks_if_crowded : most_looks_)) {
      relax_cpu();
      continue;
    }
    const auto now = steady_clock::now();
    if (now >= next_notices) {
      look_at_notices();
      next_notices = now + 1ms;
    }
    if (limit.passed(now)) {
      const std::vector<std::size_t> silent = pending_peers();
      give_up(silent_text(silent, size(), call_, options_.timeout), silent);
    }
    // MPI moves messages only while somebody calls it, so sleeps are short, and begin only when the wait is long
    // already.
    if (!crowded && now - begin < 5ms) {
      std::this_thread::yield();
    } else {
      if (!pace) pace.emplace();
      pace->nap();
    }
  }
  for (const transfer& t : transfers_)
    if (t.to != nullptr && t.bytes > 0) std::memcpy(t.to, t.here, t.bytes);
  requests_.clear();
  transfers_.clear();
}

/// Peers whose messages are missing, or to which messages do not get through.
std::vector<std::size_t> messages::pending_peers() const {
  std::vector<std::size_t> peers;
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (requests_[i] != MPI_REQUEST_NULL) peers.push_back(transfers_[i].peer);
  }
  std::sort(peers.begin(), peers.end());
  peers.erase(std::unique(peers.begin(), peers.end()), peers.end());
  return peers;
}

void messages::expect_notice() {
  check_notices(
      MPI_Irecv(&incoming_, sizeof incoming_, MPI_BYTE, MPI_ANY_SOURCE, notice_tag, notices_, &incoming_request_));
}

void messages::check_notices(int code) {
  if (code != MPI_SUCCESS)
    give_up(failed_text(rank(), size(), "no messages can be received: MPI says '" + mpi_error_text(code) + "'"));
}

void messages::look_at_notices() {
  for (;;) {
    int arrived = 0;
    MPI_Status status;
    check_notices(MPI_Test(&incoming_request_, &arrived, &status));
    if (arrived == 0) break;
    const auto peer = static_cast<std::size_t>(status.MPI_SOURCE);
    if (incoming_.what != notice::kind::left) {
      incoming_.sentence.back() = '\0';
      const bool own = incoming_.what == notice::kind::given_up;
      lost_ = own ? given_up_text(rank(), size(), options_.timeout) : incoming_.sentence.data();
      session_.lose();
      drop_pending();
      throw worker_error(lost_);
    }
    left_[peer].emplace(timeout);
    expect_notice();
  }
  for (const std::size_t peer : pending_peers()) {
    if (left_[peer] && left_[peer]->passed()) give_up(gone_text(peer, size(), "has left", call_));
  }
}

void messages::give_up(const std::string& sentence, std::span<const std::size_t> silent) {
  tell(sentence, silent);
  drop_pending();
  throw worker_error(sentence);
}

void messages::tell(const std::string& sentence, std::span<const std::size_t> silent) noexcept {
  if (!lost_.empty()) return;
  session_.lose();
  notice n{.what = notice::kind::failed};
  std::copy_n(sentence.data(), std::min(sentence.size(), n.sentence.size() - 1), n.sentence.data());
  try {
    lost_ = sentence;
  } catch (...) {  // no memory for the message; the string itself has room for this one
    lost_ = "out of memory";
  }
  const auto is_silent = [&](std::size_t peer) { return std::ranges::find(silent, peer) != silent.end(); };
  send_notice(n, [&](std::size_t peer) { return !is_silent(peer); });
  if (!silent.empty()) send_notice({.what = notice::kind::given_up}, is_silent);
}

/// Tries to send to all peers for which `takes` is true; a peer may be gone.
template <class Takes>
void messages::send_notice(const notice& n, const Takes& takes) noexcept {
  // A notice that is not received in time is never freed, since MPI may still read it.
  static_assert(std::is_trivially_destructible_v<notice>);
  auto* const kept = new (std::nothrow) notice(n);
  if (kept == nullptr) return;
  bool all_sent = true;
  wait_limit limit(timeout);
  for (std::size_t peer = 0; peer < size(); ++peer) {
    if (peer == rank() || !takes(peer)) continue;
    MPI_Request request = MPI_REQUEST_NULL;
    int sent = 0;
    if (MPI_Isend(kept, sizeof *kept, MPI_BYTE, static_cast<int>(peer), notice_tag, notices_, &request) !=
        MPI_SUCCESS) {
      continue;
    }
    do {
      if (MPI_Test(&request, &sent, MPI_STATUS_IGNORE) != MPI_SUCCESS) break;
    } while (sent == 0 && !limit.passed());
    if (sent == 0 && request != MPI_REQUEST_NULL) {
      MPI_Request_free(&request);
      all_sent = false;
    }
  }
  if (all_sent) delete kept;
}

/// Cancels receives that are still pending. If a request does not end in time, the session keeps its memory, since MPI
/// may still use it.
void messages::drop_pending() noexcept {
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (requests_[i] != MPI_REQUEST_NULL && !transfers_[i].sends) MPI_Cancel(&requests_[i]);
  }
  wait_limit limit(timeout);
  bool all_ended = true;
  for (MPI_Request& request : requests_) {
    int ended = 0;
    while (request != MPI_REQUEST_NULL && ended == 0 && !limit.passed()) {
      if (MPI_Test(&request, &ended, MPI_STATUS_IGNORE) != MPI_SUCCESS) break;
    }
    if (request == MPI_REQUEST_NULL) continue;
    MPI_Request_free(&request);
    all_ended = false;
  }
  if (!all_ended) session_.lose(std::make_shared<std::vector<room>>(std::exchange(rooms_, {})));
  requests_.clear();
  transfers_.clear();
}

}  // namespace hogwild::detail
