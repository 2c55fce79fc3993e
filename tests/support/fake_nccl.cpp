// SPDX-License-Identifier: Apache-2.0
#include "support/fake_nccl.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace hogwild::test {
namespace {

constexpr int internal_error = 3, invalid_argument = 4, invalid_usage = 5;

struct fake_group {
  std::size_t size = 0, joined = 0, finalized = 0, closed = 0;
  std::map<std::size_t, std::map<int, std::vector<float>>> sums;      ///< by their number and rank
  std::map<std::pair<int, int>, std::deque<std::vector<char>>> mail;  ///< by sender and receiver
};

struct fake_communicator {
  fake_group* group = nullptr;
  int rank = 0;
  std::size_t exchanges = 0, sums = 0;
  int polls = 0;  ///< until the last exchange is no longer in progress
  bool finalized = false, open = true;
  int state = nccl::success;
};

struct fake_message {
  const void* from;
  void* to;
  std::size_t bytes;
  int peer;
  fake_communicator* by;
};

/// All that the fake knows. Communicators stay for good: a queue may still hold calls of one that was aborted.
struct fake_world {
  std::mutex mutex;
  std::condition_variable changed;
  std::map<unsigned, fake_group> groups;
  std::list<fake_communicator> communicators;
  unsigned ids = 0;
  std::size_t aborted = 0;
  nccl_fault fault = nccl_fault::none;
  std::size_t faulty_rank = 0, faulty_after = 0;
};

fake_world& world() {
  static fake_world all;
  return all;
}

thread_local bool in_group = false;
thread_local std::vector<fake_message> grouped;

int fake_id(nccl::unique_id* id) {
  const std::lock_guard lock(world().mutex);
  *id = {};
  const unsigned number = ++world().ids;
  std::memcpy(id->bytes + 100, &number, sizeof number);
  return nccl::success;
}

int fake_init(void** comm, int size, nccl::unique_id id, int rank, nccl::config* with) {
  if (with->magic != 0xcafebeef || with->size < 20 || with->version < 21400 || with->blocking != 0)
    return invalid_argument;
  const std::lock_guard lock(world().mutex);
  unsigned number = 0;
  std::memcpy(&number, id.bytes + 100, sizeof number);
  if (number == 0 || number > world().ids || rank < 0 || rank >= size) return invalid_argument;
  fake_group& group = world().groups[number];
  group.size = static_cast<std::size_t>(size);
  fake_communicator& made = world().communicators.emplace_back(fake_communicator{.group = &group, .rank = rank});
  if (world().fault == nccl_fault::refused_to_join && static_cast<std::size_t>(rank) == world().faulty_rank)
    made.state = internal_error;  // reported when it is asked for, as by all calls that do not block
  else
    ++group.joined;
  *comm = &made;
  world().changed.notify_all();
  return nccl::in_progress;
}

int fake_state(void* comm, int* state) {
  const std::lock_guard lock(world().mutex);
  auto& c = *static_cast<fake_communicator*>(comm);
  const fake_group& g = *c.group;
  if (c.polls > 0)
    --c.polls, *state = nccl::in_progress;
  else if (c.state != nccl::success)
    *state = c.state;
  else
    *state = g.joined < g.size || (c.finalized && g.finalized < g.size) ? nccl::in_progress : nccl::success;
  return nccl::success;
}

int fake_group_start() {
  in_group = true;
  grouped.clear();
  return nccl::success;
}

int note_message(const fake_message& message, int type) {
  const bool possible = in_group && type == nccl::bytes_type && message.bytes > 0 && message.peer >= 0 &&
                        static_cast<std::size_t>(message.peer) < message.by->group->size;
  if (!possible) return invalid_argument;
  grouped.push_back(message);
  return nccl::success;
}

int fake_send(const void* from, std::size_t count, int type, int peer, void* comm, void*) {
  return note_message({from, nullptr, count, peer, static_cast<fake_communicator*>(comm)}, type);
}
int fake_receive(void* to, std::size_t count, int type, int peer, void* comm, void*) {
  return note_message({nullptr, to, count, peer, static_cast<fake_communicator*>(comm)}, type);
}

/// The error of a call before anything is moved; nothing if it goes on.
std::optional<int> end_of_faulty_call(fake_communicator& self, std::unique_lock<std::mutex>& lock) {
  // No other call may come before one was reported as done.
  if (self.polls > 0 || self.finalized) return self.state = invalid_usage;
  const bool faulty =
      static_cast<std::size_t>(self.rank) == world().faulty_rank && self.exchanges >= world().faulty_after;
  if (faulty && world().fault == nccl_fault::refused) return self.state = internal_error;
  if (faulty && world().fault == nccl_fault::stuck) {
    world().changed.wait(lock, [&] { return !self.open; });
    return nccl::in_progress;
  }
  self.polls = static_cast<int>(self.exchanges++ % 3);
  return std::nullopt;
}

/// Does in the calling thread, which is the queue of the emulated device, what NCCL's kernels do.
int fake_group_end() {
  in_group = false;
  if (grouped.empty()) return nccl::success;
  std::unique_lock lock(world().mutex);
  fake_communicator& self = *grouped.front().by;
  if (const std::optional<int> ended = end_of_faulty_call(self, lock)) return *ended;
  for (const fake_message& m : grouped) {
    if (m.from == nullptr) continue;
    const char* const begin = static_cast<const char*>(m.from);
    self.group->mail[{self.rank, m.peer}].emplace_back(begin, begin + m.bytes);
  }
  world().changed.notify_all();
  for (const fake_message& m : grouped) {
    if (m.from != nullptr) continue;
    auto& mail = self.group->mail[{m.peer, self.rank}];
    world().changed.wait(lock, [&] { return !mail.empty() || !self.open; });
    if (!self.open) return nccl::in_progress;
    if (mail.front().size() != m.bytes) return self.state = invalid_argument;
    std::memcpy(m.to, mail.front().data(), m.bytes);
    mail.pop_front();
  }
  return nccl::in_progress;
}

/// The same for a sum, which goes from the last rank to the first: NCCL promises no order.
int fake_all_reduce(const void* from, void* to, std::size_t count, int type, int operation, void* comm, void*) {
  if (in_group || type != nccl::floats_type || operation != nccl::sum_operation) return invalid_argument;
  std::unique_lock lock(world().mutex);
  auto& self = *static_cast<fake_communicator*>(comm);
  if (const std::optional<int> ended = end_of_faulty_call(self, lock)) return *ended;
  auto& parts = self.group->sums[self.sums++];
  const auto* const mine = static_cast<const float*>(from);
  parts[self.rank].assign(mine, mine + count);
  world().changed.notify_all();
  world().changed.wait(lock, [&] { return parts.size() == self.group->size || !self.open; });
  if (!self.open) return nccl::in_progress;
  std::vector<float> sum(count);
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    if (part->second.size() != count) return self.state = invalid_argument;
    std::ranges::transform(sum, part->second, sum.begin(), std::plus());
  }
  std::memcpy(to, sum.data(), count * sizeof(float));
  return nccl::in_progress;
}

