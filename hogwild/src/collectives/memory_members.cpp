// SPDX-License-Identifier: Apache-2.0
// How the members of a group in common memory meet, and what they do if one does not come.
#include <algorithm>
#include <chrono>
#include <thread>

#include <hogwild/detail/collectives/lost_peer.hpp>
#include <hogwild/detail/platform/wait_limit.hpp>
#include <hogwild/error.hpp>

#include "memory_collective.hpp"

namespace hogwild::detail {

namespace {

const char* name_of(operation call) {
  switch (call) {
    case operation::all_reduce:
      return "all_reduce";
    case operation::broadcast:
      return "broadcast";
    case operation::reduce:
      return "reduce";
    case operation::gather:
      return "gather";
    case operation::all_gather:
      return "all_gather";
    case operation::barrier:
      return "barrier";
    case operation::none:
      break;
  }
  return "a collective call";
}

std::string text_of(const offer& o) {
  std::string text = name_of(o.call);
  if (o.call == operation::barrier) return text;
  text += " of " + std::to_string(o.length) + (o.scalar_bytes == 4 ? " floats" : " doubles");
  if (o.call != operation::all_reduce && o.call != operation::all_gather)
    text += " with root " + std::to_string(o.root);
  return text;
}

bool same_call(const offer& a, const offer& b) {
  return a.call == b.call && a.scalar_bytes == b.scalar_bytes && a.length == b.length && a.root == b.root;
}

}  // namespace

memory_collective::memory_collective(const common_memory& memory, std::size_t rank, const collective_options& options)
    : memory_(memory), rank_(rank), options_(options), watches_(memory.members.size()) {
  check_rank(rank, size());
  auto expected = presence::expected;
  if (!self().state.compare_exchange_strong(expected, presence::entering)) {
    throw config_error("rank " + std::to_string(rank) +
                       " of this group has been taken; every member needs one of its own");
  }
  if (!memory.shared.empty()) self().process = process_identity::current();
  self().state.store(presence::present);
}

memory_collective::~memory_collective() {
  self().state.store(presence::left);
}

/// Publishes this member's call, waits until all have come, and checks that they make the same call.
void memory_collective::begin(const offer& call) {
  if (memory_.place->barrier.is_broken()) throw_reason();
  self().offered = call;
  meet();
  for (std::size_t r = 0; r < size(); ++r) {
    const offer& other = memory_.members[r].offered;
    if (same_call(call, other)) continue;
    if (memory_.place->barrier.break_off()) explain(mismatch_text(rank_, text_of(call), r, text_of(other)));
    throw_reason();
  }
}

void memory_collective::meet() {
  constexpr std::chrono::nanoseconds look = std::chrono::milliseconds(10);
  phase_barrier& barrier = memory_.place->barrier;
  self().meetings.raise(1);
  const std::uint32_t number = barrier.arrive(static_cast<std::uint32_t>(size()));
  meeting now = barrier.look(number);
  if (now == meeting::open) {
    wait_limit limit(options_.timeout);
    while ((now = barrier.wait(number, std::min(limit.left(), look))) == meeting::open) {
      std::string how;
      const char* call = name_of(self().offered.call);
      if (const auto gone = lost_rank(how)) {
        give_up(number, gone_text(*gone, size(), how, call));
      } else if (limit.passed()) {
        const std::vector<std::size_t> silent = absent_ranks();
        give_up(number, silent_text(silent, size(), call, options_.timeout), silent);
      }
    }
  }
  if (now == meeting::broken) throw_reason();
}

/// A rank that will never come to this open meeting: a member leaves it only if it fails.
std::optional<std::size_t> memory_collective::lost_rank(std::string& how) {
  for (std::size_t r = 0; r < size(); ++r) {
    group_member& other = memory_.members[r];
    const presence state = other.state.load();
    if (r == rank_ || state == presence::expected || state == presence::entering) continue;
    how = "has left";
    if (state == presence::left) return r;
    if (memory_.shared.empty()) continue;
    if (!watches_[r]) watches_[r].emplace(other.process);
    how = "(process " + std::to_string(other.process.pid) + ") has ended";
    if (watches_[r]->ended()) return r;
  }
  return std::nullopt;
}

std::vector<std::size_t> memory_collective::absent_ranks() const {
  std::vector<std::size_t> absent;
  for (std::size_t r = 0; r < size(); ++r) {
    if (memory_.members[r].meetings.get() != self().meetings.get()) absent.push_back(r);
  }
  return absent;
}

/// A silent member gets another message when it comes: the others' message names it as the one that did not come.
void memory_collective::give_up(std::uint32_t number, const std::string& sentence,
                                std::span<const std::size_t> silent) {
  if (!memory_.place->barrier.break_off(number)) return;
  for (const std::size_t r : silent) memory_.members[r].given_up.store(1);
  explain(sentence);
}

void memory_collective::fail(const std::string& reason) noexcept {
  constexpr std::size_t longest = 300;
  if (!memory_.place->barrier.break_off()) return;
  try {
    explain(failed_text(rank_, size(), reason.substr(0, longest)));
  } catch (...) {  // no memory for a message: throw_reason() has one without it
    explain("");
  }
}

/// Called by the member that broke the barrier.
void memory_collective::explain(const std::string& sentence) noexcept {
  auto& reason = memory_.place->reason;
  const std::size_t n = std::min(sentence.size(), reason.size() - 1);
  std::copy_n(sentence.data(), n, reason.data());
  reason[n] = '\0';
  memory_.place->explained.store(1);
}

void memory_collective::throw_reason() const {
  // The member that broke the barrier writes its message at once, unless it was killed in between.
  wait_limit limit(std::chrono::seconds(1));
  while (memory_.place->explained.load() == 0 && !limit.passed()) std::this_thread::yield();
  std::string sentence;
  if (memory_.place->explained.load() != 0) {
    if (self().given_up.load() != 0) throw worker_error(given_up_text(rank_, size(), options_.timeout));
    const auto& reason = memory_.place->reason;
    sentence.assign(reason.data(), std::find(reason.begin(), reason.end(), '\0'));
  }
  if (sentence.empty()) sentence = "another member of this group has ended; start the run again";
  throw worker_error(sentence);
}

}  // namespace hogwild::detail
