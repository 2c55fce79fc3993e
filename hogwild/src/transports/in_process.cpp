// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/transports/in_process.hpp>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <utility>

#include <hogwild/error.hpp>

namespace hogwild {

namespace {

/// Messages on the way from a rank to the next one.
struct mailbox {
  std::mutex mutex;
  std::condition_variable news;
  std::deque<std::vector<std::byte>> messages;
  bool sender_gone = false, receiver_gone = false;
};

}  // namespace

struct thread_ring::state {
  std::vector<mailbox> boxes;  ///< box r: from rank r to the next
  std::vector<bool> joined;
  std::mutex joining;
};

namespace {

class thread_member final : public message_link {
 public:
  thread_member(std::size_t rank, std::size_t size, mailbox& in, mailbox& out)
      : rank_(rank), size_(size), in_(in), out_(out) {}
  ~thread_member() override {
    leave(in_, &mailbox::receiver_gone);
    leave(out_, &mailbox::sender_gone);
  }

  std::size_t rank() const noexcept override { return rank_; }
  std::size_t size() const noexcept override { return size_; }

  void send(std::vector<std::byte> message) override {
    const std::scoped_lock lock(out_.mutex);
    if (out_.receiver_gone) lost((rank_ + 1) % size_);
    out_.messages.push_back(std::move(message));
    out_.news.notify_one();
  }

  std::optional<std::vector<std::byte>> receive(std::chrono::nanoseconds wait) override {
    std::unique_lock lock(in_.mutex);
    in_.news.wait_for(lock, wait, [this] { return !in_.messages.empty() || in_.sender_gone; });
    if (in_.messages.empty()) {
      if (in_.sender_gone) lost((rank_ + size_ - 1) % size_);
      return std::nullopt;
    }
    auto message = std::move(in_.messages.front());
    in_.messages.pop_front();
    return message;
  }

 private:
  static void leave(mailbox& box, bool mailbox::*gone) {
    const std::scoped_lock lock(box.mutex);
    box.*gone = true;
    box.news.notify_all();
  }
  [[noreturn]] void lost(std::size_t who) const {
    throw worker_error("rank " + std::to_string(who) + " has left the ring that rank " + std::to_string(rank_) +
                       " is still in; look at what ended it");
  }

  std::size_t rank_, size_;
  mailbox &in_, &out_;
};

}  // namespace

thread_ring::thread_ring(std::size_t ranks) : state_(std::make_unique<state>()) {
  if (ranks == 0) throw config_error("a ring has at least one rank");
  state_->boxes = std::vector<mailbox>(ranks);
  state_->joined.resize(ranks);
}

thread_ring::~thread_ring() = default;

std::unique_ptr<message_link> thread_ring::join(std::size_t rank) {
  const std::size_t ranks = state_->boxes.size();
  const std::scoped_lock lock(state_->joining);
  if (rank >= ranks) {
    throw config_error("rank " + std::to_string(rank) + " is not below " + std::to_string(ranks) +
                       ", the number of ranks");
  }
  if (state_->joined[rank]) throw config_error("rank " + std::to_string(rank) + " has joined the ring already");
  state_->joined[rank] = true;
  return std::make_unique<thread_member>(rank, ranks, state_->boxes[(rank + ranks - 1) % ranks], state_->boxes[rank]);
}

}  // namespace hogwild