/// In progress until all ranks have called it, like the exchanges under way.
int fake_finalize(void* comm) {
  const std::lock_guard lock(world().mutex);
  auto& c = *static_cast<fake_communicator*>(comm);
  if (c.polls > 0 || c.finalized) return invalid_usage;
  c.finalized = true;
  ++c.group->finalized;
  return nccl::in_progress;
}
int fake_abort(void* comm) {
  const std::lock_guard lock(world().mutex);
  auto& c = *static_cast<fake_communicator*>(comm);
  ++world().aborted;
  ++c.group->closed;
  c.open = false;
  world().changed.notify_all();
  return nccl::success;
}
/// Waits until all ranks have called it, or aborted. Otherwise it stays open.
int fake_destroy(void* comm) {
  std::unique_lock lock(world().mutex);
  auto& c = *static_cast<fake_communicator*>(comm);
  ++c.group->closed;
  world().changed.notify_all();
  if (!world().changed.wait_for(lock, std::chrono::seconds(20), [&] { return c.group->closed >= c.group->size; }))
    return internal_error;
  c.open = false;
  return nccl::success;
}

const char* fake_error(int result) {
  return result == internal_error ? "internal error" : result == invalid_usage ? "invalid usage" : "invalid argument";
}
const char* fake_last_error(void*) {
  return "a cable is out\n";
}

}  // namespace

const nccl::functions& fake_nccl() {
  static const nccl::functions all{.get_unique_id = fake_id,
                                   .init = fake_init,
                                   .async_error = fake_state,
                                   .group_start = fake_group_start,
                                   .group_end = fake_group_end,
                                   .send = fake_send,
                                   .receive = fake_receive,
                                   .all_reduce = fake_all_reduce,
                                   .finalize = fake_finalize,
                                   .destroy = fake_destroy,
                                   .abort = fake_abort,
                                   .error_text = fake_error,
                                   .last_error = fake_last_error};
  return all;
}

void break_fake_nccl(nccl_fault how, std::size_t rank, std::size_t after) {
  const std::lock_guard lock(world().mutex);
  world().fault = how;
  world().faulty_rank = rank;
  world().faulty_after = after;
}

std::size_t open_fake_communicators() {
  const std::lock_guard lock(world().mutex);
  std::size_t open = 0;
  for (const fake_communicator& c : world().communicators) open += c.open ? 1 : 0;
  return open;
}

std::size_t finalized_fake_communicators() {
  const std::lock_guard lock(world().mutex);
  std::size_t finalized = 0;
  for (const fake_communicator& c : world().communicators) finalized += c.finalized ? 1 : 0;
  return finalized;
}

std::size_t aborted_fake_communicators() {
  const std::lock_guard lock(world().mutex);
  return world().aborted;
}

}  // namespace hogwild::test
