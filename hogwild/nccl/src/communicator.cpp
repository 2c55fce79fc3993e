// SPDX-License-Identifier: Apache-2.0
#include "communicator.hpp"

#include <memory>
#include <thread>
#include <utility>

#include <hogwild/detail/platform/wait_limit.hpp>

namespace hogwild::nccl {
namespace {

/// Issues all messages to NCCL at once, and returns its result code.
int issue(const functions& nccl, void* comm, const std::vector<message>& sent, const std::vector<message>& received,
          void* stream) {
  int first = nccl.group_start();
  const auto note = [&](int result) {
    if (first == success || first == in_progress) first = result;
  };
  for (const message& m : sent) note(nccl.send(m.at, m.bytes, bytes_type, static_cast<int>(m.peer), comm, stream));
  for (const message& m : received)
    note(nccl.receive(m.at, m.bytes, bytes_type, static_cast<int>(m.peer), comm, stream));
  const int end = nccl.group_end();
  return first == success || first == in_progress ? end : first;
}

/// Without trailing newlines and spaces.
std::string trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

/// Yields for some microseconds, then sleeps: most messages are short.
class pause {
 public:
  void operator()() {
    if (++rounds_ < 200)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(50));
  }

 private:
  int rounds_ = 0;
};

}  // namespace

communicator::communicator(const functions& with, device::runtime& on, const unique_id& id, std::size_t rank,
                           std::size_t size, std::chrono::nanoseconds timeout)
    : nccl_(with), device_(on), timeout_(timeout) {
  config options;
  constexpr const char* did = "join the ranks' devices";
  try {
    check(nccl_.init(&comm_, static_cast<int>(size), id, static_cast<int>(rank), &options), did);
    wait_until([&] { return is_settled(did); }, did);
  } catch (...) {
    abort();
    throw;
  }
}

communicator::~communicator() {
  if (comm_ == nullptr) return;
  detail::wait_limit limit(std::chrono::seconds(1));
  int state = nccl_.finalize(comm_);
  for (pause wait; state == in_progress && !limit.passed(); wait())
    if (nccl_.async_error(comm_, &state) != success) break;
  if (state != success)
    abort();
  else
    nccl_.destroy(comm_);
}

void communicator::exchange(const std::vector<message>& sent, const std::vector<message>& received) {
  const auto some = [](const std::vector<message>& all) {
    std::vector<message> kept;
    for (const message& m : all)
      if (m.bytes > 0) kept.push_back(m);
    return kept;
  };
  std::vector<message> to = some(sent), from = some(received);
  if (to.empty() && from.empty()) return;
  run([nccl = &nccl_, comm = comm_, to = std::move(to),
       from = std::move(from)](void* stream) { return issue(*nccl, comm, to, from, stream); },
      "exchange numbers");
}

void communicator::add_up(float* at, std::size_t count) {
  run([nccl = &nccl_, comm = comm_, at,
       count](void* stream) { return nccl->all_reduce(at, at, count, floats_type, sum_operation, comm, stream); },
      "add up numbers");
}

template <class Call>
void communicator::run(Call call, const char* did) {
  struct queued {
    Call call;
    int result;
  };
  // The device's queue keeps the function, and may outlive this call if the call throws.
  const auto work = std::make_shared<queued>(queued{std::move(call), success});
  const auto on_stream = [work](void* stream) {
    work->result = work->call(stream);
    return 0;
  };
  device_.run({.on_host = [on_stream](std::size_t, std::size_t) { on_stream(nullptr); }, .on_device = on_stream});
  // Until then NCCL has not put its kernels into the queue.
  wait_until([&] { return is_settled(did); }, did);
  const auto end = device_.mark();
  const auto is_over = [&] {
    const bool reached = device_.reached(end);  // checked first: the queue may reach the call only now
    return is_settled(did) && reached;
  };
  wait_until(is_over, did);
  check(work->result, did);
}

void communicator::abort() noexcept {
  if (comm_ != nullptr) nccl_.abort(comm_);
  comm_ = nullptr;
}

void communicator::check(int result, const char* did) const {
  if (result == success || result == in_progress) return;
  const std::string more = trimmed(nccl_.last_error(comm_));
  const std::string text = "NCCL failed to " + std::string(did) + ": " + nccl_.error_text(result) +
                           (more.empty() ? "" : " (" + more + ")") +
                           "; NCCL_DEBUG=INFO in the environment makes it say more";
  if (result == remote_error) throw unfinished(text);
  throw resource_error(text);
}

/// Whether NCCL has done its own part of the last call.
bool communicator::is_settled(const char* did) const {
  int state = success;
  check(nccl_.async_error(comm_, &state), did);
  check(state, did);
  return state != in_progress;
}

template <class Done>
void communicator::wait_until(const Done& done, const char* did) const {
  detail::wait_limit limit(timeout_);
  for (pause wait; !done(); wait()) {
    if (limit.passed())
      throw unfinished("NCCL did not " + std::string(did) + " within " +
                       std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(timeout_).count()) +
                       " ms: the devices or their links are slow or stuck; raise the timeout where they only are slow");
  }
}

}  // namespace hogwild::nccl
